import { expect, test } from "vitest";
import { lbfgs } from "../../../src/probes/nonlinear/lbfgs.ts";

/** Rosenbrock's valley. */
const valley = ([x, y]: Float64Array) =>
  Promise.resolve({
    value: (1 - x!) ** 2 + 100 * (y! - x! ** 2) ** 2,
    gradient: Float64Array.of(-2 * (1 - x!) - 400 * x! * (y! - x! ** 2), 200 * (y! - x! ** 2)),
  });

test("finds the end of a curved valley", async () => {
  const end = await lbfgs(valley, Float64Array.of(-1.2, 1), { most: 200, tolerance: 1e-8 });
  expect(end.converged).toBe(true);
  expect(end.point[0]).toBeCloseTo(1, 6);
  expect(end.point[1]).toBeCloseTo(1, 6);
});

test("says that it has not converged when its steps run out", async () => {
  const end = await lbfgs(valley, Float64Array.of(-1.2, 1), { most: 5, tolerance: 1e-8 });
  expect(end).toMatchObject({ converged: false, iterations: 5 });
});

test("with a held-out loss it goes back to where that was least", async () => {
  const heldOut = async (point: Float64Array) => ({
    ...(await valley(point)),
    heldOut: (point[0]! - 0.3) ** 2,
  });
  const end = await lbfgs(heldOut, Float64Array.of(-1.2, 1), { most: 500, tolerance: 1e-12, patience: 5 });
  expect(end.converged).toBe(true);
  expect(end.point[0]!).toBeLessThan(0.7);
  const whole = await lbfgs(valley, Float64Array.of(-1.2, 1), { most: 500, tolerance: 1e-12 });
  expect(end.iterations).toBeLessThan(whole.iterations);
});
