/**
 * A server that cannot start. Codes: `port_in_use`, `api_key_required`, `api_keys_invalid`, `ledger_invalid`,
 * `jobs_folder_invalid`, `quirk_invalid`, `listen_failed`.
 */
export class ServerError extends Error {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, data: Record<string, unknown>, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServerError";
    this.code = code;
    this.data = Object.freeze({ ...data });
  }
}
