import { InvalidRequestError, type ModelDescription, type ProfileName, widthOf } from "@residua/client";
import type { LensCore } from "../lens-core.ts";
import type { LensOptions } from "../lens-types.ts";
import { flag, kind } from "../arguments/kinds.ts";
import { typeText } from "../arguments/shown.ts";
import { CaptureLimitError, checkCaptureLimit } from "../limits/capture-limit.ts";
import { judgeContext } from "../limits/context-limit.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";
import { checkOptions } from "../requests/check-options.ts";
import type { AnyCapture } from "../requests/lens-request.ts";
import { isSelection } from "../select/select.ts";
import { everyToken, isPooled, readSelection, type Selection } from "../select/selection.ts";
import { type Bounds, sumOfBounds, timesBounds } from "./bounds.ts";
import { checkRepeatable } from "./capture-in-parts.ts";
import { checkRate } from "./capture-rates.ts";
import { type Asked, planBasis, planSeconds, wireBytesPerNumber } from "./plan-basis.ts";
import type { CapturePlan, PlannedCapture, PlanRequest } from "./plan-types.ts";
import { selectedRows } from "./selected-bounds.ts";
import { type SizedCapture, sizeCapture } from "./size-capture.ts";
import { splitLayers } from "./split-layers.ts";

/** Prompts that are counted at once. */
const together = 8;

/** Throws InvalidRequestError that names the request, and `invalid_option`. */
export async function planCapture<P extends ProfileName>(
  core: LensCore,
  given: PlanRequest<P>,
  options: LensOptions = {},
): Promise<CapturePlan<P>> {
  const { requests, selections, rate, countTokens } = readPlanRequest(
    given as unknown as PlanRequest<ProfileName>,
  );
  const asked: Asked[] = [];
  for (let from = 0; from < requests.length; from += together) {
    const some = requests.slice(from, from + together);
    const planned = some.map((request, i) => planOne(from + i, request));
    asked.push(...(await Promise.all(planned)));
  }

  async function planOne(index: number, request: AnyCapture): Promise<Asked> {
    const sized = await naming(index, () =>
      sizeCapture(core, request, options, countTokens ? "always" : "never"),
    );
    const inContext = judgeContext(sized);
    const split = inContext.fits === "never" ? inContext : splitLayers(sized);
    const fits = split.fits === "fits" ? inContext.fits : split.fits;
    if (split.requests.length > 1)
      await naming(index, () => checkRepeatable(sized.request, split.requests.length));
    const positions = positionsOf(sized);
    // A server that gives every layer sends them all; those asked are kept.
    const { layers: sentLayers } = sized.question;
    const kept = sized.layers?.length;
    const width = widthOf(sized.model);
    const capture: PlannedCapture = {
      index,
      request: {
        ...request,
        ...(sized.layers && { layers: sized.layers }),
        ...(split.requests.length > 1 && { split: true }),
      } as PlannedCapture["request"],
      tokens: sized.tokens,
      fits,
      requests: split.requests.map((part) => part ?? "all"),
      ...(inContext.reason === undefined ? reasonOf(sized, fits) : { reason: inContext.reason }),
      numbers:
        sentLayers === undefined || width === undefined
          ? undefined
          : timesBounds(positions, sentLayers * width),
      diskBytes:
        kept === undefined || width === undefined ? undefined : diskBytes(selections, sized, kept * width),
    };
    return { capture, model: sized.model, positions };
  }

  const sent = asked.filter(({ capture }) => capture.fits !== "never");
  const known = (read: (capture: PlannedCapture) => Bounds | undefined) =>
    sumOfBounds(sent.map(({ capture }) => read(capture)));
  const numbers = known((capture) => capture.numbers);
  const time = planSeconds(sent, numbers, rate ?? measured(core, sent));
  return Object.freeze({
    captures: asked.map(({ capture }) => capture) as unknown as PlannedCapture<P>[],
    tooLarge: asked.filter(({ capture }) => capture.fits === "never").map(({ capture }) => capture.index),
    requests: sent.reduce((sum, { capture }) => sum + capture.requests.length, 0),
    numbers,
    wireBytes: numbers && timesBounds(numbers, wireBytesPerNumber),
    diskBytes: known((capture) => capture.diskBytes),
    ...time,
    basis: planBasis(sent, { rate: time.rate, stated: rate !== undefined }),
  });
}

function readPlanRequest(given: PlanRequest<ProfileName>) {
  if (typeof given !== "object" || (given as object | null) === null)
    throw new LensOptionError(`planCapture: ${typeText(given)} given; allowed: { prompts, layers, … }`);
  const { prompts, requests, select, rate, countTokens, ...shared } = given;
  for (const [name, list] of Object.entries({ prompts, requests })) {
    if (list !== undefined && !Array.isArray(list))
      throw new LensOptionError(`${name}: ${typeText(list)} given; allowed: a list of ${name}`);
  }
  checkOptions({ rate, countTokens, select }, planKinds);
  if ((prompts === undefined) === (requests === undefined)) {
    throw new LensOptionError("planCapture takes prompts or requests, one of the two");
  }
  const all = (prompts?.map((prompt) => ({ prompt })) ?? requests ?? []) as object[];
  if (all.length === 0) throw new LensOptionError("planCapture: no prompt is given; allowed: at least one");
  const selected: Selection | Readonly<Record<string, Selection>> = select ?? everyToken;
  return {
    requests: all.map((request, i) => {
      if (typeof request === "object" && (request as object | null) !== null)
        return { ...shared, ...request } as unknown as AnyCapture;
      throw new LensOptionError(`requests[${i}]: ${typeText(request)} given; allowed: a request`);
    }),
    selections: (isSelection(selected) ? [selected] : Object.values(selected)).map(readSelection),
    rate: rate && checkRate(rate),
    countTokens: countTokens ?? true,
  };
}

const object = (allowed: string) =>
  kind(allowed, (value) => typeof value === "object" && value !== null && !Array.isArray(value));
const planKinds = {
  rate: object("{ seconds, requests, positions, numbers }, such as plan.rate"),
  countTokens: flag,
  select: object("a selection, or an object of selections by name"),
};

/** Between one generated token, after which the model may stop, and all of max_tokens. */
function positionsOf({ tokens, request }: SizedCapture): Bounds {
  return { least: tokens.least, most: tokens.most + request.max_tokens - 1 };
}

function diskBytes(selections: readonly Selection[], sized: SizedCapture, rowNumbers: number): Bounds {
  const rows = selections.map((selection) => {
    const { tokens: prompt, request } = sized;
    const found = selectedRows(selection, { prompt, maxTokens: request.max_tokens });
    return timesBounds(found, rowNumbers * (isPooled(selection) ? 4 : 2));
  });
  return sumOfBounds(rows) ?? { least: 0, most: 0 };
}

function reasonOf({ question, tokens }: SizedCapture, fits: PlannedCapture["fits"]): { reason?: string } {
  if (fits === "fits") return {};
  if (fits === "unknown") {
    if (question.layers === undefined) return { reason: "the model's number of layers is not known" };
    if (question.hiddenSize === undefined) return { reason: "the model's hidden size is not known" };
    return { reason: tokens.reason ?? "the prompt's tokens were not counted" };
  }
  try {
    checkCaptureLimit(question);
  } catch (error) {
    if (error instanceof CaptureLimitError) return { reason: error.message };
    throw error;
  }
  return {};
}

/** The rate that this lens measured, where all captures are of one model. */
function measured({ rates }: LensCore, asked: readonly { model: ModelDescription }[]) {
  const ids = new Set(asked.map(({ model }) => model.id));
  const [id] = ids;
  return ids.size === 1 && id !== undefined ? rates.of(id) : undefined;
}

async function naming<T>(index: number, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    const issues = error.issues.map((issue) => ({ ...issue, field: `requests[${index}].${issue.field}` }));
    throw new InvalidRequestError(issues, "capture plan");
  }
}
