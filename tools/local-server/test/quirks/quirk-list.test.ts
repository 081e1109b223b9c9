import { ResiduaError } from "@residua/client";
import { loadModel, type Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quirkList, type QuirkName } from "../../src/quirks/quirk-list.ts";
import { tinyModel } from "../support.ts";
import { answerCases } from "./answer-cases.ts";
import { checkCases } from "./check-cases.ts";
import { engineCases } from "./engine-cases.ts";
import { engineFaultCases } from "./engine-fault-cases.ts";
import { withScene, type QuirkCase } from "./quirk-support.ts";

// A quirk without a case does not compile.
const cases: Record<QuirkName, QuirkCase> = {
  ...checkCases,
  ...engineCases,
  ...engineFaultCases,
  ...answerCases,
};

let model: Model;
beforeAll(async () => {
  model = await loadModel(tinyModel);
});
afterAll(() => model.dispose());

test("each quirk has a case, and no case is left over", () => {
  expect(Object.keys(cases).sort()).toEqual(quirkList.map(({ name }) => name).sort());
});

describe.each(quirkList.map(({ name, caught }) => ({ name, caught })))("$name", ({ name, caught }) => {
  const { observe, use, on, off } = cases[name];

  test("shows when it is on", async () => {
    expect(await withScene(model, name, observe)).toEqual(on);
  });

  test("is not there when it is off", async () => {
    expect(await withScene(model, null, observe)).toEqual(off);
  });

  test(`is caught as the list says: ${caught.by === null ? "not yet" : caught.code}`, async () => {
    const error = await withScene(model, name, (scene) =>
      use(scene).then(
        () => null,
        (e: unknown) => e,
      ),
    );
    if (caught.by === null) expect(error).toBeNull();
    else {
      expect(error).toBeInstanceOf(ResiduaError);
      expect((error as ResiduaError).code).toBe(caught.code);
    }
  });
});
