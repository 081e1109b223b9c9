"""Write a trained model as a Hugging Face folder that old and new readers understand."""

import json

BOS, EOS = "<s>", "</s>"


def save_folder(model, tokenizer, folder):
    """config.json, generation_config.json, model.safetensors (float32), tokenizer.json and tokenizer_config.json."""
    model.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = json.loads((folder / "config.json").read_text())
    # transformers 5 reads rope_parameters; older readers know only this key
    config["rope_theta"] = config["rope_parameters"]["rope_theta"]
    write_json(folder / "config.json", config)
    write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": BOS,
            "eos_token": EOS,
            "add_bos_token": True,
            "model_max_length": model.config.max_position_embeddings,
            "clean_up_tokenization_spaces": False,
        },
    )


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
