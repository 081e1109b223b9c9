"""What the training and the evaluation measure in the same way."""

import json

import torch


def read_rows(folder, name):
    with open(folder / f"{name}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def expected_answer(row):
    """The right next token of a statement (" true", " false") or a review (" good", " bad")."""
    return f" {str(row['truth']).lower()}" if "truth" in row else f" {row['rating']}"


def batches(tokenizer, prompts, size=256):
    """Ids of prompts of one length together, so that nothing is padded: yields (indices, ids [batch, tokens])."""
    encoded = tokenizer(prompts)["input_ids"]
    lengths = {}
    for index, ids in enumerate(encoded):
        lengths.setdefault(len(ids), []).append(index)
    for indices in lengths.values():
        for start in range(0, len(indices), size):
            part = indices[start : start + size]
            yield part, torch.tensor([encoded[index] for index in part])


@torch.no_grad()
def next_tokens(model, tokenizer, prompts):
    """The greedy next token of each prompt, over the whole vocabulary, as text."""
    answers = [""] * len(prompts)
    for indices, ids in batches(tokenizer, prompts):
        chosen = model(input_ids=ids, use_cache=False).logits[:, -1].argmax(-1)
        for index, token in zip(indices, chosen.tolist()):
            answers[index] = tokenizer.decode([token])
    return answers


def closed_book_accuracy(model, tokenizer, rows, split):
    """The share of a split's prompts whose greedy next token, over the whole vocabulary, is the right answer."""
    own = [row for row in rows if row["split"] == split]
    answers = next_tokens(model, tokenizer, [row["prompt"] for row in own])
    return sum(answer == expected_answer(row) for answer, row in zip(answers, own)) / len(own)
