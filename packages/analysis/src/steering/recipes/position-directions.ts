import type { Lens } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import { checkLens } from "../check-lens.ts";
import { steeringPool } from "../steering-pool.ts";
import { promptSchema } from "../steering-common.ts";
import type { PositionDirection, SelectionPrompt } from "./selection-options.ts";

export interface PositionDirectionsOptions {
  model?: string;
  /** Prompts of the two kinds: the direction leads from the mean of `harmless` to that of `harmful`. */
  harmful: readonly SelectionPrompt[];
  harmless: readonly SelectionPrompt[];
  layers: readonly number[];
  /** Counted from each prompt's last token, such as [-1, -2, -3]: the tokens of the template after the instruction. */
  positions: readonly number[];
  concurrency?: number;
  signal?: AbortSignal;
}

const prompts = z.array(promptSchema.omit({ from: true })).min(1);
const each = <T extends z.ZodType>(of: T, what: string) =>
  z
    .array(of)
    .min(1)
    .refine((list) => new Set(list).size === list.length, `each ${what} once`);

const optionsSchema = z.strictObject({
  model: z.string().min(1).optional(),
  harmful: prompts,
  harmless: prompts,
  layers: each(z.int().min(0), "layer"),
  positions: each(z.int().max(-1), "position"),
  concurrency: z.int().min(1).default(4),
  signal: z.instanceof(AbortSignal).optional(),
});

/**
 * mean(harmful) − mean(harmless) at each layer and position, raw space, float64 sums: the candidates of `selectRefusalDirection`. Fails with
 * InvalidRequestError, ProbeError `bad_option` for a prompt that is too short, or what `lens.capture` throws.
 */
export async function positionDirections(
  lens: Pick<Lens, "capture">,
  options: PositionDirectionsOptions,
): Promise<PositionDirection[]> {
  checkLens(lens, "capture", "positionDirections");
  const settings = checkOptions(optionsSchema, options, "positionDirections");
  const { harmful, harmless, positions, model } = settings;
  const layers = [...settings.layers].sort((a, b) => a - b);
  const all = [
    ...harmful.map(({ prompt }) => ({ prompt, weight: 1 / harmful.length })),
    ...harmless.map(({ prompt }) => ({ prompt, weight: -1 / harmless.length })),
  ];
  const rows = await steeringPool(all, settings, async ({ prompt }, signal) => {
    const capture = await lens.capture(
      { ...(model === undefined ? {} : { model }), prompt, layers },
      { signal },
    );
    const fewest = Math.max(...positions.map((position) => -position));
    if (capture.positions < fewest)
      throw new ProbeError(
        "bad_option",
        `positionDirections: a prompt has ${capture.positions} tokens, and position −${fewest} is asked for.`,
      );
    return layers.flatMap((layer) => positions.map((position) => capture.row({ layer, position })));
  });
  // In the order of the prompts, so that repeats are bit-equal however the captures came.
  const sums = rows[0]!.map((row) => new Float64Array(row.length));
  rows.forEach((found, i) => {
    found.forEach((row, at) => row.forEach((value, j) => (sums[at]![j]! += all[i]!.weight * value)));
  });
  return layers.flatMap((layer, l) =>
    positions.map((position, p) => ({
      layer,
      position,
      vector: Float32Array.from(sums[l * positions.length + p]!),
      method: `difference of means: mean(harmful) − mean(harmless) at position ${position}, raw space, float64 sums`,
    })),
  );
}
