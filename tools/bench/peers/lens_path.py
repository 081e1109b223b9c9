"""The path of a capture and of a steering vector in Python: json, base64, zstandard, NumPy. One JSON line in, one out."""

import base64
import hashlib
import json
import re
import sys
import time
import urllib.request

import numpy as np
import zstandard

kept = {}


def rows_by_layer(body):
    """float32 rows of one layer after the other; each is gone when the next one comes."""
    entry = json.loads(body)["activations"]["residual_stream"]
    raw = zstandard.ZstdDecompressor().decompress(base64.b64decode(entry["data"]))
    bits = np.frombuffer(raw, dtype=np.uint16).reshape(entry["shape"])
    for layer in bits:
        yield (layer.astype(np.uint32) << 16).view(np.float32)


def make(file, shape):
    """An answer with a capture of noise, as vLLM with vllm-lens writes it."""
    values = np.random.default_rng(0).standard_normal(shape, dtype=np.float32).view(np.uint32)
    bits = ((values + 0x7FFF + ((values >> 16) & 1)) >> 16).astype(np.uint16)
    frame = zstandard.ZstdCompressor(level=1).compress(bits.tobytes())
    tensor = {"dtype": "int16", "original_dtype": "torch.bfloat16", "shape": shape, "compression": "zstd"}
    usage = {"prompt_tokens": shape[1], "completion_tokens": 1, "total_tokens": shape[1] + 1}
    answer = {
        "id": "cmpl-1",
        "object": "text_completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "text": " a", "logprobs": None, "finish_reason": "length"}],
        "usage": usage,
        "activations": {"residual_stream": {"data": base64.b64encode(frame).decode(), **tensor}},
    }
    with open(file, "wb") as out:
        out.write(json.dumps(answer, separators=(",", ":")).encode())


def load(file, numbers):
    with open(file, "rb") as body:
        kept["body"] = body.read()
    kept["vector"] = np.sin(np.arange(numbers)).astype(np.float32).reshape(-1, 4096)
    digest = hashlib.sha256()
    for layer in rows_by_layer(kept["body"]):
        digest.update(layer.tobytes())
    encoded = hashlib.sha256(base64.b64encode(kept["vector"].tobytes())).hexdigest()
    return {"rows": digest.hexdigest(), "vector": encoded}


def encode():
    vector = kept["vector"]
    data = base64.b64encode(vector.tobytes()).decode()
    tensor = {"data": data, "dtype": "float32", "original_dtype": "torch.float32", "shape": list(vector.shape)}
    steering = {"activations": tensor, "layer_indices": list(range(len(vector))), "scale": 1.0, "norm_match": False}
    return json.dumps({"model": "m", "prompt": "p", "apply_steering_vectors": [steering]}).encode()


def highest():
    """The most bytes that this process has held; ru_maxrss would begin with those of the process that started it."""
    with open("/proc/self/status") as status:
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status.read())[1])


def fetch(url):
    """The most bytes that the process takes for one capture, from the socket to the rows of each layer in turn."""
    before = highest()
    with urllib.request.urlopen(urllib.request.Request(url, data=b"{}")) as response:
        total = sum(float(layer[0, 0]) for layer in rows_by_layer(response.read()))
    assert total == total
    return highest() - before


for line in sys.stdin:
    message = json.loads(line)
    began = time.perf_counter()
    if message["do"] == "make":
        answer = make(message["file"], message["shape"]) or {}
    elif message["do"] == "load":
        answer = load(message["file"], message["numbers"])
    elif message["do"] == "decode":
        for _ in rows_by_layer(kept["body"]):
            pass
        answer = {"figure": 1000 * (time.perf_counter() - began)}
    elif message["do"] == "encode":
        encode()
        answer = {"figure": 1000 * (time.perf_counter() - began)}
    else:
        answer = {"figure": fetch(message["url"])}
    print(json.dumps(answer), flush=True)
