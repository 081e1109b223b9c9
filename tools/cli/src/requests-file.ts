import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { UsageError } from "./usage-error.ts";

/** A request of a line, as it stands there; the client checks its fields. */
export type LineRequest = Record<string, unknown>;

/** How many requests a JSON-lines file holds. Throws UsageError that names the line which is none. */
export async function countRequests(file: string): Promise<number> {
  let count = 0;
  for await (const _ of readRequests(file)) count++;
  if (count === 0) throw new UsageError(`${file} holds no requests`);
  return count;
}

/** The requests of a JSON-lines file one by one, so that its size does not matter; empty lines are passed over. */
export async function* readRequests(file: string): AsyncGenerator<LineRequest, void, undefined> {
  const input = createReadStream(file);
  const failed = new Promise<never>((_, reject) => {
    input.once("error", (error: NodeJS.ErrnoException) =>
      reject(new UsageError(`${file} cannot be read (${error.code ?? error.message})`)),
    );
  });
  failed.catch(() => undefined);
  const lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]();
  try {
    for (let number = 1; ; number++) {
      const { done, value } = await Promise.race([lines.next(), failed]);
      if (done === true) return;
      if (value.trim() !== "") yield parseLine(value, `${file} line ${number}`);
    }
  } finally {
    input.destroy();
  }
}

function parseLine(line: string, where: string): LineRequest {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as LineRequest;
  throw new UsageError(
    `${where} is no request; each line is a JSON object such as {"prompt": …, "max_tokens": …}`,
  );
}
