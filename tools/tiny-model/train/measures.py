"""What the training and the evaluation measure in the same way."""

import json

import torch
from sklearn.metrics import roc_auc_score


def read_rows(folder, name):
    with open(folder / f"{name}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def expected_answer(row):
    """The right next token of a statement (" true", " false") or a review (" good", " bad")."""
    return f" {str(row['truth']).lower()}" if "truth" in row else f" {row['rating']}"


def padded(tokenizer, texts):
    """Ids [texts, longest], filled up with end tokens on the right, and each text's length [texts]. No position attends
    to a later one, so the filling changes nothing before it and needs no mask."""
    encoded = tokenizer(texts)["input_ids"]
    lengths = torch.tensor([len(ids) for ids in encoded])
    ids = torch.full((len(encoded), int(lengths.max())), tokenizer.eos_token_id)
    for row, text in enumerate(encoded):
        ids[row, : len(text)] = torch.tensor(text)
    return ids, lengths


@torch.no_grad()
def next_tokens(model, tokenizer, prompts):
    """The greedy next token of each prompt, over the whole vocabulary, as text."""
    ids, lengths = padded(tokenizer, prompts)
    states = model.model(input_ids=ids, use_cache=False).last_hidden_state
    chosen = model.lm_head(states[torch.arange(len(prompts)), lengths - 1]).argmax(-1)
    return [tokenizer.decode([token]) for token in chosen.tolist()]


def closed_book_accuracy(model, tokenizer, rows, split):
    """The share of a split's prompts whose greedy next token, over the whole vocabulary, is the right answer."""
    own = [row for row in rows if row["split"] == split]
    answers = next_tokens(model, tokenizer, [row["prompt"] for row in own])
    return sum(answer == expected_answer(row) for answer, row in zip(answers, own)) / len(own)


@torch.no_grad()
def last_residuals(model, tokenizer, prompts):
    """The residual stream at each prompt's last token: [layers, prompts, width], layer L = output of block L."""
    caught = {}
    hooks = [
        block.register_forward_hook(lambda _module, _inputs, output, layer=layer: caught.__setitem__(layer, output))
        for layer, block in enumerate(model.model.layers)
    ]
    ids, lengths = padded(tokenizer, prompts)
    model.model(input_ids=ids, use_cache=False)
    for hook in hooks:
        hook.remove()
    last = (torch.arange(len(prompts)), lengths - 1)
    return torch.stack([caught[layer][last] for layer in range(len(hooks))])


def truths(rows):
    return torch.tensor([row["truth"] for row in rows])


def mean_differences(model, tokenizer, rows):
    """At each layer mean(true) − mean(false) of the last token's residual, not normalised: [layers, width]."""
    residuals = last_residuals(model, tokenizer, [row["prompt"] for row in rows])
    return residuals[:, truths(rows)].mean(1) - residuals[:, ~truths(rows)].mean(1)


def aurocs(residuals, rows, directions):
    scores = torch.einsum("lpd,ld->lp", residuals, directions)
    return [roc_auc_score(truths(rows), score) for score in scores]
