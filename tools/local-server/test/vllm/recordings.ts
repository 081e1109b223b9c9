import { readFileSync } from "node:fs";

/** A request to a real server and its answer: fixtures/vllm-lens-1.3.0. */
export interface Recording {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the text that was sent. */
  readonly body: unknown;
  readonly status: number;
  readonly type: string | null;
  readonly answer: string | null;
}

const file = new URL("../../fixtures/vllm-lens-1.3.0/recordings.jsonl", import.meta.url);

export const recordings: readonly Recording[] = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recording);

const selector = "the selector is read as all layers or as none";
const lenient = "checked strictly: a number is a number, a switch is true or false";
const several = "vllm-lens drops it in silence, or keeps the first prompt's alone";

/** Requests that a real server answers with 200 and not as asked; here 400, each with the reason. */
export const refusedHere: Readonly<Record<string, string>> = {
  cap_beam: "beam search is not offered, and drops the capture",
  cap_binary_badword: "an unknown transport is read as base64",
  cap_list_json_strs: selector,
  cap_n2: several,
  cap_qk_and_resid: "Q and K are not offered",
  cap_qk_and_resid_binary: "Q and K are not offered",
  cap_qk_binary_only: "Q and K are not offered",
  cap_qk_none: "Q and K are not offered",
  cap_qk_true_all: "Q and K are not offered",
  cap_sel_30: selector,
  cap_sel_99: selector,
  cap_sel_bool_list: selector,
  cap_sel_emptystr: selector,
  cap_sel_false: selector,
  cap_sel_float_half: selector,
  cap_sel_int: selector,
  cap_sel_mixed: "a layer that there is not is left out in silence",
  cap_sel_neg: selector,
  cap_sel_num: selector,
  cap_sel_obj: selector,
  cap_sel_quoted: selector,
  cap_sel_strs: selector,
  cap_sel_zero: selector,
  cap_stream: "a streamed completion drops the capture",
  cap_two_prompts_rev: several,
  chat_cap_n2: several,
  comp_extra_args_field: "the capture is ignored outside vllm_xargs",
  comp_logprob_token_ids: "not offered",
  comp_structured_choice: "guided decoding is not offered",
  hooks_prefetch_ok: "hooks are not run",
  steer_3d_far_pos: "a position that no token can have steers nothing",
  steer_3d_more_idx: "indices without a row are ignored",
  steer_3d_more_rows: "rows without an index are ignored",
  steer_bad_compression_unknown: "an unknown compression is ignored",
  steer_bad_dtype_lt_f4: "checked strictly: float32, float16 or int16",
  steer_bad_hidden_1: "a wrong width steers by broadcasting",
  steer_bad_hidden_575: "a wrong width steers nothing, and takes the captured layer away",
  steer_bad_hidden_577: "a wrong width steers nothing",
  steer_bad_layer_str: lenient,
  steer_bad_norm_match_1: lenient,
  steer_bad_norm_match_str: lenient,
  steer_bad_scale_str: lenient,
  steer_dup_layer_index: "of two rows for one layer the last is used",
  steer_empty_layers: "steers nothing",
  steer_empty_list: "steers nothing",
  steer_n2_real: several,
  steer_two_prompts: several,
};

/** Faults of a request that a real server answers with 500, after a stream has begun, or for another reason; here 400. */
export const faultsHere: Readonly<Record<string, string>> = {
  chat_steer_bad_layer: "500: the worker fails",
  err_beam_stream: "beam search is not offered at all",
  hooks_prefetch_unknown: "500: the worker fails",
  steer_bad_layer_neg: "500: the worker fails",
  steer_bad_layer_oob_stream: "200, then an error event",
  steer_bad_no_dtype: "500",
  steer_bad_no_shape: "500",
  steer_bad_not_json_stream: "200, then an error event",
  steer_form_zstd_nosize: "500",
};

/** Recordings that say nothing of this server: its context is another one, or the handle was that of the other. */
export const elsewhere: Readonly<Record<string, string>> = {
  cap_binary_fetch_again: "the handle was that of the recorded server",
  cap_binary_range: "the handle was that of the recorded server",
  err_max_tokens_eq_len: "recorded with a context of 1024",
  err_prompt_1023_ids: "fills a context of 1024",
  err_prompt_full_ids: "recorded with a context of 1024",
  err_prompt_too_long: "recorded with a context of 1024",
};
