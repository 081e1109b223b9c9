import { type Completion, type CompletionBody, widthOf } from "@residua/client";
import { copyCompletion } from "../copy-completion.ts";
import { loadTensor } from "../codec/load-tensor.ts";
import { tensorHead } from "../codec/tensor-codec.ts";
import type { LensCore } from "../lens-core.ts";
import type { Capture, CaptureCheck, LensOptions } from "../lens-types.ts";
import { fieldAt, withoutField } from "../profiles/field-path.ts";
import { serverFacts } from "../profiles/server-facts.ts";
import { captureTokens } from "../tokens/capture-tokens.ts";
import { missingActivations } from "../verify/missing-activations.ts";
import { countPreemptions, preemptionCheck } from "../verify/preemptions.ts";
import { returnedLayers } from "../verify/returned-layers.ts";
import { VerificationError } from "../verify/verification-error.ts";
import { verifyContent } from "../verify/verify-content.ts";
import { verifyFinished } from "../verify/verify-finished.ts";
import { verifyFinite } from "../verify/verify-finite.ts";
import { verifyRepeatedRows } from "../verify/verify-repeated-rows.ts";
import { verifyShape } from "../verify/verify-shape.ts";
import { makeCapture } from "./make-capture.ts";
import { pickLayers } from "./pick-layers.ts";
import type { PreparedCapture } from "./prepare-capture.ts";

/** The answer to a prepared capture, verified. Throws VerificationError or TensorError. */
export async function readCapture(
  core: LensCore,
  prepared: PreparedCapture,
  completion: Completion,
  options: LensOptions = {},
): Promise<Capture> {
  const { client, profile } = core;
  const { model, layers: asked, gives, checks } = prepared;
  const wire = fieldAt(completion, profile.answer);
  if (wire === undefined || wire === null) throw await missingActivations(core, prepared, completion);
  const counts = answerTokens(completion);
  verifyFinished(counts.choice);
  const { shape } = tensorHead(wire);
  const shapeChecks = verifyShape(shape, { ...counts, hiddenSize: widthOf(model) });
  const { layers, cut, check } = returnedLayers(shape[0] ?? 0, { asked, all: model.layers.value, gives });
  const learnt = await captureTokens(core.tokens, prepared, counts);
  const whole = await loadTensor(core, wire, options);
  const tensor = cut === undefined ? whole : pickLayers(whole, cut);
  verifyFinite(tensor, layers);
  const finite: CaptureCheck = { code: "finite", status: "pass", detail: "no NaN or infinity" };
  const rows = { layers, tensor, tokens: learnt.tokens, changedFrom: prepared.changedFrom };
  const content = verifyContent(rows);
  const own = core.rows.check({ ...rows, model: model.id });
  const repeated = verifyRepeatedRows(rows);
  // Every layer, as asked: so many there are.
  const depth = asked === undefined ? { layers: layers.length } : {};
  client.observe(model.id, { hiddenSize: tensor.shape[2], ...depth });
  return makeCapture({
    model: model.id,
    prompt: prepared.prompt,
    bosTokenId: learnt.bosTokenId,
    layers,
    tensor,
    tokens: learnt.tokens,
    checks: [
      ...checks,
      check,
      ...shapeChecks,
      finite,
      ...learnt.checks,
      ...content,
      own,
      repeated,
      ...(await preemptions(core, prepared)),
    ],
    server: serverFacts(core, model, completion),
    completion: withoutActivations(completion, profile.answer),
  });
}

async function preemptions(
  core: LensCore,
  { preemptionsBefore, signal }: PreparedCapture,
): Promise<CaptureCheck[]> {
  if (preemptionsBefore === undefined) return [];
  return [preemptionCheck(preemptionsBefore.count, await countPreemptions(core, signal))];
}

function answerTokens(completion: Completion) {
  const [choice] = completion.choices;
  const { usage } = completion;
  const promptTokens =
    usage?.prompt_tokens ?? choice?.prompt_token_ids?.length ?? choice?.prompt_logprobs?.length;
  const generatedTokens =
    usage?.completion_tokens ?? choice?.token_ids?.length ?? choice?.logprobs?.tokens?.length;
  if (choice === undefined || promptTokens === undefined || generatedTokens === undefined) {
    throw new VerificationError(
      "token_count",
      "the answer has neither usage nor log probabilities, so its rows cannot be matched with tokens",
    );
  }
  const cached = usage?.prompt_tokens_details?.["cached_tokens"];
  return {
    choice,
    promptTokens,
    generatedTokens,
    cachedTokens: typeof cached === "number" ? cached : undefined,
  };
}

/** The base64 text is let go: the capture holds the numbers. */
function withoutActivations(completion: Completion, path: readonly string[]): Completion {
  return copyCompletion(completion, withoutField(completion, path) as CompletionBody);
}
