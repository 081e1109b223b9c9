import {
  type Client,
  type Completion,
  type CompletionRequest,
  type ModelDescription,
  widthOf,
} from "@residua/client";
import { checkCaptureLimit, tokenBounds } from "./capture-limit.ts";
import { doubleBos, learnTokens } from "./learn-tokens.ts";
import { checkCaptureRequest, checkGenerateRequest, checkTokenIds, resolveLayers } from "./lens-request.ts";
import type {
  CaptureCheck,
  CaptureRequest,
  GenerateRequest,
  Capture,
  Lens,
  LensOptions,
} from "./lens-types.ts";
import { makeCapture } from "./make-capture.ts";
import { checkSteering, wireSteering } from "./steering-request.ts";
import type { SteeringVector } from "./steering-vector.ts";
import { decodeTensor, tensorHead } from "./tensor-codec.ts";
import { VerificationError } from "./verification-error.ts";
import { verifyFinite } from "./verify-finite.ts";
import { verifyShape } from "./verify-shape.ts";

/** Captures and steers through a client. What one capture shows of a model's width serves the checks of later ones. */
export function createLens(client: Client): Lens {
  function steer(
    vectors: readonly SteeringVector[] | undefined,
    model: ModelDescription,
    positions: number,
  ): Pick<CompletionRequest, "apply_steering_vectors"> {
    if (vectors === undefined || vectors.length === 0) return {};
    checkSteering(vectors, { hiddenSize: widthOf(model), layers: model.layers.value, positions });
    return { apply_steering_vectors: vectors.map(wireSteering) };
  }

  async function capture(request: CaptureRequest, options: LensOptions = {}): Promise<Capture> {
    const { layers: asked, steering, ...fields } = checkCaptureRequest(request);
    const { prompt, max_tokens: maxTokens, add_special_tokens: addSpecialTokens = true } = fields;
    const model = await client.describe(fields.model, options);
    const layers = resolveLayers(asked, model);
    checkTokenIds(prompt, model);
    const bosTokenId = model.bosTokenId.value;
    if (
      typeof prompt !== "string" &&
      bosTokenId !== undefined &&
      prompt[0] === bosTokenId &&
      prompt[1] === bosTokenId
    ) {
      throw doubleBos();
    }
    const tokens = tokenBounds(prompt, addSpecialTokens);
    const size = checkCaptureLimit({
      layers: layers?.length,
      tokens,
      maxTokens,
      hiddenSize: model.hiddenSize,
    });
    const completion = await client.completions.create(
      {
        ...fields,
        model: model.id,
        prompt_logprobs: 0,
        logprobs: 1,
        output_residual_stream: layers ?? true,
        ...steer(steering, model, tokens.most + maxTokens - 1),
      },
      options,
    );
    const wire = residualStream(completion, layers);
    const { choice, promptTokens, generatedTokens } = counts(completion);
    const { shape } = tensorHead(wire);
    const checks: CaptureCheck[] = [
      {
        code: "capture_limit",
        status: size === "fits" ? "pass" : "unverified",
        detail:
          size === "fits"
            ? "within the limit"
            : "left to the server: the prompt's tokens cannot be counted here",
      },
      ...verifyShape(shape, {
        layers: layers?.length,
        rows: promptTokens + generatedTokens - 1,
        rowsSum: `${promptTokens} prompt + ${generatedTokens} generated − 1`,
        hiddenSize: widthOf(model),
      }),
    ];
    const learnt = learnTokens({
      prompt,
      choice,
      promptTokens,
      generatedTokens,
      bosTokenId,
      addSpecialTokens,
    });
    const tensor = await decodeTensor(wire);
    const returned = layers ?? Array.from({ length: shape[0] ?? 0 }, (_, layer) => layer);
    verifyFinite(tensor, returned);
    client.observe(model.id, { hiddenSize: tensor.shape[2] });
    return makeCapture({
      model: model.id,
      layers: returned,
      tensor,
      tokens: learnt.tokens,
      checks: [...checks, { code: "finite", status: "pass", detail: "no NaN or infinity" }, ...learnt.checks],
      completion: withoutActivations(completion),
    });
  }

  async function generate(request: GenerateRequest, options: LensOptions = {}): Promise<Completion> {
    const { steering, ...fields } = checkGenerateRequest(request);
    const model = await client.describe(fields.model, options);
    checkTokenIds(fields.prompt, model);
    const tokens = tokenBounds(fields.prompt, fields.add_special_tokens ?? true);
    const positions = tokens.most + (fields.max_tokens ?? 16) - 1;
    return client.completions.create(
      { ...fields, model: model.id, ...steer(steering, model, positions) },
      options,
    );
  }

  return Object.freeze({ describe: (model?: string) => client.describe(model), capture, generate });
}

/** The wire tensor of an answer. Throws `missing_activations`. */
function residualStream(completion: Completion, layers: readonly number[] | undefined): unknown {
  const wire = completion.activations?.residual_stream;
  if (wire !== undefined && wire !== null) return wire;
  throw new VerificationError(
    "missing_activations",
    `layers ${layers?.join(", ") ?? "(all)"} were asked for, and the answer is a 200 without activations. Known causes: ` +
      "the capture plugin is not installed or is switched off; the model has no engine for activations; the server reads capture fields elsewhere (vLLM: vllm_xargs); " +
      "no asked layer exists in the model; a steering vector of the wrong width made the server drop the capture; a proxy removed the field",
    { layers },
  );
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
