"""Cluster bootstrap of an AUROC as it is written with NumPy and scikit-learn: the rows of the redrawn groups, scored anew each time."""

import json
import sys
import time

import numpy as np
from sklearn.metrics import roc_auc_score

data = {}


def resample():
    scores, labels, rows = data["scores"], data["labels"], data["rows"]
    values = np.empty(len(data["drawn"]))
    for i, groups in enumerate(data["drawn"]):
        index = rows[groups].ravel()
        values[i] = roc_auc_score(labels[index], scores[index])
    return values


for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "load":
        data["scores"] = np.array(message["scores"])
        data["labels"] = np.array(message["labels"])
        # Groups are equally large here, so their rows are one array: faster than a list of arrays.
        data["rows"] = np.arange(len(data["scores"])).reshape(message["groups"], -1)
        data["drawn"] = [np.array(one) for one in message["drawn"]]
        answer = {"values": resample().tolist()}
    else:
        began = time.perf_counter()
        resample()
        answer = {"ms": 1000 * (time.perf_counter() - began)}
    print(json.dumps(answer), flush=True)
