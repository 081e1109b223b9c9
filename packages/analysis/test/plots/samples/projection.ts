import type { Projection } from "../../../src/results/projection.ts";

/** Two independent numbers from a normal law, from a fixed sequence. */
function normals(count: number): [number, number][] {
  let state = 12345;
  const uniform = (): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return (state + 0.5) / 2147483648;
  };
  return Array.from({ length: count }, () => {
    const [radius, turn] = [Math.sqrt(-2 * Math.log(uniform())), 2 * Math.PI * uniform()];
    return [radius * Math.cos(turn), radius * Math.sin(turn)];
  });
}

interface Cloud {
  label: string | boolean;
  x: number;
  y: number;
  a: number;
  b: number;
  angle: number;
}

const truth: Cloud[] = [
  { label: true, x: 4.1, y: 0.4, a: 2.2, b: 1.1, angle: 0.5 },
  { label: false, x: -4, y: -0.3, a: 2, b: 1.2, angle: 0.4 },
];

export function sampleProjection(clouds = truth, each = 120, method: "pca" | "lda" = "pca"): Projection {
  const round = (value: number): number => Math.round(1e3 * value) / 1e3;
  return {
    schemaVersion: 1,
    kind: "projection",
    method,
    layer: 4,
    label: "truth",
    group: "city",
    axes: [
      {
        name: method === "pca" ? "component 1" : "discriminant 1",
        variance: method === "pca" ? 0.412 : null,
      },
      {
        name: method === "pca" ? "component 2" : "discriminant 2",
        variance: method === "pca" ? 0.093 : null,
      },
    ],
    classes: clouds.map(({ label }) => label),
    points: clouds.flatMap(({ label, x, y, a, b, angle }) =>
      normals(each).map(([along, across], index) => ({
        x: round(x + a * along * Math.cos(angle) - b * across * Math.sin(angle)),
        y: round(y + a * along * Math.sin(angle) + b * across * Math.cos(angle)),
        label,
        group: `city ${index % 40}`,
        example: `${String(label)}-${index}`,
      })),
    ),
    // 5.991 is the 95 % quantile of χ² with two degrees of freedom.
    ellipses: clouds.map((cloud) => ({
      ...cloud,
      a: round(cloud.a * Math.sqrt(5.991)),
      b: round(cloud.b * Math.sqrt(5.991)),
      share: 0.95,
      n: each,
    })),
    n: clouds.length * each,
    groups: 40,
    notes: [],
  };
}

/** Ten classes of three hundred rows, along a line. */
export const manyClouds = (): Projection =>
  sampleProjection(
    Array.from({ length: 10 }, (_, index) => ({
      label: `class ${index} of ten, with a name`,
      x: 40 * index,
      y: index % 3,
      a: 12,
      b: 0.7,
      angle: 0.02,
    })),
    300,
    "lda",
  );

export function oneRow(): Projection {
  const whole = sampleProjection();
  return { ...whole, classes: [true], points: whole.points.slice(0, 1), ellipses: [], n: 1, groups: 1 };
}
