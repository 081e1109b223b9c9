import { collect } from "@residua/analysis";
import type { Capture } from "@residua/lens";
import { withConnection, type Connection, type ServerOptions } from "./connect.ts";
import { readExamples } from "./examples-file.ts";
import { UsageError } from "./usage-error.ts";
import { parseLayers, parseSelection } from "./numbers.ts";
import { alignColumns } from "./output.ts";
import type { CommandContext } from "./make-command.ts";

/** Options of `residua capture`: one prompt to look at, or examples into a dataset folder. */
export interface CaptureOptions extends ServerOptions {
  prompt?: string;
  examples?: string;
  layers: string;
  select: string;
  maxTokens: number;
  to?: string;
}

/** `residua capture`. */
export async function captureCommand(options: CaptureOptions, context: CommandContext): Promise<void> {
  const layers = parseLayers(options.layers);
  const select = parseSelection(options.select);
  if ((options.prompt === undefined) === (options.examples === undefined)) {
    throw new UsageError(
      "give either --prompt, to look at one capture, or --examples with --to, to make a dataset",
    );
  }
  if (options.prompt !== undefined) {
    const { prompt } = options;
    if (options.to !== undefined)
      throw new UsageError("--to goes with --examples; --prompt shows one capture and keeps nothing");
    await withConnection(options, context, (connection) =>
      showOne(connection, { ...options, prompt, layers }, context),
    );
  } else {
    await collectExamples(options, { layers, select }, context);
  }
}

async function showOne(
  { lens, model }: Connection,
  { prompt, layers, maxTokens }: { prompt: string; layers: number[] | "all"; maxTokens: number },
  { output, signal }: CommandContext,
): Promise<void> {
  const capture = await lens.capture({ model, prompt, layers, max_tokens: maxTokens }, { signal });
  output.result(summary(capture), table(capture));
}

/** Norms of the residual stream, [positions] by layer: the shape of a capture at a glance. */
function summary(capture: Capture) {
  const norms = capture.layers.map((layer) => {
    const rows = Array.from({ length: capture.positions }, (_, position) =>
      norm(capture.row({ layer, position })),
    );
    return { layer, norms: rows };
  });
  const { model, layers, positions, hiddenSize, tokens, checks } = capture;
  return { model, layers, positions, hiddenSize, tokens, checks, norms };
}

function table(capture: Capture): string {
  const { norms } = summary(capture);
  const header = ["position", "token", ...capture.layers.map((layer) => `|layer ${layer}|`)];
  const rows = Array.from({ length: capture.positions }, (_, position) => [
    String(position),
    tokenText(capture.tokens[position]!),
    ...norms.map((layer) => layer.norms[position]!.toFixed(2)),
  ]);
  const checks = capture.checks.map(({ code, status }) => `${code} ${status}`).join(", ");
  return `${alignColumns([header, ...rows])}\nchecks: ${checks}`;
}

/** A token's text in quotes; one without text, such as BOS, by its id. */
function tokenText({ id, text }: Capture["tokens"][number]): string {
  return text === null ? `#${id ?? "?"}` : JSON.stringify(text);
}

function norm(row: Float32Array): number {
  return Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
}

async function collectExamples(
  options: CaptureOptions,
  { layers, select }: { layers: number[] | "all"; select: "last" | "first" | "all" },
  context: CommandContext,
) {
  const { output, signal } = context;
  if (options.to === undefined)
    throw new UsageError("--examples needs --to FOLDER, where the dataset is written");
  const { to } = options;
  const examples = await readExamples(options.examples!);
  await withConnection(options, context, async ({ lens, model }) => {
    const onProgress = ({ done, total }: { done: number; total: number }) =>
      output.count("captured", done, total);
    const dataset = await collect(lens, examples, { model, layers, select, to, signal, onProgress });
    const { rows, hiddenSize } = dataset;
    const failures = await dataset.failures();
    const data = { folder: to, rows, layers: dataset.layers, hiddenSize, failures };
    const failed = failures.map(
      ({ example, code, name, message }) => `failed: ${example}: ${code ?? name}: ${message}`,
    );
    output.result(
      data,
      [`${to}: ${rows} rows, layers ${dataset.layers.join(", ")}, hidden size ${hiddenSize}`, ...failed].join(
        "\n",
      ),
    );
  });
}
