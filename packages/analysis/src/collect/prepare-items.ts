import { ResiduaError, type Selection } from "@residua/lens";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { DatasetManifest } from "../dataset/dataset-manifest.ts";
import { failureOf } from "./collect-failure.ts";
import { collectInOrder } from "./collect-in-order.ts";
import type { PreparedItem } from "./collect-item.ts";
import type { CollectLens, EncodedMessages } from "./collect-lens.ts";
import type { CollectSettings } from "./collect-options.ts";
import { contentHashOf, type CapturedFrom } from "./content-hash.ts";
import type { PlannedExample } from "./dataset-plan.ts";
import { endsRun, type FailureLimit } from "./failure-limit.ts";

export interface PrepareOptions {
  lens: Pick<CollectLens, "encodeChat">;
  examples: readonly PlannedExample[];
  settings: Pick<CollectSettings, "chat" | "concurrency" | "signal" | "max_tokens" | "to">;
  /** What is the same for all of them. */
  from: Omit<CapturedFrom, "prompt" | "roles" | "selection" | "maxTokens">;
  select: Selection;
  limit?: FailureLimit;
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
  const { lens, examples, settings, from, select, limit } = options;
  const { chat, concurrency, signal, max_tokens: maxTokens, to } = settings;
  let template: EncodedMessages["template"] | undefined;
  const items: PreparedItem[] = [];

  function ready(index: number, example: PlannedExample, encoded?: EncodedMessages): PreparedItem {
    const prompt = encoded?.tokenIds ?? (example.prompt as string | number[]);
    const roles = encoded?.spans ?? rolloutRoles(example);
    const contentHash = contentHashOf({ ...from, selection: select, maxTokens, prompt, roles });
    const text = encoded ? encoded.text : typeof prompt === "string" ? prompt : null;
    return { item: { index, example, prompt, text, roles: encoded?.spans ?? null, select, contentHash } };
  }

  async function encode(index: number): Promise<PreparedItem> {
    const example = examples[index] as PlannedExample;
    const { messages } = example;
    if (messages === null) return ready(index, example);
    if (lens.encodeChat === undefined) throw noChats();
    try {
      const { add_generation_prompt, chat_template_kwargs } = chat;
      const request = {
        model: from.model,
        messages,
        ...(add_generation_prompt !== undefined && { add_generation_prompt }),
        ...(chat_template_kwargs && { chat_template_kwargs }),
      };
      const encoded = await lens.encodeChat(request, signal ? { signal } : {});
      template ??= encoded.template;
      if (encoded.template.source !== template.source || encoded.template.sha256 !== template.sha256)
        throw otherTemplate(to, example.id, encoded.template, template);
      limit?.succeeded();
      return ready(index, example, encoded);
    } catch (error) {
      if (signal?.aborted || endsRun(error) || isMissing(error)) throw error;
      const failure = failureOf(error, { example: example.id, index, contentHash: null, stage: "chat" });
      limit?.failed(failure, error);
      return { failure };
    }
  }

  if (examples.every(({ messages }) => messages === null)) {
    examples.forEach((example, index) => items.push(ready(index, example)));
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
  const kwargs = chat.chat_template_kwargs;
  return { items, chatTemplate: template && { ...template, ...(kwargs && { kwargs }) } };
}

/** Of a rollout, the tokens that were generated before: they are rows of the prompt now. */
function rolloutRoles({ prompt, promptLength }: PlannedExample): CapturedFrom["roles"] {
  if (promptLength === undefined || prompt === null) return null;
  return [{ role: "generated", start: promptLength, end: prompt.length }];
}

/** A server without chat templates has none for the next conversation either. */
function isMissing(error: unknown): boolean {
  return error instanceof ResiduaError && error.code === "not_available";
}

function noChats(): ResiduaError {
  return new ResiduaError(
    "not_available",
    "this lens makes no tokens of conversations (it has no encodeChat); give prompt: a text or token ids",
  );
}

function otherTemplate(
  path: string,
  id: string,
  found: EncodedMessages["template"],
  expected: EncodedMessages["template"],
): DatasetError {
  return new DatasetError("capture_differs", {
    path,
    found: `example ${JSON.stringify(id)} was written by ${templateText(found)}`,
    expected: `the chat template of those before it: ${templateText(expected)}`,
    advice: "The server changed its chat template in the middle: collect into another folder.",
  });
}

function templateText({ source, sha256 }: EncodedMessages["template"]): string {
  return `a template of the ${source}${sha256 === null ? "" : `, SHA-256 ${sha256}`}`;
}
