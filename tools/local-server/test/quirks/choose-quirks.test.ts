import { loadModel, type Model } from "@residua/engine";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acsProfile } from "../../src/acs/acs-profile.ts";
import { createQuirks, type QuirkOptions } from "../../src/quirks/choose-quirks.ts";
import { quirkList } from "../../src/quirks/quirk-list.ts";
import { start, tinyModel } from "../support.ts";
import { prompt } from "./quirk-support.ts";

const create = (options: QuirkOptions) => createQuirks(options, "acs", acsProfile);
const names = quirkList.filter(({ profiles }) => profiles?.includes("acs") ?? true).map(({ name }) => name);

describe("what is named", () => {
  const problems: [string[], RegExp][] = [
    [["nan-rows"], /there is no quirk "nan-rows" \(like it: nan-row, .*\); there are .*nan-row, /],
    [["nan-row=2"], /"nan-row=2" is not NAME or NAME=p with p from 0 to 1/],
    [["nan-row=1e-3"], /is not NAME or NAME=p/],
    [["nan-row="], /is not NAME or NAME=p/],
    [["nan-row", "nan-row=0.5"], /nan-row is named twice/],
    [["boost"], /there is no quirk "boost"; there are/],
    [[""], /there is no quirk ""/],
  ];
  test.each(problems)("%j is refused", (quirks, problem) => {
    expect(() => create({ quirks })).toThrow(problem);
    expect(() => create({ quirks })).toThrow(expect.objectContaining({ code: "quirk_invalid" }) as Error);
    expect(() => create({ testMode: true })(quirks.join(","), false)).toThrow(problem);
  });

  test("a seed that is no whole number is refused", () => {
    expect(() => create({ quirkSeed: 0.5 })).toThrow(/seed 0.5 is not a whole number/);
  });

  test("the header names several; those of the server act too", () => {
    const choose = create({ quirks: ["stall"], testMode: true });
    const quirks = choose(" nan-row , off-by-one-layer=1", false);
    expect(names.filter((name) => quirks.has(name))).toEqual(["off-by-one-layer", "nan-row", "stall"]);
    expect(names.filter((name) => choose(undefined, false).has(name))).toEqual(["stall"]);
    expect(names.filter((name) => choose("stall=0", false).has(name))).toEqual([]);
  });
});

describe("probability", () => {
  const met = (choose: ReturnType<typeof create>, header?: string) =>
    Array.from({ length: 40 }, () => {
      const quirks = choose(header, false);
      return names.filter((name) => quirks.has(name));
    });

  test("equal seeds choose alike, whichever other quirks are there", () => {
    const some = fc.uniqueArray(
      fc.tuple(fc.constantFrom(...names), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        selector: ([name]) => name,
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(some, fc.integer(), (chosen, quirkSeed) => {
        const quirks = chosen.map(([name, p]) => `${name}=${p.toFixed(6)}`);
        const together = met(create({ quirks, quirkSeed }));
        expect(met(create({ quirks, quirkSeed }))).toEqual(together);
        expect(met(create({ testMode: true, quirkSeed }), quirks.join(","))).toEqual(together);
        const [name] = chosen[0]!;
        const alone = met(create({ quirks: quirks.slice(0, 1), quirkSeed }));
        expect(together.map((list) => list.includes(name))).toEqual(alone.map((list) => list.includes(name)));
      }),
      { numRuns: 50 },
    );
  });

  test("p is the part of the requests; other seeds choose other ones", () => {
    const draw = (p: number, quirkSeed: number) => {
      const choose = create({ quirks: [`stall=${p}`], quirkSeed });
      return Array.from({ length: 4000 }, () => choose(undefined, false).has("stall"));
    };
    for (const p of [0.05, 0.5, 0.9]) {
      const part = draw(p, 1).filter(Boolean).length / 4000;
      // Five standard deviations.
      expect(Math.abs(part - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / 4000));
    }
    expect(draw(0.5, 1)).not.toEqual(draw(0.5, 2));
    expect(draw(0, 1)).not.toContain(true);
    expect(draw(1, 1)).not.toContain(false);
  });

  test("what is exempt draws nothing", () => {
    const mixed = create({ quirks: ["stall=0.5"] });
    const plain = create({ quirks: ["stall=0.5"] });
    const seen = Array.from({ length: 50 }, () => {
      expect(mixed(undefined, true).has("stall")).toBe(false);
      return mixed(undefined, false).has("stall");
    });
    expect(seen).toEqual(Array.from({ length: 50 }, () => plain(undefined, false).has("stall")));
  });
});

describe("a server", () => {
  let model: Model;
  beforeAll(async () => {
    model = await loadModel(tinyModel);
  });
  afterAll(() => model.dispose());

  test("with a quirk for all misbehaves at completions alone, as often as its seed says", async () => {
    const statuses = async () => {
      const running = await start({ model, quirks: ["storm-502=0.4"], quirkSeed: 7 });
      const list: number[] = [];
      for (let i = 0; i < 12; i++) {
        expect((await running.get("/v1/models")).status).toBe(200);
        list.push((await running.complete({ prompt, max_tokens: 1 })).status);
      }
      const job = await fetch(`${running.server.url}/jobs/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "tiny", prompt }),
      });
      expect(job.status).toBe(202);
      await running.server.close();
      return list;
    };
    const first = await statuses();
    expect(new Set(first)).toEqual(new Set([200, 502]));
    expect(await statuses()).toEqual(first);
  });

  test("that is not in test mode refuses the header, on every route", async () => {
    const running = await start({ model, quirks: ["stall=0"] });
    const headers = { "x-residua-quirk": "nan-row" };
    for (const answer of [
      await running.complete({ prompt }, headers),
      await running.get("/v1/models", headers),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ code: "invalid_request" });
      expect(answer.body.error.message).toMatch(/X-Residua-Quirk: only a server in test mode takes it/);
    }
    await running.server.close();
  });

  test("a header with an unknown name is refused with the list", async () => {
    const running = await start({ model, testMode: true });
    const { status, body } = await running.complete({ prompt }, { "x-residua-quirk": "nan-row, bad" });
    expect(status).toBe(400);
    for (const name of names) expect(body.error.message).toContain(name);
    await running.server.close();
  });

  test("requests of other quirks beside do not change an answer", async () => {
    const running = await start({ model, testMode: true, drainTimeout: 50 });
    const ask = (quirk?: string) =>
      running
        .complete(
          { prompt, max_tokens: 3, temperature: 0, output_residual_stream: [4] },
          quirk === undefined ? {} : { "x-residua-quirk": quirk },
        )
        .then(
          ({ body: { id: _id, created: _created, ...body } }) => body,
          () => null,
        );
    const right = await ask();
    // A stalled request would not end.
    const others = names.filter((name) => name !== "stall");
    const all = await Promise.all(others.flatMap((name) => [ask(name), ask()]));
    all.filter((_, i) => i % 2 === 1).forEach((answer) => expect(answer).toEqual(right));
    expect(running.logged).toEqual([]);
    await running.server.close();
  });
});
