import { tableFromIPC, tableToIPC, type Table } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { cosineMatrix } from "../../src/compare/cosine-matrix.ts";
import { resultKinds } from "../../src/results/result-kinds.ts";
import { toTable } from "../../src/results/to-table.ts";
import type { TransferMatrix } from "../../src/results/transfer-matrix.ts";
import { captureCost } from "../../src/captures/capture-cost.ts";
import { rocCurve } from "../../src/statistics/roc/roc-curve.ts";
import { scoreHistogram } from "../../src/statistics/score-histogram.ts";
import { sampleSteering, sampleSweep } from "../report/report-sample.ts";

const rowsOf = (table: Table) => table.toArray().map((row) => (row as { toJSON(): object }).toJSON());
const estimate = { value: 0.5, low: 0.25, high: 0.75, n: 10, groups: 5 };
const transfer: TransferMatrix = {
  ...{ schemaVersion: 1, kind: "transfer-matrix", label: "y", layer: 3, probe: "logistic", score: "auroc" },
  ...{ folds: 5, seed: 0, random: "r", draws: 100, notes: ["a note"] },
  datasets: [
    { name: "a", n: 10, groups: 5 },
    { name: "b", n: 10, groups: 5 },
  ],
  cells: ["a", "b"].flatMap((train) =>
    ["a", "b"].map((test) => ({
      train,
      test,
      diagonal: train === test,
      score: estimate,
      trained: 10,
      leftOut: 0,
    })),
  ),
};

const scored = { scores: [1, 2, 2, 3], labels: [0, 0, 1, 1], groups: [0, 1, 2, 3] };

describe("a result as an Arrow table", () => {
  test("has one row a number, with what it is of and its interval", () => {
    const sweep = sampleSweep();
    const rows = rowsOf(toTable(sweep));
    const { value, low, high, n, groups } = sweep.layers[2]!.probes[1]!.score;
    expect(rows).toContainEqual({
      ...{ layer: 2, probe: "logistic", C: 0.1, index: null },
      ...{ metric: "layers.probes.score", value, low, high, n, groups, undefinedDraws: null, reason: null },
    });
    expect(rows).toContainEqual(
      expect.objectContaining({ layer: 2, metric: "layers.controls.shuffledLabels", value: 0.494 }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({ layer: 3, metric: "chosen.outerScore", value: 0.9988 }),
    );
    expect(rows).toContainEqual(expect.objectContaining({ layer: 0, metric: "controls.floor.gain" }));
  });

  test.each([
    ["layer-sweep", sampleSweep()],
    ["steering-evaluation", sampleSteering()],
    ["transfer-matrix", transfer],
    ["cosine-matrix", cosineMatrix({ a: { vector: [1, 2] }, b: { vector: [0, 0] } })],
    ["roc-curve", rocCurve(scored, { draws: 5, steps: 2 })],
    ["score-histogram", scoreHistogram(scored, { bins: 3 })],
    ["capture-cost", captureCost({ hiddenSize: 96, plans: [{ layers: 2, promptTokens: 9 }] })],
  ])("comes back from Arrow IPC as it was, its metadata too: %s", (kind, result) => {
    const table = toTable(result);
    const again = tableFromIPC(tableToIPC(table, "file"));
    expect(rowsOf(again)).toEqual(rowsOf(table));
    expect(again.numRows).toBeGreaterThan(3);
    expect(again.schema.metadata.get("residua.kind")).toBe(kind);
    expect(again.schema.metadata.get("residua.schemaVersion")).toBe(String(result.schemaVersion));
  });

  test("what is undefined is null with its reason, and plain fields are in the metadata", () => {
    const table = toTable(cosineMatrix({ a: { layer: 1, vector: [1, 2] }, b: { vector: [0, 0] } }));
    expect(rowsOf(table)).toContainEqual(
      expect.objectContaining({ first: "a", second: "b", metric: "pairs.cosine", value: null }),
    );
    expect(toTable(transfer).schema.metadata.get("residua.notes")).toBe('["a note"]');
    const cells = rowsOf(toTable(transfer)).filter(
      (row) => (row as { metric: string }).metric === "cells.score",
    );
    expect(cells.map((row) => (row as { diagonal: boolean }).diagonal)).toEqual([true, false, false, true]);
  });

  test("tells the entries of a list apart: by a name, else by their place", () => {
    const counts = rowsOf(toTable(scoreHistogram(scored, { bins: 2 })));
    const of = (label: number) =>
      counts.filter(
        (row) =>
          (row as { label: number; metric: string }).metric === "classes.counts" &&
          (row as { label: number }).label === label,
      );
    expect(of(0)).toMatchObject([
      { index: 0, value: 1 },
      { index: 1, value: 1 },
    ]);
    expect(of(1)).toMatchObject([
      { index: 0, value: 0 },
      { index: 1, value: 2 },
    ]);
    const roc = rowsOf(toTable(rocCurve(scored, { draws: 5, steps: 2 })));
    const recall = roc.filter((row) => (row as { metric: string }).metric === "points.recall");
    expect(recall).toMatchObject([
      { index: 0, falsePositiveRate: 0, value: 0 },
      { index: 1, falsePositiveRate: 0, value: 0.5 },
      { index: 2, falsePositiveRate: 0.5, value: 1 },
      { index: 3, falsePositiveRate: 1, value: 1 },
    ]);
    const band = roc.filter((row) => (row as { metric: string }).metric === "band.recall");
    expect(band).toMatchObject([0, 0.5, 1].map((falsePositiveRate) => ({ falsePositiveRate, index: null })));
  });

  test("another version, an unknown kind and a damaged document are refused", () => {
    expect(() => toTable({ ...sampleSweep(), schemaVersion: 1 } as never)).toThrow(
      /a sweep of another version has other numbers/,
    );
    expect(() => toTable({ kind: "sweep" } as never)).toThrow(new RegExp(Object.keys(resultKinds)[0]!));
    expect(() => toTable({ ...transfer, cells: [] })).toThrow(/cells/);
  });
});
