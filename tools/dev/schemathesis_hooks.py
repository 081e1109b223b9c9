"""What `npm run schemathesis` adds to schemathesis: requests that the server can run, and a check of refusals."""

import base64
import re
import struct

import schemathesis

# Rules that span several fields, or that depend on the model: no schema can say them. Everything else that the schema
# allows has to be accepted.
BEYOND_THE_SCHEMA = re.compile(
    r"stream_options: only with stream: true"
    r"|prompt_logprobs: not with stream: true"
    r"|output_residual_stream: not with stream: true"
    r"|(prompt|n): (output_residual_stream|apply_steering_vectors) takes "
    r"|max_tokens: set it when a request has several prompts or n above 1"
    r"|prompt: token id \d+ is not in the vocabulary"
    r"|prompt: this text has no token"
    r"|prompt: (at least )?\d+ prompt tokens \+ \d+ max_tokens = "
    r"|(output_residual_stream|(apply_steering_vectors|residua_interventions)\[\d+\]\.layer_indices): layer \d+ is (out of range|named twice)"
    r"|apply_steering_vectors\[\d+\]\.(activations|layer_indices|position_indices)"
    r"|residua_interventions\[\d+\]\.direction"
    r"|apply_steering_vectors: the stream is not finite"
    r"|(n|max_tokens|prompt_logprobs|output_residual_stream|apply_steering_vectors): .*, over the \d+ "
    r"|seed: choice j takes seed \+ j"
)


# A steering row, and a direction, of the embedded model's hidden size.
_DATA = {"data": base64.b64encode(struct.pack("<96f", *[0.01] * 96)).decode(), "dtype": "float32"}
_ROW = {**_DATA, "shape": [1, 96]}
_DIRECTION = {**_DATA, "shape": [96]}


def _positive(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    """Brings what a schema cannot bound into range in two of three requests, so that they run and are no refusals."""
    body = case.body
    if not (_positive(case) and isinstance(body, dict)):
        return
    # A number that follows from the request alone: the same seed gives the same requests.
    turn = len(str(body))
    if turn % 3 == 0:
        return
    tamed = dict(body)
    if isinstance(tamed.get("prompt"), list):
        tamed["prompt"] = [_in_vocabulary(one) for one in tamed["prompt"][:4]]
    if tamed.get("prompt") in ("", [], [""]):
        tamed["prompt"] = "a"
    tamed["max_tokens"] = (tamed.get("max_tokens") or 7) % 12 + 1
    tamed["n"] = (tamed.get("n") or 0) % 3 + 1
    tamed["seed"] = turn
    if isinstance(tamed.get("output_residual_stream"), list):
        tamed["output_residual_stream"] = sorted({layer % 4 for layer in tamed["output_residual_stream"]})
    if tamed.get("apply_steering_vectors"):
        tamed["apply_steering_vectors"] = [{"activations": _ROW, "layer_indices": [turn % 4]}]
    if tamed.get("residua_interventions"):
        tamed["residua_interventions"] = [{"kind": "ablate", "direction": _DIRECTION, "layer_indices": [turn % 4]}]
    if tamed.get("output_residual_stream") or tamed.get("apply_steering_vectors"):
        tamed["n"] = 1
        tamed["prompt"] = [3, 5, 8]
    if turn % 2 == 0 and not case.path.startswith("/v1/jobs"):
        tamed["stream"] = True
        for name in ("prompt_logprobs", "output_residual_stream"):
            tamed.pop(name, None)
    elif tamed.get("stream") is not True:
        tamed.pop("stream_options", None)
    case.body = tamed


def _in_vocabulary(one):
    if isinstance(one, bool) or not isinstance(one, (int, float, list)):
        return one
    return [_in_vocabulary(each) for each in one] if isinstance(one, list) else int(one) % 200


@schemathesis.check
def refusals_are_beyond_the_schema(context, response, case):
    """A request that the schema allows is refused only for what the schema cannot say, and told so by name."""
    if response.status_code != 400 or not _positive(case) or not isinstance(case.body, dict):
        return
    message = response.json()["error"]["message"]
    if BEYOND_THE_SCHEMA.match(message) is None:
        raise AssertionError(f"the schema allows what the server refuses: {message}")
