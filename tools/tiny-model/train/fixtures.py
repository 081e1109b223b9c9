"""Write what transformers computes on a model, for the tests of the engine to compare with.

    python train/fixtures.py --model model --out ../engine/fixtures/tiny

PREFIX-reference.json holds texts, ids and greedy tokens; PREFIX-reference.safetensors holds, for prompt N, `logits.N`
[tokens, vocabulary] and `residual.N` [layers, tokens, width] (layer L = output of decoder block L, before the final
norm), float32; PREFIX-tokenizer.json holds texts with the ids that the Python tokenizers library gives them.
"""

import argparse
import hashlib
from pathlib import Path

import tokenizers
import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from fixture_texts import REFERENCE_TEXTS, TOKENIZER_TEXTS
from hf_folder import write_json

GREEDY_TOKENS = 8


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--model", type=Path, required=True)
    arguments.add_argument("--out", type=Path, required=True, help="a folder and the prefix of the files in it")
    arguments.add_argument("--prompts", type=int, default=len(REFERENCE_TEXTS), help="how many of the texts to use")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = AutoModelForCausalLM.from_pretrained(options.model, dtype=torch.float32).eval()
    digest = hashlib.sha256((options.model / "model.safetensors").read_bytes()).hexdigest()

    cases, tensors = [], {}
    for number, text in enumerate(REFERENCE_TEXTS[: options.prompts]):
        ids = tokenizer(text)["input_ids"]
        if not ids:
            continue  # a tokenizer without a begin token has nothing to say about an empty text
        logits, residual = forward(model, ids)
        tensors[f"logits.{number}"], tensors[f"residual.{number}"] = logits, residual
        cases.append({"number": number, "text": text, "ids": ids, "tokens": len(ids), **greedy(model, ids)})

    versions = {module.__name__: module.__version__ for module in (transformers, torch, tokenizers)}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, f"{options.out}-reference.safetensors")
    write_json(
        Path(f"{options.out}-reference.json"),
        {
            "madeBy": "tools/tiny-model/train/fixtures.py",
            "versions": versions,
            "modelSha256": digest,
            "layers": model.config.num_hidden_layers,
            "hiddenSize": model.config.hidden_size,
            "vocabularySize": model.config.vocab_size,
            "cases": cases,
        },
    )
    write_json(
        Path(f"{options.out}-tokenizer.json"),
        {
            "madeBy": "tools/tiny-model/train/fixtures.py",
            "versions": versions,
            "bosTokenId": tokenizer.bos_token_id,
            "eosTokenId": tokenizer.eos_token_id,
            "cases": [tokenized(tokenizer, text) for text in TOKENIZER_TEXTS],
        },
    )


@torch.no_grad()
def forward(model, ids):
    """Logits [tokens, vocabulary] and the output of every decoder block [layers, tokens, width] of one prompt."""
    blocks = []
    hooks = [
        block.register_forward_hook(lambda _module, _inputs, output: blocks.append(output[0]))
        for block in model.model.layers
    ]
    logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
    for hook in hooks:
        hook.remove()
    return logits.clone(), torch.stack(blocks)


@torch.no_grad()
def greedy(model, ids):
    """The next GREEDY_TOKENS most likely tokens, going on after an end token, and the smallest gap between the first
    and the second logit on the way: a runner whose error is above it may rightly choose another token."""
    chosen, margin = [], float("inf")
    for _ in range(GREEDY_TOKENS):
        values, tokens = model(input_ids=torch.tensor([ids + chosen]), use_cache=False).logits[0, -1].topk(2)
        margin = min(margin, (values[0] - values[1]).item())
        chosen.append(tokens[0].item())
    return {"greedy": chosen, "smallestMargin": margin}


def tokenized(tokenizer, text):
    """Ids with and without the begin token, and the text that the latter decode to."""
    plain = tokenizer(text, add_special_tokens=False)["input_ids"]
    return {
        "text": text,
        "ids": tokenizer(text)["input_ids"],
        "plainIds": plain,
        "decoded": tokenizer.decode(plain, skip_special_tokens=False, clean_up_tokenization_spaces=False),
    }


if __name__ == "__main__":
    main()
