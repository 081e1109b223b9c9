import { createRandom } from "../../statistics/random.ts";
import { withNormsOf, type SteeringRows } from "../steering-rows.ts";

/** Random directions of the same norm at the same layers: isotropic Gaussian vectors, scaled. */
export function randomTwins(rows: SteeringRows, options: { count: number; seed: number }): SteeringRows[] {
  const random = createRandom(options.seed, "steering twins");
  return Array.from({ length: options.count }, () =>
    withNormsOf(rows, (layer) => Float64Array.from(rows.get(layer)!, () => random.gaussian())),
  );
}
