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
    sampleMany: () => Promise.reject(new Error("not there yet")),
    close: () => client.close(),
  };
}
