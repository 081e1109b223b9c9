import type { GenerationRequest, SteeringVector } from "@residua/engine";

/** Steering vectors whose rows are added elsewhere: `places(j)` gives the positions of row j, none to leave it out. */
export function placeRows(
  vector: SteeringVector,
  hiddenSize: number,
  places: (position: number | null) => readonly number[],
): SteeringVector {
  const given = vector.positions ?? [null];
  const placed = given.flatMap((position, j) => places(position).map((at) => ({ at, j })));
  const { length } = given;
  const rows = new Float32Array(vector.layers.length * placed.length * hiddenSize);
  vector.layers.forEach((_, l) => {
    placed.forEach(({ j }, i) => {
      const from = (l * length + j) * hiddenSize;
      rows.set(vector.rows.subarray(from, from + hiddenSize), (l * placed.length + i) * hiddenSize);
    });
  });
  return { ...vector, rows, positions: placed.map(({ at }) => at) };
}

/** Positions that a request may run: the last token is never fed back. */
export function mostPositions({ prompt, maxTokens }: GenerationRequest): number {
  return prompt.length + maxTokens - 1;
}
