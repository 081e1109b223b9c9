import { ResiduaError } from "@residua/client";

/** An absolute position of `count`; a negative one counts from the end. Throws `position_out_of_range`. */
export function readPosition(asked: unknown, count: number): number {
  const at = typeof asked === "number" && asked < 0 ? count + asked : asked;
  if (Number.isInteger(at) && (at as number) >= 0 && (at as number) < count) return at as number;
  throw new ResiduaError(
    "position_out_of_range",
    `position ${String(asked)} asked; there are 0 to ${count - 1}, or -${count} to -1 from the end`,
    { position: asked, positions: count },
  );
}
