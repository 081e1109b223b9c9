"""The model of a Hugging Face folder in PyTorch float32 on two threads. One JSON line in, one out."""

import json
import sys
import time

import torch
from transformers import AutoModelForCausalLM

torch.set_num_threads(2)
model = None


@torch.inference_mode()
def next_tokens(prompts):
    return [int(model(torch.tensor([ids])).logits[0, -1].argmax()) for ids in prompts]


for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "load":
        model = AutoModelForCausalLM.from_pretrained(message["folder"], dtype=torch.float32).eval()
        answer = {"tokens": next_tokens(message["prompts"])}
    else:
        began = time.perf_counter()
        next_tokens(message["prompts"])
        answer = {"ms": 1000 * (time.perf_counter() - began)}
    print(json.dumps(answer), flush=True)
