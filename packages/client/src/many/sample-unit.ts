import type { CompletionRequest } from "../requests/completion-request.ts";
import type { ResiduaError } from "../residua-error.ts";
import type { JournalEntry } from "../journal/journal.ts";

/** A request of the list, checked, with its seed. */
export interface SampleItem {
  index: number;
  request: CompletionRequest;
  /** Its name in the journal, when there is one. */
  key: string | undefined;
}

/** What is sent as one request. */
export interface SampleUnit {
  items: readonly SampleItem[];
  /** The one item's request, or the pack's. */
  request: CompletionRequest;
  /** Choices of the pack that belong to an item, by their indices; undefined when the unit is one item as it was given. */
  choices: ((item: number) => number[]) | undefined;
  /** When the server first put it off. */
  since?: number;
}

/** A request whose outcome is known without sending anything. */
export interface SettledItem {
  index: number;
  request: CompletionRequest;
  error?: ResiduaError;
  entry?: JournalEntry;
}
