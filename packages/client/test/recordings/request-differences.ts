// Where the client's request checks (profile vllm) and a real server differ on a recorded request, each with the reason.

const noTokenizer =
  "a text's tokens are counted only with a tokenizer: the answer here is `unknown`, and the server decides";
const setting = "a setting of the server: over its default the answer is `unknown`, and the server decides";
const poisoned = "what an earlier request left in the cache: nothing is wrong with this one";
const hooks = "hooks are pickled functions, handed on unread";
const otherModel = "only the server knows its models' names";
const noLayers = "vLLM's catalogue does not state how many layers the model has";

/** Refused by the server, sent by the client. */
export const leftToTheServer: Readonly<Record<string, string>> = {
  "hooks/hook_bad_blob": hooks,
  "hooks/hook_bad_layer": hooks,
  "main/comp_logprobs21": setting,
  "main/comp_logprobs_minus1": setting,
  "main/err_logit_bias_oov":
    "only a prompt's ids are looked up: an id elsewhere is refused by the server and does no harm",
  "main/err_max_tokens_eq_len": noTokenizer,
  "main/err_n_huge": setting,
  "main/err_prompt_empty_in_list": "an empty text is one token, BOS, for a model that has one",
  "main/err_prompt_too_long": noTokenizer,
  "main/err_prompt_way_too_long": noTokenizer,
  "main/err_unknown_model_stream": otherModel,
  "main/steer_bad_layer_oob_stream": noLayers,
  "main/tokenize_unknown_model": otherModel,
  "nan/nan_3_after_Infinity_logprobs": poisoned,
  "nan/nan_3_after_NaN_logprobs": poisoned,
};

const xargs = "vllm_xargs";

/** The field that a refusal without `param`, or with another name for it, is about: read from its words. */
export const refusedField: Readonly<Record<string, string>> = {
  "hooks/hook_empty_layers": xargs,
  "crash/err_token_id_49152": "prompt",
  "main/comp_n2_temp0": "n",
  "main/comp_stop_empty": "stop",
  "main/err_beam_stream": "use_beam_search",
  "main/err_min_gt_max": "min_tokens",
  "main/err_min_p_2": "min_p",
  "main/err_n_0": "n",
  "main/err_prompt_empty_list": "prompt",
  // "This model's maximum context length is 1024 tokens. However, you requested 1 output tokens and your prompt contains …"
  "main/err_prompt_full_ids": "max_tokens",
  "main/err_suffix": "suffix",
  "main/err_token_id_oov": "prompt",
  "main/err_top_k_m2": "top_k",
  "main/steer_bad_data_not_b64": xargs,
  "main/steer_bad_data_short": xargs,
  "main/steer_bad_dtype_bfloat16": xargs,
  "main/steer_bad_dtype_bogus": xargs,
  "main/steer_bad_layer_neg": xargs,
  "main/steer_bad_layers_count": xargs,
  "main/steer_bad_list_num": xargs,
  "main/steer_bad_no_data": xargs,
  "main/steer_bad_no_dtype": xargs,
  "main/steer_bad_no_layers": xargs,
  "main/steer_bad_no_shape": xargs,
  "main/steer_bad_not_json_stream": xargs,
  "main/steer_bad_null": xargs,
  "main/steer_bad_number": xargs,
  "main/steer_bad_pos_str": xargs,
  "main/steer_bad_scale_null": xargs,
  "main/steer_bad_scale_word": xargs,
  "main/steer_bad_shape_1d": xargs,
  "main/steer_bad_shape_4d": xargs,
  "main/steer_bad_shape_mismatch": xargs,
  "main/steer_form_zstd_nosize": xargs,
  "main/tokenize_chat_both_flags": "continue_final_message",
};

interface Refusal {
  field: string;
  reason: string;
}

const layers = (reason: string): Refusal => ({ field: "vllm_xargs.output_residual_stream", reason });
const vectors = (reason: string): Refusal => ({ field: "vllm_xargs.apply_steering_vectors", reason });
const all = "read as all layers";
const none = "read as no layer: a 200 without activations";
const lenient = "taken for what it is not: a number is a number, a switch is true or false";
const dropped = "the capture and the steering of all but the first choice are dropped";
const poison = "spoils this answer, and those of later requests that read the same cache";

/** Taken by the server with a 200 and not carried out as it reads; refused by the client. */
export const refusedHere: Readonly<Record<string, Refusal>> = {
  "chunk/chunk_cap_long_stream": layers("a streamed completion has no activations"),
  "disabled/dis_steer_bad": vectors("a server with the plugin switched off ignores it; with it, 400"),
  "main/cap_beam": { field: "use_beam_search", reason: "beam search drops the capture" },
  "main/cap_binary_badword": {
    field: "vllm_xargs.activations_transport",
    reason: "an unknown transport is read as base64",
  },
  "main/cap_list_json_strs": layers("texts in a list: whole numbers only"),
  "main/cap_n2": { field: "n", reason: dropped },
  "main/cap_sel_bool_list": layers("true is read as layer 1"),
  "main/cap_sel_dup": layers("a layer that is named twice comes once: the rows are fewer than the list"),
  "main/cap_sel_empty": layers(none),
  "main/cap_sel_emptystr": layers(all),
  "main/cap_sel_false": layers(all),
  "main/cap_sel_float_half": layers(none),
  "main/cap_sel_int": layers(all),
  "main/cap_sel_neg": layers(none),
  "main/cap_sel_num": layers(all),
  "main/cap_sel_obj": layers(all),
  "main/cap_sel_quoted": layers(all),
  "main/cap_sel_strs": layers(none),
  "main/cap_sel_zero": layers(all),
  "main/cap_stream": layers("a streamed completion has no activations"),
  "main/cap_two_prompts_rev": { field: "prompt", reason: "the capture is that of the first prompt alone" },
  "main/comp_extra_args_field": { field: "extra_args", reason: "ignored" },
  "main/comp_unknown_field": { field: "foo_bar", reason: "ignored" },
  "main/steer_3d_more_idx": vectors("positions without a row are ignored"),
  "main/steer_3d_more_rows": vectors("rows without a position are ignored"),
  "main/steer_bad_compression_unknown": vectors("an unknown compression is read as none"),
  "main/steer_bad_layer_str": vectors(lenient),
  "main/steer_bad_norm_match_1": vectors(lenient),
  "main/steer_bad_norm_match_str": vectors(lenient),
  "main/steer_bad_scale_str": vectors(lenient),
  "main/steer_dup_layer_index": vectors("of two rows for one layer the last is used"),
  "main/steer_empty_layers": vectors("steers nothing"),
  "main/steer_empty_list": vectors("steers nothing"),
  "main/steer_n2_real": { field: "n", reason: dropped },
  "main/steer_two_prompts": { field: "prompt", reason: "only the first prompt is steered and captured" },
  "nan/nan_1_Infinity": vectors(poison),
  "nan/nan_1_NaN": vectors(poison),
  "nan/nan_6_vector_with_nan": vectors(poison),
};

const noWidth = "vLLM's catalogue does not state the hidden size; @residua/lens checks it against a capture";

/** Taken by the server and not carried out as it reads, and sent by the client too: what it would have to know it does not. */
export const silentBoth: Readonly<Record<string, string>> = {
  "main/cap_sel_30": noLayers,
  "main/cap_sel_99": noLayers,
  "main/cap_sel_mixed": noLayers,
  "main/cap_qk_none": noLayers,
  "main/steer_3d_far_pos":
    "how far a text's positions reach is counted only with a tokenizer; @residua/lens does",
  "main/steer_bad_hidden_1": noWidth,
  "main/steer_bad_hidden_575": noWidth,
  "main/steer_bad_hidden_577": noWidth,
};
