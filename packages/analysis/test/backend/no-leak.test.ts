import { expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { fitRepeatedly } from "./fit-repeatedly.ts";

test("J6: fits leave no tensor", async () => {
  await useBackend({ prefer: "wasm" });
  expect((await fitRepeatedly(20)).tensors).toBe(0);
});
