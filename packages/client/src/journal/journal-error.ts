import { ResiduaError } from "../residua-error.ts";

/**
 * A journal cannot be used: `journal_unsupported` (no files here), `journal_locked` (another run writes it),
 * `journal_mismatch` (it is of other requests or of another server), `journal_invalid` (the file is no journal),
 * `journal_damaged` (a line in its midst cannot be read), `journal_unreadable` and `journal_unwritable` (the file system says so).
 */
export class JournalError extends ResiduaError {}
