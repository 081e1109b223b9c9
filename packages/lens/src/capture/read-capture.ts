import { type Completion, widthOf } from "@residua/client";
import { decodeTensor, tensorHead } from "../codec/tensor-codec.ts";
import type { LensCore } from "../lens-core.ts";
import type { Capture, CaptureCheck } from "../lens-types.ts";
import { fieldAt } from "../profiles/field-path.ts";
import { learnTokens } from "../tokens/learn-tokens.ts";
import { missingActivations } from "../verify/missing-activations.ts";
import { VerificationError } from "../verify/verification-error.ts";
import { verifyFinite } from "../verify/verify-finite.ts";
import { verifyShape } from "../verify/verify-shape.ts";
import { makeCapture } from "./make-capture.ts";
import type { PreparedCapture } from "./prepare-capture.ts";

/** The answer to a prepared capture, verified. Throws VerificationError or TensorError. */
export async function readCapture(
  { client, profile }: LensCore,
  { model, layers, prompt, addSpecialTokens, checks }: PreparedCapture,
  completion: Completion,
): Promise<Capture> {
  const wire = fieldAt(completion, profile.answer);
  if (wire === undefined || wire === null) throw missingActivations(profile, layers);
  const { choice, promptTokens, generatedTokens } = counts(completion);
  const { shape } = tensorHead(wire);
  const shapeChecks = verifyShape(shape, {
    layers: layers?.length,
    rows: promptTokens + generatedTokens - 1,
    rowsSum: `${promptTokens} prompt + ${generatedTokens} generated − 1`,
    hiddenSize: widthOf(model),
  });
  const learnt = learnTokens({
    prompt,
    choice,
    promptTokens,
    generatedTokens,
    bosTokenId: model.bosTokenId.value,
    addSpecialTokens,
  });
  const tensor = await decodeTensor(wire);
  const returned = layers ?? Array.from({ length: shape[0] ?? 0 }, (_, layer) => layer);
  verifyFinite(tensor, returned);
  client.observe(model.id, { hiddenSize: tensor.shape[2] });
  const finite: CaptureCheck = { code: "finite", status: "pass", detail: "no NaN or infinity" };
  return makeCapture({
    model: model.id,
    prompt,
    bosTokenId: model.bosTokenId.value ?? null,
    layers: returned,
    tensor,
    tokens: learnt.tokens,
    checks: [...checks, ...shapeChecks, finite, ...learnt.checks],
    completion: withoutActivations(completion),
  });
}

function counts(completion: Completion) {
  const [choice] = completion.choices;
  const promptTokens = completion.usage?.prompt_tokens ?? choice?.prompt_logprobs?.length;
  const generatedTokens = completion.usage?.completion_tokens ?? choice?.logprobs?.tokens?.length;
  if (choice === undefined || promptTokens === undefined || generatedTokens === undefined) {
    throw new VerificationError(
      "token_count",
      "the answer has neither usage nor log probabilities, so its rows cannot be matched with tokens",
    );
  }
  return { choice, promptTokens, generatedTokens };
}

/** The base64 text is let go: the capture holds the numbers. */
function withoutActivations(completion: Completion): Completion {
  const rest: Completion = { ...completion, choicesOf: completion.choicesOf };
  delete rest.activations;
  return Object.defineProperty(rest, "choicesOf", { enumerable: false });
}
