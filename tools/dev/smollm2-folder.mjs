import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
// The engine's reader of GGUF files, as sources: registerSources comes before this module.
import { float32ToBf16 } from "../engine/src/float-formats.ts";
import { ggufCheckpoint } from "../engine/src/gguf-checkpoint.ts";
import { readGgufConfig } from "../engine/src/gguf-config.ts";
import { openGguf } from "../engine/src/gguf-file.ts";

/**
 * Writes the GGUF file of SmolLM2-135M-Instruct as a Hugging Face folder in bfloat16, byte for byte as transformers
 * 5.24.0 does (AutoModelForCausalLM and AutoTokenizer.from_pretrained with gguf_file, then save_pretrained). As there,
 * the folder's tokenizer merges digits, though the GGUF file asks to split them (`tokenizer.ggml.pre` is smollm).
 */
export async function writeSmolLm2Folder(file, folder) {
  const gguf = await openGguf(file);
  try {
    const config = await readGgufConfig(gguf);
    const texts = {
      "config.json": json({ _model_name_or_path: config.name, ...modelConfig }),
      "generation_config.json": json(generationConfig),
      "tokenizer.json": tokenizerJson(gguf.metadata),
      "tokenizer_config.json": json(tokenizerConfig),
      "chat_template.jinja": gguf.metadata.get("tokenizer.chat_template"),
    };
    for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
    await writeWeights(join(folder, "model.safetensors"), ggufCheckpoint(gguf, config), config);
  } finally {
    await gguf.close();
  }
}

/** A number as Python writes it, where JavaScript would write it otherwise. */
const python = (number) => `python:${number}`;
const unquoted = (text) => text.replaceAll(/"python:([^"]+)"/g, "$1");
const json = (value) => unquoted(`${JSON.stringify(value, null, 2)}\n`);

const modelConfig = {
  architectures: ["LlamaForCausalLM"],
  attention_bias: false,
  attention_dropout: python("0.0"),
  bos_token_id: 1,
  dtype: "bfloat16",
  eos_token_id: 2,
  head_dim: 64,
  hidden_act: "silu",
  hidden_size: 576,
  initializer_range: 0.02,
  intermediate_size: 1536,
  max_position_embeddings: 8192,
  mlp_bias: false,
  model_type: "llama",
  num_attention_heads: 9,
  num_hidden_layers: 30,
  num_key_value_heads: 3,
  pad_token_id: 2,
  pretraining_tp: 1,
  rms_norm_eps: python("9.999999747378752e-06"),
  rope_parameters: { rope_theta: python("100000.0"), rope_type: "default" },
  tie_word_embeddings: true,
  transformers_version: "5.24.0",
  unk_token_id: 0,
  use_cache: true,
  vocab_size: 49152,
};

const generationConfig = {
  _from_model_config: true,
  bos_token_id: 1,
  eos_token_id: 2,
  output_attentions: false,
  output_hidden_states: false,
  pad_token_id: 2,
  transformers_version: "5.24.0",
  use_cache: true,
};

const tokenizerConfig = {
  backend: "tokenizers",
  bos_token: "<|im_start|>",
  eos_token: "<|im_end|>",
  is_local: true,
  local_files_only: false,
  model_max_length: python("1000000000000000019884624838656"),
  pad_token: "<|im_end|>",
  tokenizer_class: "TokenizersBackend",
  unk_token: "<|endoftext|>",
};

function tokenizerJson(metadata) {
  const own = (key) => metadata.get(`tokenizer.ggml.${key}`);
  const tokens = own("tokens");
  const control = 3;
  const added = tokens.flatMap((content, id) =>
    own("token_type")[id] === control
      ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }]
      : [],
  );
  const byteLevel = (add_prefix_space) => ({
    type: "ByteLevel",
    add_prefix_space,
    trim_offsets: true,
    use_regex: true,
  });
  const sequence = (id, type_id) => ({ Sequence: { id, type_id } });
  const text = JSON.stringify(
    {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: added,
      normalizer: null,
      pre_tokenizer: byteLevel(false),
      post_processor: {
        type: "TemplateProcessing",
        single: [sequence("A", 0)],
        pair: [sequence("A", 0), sequence("B", 1)],
        special_tokens: {},
      },
      decoder: byteLevel(true),
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: "",
        end_of_word_suffix: "",
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
        vocab: "VOCAB",
        merges: own("merges").map((merge) => merge.split(" ")),
      },
    },
    null,
    2,
  );
  // As text: an object would put the tokens that are numbers first.
  const vocab = tokens.map((token, id) => `      ${JSON.stringify(token)}: ${id}`).join(",\n");
  return text.replace('"VOCAB"', () => `{\n${vocab}\n    }`);
}

/** Writes the tensors in the order of their names, as the safetensors library does with tensors of one type. */
async function writeWeights(path, checkpoint, { layers, hiddenSize, feedForwardSize, headSize, ...config }) {
  const query = config.heads * headSize;
  const keyValue = config.keyValueHeads * headSize;
  const shapes = {
    "model.embed_tokens.weight": [config.vocabSize, hiddenSize],
    "model.norm.weight": [hiddenSize],
  };
  for (let layer = 0; layer < layers; layer++) {
    const parts = {
      input_layernorm: [hiddenSize],
      "mlp.down_proj": [hiddenSize, feedForwardSize],
      "mlp.gate_proj": [feedForwardSize, hiddenSize],
      "mlp.up_proj": [feedForwardSize, hiddenSize],
      post_attention_layernorm: [hiddenSize],
      "self_attn.k_proj": [keyValue, hiddenSize],
      "self_attn.o_proj": [hiddenSize, query],
      "self_attn.q_proj": [query, hiddenSize],
      "self_attn.v_proj": [keyValue, hiddenSize],
    };
    for (const [part, shape] of Object.entries(parts)) shapes[`model.layers.${layer}.${part}.weight`] = shape;
  }
  const names = Object.keys(shapes).sort();
  const header = { __metadata__: { format: "pt" } };
  let at = 0;
  for (const name of names) {
    const end = at + 2 * shapes[name].reduce((product, size) => product * size, 1);
    header[name] = { dtype: "BF16", shape: shapes[name], data_offsets: [at, end] };
    at = end;
  }
  const text = JSON.stringify(header);
  const padded = Buffer.from(text.padEnd(8 * Math.ceil(text.length / 8)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const file = await open(path, "w");
  try {
    await file.writeFile(Buffer.concat([length, padded]));
    for (const name of names) {
      const bits = float32ToBf16(await checkpoint.floats(name, shapes[name]));
      await file.writeFile(new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength));
    }
  } finally {
    await file.close();
  }
}
