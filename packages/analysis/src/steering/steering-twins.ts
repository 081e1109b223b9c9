import { directionNorm } from "../probes/direction.ts";
import { createRandom } from "../statistics/random.ts";

/** Random directions of the same norm: isotropic Gaussian vectors scaled to `norm`. `[count]` of `[width]`. */
export function steeringTwins(options: {
  width: number;
  norm: number;
  count: number;
  seed: number;
}): Float32Array[] {
  const { width, norm, count, seed } = options;
  const random = createRandom(seed, "steering twins");
  return Array.from({ length: count }, () => {
    const drawn = Float64Array.from({ length: width }, () => random.gaussian());
    const scale = norm / directionNorm(drawn);
    return Float32Array.from(drawn, (value) => value * scale);
  });
}
