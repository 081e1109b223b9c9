"""The model of a Hugging Face folder in PyTorch float32 on two threads. One JSON line in, one out."""

import json
import resource
import sys
import time

import torch
from transformers import AutoModelForCausalLM

torch.set_num_threads(2)
model = None


@torch.inference_mode()
def greedy(prompts, count):
    """For each prompt, one after the other, its `count` likeliest next tokens; scores only where they are read."""
    answers = []
    for ids in prompts:
        chosen, cache, run = [], None, ids
        while len(chosen) < count:
            output = model(torch.tensor([run]), cache=cache, use_cache=count > 1, logits_to_keep=1)
            cache = output.cache if count > 1 else None
            run = [int(output.logits[0, -1].argmax())]
            chosen += run
        answers.append(chosen)
    return answers


for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "load":
        model = AutoModelForCausalLM.from_pretrained(message["folder"], dtype=torch.float32).eval()
        answer = {"tokens": greedy(message["prompts"], message["count"])}
    elif message["do"] == "memory":
        answer = {"bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
    else:
        began = time.perf_counter()
        greedy(message["prompts"], message["count"])
        answer = {"ms": 1000 * (time.perf_counter() - began)}
    print(json.dumps(answer), flush=True)
