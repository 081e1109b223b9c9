import { ProbeError } from "../../probes/probe-error.ts";
import type { CheckedPositionOptions } from "./position-options.ts";
import type { PlacedRows } from "./placed-rows.ts";

/** More places than this nobody asked for are left out. */
const most = 32;

/** The places to sweep, ascending: those asked for, else those at which every example has a row. Throws ProbeError `bad_option`. */
export function chosenPlaces(
  { at, examples }: PlacedRows,
  { positions, from }: CheckedPositionOptions,
): { places: number[]; notes: string[] } {
  const ascending = (places: Iterable<number>) => [...places].sort((a, b) => a - b);
  if (positions) return { places: ascending(positions), notes: [] };
  const whole = ascending(at.keys()).filter((place) => at.get(place)!.length === examples);
  if (whole.length === 0) {
    const held = ascending(at.keys());
    throw new ProbeError(
      "bad_option",
      `At no place does every example have a row (from the ${from} they stand at ${held[0]} to ${held.at(-1)}): name the positions, or count from the ${from === "end" ? "start" : "end"}.`,
      { from, examples },
    );
  }
  const places = from === "end" ? whole.slice(-most) : whole.slice(0, most);
  const out = whole.length - places.length;
  const notes =
    out > 0
      ? [`${out} more positions at which every example has a row were left out: name them with positions.`]
      : [];
  return { places, notes };
}
