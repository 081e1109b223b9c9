import { expect, test } from "vitest";
import { collect } from "../../src/collect/collect.ts";
import { DatasetError, fileError } from "../../src/dataset/dataset-error.ts";
import { collectRollouts } from "../../src/index.ts";
import { freshFolder } from "./collect-helpers.ts";
import { MemoryLens } from "./memory-lens.ts";
import { someExamples } from "./some-examples.ts";

/** As a write on a full disk fails. */
function full(): never {
  throw fileError(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }), "somewhere", "write");
}

test("a full disk: collecting goes on where it was, other writers begin anew, and each says so", async () => {
  expect(full).toThrow(
    /somewhere: no room left to write \(ENOSPC\).* Free some space and run the same again: it begins anew\.$/,
  );
  const options = { layers: [1], to: await freshFolder(), onPlan: full };
  await expect(collect(new MemoryLens(), someExamples(2), options)).rejects.toMatchObject({
    ...{ code: "disk_full", path: "somewhere" },
    advice: "Free some space and run the same collection again: it goes on after the finished shards.",
  });
  const rollouts = { ...options, to: await freshFolder(), grade: () => true };
  await expect(collectRollouts(new MemoryLens(), someExamples(2), rollouts)).rejects.toMatchObject({
    code: "disk_full",
    advice: expect.stringMatching(/goes on after the samples, grades and finished shards/) as string,
  });
});

test("one that was foreseen keeps its own advice", async () => {
  const advice = "Nothing was captured.";
  const foreseen = new DatasetError("disk_full", { path: "p", found: "f", expected: "e", advice });
  const onPlan = () => Promise.reject(foreseen);
  const run = collect(new MemoryLens(), someExamples(2), { layers: [1], to: await freshFolder(), onPlan });
  await expect(run).rejects.toMatchObject({ advice });
});
