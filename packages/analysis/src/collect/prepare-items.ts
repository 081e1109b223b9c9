import { type ChatTemplateFacts, type EncodedChat, type Selection, SelectionError } from "@residua/lens";
import type { DatasetManifest } from "../dataset/dataset-manifest.ts";
import type { ChatSelection } from "../examples/chat-selection.ts";
import { agreedTemplate } from "./chat-template.ts";
import { failureOf, type CollectFailure } from "./collect-failure.ts";
import { collectInOrder } from "./collect-in-order.ts";
import type { PreparedItem } from "./collect-item.ts";
import type { CollectLens } from "./collect-lens.ts";
import type { CollectSettings } from "./collect-options.ts";
import { contentHashOf, type CapturedFrom } from "./content-hash.ts";
import type { PlannedExample } from "./dataset-plan.ts";
import { encodeExample } from "./encode-example.ts";
import { endsRun, type FailureLimit } from "./failure-limit.ts";
import { rowSelection } from "./select-rows.ts";

export interface PrepareOptions {
  lens: Pick<CollectLens, "encodeChat">;
  examples: readonly PlannedExample[];
  settings: Pick<CollectSettings, "chat" | "concurrency" | "signal" | "max_tokens" | "failFast">;
  /** Of the dataset, for errors. */
  folder: string;
  /** What is the same for all of them. */
  from: Omit<CapturedFrom, "prompt" | "roles" | "selection" | "maxTokens">;
  select: Selection | ChatSelection;
  limit: FailureLimit;
  /** Examples that have failed already, by index. */
  given: ReadonlyMap<number, CollectFailure>;
}

export interface Prepared {
  items: PreparedItem[];
  /** Which template wrote the conversations. */
  chatTemplate: DatasetManifest["chatTemplate"];
}

/**
 * The examples with what is sent for each: conversations as the ids that the chat template gives, which are captured as they are and
 * never as text again. Throws DatasetError `capture_differs` where two were written by different templates, and what ends a run.
 */
export async function prepareItems(options: PrepareOptions): Promise<Prepared> {
  const { lens, examples, settings, folder, from, limit, given } = options;
  const { concurrency, signal, chat, failFast } = settings;
  const items: PreparedItem[] = [];
  const templates: { id: string; template: ChatTemplateFacts }[] = [];

  async function encode(index: number): Promise<PreparedItem> {
    const example = examples[index] as PlannedExample;
    const { messages, id } = example;
    const failed = given.get(index);
    if (failed !== undefined) return { failure: failed };
    if (messages === null) return prepare(options, index);
    try {
      const encoded = await encodeExample(lens, messages, { model: from.model, settings });
      templates.push({ id, template: encoded.template });
      limit.succeeded();
      return prepare(options, index, encoded);
    } catch (error) {
      const isMissing = (error as { code?: unknown }).code === "not_available";
      if (signal?.aborted || failFast || endsRun(error) || isMissing) throw error;
      const failure = failureOf(error, { example: id, index, contentHash: null, stage: "chat" });
      limit.failed(failure, error);
      return { failure };
    }
  }

  if (examples.every(({ messages }) => messages === null)) {
    examples.forEach((_, index) => {
      const failure = given.get(index);
      items.push(failure ? { failure } : prepare(options, index));
    });
    return { items, chatTemplate: undefined };
  }
  await collectInOrder({
    from: 0,
    to: examples.length,
    concurrency,
    signal,
    task: encode,
    deliver: (item) => {
      items.push(item);
      return Promise.resolve();
    },
  });
  return { items, chatTemplate: agreedTemplate(folder, templates, chat.chat_template_kwargs) };
}

/** What is sent for one example, and what of it becomes rows. A conversation that has no token to select is a failure. */
function prepare(options: PrepareOptions, index: number, encoded?: EncodedChat): PreparedItem {
  const { examples, settings, from, select } = options;
  const example = examples[index] as PlannedExample;
  const prompt = encoded?.tokenIds ?? (example.prompt as string | number[]);
  const roles = encoded?.spans ?? example.spans ?? null;
  const text = encoded ? encoded.text : typeof prompt === "string" ? prompt : (example.text ?? null);
  try {
    const own = rowSelection(select, roles);
    const contentHash = contentHashOf({
      ...{ ...from, selection: own, maxTokens: settings.max_tokens, prompt },
      roles: rolesOf(roles, example),
    });
    return { item: { index, example, prompt, text, roles, select: own, contentHash } };
  } catch (error) {
    if (!(error instanceof SelectionError) || settings.failFast) throw error;
    return { failure: failureOf(error, { example: example.id, index, contentHash: null, stage: "chat" }) };
  }
}

/** Of a rollout too, of a conversation or not, the tokens that were generated before: they are rows of the prompt now. */
function rolesOf(
  roles: CapturedFrom["roles"],
  { prompt, promptLength }: PlannedExample,
): CapturedFrom["roles"] {
  if (promptLength === undefined || prompt === null) return roles;
  return [...(roles ?? []), { role: "generated", start: promptLength, end: prompt.length }];
}
