import { beforeAll, describe, expect, test } from "vitest";
import { useBackend } from "../../../src/backend/use-backend.ts";
import { differenceOfMeans } from "../../../src/probes/difference-of-means.ts";
import { ridge } from "../../../src/probes/linear/ridge.ts";
import { logistic } from "../../../src/probes/logistic/logistic.ts";
import type { SweepDataset } from "../../../src/probes/sweep-rows.ts";
import { positionSweepSchema, type PositionSweep } from "../../../src/results/position-sweep.ts";
import { toTable } from "../../../src/results/to-table.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { sweepLayers } from "../../../src/sweep/sweep-layers.ts";
import { sweepPositions } from "../../../src/sweep/positions/sweep-positions.ts";
import { arrayDataset } from "../../probes/sweep-data.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

interface Token {
  example: string;
  group: string;
  y: boolean;
  position: number;
  token: string;
  [column: string]: unknown;
}

/**
 * Prompts of 6 to 9 tokens, two a group: BOS, which is the same everywhere, then noise; the label is in feature 1 of layer 1 at the
 * third token from the end, whose text is "here".
 */
function prompts({
  groups = 40,
  change = (token: Token): Token | null => token,
}: { groups?: number; change?: (token: Token) => Token | null } = {}): SweepDataset {
  const random = createRandom(5, "prompts");
  const rows: Token[] = [];
  const values: [number[], number[]] = [[], []];
  for (let example = 0; example < 2 * groups; example++) {
    const y = random.below(2) === 1;
    const length = 6 + random.below(4);
    for (let position = 0; position < length; position++) {
      const fromEnd = position - length;
      const own = [0, 1].map((layer) =>
        [0, 1, 2].map((feature) => {
          const noise = position === 0 ? 40 + feature : random.gaussian();
          return noise + (layer === 1 && fromEnd === -3 && feature === 1 && y ? 3 : 0);
        }),
      );
      const token = position === 0 ? "<s>" : fromEnd === -3 ? "here" : `t${random.below(9)}`;
      const made = change({ example: `e${example}`, group: `g${example >> 1}`, y, position, token });
      if (made === null) continue;
      rows.push(made);
      own.forEach((numbers, layer) => values[layer]!.push(...numbers));
    }
  }
  const columns = Object.fromEntries(
    Object.keys(rows[0]!).map((name) => [name, rows.map((row) => row[name])]),
  );
  return arrayDataset({ hiddenSize: 3, layers: values.map((own) => Float32Array.from(own)), columns });
}

const quick = { label: "y", draws: 50 };
const at = ({ cells }: PositionSweep, layer: number, position: number) =>
  cells.find((cell) => cell.layer === layer && cell.position === position)!;

describe("a sweep of positions", () => {
  test("finds what is planted at its layer and place, counted from each prompt's own end", async () => {
    const sweep = await sweepPositions(prompts(), { ...quick, draws: 200 });
    expect(sweep).toMatchObject({ from: "end", layers: [0, 1], n: 80, groups: 40, positive: true });
    expect(sweep.positions).toEqual([-6, -5, -4, -3, -2, -1]);
    expect(sweep.cells).toHaveLength(12);
    expect(at(sweep, 1, -3)).toMatchObject({ token: "here", score: { n: 80, groups: 40 } });
    expect(at(sweep, 1, -3).score.low!).toBeGreaterThan(0.9);
    for (const { layer, position, token, score } of sweep.cells) {
      if (layer === 1 && position === -3) continue;
      expect(score.value!).toBeLessThan(0.75);
      if (position !== -3) expect(token).toBeNull();
    }
    expect(sweep.notes.at(-1)).toMatch(/The best of 12 cells is a maximum/);
    expect(positionSweepSchema.parse(JSON.parse(JSON.stringify(sweep)))).toEqual(sweep);
    const rows = toTable(sweep)
      .toArray()
      .map((row) => (row as { toJSON(): object }).toJSON());
    expect(rows).toContainEqual(
      expect.objectContaining({
        layer: 1,
        position: -3,
        metric: "cells.score",
        value: at(sweep, 1, -3).score.value,
      }),
    );
  });

  test("from the start the same signal is smeared; BOS, which is one row in all prompts, scores exactly one half", async () => {
    const sweep = await sweepPositions(prompts(), { ...quick, from: "start" });
    expect(sweep.positions).toEqual([0, 1, 2, 3, 4, 5]);
    expect(at(sweep, 1, 0)).toMatchObject({ token: "<s>", score: { value: 0.5, low: 0.5, high: 0.5 } });
    for (const { score } of sweep.cells) expect(score.value!).toBeLessThan(0.85);
  });

  test("a row that is missing in between moves no other", async () => {
    const gap = prompts({ change: (token) => (token.position === 3 && token.example < "e4" ? null : token) });
    const [whole, holed] = [
      await sweepPositions(prompts(), quick),
      await sweepPositions(gap, { ...quick, positions: [-3, -1] }),
    ];
    expect(at(holed, 1, -1)).toEqual(at(whole, 1, -1));
    const missing = 80 - at(holed, 1, -3).score.n!;
    expect(missing).toBeGreaterThan(3);
    expect(at(holed, 1, -3).score.value!).toBeGreaterThan(0.9);
    expect(holed.notes).toContainEqual(
      expect.stringMatching(/At 1 of 2 positions not every example has a row/),
    );
  });

  test.each([
    ["one C", logistic({ C: [0.1] })],
    ["a choice of C", logistic({ C: [0.01, 1] })],
    ["no C", differenceOfMeans()],
  ])("a cell is a layer sweep of its rows: %s", async (_, probe) => {
    const dataset = prompts();
    const positions = (await dataset.column("position")) as number[];
    const examples = (await dataset.column("example")) as string[];
    const last = new Map(examples.map((example, row) => [example, positions[row]!]));
    const where = (row: number) => positions[row] === last.get(examples[row]!)! - 2;
    const options = { label: "y", draws: 50, folds: 4, seed: 3 };
    const cell = at(
      await sweepPositions(dataset, { ...options, probe, positions: [-3], layers: [1] }),
      1,
      -3,
    );
    const layers = await sweepLayers(dataset, {
      ...{ ...options, where, layers: [1], probes: [probe], shuffles: 0, randomDirections: 0 },
    });
    expect(cell.score).toEqual(layers.layers[0]!.probes[0]!.score);
  });

  test("keeps groups whole: copies of a prompt with the label of their group say nothing of other groups", async () => {
    const random = createRandom(9, "copies");
    const own = Array.from({ length: 30 }, () => ({
      y: random.below(2),
      place: [0, 1, 2, 3].map(() => random.gaussian()),
    }));
    const rows = own.flatMap(({ y, place }, group) =>
      [0, 1, 2, 3].map((copy) => ({ y, place, group, copy })),
    );
    const dataset = arrayDataset({
      hiddenSize: 4,
      layers: [
        Float32Array.from(
          rows.flatMap(({ place }) => place.map((value) => value + 0.01 * random.gaussian())),
        ),
      ],
      columns: {
        example: rows.map(({ group, copy }) => `e${group}.${copy}`),
        group: rows.map(({ group }) => group),
        position: rows.map(({ copy }) => copy),
        y: rows.map(({ y }) => y),
      },
    });
    const probe = logistic({ C: [100] });
    const honest = await sweepPositions(dataset, { ...quick, probe });
    const leaky = await sweepPositions(dataset, { ...quick, probe, group: "example" });
    expect(leaky.cells[0]!.score.value! - honest.cells[0]!.score.value!).toBeGreaterThan(0.1);
  });

  test("a place with too few groups, of one class or without rows has no score, and says why", async () => {
    const sweep = await sweepPositions(prompts({ groups: 12 }), {
      ...quick,
      positions: [-40, -9, -1],
      folds: 5,
    });
    expect(at(sweep, 0, -40).score).toEqual({
      value: null,
      low: null,
      high: null,
      n: 0,
      groups: 0,
      reason: "no example has a row here",
    });
    expect(at(sweep, 0, -9).score).toMatchObject({
      value: null,
      reason: expect.stringMatching(/folds/) as string,
    });
    expect(at(sweep, 0, -1).score.value).not.toBeNull();
    expect(sweep.notes).toContainEqual(expect.stringMatching(/Only 12 groups/));
  });

  test("says where −1 is no prompt's end: rows that were not collected, and generated tokens", async () => {
    const told = (change: (token: Token) => Token | null) =>
      sweepPositions(prompts({ change }), { ...quick, layers: [0] });
    const cut = await told((token) => ({ ...token, prompt_length: token.position === 0 ? 12 : null }));
    expect(cut.notes).toContainEqual(
      expect.stringMatching(/^In 80 of 80 examples −1 stands before the prompt's end/),
    );
    const role = ({ position }: Token) => (position > 4 ? "generated" : "prompt");
    const change = (token: Token) => ({
      ...token,
      prompt_length: token.position === 0 ? 5 : null,
      role: role(token),
    });
    const generated = await told(change);
    expect(generated.notes).toContainEqual(
      expect.stringMatching(/^In 80 of 80 examples −1 is a generated token/),
    );
    const where = { role: "prompt" };
    const own = await sweepPositions(prompts({ change }), { ...quick, layers: [0], where });
    expect(own.positions).toEqual([-5, -4, -3, -2, -1]);
    expect(at(own, 0, -5).token).toBe("<s>");
    expect(own.notes.join(" ")).not.toMatch(/examples −1/);
  });

  test("cells wholly below chance are told as no finding: balanced designs do that to noise", async () => {
    // Kinds are as frequent in both classes: what a fold has too much of, its training rows have too little of.
    const kinds = Array.from({ length: 60 }, (_, row) => ({ kind: row % 3, y: (row >> 1) % 2 === 0 }));
    const dataset = arrayDataset({
      hiddenSize: 3,
      layers: [Float32Array.from(kinds.flatMap(({ kind }) => [0, 1, 2].map((one) => Number(one === kind))))],
      columns: {
        example: kinds.map((_, row) => `e${row}`),
        group: kinds.map((_, row) => `g${row >> 1}`),
        position: kinds.map(() => 4),
        y: kinds.map(({ y }) => y),
      },
    });
    const sweep = await sweepPositions(dataset, { ...quick, draws: 300, folds: 10 });
    const { score } = sweep.cells[0]!;
    expect(score.value!).toBeLessThan(0.5);
    const told = sweep.notes.some((note) => /wholly below 0\.5, which is no finding/.test(note));
    expect(told).toBe(score.high! < 0.5);
    expect(told).toBe(true);
  });

  test("a last row without a label still is the last", async () => {
    const change = (token: Token) => ({ ...token, y: token.token === "here" ? token.y : (null as never) });
    const sweep = await sweepPositions(prompts({ change }), quick);
    expect(sweep.positions).toEqual([-3]);
    expect(at(sweep, 1, -3).score.value!).toBeGreaterThan(0.9);
  });

  test("rows twice, pooled rows, no positions, three classes and wrong options are refused", async () => {
    const refused = (dataset: SweepDataset, options: object = {}) =>
      expect(sweepPositions(dataset, { ...quick, ...options })).rejects;
    await refused(prompts({ change: (token) => ({ ...token, example: "e" }) })).toThrow(
      /Example "e" has two rows at position 0/,
    );
    await refused(prompts({ change: (token) => ({ ...token, position: null as never }) })).toThrow(
      /pooled rows stand at none/,
    );
    await refused(prompts({ change: (token) => ({ ...token, position: token.position - 1 }) })).toThrow(
      /Row 0 has the position -1/,
    );
    const without = prompts();
    await refused({ ...without, columns: without.columns.filter((name) => name !== "position") }).toThrow(
      /no column position/,
    );
    await refused(prompts({ change: (token) => ({ ...token, y: token.position as never }) })).toThrow(/y/);
    await refused(prompts(), { positions: [1] }).toThrow(/positions.*from −1 down/s);
    await refused(prompts(), { positions: [-1], from: "start" }).toThrow(/from 0 up with from/);
    await refused(prompts(), { positions: [-1, -1] }).toThrow(/each position once/);
    await refused(prompts(), { layers: [7] }).toThrow(/Layer 7 is not in the dataset/);
    await refused(prompts(), { probe: ridge({ lambda: [1] }) }).toThrow(/predicts numbers/);
    await refused(prompts(), { probe: logistic({ C: [1, 2] }), folds: 2 }).toThrow(/at least 3 folds/);
    const end = prompts({
      change: (token) => (token.position === (token.example < "e2" ? 0 : 5) ? token : null),
    });
    await refused(end, { from: "start" }).toThrow(/At no place does every example have a row/);
    const abort = { signal: AbortSignal.abort(new Error("stopped")) };
    await refused(prompts(), abort).toThrow(/stopped/);
  });
});
