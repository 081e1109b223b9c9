/** Something that a user should know and that is no error. */
export interface ClientWarning {
  /**
   * `fingerprint_changed`: the server's `system_fingerprint` is another than before, so its software or settings are.
   * `checkpoint_changed`: the id stands for other weights than before.
   */
  code: "fingerprint_changed" | "checkpoint_changed";
  message: string;
  /** The id that was asked for. */
  model: string;
  before: string;
  after: string;
  /** Of the answer that showed it. */
  requestID: string | undefined;
}
