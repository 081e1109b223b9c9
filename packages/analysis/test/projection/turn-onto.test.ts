import fc from "fast-check";
import { expect, test } from "vitest";
import { turnOnto, type PlanePoint } from "../../src/projection/turn-onto.ts";

const number = fc.double({ min: -10, max: 10, noNaN: true });
const points = fc.array(fc.record({ x: number, y: number }), { minLength: 1, maxLength: 6 });
const apart = (a: PlanePoint, b: PlanePoint) => Math.hypot(a.x - b.x, a.y - b.y);

test("a turn and a reflection are found again, whatever the points", () => {
  const angle = fc.double({ min: -Math.PI, max: Math.PI, noNaN: true });
  fc.assert(
    fc.property(points, angle, fc.constantFrom(1, -1), (given, turned, side) => {
      const [cos, sin] = [Math.cos(turned), Math.sin(turned)];
      const targets = given.map(({ x, y }) => ({ x: cos * x - sin * side * y, y: sin * x + cos * side * y }));
      const turn = turnOnto(given, targets);
      given.forEach((point, k) => expect(apart(turn(point), targets[k]!)).toBeLessThan(1e-5));
    }),
  );
});

test("no distance changes, and no other turn or reflection comes nearer", () => {
  fc.assert(
    fc.property(points, points, (given, others) => {
      const targets = given.map((_, k) => others[k % others.length]!);
      const turn = turnOnto(given, targets);
      given.forEach((point) =>
        expect(Math.hypot(turn(point).x, turn(point).y)).toBeCloseTo(Math.hypot(point.x, point.y), 9),
      );
      const misses = (move: (point: PlanePoint) => PlanePoint) =>
        given.reduce((sum, point, k) => sum + apart(move(point), targets[k]!) ** 2, 0);
      for (let step = 0; step < 12; step++) {
        const [cos, sin] = [Math.cos(step / 2), Math.sin(step / 2)];
        for (const side of [1, -1])
          expect(misses(turn)).toBeLessThanOrEqual(
            misses(({ x, y }) => ({ x: cos * x - sin * side * y, y: sin * x + cos * side * y })) + 1e-9,
          );
      }
    }),
  );
});
