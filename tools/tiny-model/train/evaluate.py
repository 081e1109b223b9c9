"""Measure the committed model and write what was found to model/figures.json and into the two READMEs.

    python train/evaluate.py --corpus CORPUS_FOLDER --model model
"""

import argparse
import hashlib
import math
from contextlib import contextmanager
from pathlib import Path

import torch
import torch.nn.functional as F
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from figures_table import put_table
from hf_folder import write_json
from measures import (
    aurocs,
    closed_book_accuracy,
    last_residuals,
    mean_differences,
    next_tokens,
    padded,
    read_rows,
)

COMMAND = "python train/evaluate.py --corpus CORPUS_FOLDER --model model"
SCALES = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
RANDOM_DIRECTIONS = 20
VERDICTS = {" true", " false"}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--corpus", type=Path, required=True)
    arguments.add_argument("--model", type=Path, required=True)
    options = arguments.parse_args()
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = AutoModelForCausalLM.from_pretrained(options.model, dtype=torch.float32).eval()
    statements, reviews, facts = (read_rows(options.corpus, name) for name in ("statements", "reviews", "facts"))
    neutral = [row["text"] for row in read_rows(options.corpus, "neutral")]
    held_out = [row for row in statements if row["split"] == "heldOut"]

    directions = mean_differences(model, tokenizer, [row for row in statements if row["split"] == "train"])
    residuals = last_residuals(model, tokenizer, [row["prompt"] for row in held_out])
    figures = {
        "schemaVersion": 1,
        "command": COMMAND,
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        "modelSha256": hashlib.sha256((options.model / "model.safetensors").read_bytes()).hexdigest(),
        "parameters": model.num_parameters(),
        "verdictAccuracy": {s: closed_book_accuracy(model, tokenizer, statements, s) for s in ("train", "heldOut")},
        "ratingAccuracy": {s: closed_book_accuracy(model, tokenizer, reviews, s) for s in ("train", "heldOut")},
        "factRecall": fact_recall(model, tokenizer, facts, {row["city"] for row in held_out}),
        "neutralPerplexity": perplexity(model, tokenizer, neutral),
        "directionNorms": [direction.norm().item() for direction in directions],
        "auroc": {
            "heldOut": aurocs(residuals, held_out, directions),
            "random": random_aurocs(residuals, held_out, directions),
        },
        "steering": [
            steer(model, tokenizer, held_out, neutral, layer, scale, directions[layer])
            for layer in range(len(directions))
            for scale in SCALES
        ],
    }
    figures["chosen"] = choose(figures["steering"])
    write_json(options.model / "figures.json", figures)
    put_table(figures, [options.model / "README.md", Path(__file__).parent.parent / "README.md"])


def random_aurocs(residuals, rows, directions):
    """The mean over random directions of max(AUROC, 1 − AUROC): what a direction with either sign finds by chance."""
    found = []
    for seed in range(RANDOM_DIRECTIONS):
        found.append([max(a, 1 - a) for a in aurocs(residuals, rows, random_like(directions, seed))])
    return torch.tensor(found, dtype=torch.float64).mean(0).tolist()


def random_like(direction, seed):
    """A random direction of equal norm (of each row, when there are several)."""
    noise = torch.randn(direction.shape, generator=torch.Generator().manual_seed(seed))
    return noise / noise.norm(dim=-1, keepdim=True) * direction.norm(dim=-1, keepdim=True)


@contextmanager
def steered(model, layer, vector):
    """Add a vector to the output of block `layer` at every position."""
    hook = model.model.layers[layer].register_forward_hook(lambda _module, _inputs, output: output + vector)
    try:
        yield
    finally:
        hook.remove()


def steer(model, tokenizer, rows, neutral, layer, scale, direction):
    """Add the direction under false statements and subtract it under true ones; do the same with random directions."""
    vector = scale * direction
    to_true, to_false, valid = turned(model, tokenizer, rows, layer, vector)
    with steered(model, layer, vector):
        added = perplexity(model, tokenizer, neutral)
    with steered(model, layer, -vector):
        subtracted = perplexity(model, tokenizer, neutral)
    twins = [turned(model, tokenizer, rows, layer, random_like(vector, seed)) for seed in range(RANDOM_DIRECTIONS)]
    return {
        "layer": layer,
        "scale": scale,
        "falseToTrue": to_true,
        "trueToFalse": to_false,
        "valid": valid,
        "randomTurned": sum(twin[0] + twin[1] for twin in twins) / (2 * len(twins)),
        "randomValid": sum(twin[2] for twin in twins) / len(twins),
        "neutralPerplexity": {"added": added, "subtracted": subtracted},
    }


def turned(model, tokenizer, rows, layer, vector):
    """Shares: false statements answered " true" under +vector, true ones " false" under −vector, answers that are verdicts."""
    with steered(model, layer, vector):
        on_false = next_tokens(model, tokenizer, [row["prompt"] for row in rows if not row["truth"]])
    with steered(model, layer, -vector):
        on_true = next_tokens(model, tokenizer, [row["prompt"] for row in rows if row["truth"]])
    answers = on_false + on_true
    return (
        on_false.count(" true") / len(on_false),
        on_true.count(" false") / len(on_true),
        sum(answer in VERDICTS for answer in answers) / len(answers),
    )


def choose(rows):
    """Of the rows that meet the goals the one that turns most, then at the smallest scale, then at the lowest layer; None
    when there is none. The last layer does not count: adding there is adding to the logits, whatever the blocks do."""
    last = max(row["layer"] for row in rows)
    good = [
        row
        for row in rows
        if row["layer"] < last
        and min(row["falseToTrue"], row["trueToFalse"]) >= 0.9
        and row["valid"] >= 0.95
        and row["randomTurned"] <= 0.05
    ]
    return max(
        good,
        default=None,
        key=lambda row: (min(row["falseToTrue"], row["trueToFalse"]), -row["scale"], -row["layer"]),
    )


@torch.no_grad()
def perplexity(model, tokenizer, texts):
    """exp of the mean negative log-likelihood of the texts' tokens, the begin token given."""
    ids, lengths = padded(tokenizer, texts)
    logits = model(input_ids=ids, use_cache=False).logits[:, :-1]
    told = torch.arange(1, ids.shape[1]) < lengths[:, None]
    return math.exp(F.cross_entropy(logits[told].double(), ids[:, 1:][told]).item())


@torch.no_grad()
def fact_recall(model, tokenizer, facts, held_out):
    """The share of fact sentences that the model ends with the right continent, for the cities of each split."""
    hits = {"train": [], "heldOut": []}
    ids, lengths = padded(tokenizer, [fact["text"] for fact in facts])
    chosen = model(input_ids=ids, use_cache=False).logits.argmax(-1)
    for row, fact in enumerate(facts):
        tail = len(tokenizer(f" {fact['continent']}.", add_special_tokens=False)["input_ids"])
        end = lengths[row]
        # told the truth so far, the model says each next token of it: then, and only then, greedy decoding says it all
        right = torch.equal(chosen[row, end - tail - 1 : end - 1], ids[row, end - tail : end])
        hits["heldOut" if fact["name"] in held_out else "train"].append(right)
    return {split: sum(found) / len(found) for split, found in hits.items()}


if __name__ == "__main__":
    main()
