import { readFile } from "node:fs/promises";
import type { Example } from "@residua/analysis";
import * as z from "zod";
import { UsageError } from "./usage-error.ts";

const label = z.union([z.boolean(), z.number(), z.string()]);

const exampleLine = z.strictObject({
  id: z.string().optional(),
  prompt: z.union([z.string(), z.array(z.int().nonnegative()).min(1)]),
  group: z.string().optional(),
  labels: z.record(z.string(), label).optional(),
  split: z.string().optional(),
});

/** Reads examples from a JSON-lines file; an error names the line and the field. */
export async function readExamples(file: string): Promise<Example[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code ?? error.message})`);
  });
  const examples: Example[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const { labels = {}, ...rest } = parseLine(line, `${file} line ${index + 1}`);
    examples.push({ ...dropUndefined(rest), labels } as Example);
  }
  if (examples.length === 0) throw new UsageError(`${file} holds no examples`);
  return examples;
}

function parseLine(line: string, where: string): z.output<typeof exampleLine> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new UsageError(`${where} is not JSON; each line is {"prompt": …, "labels": {…}, "group": …}`);
  }
  const parsed = exampleLine.safeParse(value);
  if (!parsed.success) throw new UsageError(`${where}:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
}
