import { describe, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { fitRepeatedly } from "./fit-repeatedly.ts";

describe.each(["cpu", "wasm"] as const)("J6 on %s", (prefer) => {
  test("1000 fits leave no tensor and no memory", async () => {
    await useBackend({ prefer });
    const { tensors, mebibytes } = await fitRepeatedly(1000);
    expect(tensors).toBe(0);
    expect(mebibytes).toBeLessThan(24);
  });
});
