import { createClient } from "@residua/client";
import { type Driver, request } from "./driver.ts";

export function residuaDriver(baseURL: string): Driver {
  const client = createClient({ baseURL, apiKey: "key" });
  return {
    complete: async () => (await client.completions.create(request)).choices[0]!.text,
    async stream(onText) {
      for await (const chunk of await client.completions.create({ ...request, stream: true })) {
        await onText(chunk.choices[0]!.text);
      }
    },
    async sampleMany(count) {
      const requests = Array.from({ length: count }, (_, seed) => ({ ...request, seed }));
      let done = 0;
      for await (const outcome of client.completions.sampleMany(requests)) {
        if (outcome.completion?.choices[0]?.text) done += 1;
      }
      return done;
    },
    close: () => client.close(),
  };
}
