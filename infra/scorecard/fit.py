"""Fits the scorecard of shared/scorecard and the boosted trees it is compared with on labelled tokens.

    python infra/scorecard/fit.py TOKEN_FEATURES.csv SYNC.jsonl.gz

Writes shared/scorecard/model.json, shared/scorecard/testdata/golden.json and infra/accuracy/trees.json.gz, and prints how well both do
on the tokens that were held out.
"""
import csv
import gzip
import hashlib
import itertools
import json
import sys

import numpy as np
from scipy.optimize import minimize
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score

# name, column, group, upper bin edges (each belongs to the bin below it), direction: +1 where more is never better for a holder,
# -1 where more is never worse, 0 where the data decide.
FEATURES = [
    ("lockedLiquidity", "lp_lock_ratio", "liquidity", [1e-6, 0.05, 0.5, 0.95], -1),
    ("creatorLiquidity", "lp_creator_holding_ratio", "liquidity", [1e-6, 0.5, 0.9], 1),
    ("providerDeviation", "lp_std", "providers", [1e-6, 5, 20], 0),
    ("creatorShare", "token_creator_holding_ratio", "creator", [0.001, 0.05, 0.2, 0.5], 1),
    ("buysPerSell", "swap_rate", "flow", [1.2, 2, 3, 6, 20], 1),
    ("creatorTokens", "number_of_token_creation_of_creator", "history", [1, 2, 5, 20], 1),
    ("removalsPerWeek", "burn_count_per_week", "history", [0], -1),
    ("additionsPerWeek", "mint_count_per_week", "history", [0.1, 0.5, 0.9, 1, 2, 10], 0),
    ("additionShare", "mint_ratio", "history", [0.005, 0.02, 0.05, 0.1], 0),
    ("additionPeriod", "mint_mean_period", "history", [0, 0.01, 0.1], 0),
]
FRACTIONS = {"lockedLiquidity", "creatorLiquidity", "creatorShare"}
LIVE = ["liquidity", "providers", "creator", "flow"]
L2 = 1.0
# How many boosted models, grown on different random parts, are averaged.
BOOSTED = 3
BLOCKS_A_DAY = 6500
# Days that a pool is watched for from each age, and between which ages the log odds are linear in the logarithm of the days.
HORIZON = 90
AGE_KNOTS = [1, 7, 60, 240]


def held_out(identifier):
    return int(hashlib.sha256(identifier.lower().encode()).hexdigest()[:8], 16) % 10 < 3


def read(path):
    rows = list(csv.DictReader(open(path)))
    y = np.array([r["Label"].upper() == "TRUE" for r in rows], float)
    held = np.array([held_out(r["id"]) for r in rows])
    return rows, y, held


def values(rows, name, column):
    x = np.array([float(r[column]) for r in rows])
    return np.clip(x, 0, 1) if name in FRACTIONS else x


def steps(x, edges, direction):
    """Columns whose weights add up to a bin's weight; where a direction is given they must not be negative."""
    bins = np.searchsorted(edges, x, side="left")
    above = np.arange(1, len(edges) + 1)
    if direction == 0:
        return np.eye(len(edges) + 1)[bins]
    if direction > 0:
        return (bins[:, None] >= above).astype(float)
    return (bins[:, None] < above).astype(float)


def bin_weights(part, edges, direction):
    if direction == 0:
        return list(part)
    if direction > 0:
        return [float(sum(part[:i])) for i in range(len(edges) + 1)]
    return [float(sum(part[i:])) for i in range(len(edges) + 1)]


def fit_logistic(design, target, bounds, penalty=L2):
    def loss(b):
        z = design @ b[1:] + b[0]
        p = 1 / (1 + np.exp(-z))
        value = np.sum(np.logaddexp(0, z) - target * z) + penalty / 2 * np.sum(b[1:] ** 2)
        return value, np.concatenate([[np.sum(p - target)], design.T @ (p - target) + penalty * b[1:]])

    found = minimize(loss, np.zeros(design.shape[1] + 1), jac=True, method="L-BFGS-B", bounds=[(None, None)] + bounds,
                     options=dict(maxiter=10000, ftol=1e-15, gtol=1e-9))
    return found.x


def fit_model(groups, rows, y, train):
    chosen = [f for f in FEATURES if f[2] in groups]
    blocks, bounds = [], []
    for name, column, _, edges, direction in chosen:
        block = steps(values(rows, name, column), edges, direction)
        blocks.append(block)
        bounds += [(0, None) if direction else (None, None)] * block.shape[1]
    design = np.hstack(blocks)
    b = fit_logistic(design[train], y[train], bounds)
    weights, at = {}, 1
    for (name, _, _, edges, direction), block in zip(chosen, blocks):
        part = b[at:at + block.shape[1]]
        at += block.shape[1]
        weights[name] = [round(w, 6) for w in bin_weights(part, edges, direction)]
    return {"groups": list(groups), "intercept": round(float(b[0]), 6), "weights": weights}


def log_odds(model, facts):
    """facts maps names to values."""
    z = model["intercept"]
    for name, _, _, edges, _ in FEATURES:
        if name in model["weights"]:
            z += model["weights"][name][int(np.searchsorted(edges, facts[name], side="left"))]
    return z


def sigmoid(z):
    return 1 / (1 + np.exp(-np.asarray(z)))


def calibration_error(p, t):
    bins = np.minimum((p * 10).astype(int), 9)
    return sum(abs(p[bins == k].mean() - t[bins == k].mean()) * (bins == k).mean() for k in range(10) if (bins == k).any())


def interval(t, p, random):
    aucs = []
    for _ in range(300):
        i = random.integers(0, len(t), len(t))
        if 0 < t[i].sum() < len(i):
            aucs.append(roc_auc_score(t[i], p[i]))
    return np.percentile(aucs, [2.5, 97.5])


def report(name, p, t, random):
    low, high = interval(t, p, random)
    base = t.mean()
    print(f"{name}: n={len(t)} AUC {roc_auc_score(t, p):.4f} [{low:.4f}, {high:.4f}] Brier {brier_score_loss(t, p):.4f} "
          f"ECE {calibration_error(p, t):.4f} BSS {1 - brier_score_loss(t, p) / (base * (1 - base)):.3f}")


def pools(path):
    """Block numbers and both reserves of each pool, by first block."""
    found = []
    for line in gzip.open(path):
        sync = json.loads(line)["sync"]
        if sync:
            found.append((np.array([s[0] for s in sync]), np.array([[int(s[2]), int(s[3])] for s in sync], float)))
    return sorted(found, key=lambda p: p[0][0])


def falls(reserves):
    """Where a reserve loses nine tenths in one event: liquidity that is taken out, or a dump."""
    return (reserves[1:] <= 0.1 * reserves[:-1]).any(axis=1)


def hazard(found):
    """How the odds of being drained within HORIZON days fall with age; older pools fit it, newer ones are forecast.

    A pool is alive while it holds a tenth of the most it has held. Which side is money need not be known. A horizon that is the same at
    every age keeps the end of the watch from looking like safety. The log odds are linear in ln(days) between AGE_KNOTS, and never rise.
    """
    end = max(blocks[-1] for blocks, _ in found)
    middle = found[len(found) // 2][0][0]
    rows = []
    for blocks, reserves in found:
        depth = np.sqrt(reserves[:, 0] * reserves[:, 1])
        most, fell = np.maximum.accumulate(depth), falls(reserves)
        for days in (1, 2, 3, 7, 14, 30, 60, 90, 120, 180, 240):
            at = blocks[0] + days * BLOCKS_A_DAY
            i = np.searchsorted(blocks, at, side="right") - 1
            until = at + HORIZON * BLOCKS_A_DAY
            if until <= end and depth[i] >= 0.1 * most[i]:
                rows.append((blocks[0] < middle, days, (fell[i:] & (blocks[i + 1:] <= until)).any()))
    older, days, drained = np.array(rows, float).T
    knots = np.log(AGE_KNOTS)
    # The log odds that each stretch takes away.
    design = -np.stack([(np.clip(np.log(days), low, high) - low) / (high - low) for low, high in itertools.pairwise(knots)], axis=1)
    fitted = fit_logistic(design[older == 1], drained[older == 1], [(0, None)] * design.shape[1], penalty=0)
    p = sigmoid(fitted[0] + design @ fitted[1:])
    newer = older == 0
    report(f"hazard over {HORIZON} days, newer pools", p[newer], drained[newer], np.random.default_rng(1))
    for age in (1, 3, 7, 30, 90, 240):
        part = newer & (days == age)
        print(f"  newer pools at {age} days: {part.sum()}, drained {drained[part].mean():.3f}, forecast {p[part].mean():.3f}")
    return [0.0] + [round(-float(x), 6) for x in np.cumsum(fitted[1:])]


def export_trees(models, columns):
    """Rows go left where the value in single precision is at most the threshold; a leaf has left -1. The models are averaged."""
    trees = []
    for model in models:
        for (tree,) in model.estimators_:
            t = tree.tree_
            trees.append({
                "feature": [int(f) if f >= 0 else 0 for f in t.feature],
                "left": t.children_left.tolist(), "right": t.children_right.tolist(),
                "threshold": [float(f"{x:.7g}") if l >= 0 else 0 for x, l in zip(t.threshold, t.children_left)],
                "value": [float(f"{v:.4g}") if l < 0 else 0 for v, l in zip(t.value[:, 0, 0], t.children_left)],
            })
    prior = models[0].init_.class_prior_
    return {"columns": columns, "start": float(np.log(prior[1] / prior[0])), "rate": models[0].learning_rate / len(models), "trees": trees}


def main():
    rows, y, held = read(sys.argv[1])
    train = ~held
    random = np.random.default_rng(20_26)
    subsets = [list(s) for n in range(1, len(LIVE) + 1) for s in itertools.combinations(LIVE, n)] + [LIVE + ["history"]]
    models = [fit_model(s, rows, y, train) for s in subsets]
    age = hazard(pools(sys.argv[2]))
    facts = [{name: float(v) for name, v in zip([f[0] for f in FEATURES], row)}
             for row in zip(*[values(rows, f[0], f[1]) for f in FEATURES])]
    for model in models:
        p = sigmoid([log_odds(model, f) for f in facts])
        report("scorecard " + "+".join(model["groups"]), p[held], y[held], random)
    document = {
        "trainingLogOdds": round(float(np.log(y[train].sum() / (1 - y[train]).sum())), 6), "ageDays": AGE_KNOTS, "ageLogOdds": age,
        "features": [{"name": n, "group": g, "edges": e} for n, _, g, e, _ in FEATURES], "models": models,
    }
    write("shared/scorecard/model.json", document)
    cases = []
    for i in range(200):
        model = models[i % len(models)]
        drawn = {name: float(random.choice([*edges, random.uniform(0, 1.2 * edges[-1] + 0.1)])) for name, _, _, edges, _ in FEATURES}
        known = {n: drawn[n] for n, _, g, _, _ in FEATURES if g in model["groups"]}
        cases.append({"values": known, "logOdds": log_odds(model, drawn) - document["trainingLogOdds"]})
    write("shared/scorecard/testdata/golden.json", cases)

    columns = [c for c in rows[0] if c not in ("id", "Label")]
    x = np.array([[float(r[c]) for c in columns] for r in rows])
    boosted = [GradientBoostingClassifier(n_estimators=200, max_depth=6, learning_rate=0.05, subsample=0.6, max_features=4,
                                          min_samples_leaf=5, random_state=seed).fit(x[train], y[train]) for seed in range(BOOSTED)]
    grown = np.mean([m.decision_function(x[held]) for m in boosted], axis=0)
    report("boosted", sigmoid(grown), y[held], random)
    document = export_trees(boosted, columns)
    with open("infra/accuracy/trees.json.gz", "wb") as out:
        # Without a time of its own in the file, a run gives the same bytes again.
        out.write(gzip.compress(json.dumps(document, separators=(",", ":")).encode(), mtime=0))


def write(path, document):
    with open(path, "w") as out:
        json.dump(document, out, separators=(",", ":"))
        out.write("\n")


if __name__ == "__main__":
    main()
