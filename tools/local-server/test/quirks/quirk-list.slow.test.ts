import { ResiduaError } from "@residua/client";
import type { Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quirkList, type QuirkName } from "../../src/quirks/quirk-list.ts";
import { answerCases } from "./answer-cases.ts";
import { checkCases } from "./check-cases.ts";
import { engineCases } from "./engine-cases.ts";
import { engineFaultCases } from "./engine-fault-cases.ts";
import { vllmCases } from "./vllm-cases.ts";
import { loadChatModel, withScene, type QuirkCase, type Scene } from "./quirk-support.ts";

// A quirk without a case does not compile.
const cases: Record<QuirkName, QuirkCase> = {
  ...checkCases,
  ...engineCases,
  ...engineFaultCases,
  ...answerCases,
  ...vllmCases,
};

let model: Model;
beforeAll(async () => {
  model = await loadChatModel();
});
afterAll(() => model.dispose());

test("each quirk has a case, and no case is left over", () => {
  expect(Object.keys(cases).sort()).toEqual(quirkList.map(({ name }) => name).sort());
});

describe.each(quirkList.map(({ name, caught }) => ({ name, caught })))("$name", ({ name, caught }) => {
  const { observe, use, on, off, profile } = cases[name];

  test("shows when it is on", async () => {
    expect(await withScene(model, name, observe, profile)).toEqual(on);
  });

  test("is not there when it is off", async () => {
    expect(await withScene(model, null, observe, profile)).toEqual(off);
  });

  test(`is caught as the list says: ${caught.by === null ? "in use by nothing" : caught.code}`, async () => {
    const act = (scene: Scene) =>
      use(scene).then(
        () => null,
        (e: unknown) => e,
      );
    const error = await withScene(model, name, act, profile);
    if (caught.by === null) expect(error).toBeNull();
    else {
      expect(error).toBeInstanceOf(ResiduaError);
      expect((error as ResiduaError).code).toBe(caught.code);
    }
  });
});
