import type { ClientWarning } from "../client-warning.ts";

/** What an answer says of the server that gave it. */
export interface AnswerMark {
  /** The id that was asked for. */
  model: string;
  /** The checkpoint's name: `model` of a completion, `served_model_name` or `root` of a catalogue entry. */
  checkpoint?: string | null | undefined;
  fingerprint?: string | null | undefined;
  requestID?: string | undefined;
  /** Catalogues and completions may name one checkpoint differently; each is compared with its like only. */
  from: "completion" | "catalogue";
}

/** Values remembered for one model; a server behind many others would have no end of fingerprints. */
const remembered = 1000;

/**
 * Warns when a model's answers show a fingerprint or a checkpoint that they have not shown before. A value that comes
 * back is not told twice, so that two servers behind one address warn once and not at every answer.
 */
export function watchAnswers(warn: (warning: ClientWarning) => void): (mark: AnswerMark) => void {
  const seen = new Map<string, { last: string; all: Set<string> }>();

  function compare(
    code: ClientWarning["code"],
    what: string,
    value: string | null | undefined,
    { model, from, requestID }: AnswerMark,
  ): void {
    if (value === undefined || value === null || value === "") return;
    const key = JSON.stringify([code, from, model]);
    const known = seen.get(key);
    if (known?.last === value) return;
    if (known === undefined) {
      seen.set(key, { last: value, all: new Set([value]) });
      return;
    }
    const before = known.last;
    known.last = value;
    if (known.all.has(value) || known.all.size >= remembered) return;
    known.all.add(value);
    const message = `${what} of ${model} changed from ${before} to ${value}: answers from before and after may differ`;
    warn({ code, message, model, before, after: value, requestID });
  }

  return (mark) => {
    compare("fingerprint_changed", "the server's fingerprint for answers", mark.fingerprint, mark);
    compare("checkpoint_changed", "the checkpoint", mark.checkpoint, mark);
  };
}
