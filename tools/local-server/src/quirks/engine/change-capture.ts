import type { Capture, Generation } from "@residua/engine";
import type { Generate } from "../quirk.ts";

/** Runs the requests and changes each capture that comes. */
export async function changeCapture(
  run: ReturnType<Generate>,
  change: (capture: Capture, p: number) => Capture | null,
): Promise<Generation[]> {
  const generations = await run;
  return generations.map((generation, p) =>
    generation.capture === null ? generation : { ...generation, capture: change(generation.capture, p) },
  );
}

/** The same capture with other rows: row i of a layer is row `from(i)` of what the server had. */
export function moveRows(capture: Capture, from: (position: number) => number): Capture {
  const { hiddenSize, positions } = capture;
  const values = capture.values.map((rows) => {
    const moved = new Float32Array(positions * hiddenSize);
    for (let i = 0; i < positions; i++) {
      const at = from(i) * hiddenSize;
      moved.set(rows.subarray(at, at + hiddenSize), i * hiddenSize);
    }
    return moved;
  });
  return { ...capture, values };
}
