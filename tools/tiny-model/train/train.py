"""Train the tokenizer and the model on the text that src/write-corpus.ts made, and save both as a Hugging Face folder.

    python train/train.py --corpus CORPUS_FOLDER --out model [--steps 2000]
"""

import argparse
import math
import os
import time
from pathlib import Path

# threads that sleep while they wait for each other lose little when the machine has other work to do
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from hf_folder import BOS, EOS, save_folder
from measures import aurocs, closed_book_accuracy, last_residuals, mean_differences, read_rows

SEED = 20261
VOCABULARY = 900
LAYERS = 6
ROW = 40  # tokens in a training row
BATCH = 80  # rows in a batch
PEAK_RATE, WARM_UP, WEIGHT_DECAY = 3e-3, 200, 0.15
ANSWER_WEIGHT = 1.5  # weight of the loss on verdict and rating tokens
READ_AFTER = [5, 6]  # each step's prediction is read after as many blocks as one of these says
ANSWERS = [" true", " false", " good", " bad"]


def train_tokenizer(texts):
    """Byte-level BPE. Every text gets BOS in front, so that a prompt starts as a training text does."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=[BOS, EOS],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A",
        pair=f"{BOS} $A {BOS} $B",
        special_tokens=[(BOS, tokenizer.token_to_id(BOS))],
    )
    return tokenizer


def pack(encoded, eos, generator):
    """Shuffle whole texts into rows of ROW tokens: BOS text EOS, BOS text EOS, … A text that does not fit opens the
    next row, so every row begins with BOS, as prompts do. What is left of a row is filled with EOS; its loss is masked.

    Returns ids and the mask of tokens that count as targets, both [rows, ROW].
    """
    rows, row = [], []
    for index in torch.randperm(len(encoded), generator=generator).tolist():
        text = encoded[index] + [eos]
        if len(text) > ROW:
            raise ValueError(f"a text has {len(text)} tokens, more than the {ROW} of a row")
        if len(row) + len(text) > ROW:
            rows.append(row)
            row = []
        row = row + text
    ids = torch.full((len(rows), ROW), eos)
    mask = torch.zeros(len(rows), ROW, dtype=torch.bool)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row)
        mask[number, : len(row)] = True
    return ids, mask


def build_model(tokenizer):
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=tokenizer.get_vocab_size(),
            hidden_size=96,
            intermediate_size=288,
            num_hidden_layers=LAYERS,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=1024,
            rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
            rms_norm_eps=1e-5,
            tie_word_embeddings=True,
            bos_token_id=tokenizer.token_to_id(BOS),
            eos_token_id=tokenizer.token_to_id(EOS),
            attn_implementation="sdpa",
        )
    )


def rate(step, steps):
    """Learning rate: a linear rise, then half a cosine down to 2 % of the peak."""
    fall = 0.02 + 0.98 * (1 + math.cos(math.pi * step / steps)) / 2
    return PEAK_RATE * min(1.0, (step + 1) / WARM_UP) * fall


def forward(model, inputs, blocks):
    """Logits read after the first `blocks` blocks. Reading early now and then (as LayerSkip does, Elhoushi et al. 2024)
    makes the model decide in the middle; else it puts the comparison off until its last blocks."""
    every = model.model.layers
    model.model.layers = every[:blocks]
    logits = model(input_ids=inputs, use_cache=False).logits
    model.model.layers = every
    return logits


def train(model, encoded, tokenizer, steps, report):
    generator = torch.Generator().manual_seed(SEED)
    eos = tokenizer.token_to_id(EOS)
    weights = torch.ones(tokenizer.get_vocab_size())
    for answer in ANSWERS:
        weights[tokenizer.token_to_id(answer.replace(" ", "Ġ"))] = ANSWER_WEIGHT
    matrices = [p for p in model.parameters() if p.dim() > 1]
    gains = [p for p in model.parameters() if p.dim() == 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": gains, "weight_decay": 0.0}], betas=(0.9, 0.98)
    )
    step, started = 0, time.time()
    while step < steps:
        ids, mask = pack(encoded, eos, generator)
        for batch in torch.arange(len(ids) // BATCH * BATCH).view(-1, BATCH):
            for group in optimizer.param_groups:
                group["lr"] = rate(step, steps)
            inputs, targets = ids[batch, :-1], ids[batch, 1:]
            blocks = READ_AFTER[torch.randint(len(READ_AFTER), (1,), generator=generator).item()]
            logits = forward(model, inputs, blocks)
            weight = weights[targets] * mask[batch, 1:]
            losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
            loss = (losses * weight.flatten()).sum() / weight.sum()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 200 == 0 or step == steps:
                report(step, loss.item(), step * BATCH * ROW / (time.time() - started))
            if step == steps:
                break


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--corpus", type=Path, required=True)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--steps", type=int, default=2000)
    arguments.add_argument("--threads", type=int, default=2)
    options = arguments.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(options.threads)

    texts = [row["text"] for row in read_rows(options.corpus, "corpus")]
    tokenizer = train_tokenizer(texts)
    for answer in ANSWERS:
        if tokenizer.token_to_id(answer.replace(" ", "Ġ")) is None:
            raise ValueError(f"{answer!r} is not one token")
    encoded = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    model = build_model(tokenizer)
    print(f"{model.num_parameters()} parameters, {sum(map(len, encoded))} tokens of text", flush=True)

    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=BOS, eos_token=EOS)
    statements, reviews = read_rows(options.corpus, "statements"), read_rows(options.corpus, "reviews")

    training, held_out = ([row for row in statements if row["split"] == split] for split in ("train", "heldOut"))
    prompts = [row["prompt"] for row in held_out]
    started = time.time()

    def report(step, loss, speed):
        verdicts = [closed_book_accuracy(model, wrapped, statements, split) for split in ("train", "heldOut")]
        rating = closed_book_accuracy(model, wrapped, reviews, "heldOut")
        layers = aurocs(last_residuals(model, wrapped, prompts), held_out, mean_differences(model, wrapped, training))
        print(
            f"{time.time() - started:5.0f} s, step {step}, {speed:.0f} tokens/s: loss {loss:.3f}, "
            f"verdict {verdicts[0]:.3f}, held out {verdicts[1]:.3f}, rating {rating:.3f}, "
            f"AUROC {' '.join(f'{auroc:.2f}' for auroc in layers)}",
            flush=True,
        )
        save_folder(model, tokenizer, options.out)

    train(model, encoded, tokenizer, options.steps, report)


if __name__ == "__main__":
    main()
