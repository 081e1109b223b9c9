import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { direction, saveDirection } from "@residua/lens";
import { modelFolder, statementsAbout } from "@residua/tiny-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { residua, serveTiny, startResidua, type Finished } from "./residua-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-commands-"));
const dataset = join(scratch, "cities");
const directions = join(scratch, "directions");
const examplesFile = join(scratch, "examples.jsonl");
const neutralFile = join(scratch, "neutral.jsonl");
let serving: Awaited<ReturnType<typeof serveTiny>>;
let base: string;

const cities = statementsAbout({ split: "heldOut" }).slice(0, 60);

beforeAll(async () => {
  const lines = cities.map(({ prompt, group, truth }) =>
    JSON.stringify({ prompt, group, labels: { truth } }),
  );
  writeFileSync(examplesFile, lines.join("\n"));
  writeFileSync(neutralFile, JSON.stringify({ prompt: "The river is long." }));
  serving = await serveTiny();
  base = serving.url;
});
afterAll(async () => {
  serving.child.kill("SIGTERM");
  expect((await serving.finished).code).toBe(0);
  rmSync(scratch, { recursive: true, force: true });
});

const ask = (...words: string[]) => residua(words, { env: { ACS_API_BASE: base } });
const json = ({ code, stdout, stderr }: Finished): unknown => {
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

describe("each command, with --json, prints one document", () => {
  test("serve prints its address once it answers", async () => {
    const answer = await fetch(`${base}/models`);
    expect(((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(["tiny"]);
  });

  test("complete", async () => {
    const prompt = "The city of Paris is in Europe. Verdict:";
    const completion = json(
      await ask("complete", prompt, "--max-tokens", "1", "--temperature", "0", "--json"),
    );
    expect(completion).toMatchObject({ choices: [{ text: " true" }], usage: { completion_tokens: 1 } });
  });

  test("capture of a prompt", async () => {
    const capture = json(
      await ask("capture", "--prompt", "The city of Rome", "--layers", "0,2", "--json"),
    ) as {
      layers: number[];
      positions: number;
      tokens: unknown[];
      norms: { layer: number; norms: number[] }[];
    };
    expect(capture.layers).toEqual([0, 2]);
    expect(capture.tokens.length).toBe(capture.positions + 1);
    expect(capture.norms.map(({ norms }) => norms.length)).toEqual([capture.positions, capture.positions]);
  });

  test("capture of examples, then sweep, then steer", async () => {
    const collected = json(
      await ask("capture", "--examples", examplesFile, "--layers", "0,2,4", "--to", dataset, "--json"),
    );
    expect(collected).toMatchObject({ rows: 60, layers: [0, 2, 4] });

    const sweep = json(await ask("sweep", dataset, "--label", "truth", "--json")) as {
      chosen: { layer: number };
      layers: { layer: number; probes: { score: { value: number } }[] }[];
    };
    expect(sweep.layers.map(({ layer }) => layer)).toEqual([0, 2, 4]);
    expect(sweep.layers.at(-1)!.probes[0]!.score.value).toBeGreaterThan(0.95);

    const words = [
      "steer",
      dataset,
      "--label",
      "truth",
      "--layer",
      String(sweep.chosen.layer),
      "--prompts",
      examplesFile,
    ];
    const steered = json(
      await ask(
        ...words,
        "--choices",
        " true, false",
        "--scales=-1,0,1",
        "--twins",
        "2",
        "--neutral",
        neutralFile,
        "--save",
        "truth",
        "--directions",
        directions,
        "--json",
      ),
    );
    expect(steered).toMatchObject({
      kind: "steering-evaluation",
      scales: [{ scale: -1 }, { scale: 0 }, { scale: 1 }],
      target: { tokens: [" true"] },
      dose: { firstDamage: {} },
    });

    expect(existsSync(join(directions, "truth.safetensors"))).toBe(true);

    const search = json(
      await ask(
        ...["steer-search", dataset, "--label", "truth", "--layers", "2,4", "--prompts", examplesFile],
        ...["--choices", " true, false", "--scales=-1,1", "--twins", "2", "--neutral", neutralFile, "--json"],
      ),
    );
    expect(search).toMatchObject({
      kind: "steering-search",
      directions: [{ layer: 2 }, { layer: 4 }],
      objective: { metric: "share turned to the other choice", aim: "raise" },
    });
  }, 180_000);

  test("complete, steered and proven", async () => {
    const vector = Float32Array.from({ length: 96 }, (_, i) => 2 * Math.sin(i * 78.233));
    await saveDirection(directions, direction({ layer: 2, vector, name: "waves", method: "made here" }));
    const completion = json(
      await ask(
        ...["complete", cities[0]!.prompt, "--max-tokens", "2", "--temperature", "0", "--json"],
        ...["--steer", "-2 waves@2:3 from 2", "--directions", directions, "--verify"],
      ),
    ) as { checks: { code: string; status: string }[] };
    expect(completion.checks).toContainEqual(
      expect.objectContaining({ code: "steering_delta", status: "pass" }),
    );
  });
});

test("a served key file, a ledger and a folder of jobs", async () => {
  const keys = join(scratch, "keys.json");
  const made = await residua(["make-key", "ann", "--file", keys, "--json"]);
  const { key } = JSON.parse(made.stdout) as { key: string };
  expect(readFileSync(keys, "utf8")).not.toContain(key);
  expect(await residua(["make-key", "ann", "--file", keys])).toMatchObject({ code: 2, stdout: "" });
  const [ledger, jobs] = [join(scratch, "ledger.jsonl"), join(scratch, "jobs")];
  const server = await serveTiny(["--api-key-file", keys, "--ledger", ledger, "--jobs", jobs]);
  const words = [
    "complete",
    "The city of Paris is",
    "--max-tokens",
    "1",
    "--base-url",
    server.url,
    "--model",
    "tiny",
  ];
  expect((await residua(words)).code).toBe(1);
  const { code } = await residua(words, { env: { ACS_API_KEY: key } });
  server.child.kill("SIGTERM");
  await server.finished;
  expect(code).toBe(0);
  expect(readFileSync(ledger, "utf8")).toContain('"key":"ann"');
  expect(existsSync(jobs)).toBe(true);
});

test("a served quirk is explained, misbehaves, and ends a capture with exit code 3", async () => {
  const list = json(await residua(["serve", "--list-quirks", "--json"])) as {
    name: string;
    caught: object;
  }[];
  expect(list.find(({ name }) => name === "missing-activations")).toMatchObject({
    caught: { by: "@residua/lens", code: "missing_activations" },
    profiles: expect.arrayContaining(["acs"]) as string[],
  });
  const told = await residua(["serve", "--list-quirks"]);
  for (const { name } of list) expect(told.stdout).toContain(`${name}\n  `);

  const server = await serveTiny([
    "--quirk",
    "stall=0",
    "--quirk",
    "missing-activations",
    "--quirk-seed",
    "3",
  ]);
  const words = ["capture", "--prompt", "The city of Rome", "--base-url", server.url, "--model", "tiny"];
  const { code, stderr } = await residua(words);
  server.child.kill("SIGTERM");
  expect((await server.finished).code).toBe(0);
  expect(stderr).toContain("a 200 without activations");
  expect(code).toBe(3);
});

describe("bad input ends with one clear error, a code other than 0, and no stack trace", () => {
  const refused = async (finished: Promise<Finished>, code: number, ...words: (string | RegExp)[]) => {
    const { code: ended, stdout, stderr } = await finished;
    expect({ ended, stdout }, stderr).toEqual({ ended: code, stdout: "" });
    expect(stderr).not.toMatch(/\n\s+at /);
    for (const word of words) expect(stderr).toMatch(word);
  };

  test("a layer out of range", () =>
    refused(ask("capture", "--prompt", "Hi", "--layers", "99"), 2, "99", /0 (to|…)/));

  test("a capture over the limit names the sum and what would fit", () => {
    const words = [
      "capture",
      "--prompt",
      "x".repeat(3000),
      "--layers",
      "0,1,2",
      "--model",
      "tiny-uncatalogued",
    ];
    return refused(ask(...words), 2, /33 ?554 ?432/);
  });

  test("a vector of another width than the model's", async () => {
    const other = join(scratch, "other");
    cpSync(fileURLToPath(new URL("../../engine/fixtures/odd-llama", import.meta.url)), other, {
      recursive: true,
    });
    for (const file of ["tokenizer.json", "tokenizer_config.json"])
      cpSync(join(modelFolder, file), join(other, file));
    const words = [
      "steer",
      dataset,
      "--label",
      "truth",
      "--layer",
      "0",
      "--prompts",
      examplesFile,
      "--model",
      other,
    ];
    await refused(residua([...words, "--choices", " true, false", "--quiet"]), 2, /96/, /hidden size/);
  });

  test("a dataset folder that is none, or is damaged", async () => {
    await refused(ask("sweep", scratch, "--label", "truth"), 2, "dataset.json");
    const broken = join(scratch, "broken");
    cpSync(dataset, broken, { recursive: true });
    writeFileSync(join(broken, "dataset.json"), "{");
    await refused(ask("sweep", broken, "--label", "truth"), 1, "dataset.json");
  });

  test("a label or split that the dataset lacks", async () => {
    await refused(ask("sweep", dataset, "--label", "trut"), 2, "truth");
    await refused(ask("sweep", dataset, "--label", "truth", "--split", "none"), 2, "--split");
  });

  test("a port in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    await refused(residua(["serve", "--port", String(port)]), 1, new RegExp(`${port}`), /in use/);
    taken.close();
  });

  test("a model folder that is none", async () => {
    await refused(residua(["serve", "--model", join(scratch, "nowhere")]), 2, "nowhere");
    await refused(
      residua(["first-run", "--model", join(scratch, "nowhere")], { cwd: scratch }),
      2,
      "nowhere",
    );
  });

  test("a steering expression with a fault", async () => {
    const say = (...words: string[]) => ask("complete", "Hi", "--directions", scratch, ...words);
    await refused(say("--steer", "-2 lies@2"), 2, "column 1: no direction is named lies; known: none", "^");
    await refused(say("--steer", "truth@"), 2, "column 7: expected a layer from 0, found the end");
    await refused(say("--verify"), 2, "--verify proves steering: give --steer too");
  });

  test("a server that is not there", () =>
    refused(
      residua(["complete", "Hi"], { env: { ACS_API_BASE: "http://127.0.0.1:9/v1" } }),
      1,
      "127.0.0.1:9",
    ));

  test("a server that dies in the middle", async () => {
    const doomed = await serveTiny();
    const to = join(scratch, "doomed");
    const env = { ACS_API_BASE: doomed.url };
    const run = startResidua(["capture", "--examples", examplesFile, "--to", to, "--layers", "all"], { env });
    while (!/captured [1-9]/.test(run.stderr())) await new Promise((resolve) => setTimeout(resolve, 5));
    doomed.child.kill("SIGKILL");
    await refused(run.finished, 1, new RegExp(new URL(doomed.url).host));
    // Nothing is lost: against a server that lives, the same command goes on.
    expect(await ask("capture", "--examples", examplesFile, "--to", to, "--layers", "all")).toMatchObject({
      code: 0,
    });
  });

  test("options that do not go together", async () => {
    await refused(
      residua(["capture", "--prompt", "Hi", "--to", join(scratch, "no")]),
      2,
      "--to goes with --examples",
    );
    await refused(residua(["capture", "--prompt", "Hi", "--select", "middle"]), 2, "--select");
    await refused(residua(["serve", "--model-id", ""]), 2, "--model-id");
    await refused(residua(["serve", "--profile", "acme"]), 2, "acme", "acs");
    await refused(residua(["serve", "--quirk", "nan-rows"]), 2, 'no quirk "nan-rows"', "nan-row,");
  });

  test("an unknown option, a wrong number, a missing argument", async () => {
    await refused(residua(["complete", "Hi", "--temprature", "1"]), 2, "--temprature", "--temperature");
    await refused(residua(["sweep", dataset, "--label", "truth", "--folds", "2"]), 2, "--folds");
    await refused(residua(["complete"]), 2, "prompt");
  });

  test("the key never shows", async () => {
    const env = {
      ACS_API_BASE: "http://127.0.0.1:9/v1",
      ACS_API_KEY: "acs-bm-secret00-abcdefghijklmnop",
      RESIDUA_DEBUG: "1",
    };
    const { stderr, code } = await residua(["complete", "Hi"], { env });
    expect(code).toBe(1);
    expect(stderr).not.toContain("secret00");
  });
});
