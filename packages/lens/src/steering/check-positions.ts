import type { CaptureCheck } from "../lens-types.ts";
import type { TokenBounds } from "../limits/capture-limit.ts";
import type { ServerBehaviour } from "../self-test/server-behaviour.ts";
import { SteeringError } from "./steering-error.ts";
import type { SteeringVector } from "./steering-vector.ts";

/**
 * Whether a server steers the positions that vectors name. Every version of vllm-lens to 1.3 counts them from the start of each pass
 * (facts seen live: index 0 is steered at every generated token, an index in the second chunk of a long prompt never). Where the
 * self-test found that, what would certainly go elsewhere is refused; what it did not find out is said in the checks.
 * Throws `steering_positions`.
 */
export function checkPositions(
  vectors: readonly SteeringVector[],
  {
    behaviour: { positions: counted, prefillChunk },
    tokens,
    maxTokens,
  }: { behaviour: ServerBehaviour; tokens: TokenBounds; maxTokens: number },
): CaptureCheck[] {
  const named = [...new Set(vectors.flatMap(({ positions }) => positions ?? []))].sort((a, b) => a - b);
  const check = (status: CaptureCheck["status"], detail: string): CaptureCheck[] => [
    { code: "steering_positions", status, detail },
  ];
  if (named.length === 0) return [];
  const unsure = named.at(-1)! >= tokens.least + maxTokens - 1;
  if (counted === "absolute") {
    return unsure
      ? check(
          "unverified",
          `this server counts positions from the first token, and the prompt's tokens cannot be counted here (${tokens.least} to ${tokens.most}): whether the request runs position ${named.at(-1)} is not known`,
        )
      : check("pass", "this server counts positions from the first token");
  }
  if (counted === undefined) {
    return check(
      "unverified",
      "every vllm-lens to 1.3 counts positions from the start of each pass: index 0 is steered at each generated token too, and no " +
        "position that is generated or in a later chunk of a long prompt; a self-test tells, and verify: true shows it of this request",
    );
  }
  const why = "this server counts positions from the start of each pass (found by the self-test)";
  if (named[0] === 0 && maxTokens > 1) {
    throw new SteeringError(
      "steering_positions",
      `position 0 given with max_tokens ${maxTokens}; ${why}: each generated token would be steered too; allowed: max_tokens 1, or positions from 1`,
      { position: 0 },
    );
  }
  const generated = named.find((position) => position >= tokens.most);
  if (generated !== undefined) {
    throw new SteeringError(
      "steering_positions",
      `position ${generated} given for a prompt of at most ${tokens.most} tokens; ${why}: no generated position can be named; allowed: 1 to ${tokens.most - 1}`,
      { position: generated },
    );
  }
  const repeated = named.find(
    (position) =>
      prefillChunk !== undefined && (position >= prefillChunk || tokens.least > prefillChunk + position),
  );
  if (repeated !== undefined) {
    throw new SteeringError(
      "steering_positions",
      `position ${repeated} given for a prompt of at least ${tokens.least} tokens; ${why}, of ${prefillChunk} tokens: it would be added in each pass that is longer, and never from ${prefillChunk} on; allowed: positions 1 to ${(prefillChunk ?? 1) - 1} of a prompt of at most ${prefillChunk} tokens`,
      { position: repeated, prefillChunk },
    );
  }
  return check(
    "unverified",
    `${why}: right only if the whole prompt is one pass; verify: true shows it of this request`,
  );
}
