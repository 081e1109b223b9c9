import { stringifyExact } from "./exact-json.ts";
import { inspectMessage } from "./inspect-message.ts";
import { type Cell, isList, isObject, type SourceRow } from "./source-table.ts";

/** What of an Inspect sample is the prompt: the whole transcript, answers included, or its input alone. */
export type InspectTake = "messages" | "input";

/**
 * A sample of an Inspect log as a row: `id` (with the epoch), `group` (the sample's own id, so that its epochs never part), the
 * conversation, `scores.NAME`, `metadata.NAME`, `epoch`, `target` and `error`. A fault is returned as a text.
 */
export function inspectSample(sample: Cell, take: InspectTake): SourceRow | string {
  if (!isObject(sample)) return "a sample, which is an object";
  const { id, epoch: given } = sample;
  const epoch = typeof given === "number" ? given : 1;
  if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint")
    return "a sample with an id";
  const missing = new Set<string>();
  const part = (name: string): Cell =>
    resolveAttachments(sample[name] ?? null, sample["attachments"], missing);
  const [input, messages, target, scores] = [part("input"), part("messages"), part("target"), part("scores")];
  const [metadata, error, output] = [part("metadata"), part("error"), part("output")];
  const [lost] = missing;
  if (lost !== undefined) {
    const others = missing.size > 1 ? ` and ${missing.size - 1} others` : "";
    return `a sample with the attachment ${lost}${others}, to which its texts were moved`;
  }
  const prompt = take === "input" || !isList(messages) ? input : messages;
  const conversation = typeof prompt === "string" ? { prompt } : conversationOf(prompt ?? null);
  if (typeof conversation === "string") return conversation;
  const scored = scoreValues(isObject(scores) ? scores : {});
  const twice = scored.find(([name], i) => scored.findIndex(([other]) => other === name) !== i);
  if (twice) return `a sample with one score of the name ${twice[0]}`;
  const completion = isObject(output) ? output["completion"] : undefined;
  return {
    where: `sample ${stringifyExact(id)} of epoch ${epoch}`,
    cells: {
      id: `${String(id)}_epoch_${epoch}`,
      ...conversation,
      group: String(id),
      epoch,
      target: textOf(target ?? null),
      ...(take === "input" && { completion: completion ?? null }),
      error: isObject(error) ? (error["message"] ?? null) : null,
      ...prefixed("metadata", isObject(metadata) ? Object.entries(metadata) : []),
      ...prefixed("scores", scored),
    },
  };
}

function conversationOf(cell: Cell): Record<string, Cell> | string {
  if (!isList(cell)) return "a sample whose input is a text or messages";
  const messages = cell.map(inspectMessage);
  const fault = messages.find((message) => typeof message === "string");
  return fault ?? { messages: messages as unknown as Cell };
}

/** A target is a text or a list of them. */
function textOf(cell: Cell): Cell {
  if (!isList(cell)) return cell;
  return cell.length === 1 ? (cell[0] ?? null) : stringifyExact(cell);
}

function prefixed(prefix: string, entries: readonly (readonly [string, Cell])[]): Record<string, Cell> {
  return Object.fromEntries(entries.map(([name, value]) => [`${prefix}.${name}`, value]));
}

/** The value of each scorer; of one that gives several, each by `SCORER.NAME`. */
function scoreValues(scores: Readonly<Record<string, Cell>>): (readonly [string, Cell])[] {
  return Object.entries(scores).flatMap(([scorer, score]): (readonly [string, Cell])[] => {
    const value = isObject(score) ? (score["value"] ?? null) : score;
    if (!isObject(value)) return [[scorer, value]];
    return Object.entries(value).map(([name, one]) => [`${scorer}.${name}`, one] as const);
  });
}

/**
 * Inspect moves large texts out of the messages and leaves `attachment://HASH`. Hashes that the sample has no text of are put into
 * `missing`: what stands there is not what the model saw.
 */
function resolveAttachments(cell: Cell, attachments: Cell | undefined, missing: Set<string>): Cell {
  const resolve = (one: Cell): Cell => resolveAttachments(one, attachments, missing);
  if (typeof cell === "string") {
    const [, key] = /^attachment:\/\/([0-9a-f]{32})$/.exec(cell) ?? [];
    if (key === undefined) return cell;
    const text = isObject(attachments) && Object.hasOwn(attachments, key) ? attachments[key] : undefined;
    if (typeof text === "string") return text;
    missing.add(key);
    return cell;
  }
  if (isList(cell)) return cell.map(resolve);
  if (!isObject(cell)) return cell;
  return Object.fromEntries(Object.entries(cell).map(([name, one]) => [name, resolve(one)]));
}
