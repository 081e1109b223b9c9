import OpenAI from "openai";
import { cap, type Driver, request } from "./driver.ts";

/** openai-node as its users write it. */
export function openaiDriver(baseURL: string): Driver {
  const client = new OpenAI({ baseURL, apiKey: "key" });
  const complete = async () => (await client.completions.create(request)).choices[0]!.text;
  return {
    complete,
    async stream(onText) {
      for await (const chunk of await client.completions.create({ ...request, stream: true })) {
        await onText(chunk.choices[0]!.text);
      }
    },
    async sampleMany(count) {
      let started = 0;
      let done = 0;
      const worker = async () => {
        while (started < count) {
          const seed = started++;
          const { choices } = await client.completions.create({ ...request, seed });
          if (choices[0]!.text !== "") done += 1;
        }
      };
      await Promise.all(Array.from({ length: cap }, worker));
      return done;
    },
    close: () => Promise.resolve(),
  };
}
