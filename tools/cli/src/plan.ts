import { everyToken, first, last, type Bounds, type CapturePlan, type Lens } from "@residua/lens";
import { CheckFailedError } from "./check-failed-error.ts";
import { withConnection, type ServerOptions } from "./connect.ts";
import { readExamples } from "./examples-file.ts";
import type { CommandContext } from "./make-command.ts";
import { parseLayers, parseSelection } from "./numbers.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua plan`: those of `residua capture` that decide its size. */
export interface PlanOptions extends ServerOptions {
  prompt?: string;
  examples?: string;
  layers: string;
  select: string;
  maxTokens: number;
  count: boolean;
}

/** `residua plan`: what captures will come to. Ends with 3 when one of them can never fit. */
export async function planCommand(options: PlanOptions, context: CommandContext): Promise<void> {
  const layers = parseLayers(options.layers);
  const select = parseSelection(options.select);
  if ((options.prompt === undefined) === (options.examples === undefined))
    throw new UsageError("give either --prompt or --examples");
  const examples = options.examples === undefined ? undefined : await readExamples(options.examples);
  const { output, signal } = context;
  const plan = await withConnection(options, context, async ({ lens, model }) => {
    const prompts = examples ? await promptsOf(examples, { lens, model, signal }) : [options.prompt!];
    const request = {
      ...{ model, prompts, layers, max_tokens: options.maxTokens },
      ...{ select: rowsOf[select], countTokens: options.count },
    };
    return lens.planCapture(request, { signal });
  });
  output.result(plan, planText(plan));
  if (plan.tooLarge.length > 0)
    throw new CheckFailedError(`${plan.tooLarge.length} of ${plan.captures.length} captures can never fit`);
}

/** As `collect` keeps them. */
const rowsOf = { last, first, all: everyToken };

/** Conversations are planned by the tokens that the model's chat template makes of them. */
async function promptsOf(
  examples: Awaited<ReturnType<typeof readExamples>>,
  { lens, model, signal }: { lens: Lens; model: string; signal: AbortSignal },
): Promise<(string | number[])[]> {
  const prompts: (string | number[])[] = [];
  for (const { prompt, messages } of examples) {
    if (messages) prompts.push((await lens.encodeChat({ model, messages }, { signal })).tokenIds);
    else prompts.push(typeof prompt === "string" ? prompt : [...prompt]);
  }
  return prompts;
}

function planText(plan: CapturePlan): string {
  const { captures, requests, numbers, wireBytes, diskBytes, seconds, basis } = plan;
  const split = captures.filter((capture) => capture.requests.length > 1).length;
  const unsure = captures.filter(({ fits }) => fits === "unknown").length;
  const never = captures.filter(({ fits }) => fits === "never");
  return [
    `${counted(captures.length, "capture")} in ${counted(requests, "request")}${split > 0 ? ` (${split} do not fit one, and are split by layers)` : ""}`,
    `numbers that come back: ${range(numbers, count)} (${basis.numbers})`,
    `on the wire: ${range(wireBytes, bytes)} (${basis.wireBytes})`,
    `on disk: ${range(diskBytes, bytes)} (${basis.diskBytes})`,
    `time: ${range(seconds, (value) => `${value.toFixed(1)} s`)} (${basis.seconds})`,
    ...(unsure > 0
      ? [`${unsure} may not fit: ${captures.find(({ fits }) => fits === "unknown")!.reason}`]
      : []),
    ...never.slice(0, 20).map(({ index, reason }) => `never fits: capture ${index}: ${reason}`),
    ...(never.length > 20 ? [`never fit: ${never.length - 20} more (--json names them all)`] : []),
  ].join("\n");
}

function range(bounds: Bounds | undefined, format: (value: number) => string): string {
  if (bounds === undefined) return "not known";
  const { least, most } = bounds;
  return least === most ? format(least) : `${format(least)} to ${format(most)}`;
}

const counted = (n: number, one: string) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
const count = (value: number) => value.toLocaleString("en");

function bytes(value: number): string {
  const steps = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = value < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(value) / 10));
  return `${(value / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${steps[step]}`;
}
