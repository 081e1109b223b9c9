import { expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { fitRepeatedly } from "./fit-repeatedly.ts";
import { requireNative } from "./native-support.ts";

test("J6 on the native backend: 1000 fits leave no tensor and no memory", async (context) => {
  process.env["RESIDUA_CACHE"] = requireNative(context);
  expect((await useBackend()).name).toMatch(/^node-/);
  const { tensors, mebibytes } = await fitRepeatedly(1000);
  expect(tensors).toBe(0);
  expect(mebibytes).toBeLessThan(24);
});
