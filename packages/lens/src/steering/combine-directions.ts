import { derived, type Direction, nameOf, needDirection, zero } from "./direction.ts";
import { dot, norm } from "./norm.ts";
import { SteeringError } from "./steering-error.ts";

export interface AddOptions {
  /**
   * What happens where the two have other layers. Default `"same"`: an error. `"union"` keeps the layers that only one has as they are;
   * `"intersection"` keeps those that both have.
   */
  layers?: "same" | "union" | "intersection";
}

/**
 * a + b layer by layer. Two single directions must have one layer; two lists must have the same layers, or say what happens to the
 * others. The sum has a name only where both have that name. Throws SteeringError: `steering_layer`, `steering_width`, `steering_option`.
 */
export function addDirections(a: Direction, b: Direction): Direction;
export function addDirections(
  a: readonly Direction[],
  b: readonly Direction[],
  options?: AddOptions,
): Direction[];
export function addDirections(
  a: Direction | readonly Direction[],
  b: Direction | readonly Direction[],
  { layers: rule = "same" }: AddOptions = {},
): Direction | Direction[] {
  if (!["same", "union", "intersection"].includes(rule)) {
    throw new SteeringError(
      "steering_option",
      `layers: ${JSON.stringify(rule)} given; allowed: "same", "union" or "intersection"`,
    );
  }
  if (!isMany(a) && !isMany(b)) return addPair(a, b);
  const [first, second] = [byLayer(isMany(a) ? a : [a]), byLayer(isMany(b) ? b : [b])];
  const all = [...new Set([...first.keys(), ...second.keys()])].sort((x, y) => x - y);
  const both = all.filter((layer) => first.has(layer) && second.has(layer));
  if (rule === "same" && both.length !== all.length) {
    throw new SteeringError(
      "steering_layer",
      `the first has layers ${[...first.keys()].join(", ")} and the second ${[...second.keys()].join(", ")}; ` +
        'allowed: the same layers, or say layers: "union" or "intersection"',
    );
  }
  if (rule === "intersection" && both.length === 0) {
    throw new SteeringError("steering_layer", "the two have no layer in common, so nothing is left");
  }
  return (rule === "intersection" ? both : all).flatMap((layer) => {
    const [x, y] = [first.get(layer), second.get(layer)];
    return x && y ? [addPair(x, y)] : (x ?? y ?? []);
  });
}

/**
 * What is left of a direction when its part along another is taken away: v − (v·u / u·u) u, so that u of any norm will do, and the
 * result has no part along it. Throws `steering_zero_vector` when u is zero or nothing is left, `steering_layer`, `steering_width`.
 */
export function orthogonalTo(given: Direction, other: Direction): Direction {
  comparable(given, other);
  const length = norm(other.vector);
  if (length === 0) throw zero(`${nameOf(other)} is zero, so nothing is orthogonal to it`);
  const along = dot(given.vector, other.vector) / length ** 2;
  const vector = Float64Array.from(given.vector, (value, i) => value - along * (other.vector[i] ?? 0));
  // What float32 leaves of a parallel vector is noise, and would look like a direction.
  if (norm(vector) <= 1e-6 * norm(given.vector)) {
    throw zero(`${nameOf(given)} is parallel to ${nameOf(other)}: nothing is left of it`);
  }
  return derived(given, vector, `(${given.method}) orthogonal to (${other.method})`);
}

function addPair(a: Direction, b: Direction): Direction {
  comparable(a, b);
  const vector = a.vector.map((value, i) => value + (b.vector[i] ?? 0));
  // A sum of two is neither of them.
  const name = a.name === b.name ? a.name : undefined;
  return derived({ ...a, name }, vector, `(${a.method}) + (${b.method})`);
}

/** Directions of two layers live in two spaces: what adds them is never meant. */
function comparable(a: Direction, b: Direction): void {
  needDirection(a, "the first direction");
  needDirection(b, "the second direction");
  if (a.layer !== b.layer) {
    throw new SteeringError(
      "steering_layer",
      `${nameOf(a)} and ${nameOf(b)}: allowed: directions of one layer`,
      { layers: [a.layer, b.layer] },
    );
  }
  if (a.vector.length !== b.vector.length) {
    throw new SteeringError(
      "steering_width",
      `${nameOf(a)} has ${a.vector.length} numbers and ${nameOf(b)} has ${b.vector.length}; allowed: one width`,
    );
  }
}

function byLayer(list: readonly Direction[]): Map<number, Direction> {
  list.forEach((one, i) => needDirection(one, `direction ${i}`));
  const map = new Map(list.map((one) => [one.layer, one]));
  if (map.size === list.length && list.length > 0) return map;
  throw new SteeringError("steering_layer", "allowed: a list of directions, one for each layer");
}

function isMany(given: Direction | readonly Direction[]): given is readonly Direction[] {
  return Array.isArray(given);
}
