"""scikit-learn's logistic fits: layers x label sets x folds x C, standardised on training rows. One JSON line in, one out."""

import json
import sys
import time

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression

data = {}


def training(layer, labels, fold, dtype):
    x, folds = data["layers"][layer], data["folds"]
    rows = folds != fold
    part = x[rows].astype(dtype)
    mean, scale = part.mean(0), part.std(0)
    scale[scale == 0] = 1
    return (part - mean) / scale, data["sets"][labels][rows]


def fit(x, y, c, tol, max_iter):
    model = LogisticRegression(C=c, solver="lbfgs", tol=tol, max_iter=max_iter).fit(x, y)
    w, b = model.coef_[0].astype(np.float64), float(model.intercept_[0])
    margin = np.where(y == 1, 1, -1) * (x.astype(np.float64) @ w + b)
    return c * np.logaddexp(0, -margin).sum() + 0.5 * w @ w


def column_fits(layer, labels, fold, tol, max_iter):
    # In float32 lbfgs stops at 1e-5 of the objective, however small its tolerance: the reference is fitted in float64.
    x, y = training(layer, labels, fold, np.float64 if tol < 1e-6 else np.float32)
    return [fit(x, y, c, tol, max_iter) for c in data["cs"]]


def sweep(tol, max_iter):
    columns = [
        (layer, labels, fold)
        for layer in range(len(data["layers"]))
        for labels in range(len(data["sets"]))
        for fold in range(data["count"])
    ]
    if data["jobs"] == 1:
        return [column_fits(*column, tol, max_iter) for column in columns]
    # Processes with one BLAS thread each were the fastest way for many small fits on two cores.
    jobs = (delayed(column_fits)(*column, tol, max_iter) for column in columns)
    return Parallel(n_jobs=data["jobs"], backend="multiprocessing")(jobs)


for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "load":
        n, d = message["n"], message["d"]
        data["layers"] = [np.fromfile(file, np.float32).reshape(n, d) for file in message["files"]]
        data["sets"] = [np.array(labels) for labels in message["sets"]]
        data["folds"] = np.array(message["folds"])
        data["cs"], data["count"], data["jobs"] = message["cs"], message["count"], message["jobs"]
        answer = {}
    elif message["do"] == "converge":
        # lbfgs run until it can no longer move.
        answer = {"objectives": sweep(1e-7, 20000)}
    else:
        began = time.perf_counter()
        sweep(1e-4, 2000)
        answer = {"ms": 1000 * (time.perf_counter() - began)}
    print(json.dumps(answer), flush=True)
