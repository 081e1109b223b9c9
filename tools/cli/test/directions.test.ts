import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { direction, importDirections, saveDirection } from "@residua/lens";
import { modelFolder } from "@residua/tiny-model";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { explainFailure } from "../src/failure.ts";
import { createProgram } from "../src/program.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-directions-"));
const folder = join(scratch, "directions");
const saved = join(folder, "truth.safetensors");
const at = (name: string) => join(scratch, name);
const origins = fileURLToPath(new URL("../../../packages/lens/fixtures/formats/origins/", import.meta.url));
const vector = Float32Array.from({ length: 96 }, (_, i) => ((i * 37 + 11) % 64) / 64 - 0.5);

beforeAll(async () => {
  const layers = [2, 4].map((layer) => direction({ layer, vector, method: "mean difference" }));
  await saveDirection(folder, layers, { name: "truth" });
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs the command in this process, by the words that a user would give, and gives its JSON. */
async function run(...words: string[]): Promise<unknown> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const program = createProgram({ signal: new AbortController().signal });
    await program.parseAsync([...words, "--json", "--quiet"], { from: "user" });
    return JSON.parse(write.mock.calls.map(([text]) => String(text)).join(""));
  } finally {
    write.mockRestore();
  }
}

/** Runs a command that must fail with exit code 2, and gives what it says. */
async function refused(...words: string[]): Promise<string> {
  const failure = explainFailure(await run(...words).catch((error: unknown) => error));
  expect(failure.exitCode, failure.message).toBe(2);
  return failure.message;
}

test.each([
  ["truth.gguf", "llama.cpp", ["--model-hint", "llama"]],
  ["truth.safetensors", "refusal-direction", ["--layers", "6"]],
  ["truth.npy", "huggingface", ["--layers", "6"]],
  ["truth.json", "residua", []],
])("export to %s counted as %s, and import again", async (file, convention, more) => {
  const path = at(file);
  const exported = await run("export", saved, "--to", path, "--convention", convention, ...more);
  expect(exported).toMatchObject({ file: path, convention, layers: [2, 4] });
  const name = `back_${file.split(".")[1]}`;
  const layers = convention === "huggingface" ? ["--layers", "6"] : [];
  const imported = await run("import", path, "--name", name, "--to", folder, ...layers);
  expect(imported).toEqual({ file: join(folder, `${name}.safetensors`), layers: [2, 4], hiddenSize: 96 });
  expect(await refused("export", saved, "--to", path, "--convention", convention, ...more)).toContain(
    "--replace",
  );
});

test("directions of CAA, refusal_direction and steerkit, with their layers as ours", async () => {
  const from = (kind: string, source: string, ...more: string[]) =>
    run("import", join(origins, source), "--from", kind, "--name", kind, "--to", folder, ...more);
  const caa = await from("caa", "caa/vec_layer_13_Llama-2-7b-chat-hf.pt");
  expect(caa).toMatchObject({ layers: [13], hiddenSize: 8 });
  expect(await from("refusal-direction", "refusal-direction")).toMatchObject({ layers: [1] });
  const probe = "steerkit/layer5.probe.safetensors";
  expect(await from("steerkit", probe, "--weights", "processed-rmsnorm")).toMatchObject({ layers: [5] });
  const words = ["import", join(origins, probe), "--from", "steerkit", "--name", "s2", "--to", folder];
  expect(await refused(...words)).toContain("--weights");
  expect(await refused(...words, "--weights", "processed-layernorm")).toContain("centred");
});

test("what has no equivalent, or is not said, is refused and nothing is written", async () => {
  const before = readdirSync(scratch);
  expect(await refused("export", saved, "--to", at("x.npy"))).toContain("--convention is needed");
  expect(await refused("export", saved, "--to", at("x.npy"), "--convention", "bert")).toContain(
    "huggingface: ",
  );
  expect(await refused("export", saved, "--to", at("x.bin"), "--convention", "residua")).toContain(".gguf");
  const last = ["--to", at("x.npy"), "--convention", "huggingface", "--layers", "5"];
  expect(await refused("export", saved, ...last)).toContain("after the final norm");
  expect(await refused("export", saved, "--to", at("x"), "--ablate", saved)).toContain("either");
  expect(await refused("export", "--to", at("x"), "--ablate", saved)).toContain("--model");
  const ablate = ["export", "--ablate", saved, "--model", modelFolder, "--to", at("x")];
  expect(await refused(...ablate)).toContain("layers 2, 4; say which one");
  expect(await refused("import", saved, "--from", "bert", "--name", "x", "--to", folder)).toContain("--from");
  expect(readdirSync(scratch)).toEqual(before);
});

test("export --ablate writes a model folder, once", async () => {
  const to = at("ablated");
  const ablation = await run("export", "--ablate", saved, "--layer", "2", "--model", modelFolder, "--to", to);
  expect(ablation).toMatchObject({ folder: to, layers: 6, hiddenSize: 96, untied: true });
  expect(ablation).toMatchObject({ changed: 13, residue: expect.closeTo(0, 6) as number });
  const twice = ["export", "--ablate", saved, "--layer", "2", "--model", modelFolder, "--to", to];
  expect(await refused(...twice)).toContain("not empty");
});

test("what was exported reads the same in code", async () => {
  const [first] = await importDirections(at("truth.npy"), { format: "npy", layers: 6 });
  expect(first!.vector).toEqual(vector);
});
