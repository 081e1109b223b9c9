import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { runPipeline } from "../../src/pipeline/run-pipeline.ts";
import { commandInProcess } from "../command-in-process.ts";

const examples = fileURLToPath(new URL("../../../../examples", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "residua-examples-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

// A copy, for what they write lies beside them.
cpSync(examples, join(scratch, "examples"), { recursive: true });

test.each(readdirSync(examples))(
  "the pipeline %s runs, and its gates are met",
  { timeout: 240_000 },
  async (name) => {
    const file = join(scratch, "examples", name, "pipeline.yaml");
    const { code, message, data } = await commandInProcess((context) => runPipeline({ file }, context));
    expect(code, message).toBe(0);
    const { steps } = data as { steps: { did: string }[] };
    expect(new Set(steps.map(({ did }) => did))).toEqual(new Set(["ran"]));
  },
);
