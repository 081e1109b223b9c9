"""scikit-learn's closed-form probes of one layer. One JSON line in, one out."""

import json
import sys
import time

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, PredefinedSplit

data = {}


def lda():
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(data["x"], data["y"])


def ridge():
    """What RidgeCV(cv=…) runs."""
    search = GridSearchCV(Ridge(), {"alpha": data["lambdas"]}, cv=PredefinedSplit(data["folds"]), refit=False)
    return search.fit(data["x"], data["y"])


for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "load":
        data["x"] = np.fromfile(message["file"], np.float32).reshape(message["n"], message["d"])
        data["y"] = np.array(message["labels"], np.float32)
        data["folds"] = np.array(message["folds"])
        data["lambdas"] = message["lambdas"]
        x, y, folds = data["x"].astype(np.float64), data["y"], data["folds"]
        if message["what"] == "lda":
            weights = [lda().coef_[0].tolist()]
        else:
            # Every λ and every fold, but not all pairs.
            pairs = [(k, k % message["count"]) for k in range(len(data["lambdas"]))]
            weights = [
                Ridge(alpha=data["lambdas"][k]).fit(x[folds != fold], y[folds != fold]).coef_.tolist()
                for k, fold in pairs
            ]
        answer = {"weights": weights}
    else:
        began = time.perf_counter()
        lda() if message["what"] == "lda" else ridge()
        answer = {"ms": 1000 * (time.perf_counter() - began)}
    print(json.dumps(answer), flush=True)
