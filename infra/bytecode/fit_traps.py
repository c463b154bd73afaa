"""Fits the opcode model of shared/bytecode: how like a token's code is to that of known traps.

    python infra/bytecode/fit_traps.py TRAPDOOR_OPCODES.csv.gz CODES.csv.gz

The first file has a row for each contract: its address, how often each instruction occurs, and whether it is a trap. The second is
shared/bytecode/testdata/codes.csv.gz. Writes shared/bytecode/traps.json and shared/bytecode/testdata/traps.json.gz, and prints how
well the model does on what it was not fitted to.
"""
import csv
import gzip
import hashlib
import json
import re
import sys

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import GroupKFold, StratifiedKFold

NAMES = {0x00: "STOP", 0x01: "ADD", 0x02: "MUL", 0x03: "SUB", 0x04: "DIV", 0x05: "SDIV", 0x06: "MOD", 0x07: "SMOD", 0x08: "ADDMOD",
         0x09: "MULMOD", 0x0a: "EXP", 0x0b: "SIGNEXTEND", 0x10: "LT", 0x11: "GT", 0x12: "SLT", 0x13: "SGT", 0x14: "EQ", 0x15: "ISZERO",
         0x16: "AND", 0x17: "OR", 0x18: "XOR", 0x19: "NOT", 0x1a: "BYTE", 0x1b: "SHL", 0x1c: "SHR", 0x1d: "SAR", 0x20: "SHA3",
         0x33: "CALLER", 0x34: "CALLVALUE", 0x35: "CALLDATALOAD", 0x36: "CALLDATASIZE", 0x37: "CALLDATACOPY", 0x39: "CODECOPY",
         0x50: "POP", 0x51: "MLOAD", 0x52: "MSTORE", 0x54: "SLOAD", 0x55: "SSTORE", 0x56: "JUMP", 0x57: "JUMPI", 0x5b: "JUMPDEST",
         0xf3: "RETURN", 0xfd: "REVERT"}
NAMES |= {0x60 + i: f"PUSH{i + 1}" for i in range(32)}
NAMES |= {0x80 + i: f"DUP{i + 1}" for i in range(16)} | {0x90 + i: f"SWAP{i + 1}" for i in range(16)}
NAMES |= {0xa0 + i: f"LOG{i}" for i in range(5)}
BYTES = {name: byte for byte, name in NAMES.items()}
PUSH0 = 0x5f

# An instruction serves when half of all codes have it that often: the bytes of the trailer, read as instructions, then matter little.
USUAL = 4
# The share of trained-on codes beyond either end of an instruction's usual range, and how many instructions may be beyond it.
TAIL = 0.01
FOLDS = 5


def held_out(address):
    return int(hashlib.sha256(address.lower().encode()).hexdigest()[:8], 16) % 10 < 3


def read(path):
    """Deduplicated rows: counts of each byte, labels and which are held out."""
    rows = list(csv.reader(gzip.open(path, "rt")))
    header, seen = rows[0], set()
    address, label = header.index("token_address"), header.index("label")
    place = {}
    for i, name in enumerate(header):
        numbered = re.fullmatch(r"(?:UNKNOWN|INVALID)_0x([0-9a-f]+)", name)
        if i not in (address, label):
            place[i] = BYTES.get(name, int(numbered[1], 16) if numbered else None)
    counts, totals, labels, held = [], [], [], []
    for row in rows[1:]:
        key = tuple(row[:address] + row[address + 1:])
        if key in seen:
            continue
        seen.add(key)
        count = np.zeros(256)
        for i, byte in place.items():
            if byte is not None:
                count[byte] += int(row[i])
        counts.append(count)
        totals.append(sum(int(row[i]) for i in place))
        labels.append(int(row[label]))
        held.append(held_out(row[address]))
    return np.array(counts), np.array(totals), np.array(labels), np.array(held), len(rows) - 1


def count_instructions(code):
    counts, at = np.zeros(256), 0
    while at < len(code):
        op = code[at]
        counts[op] += 1
        at += 1 + (op - 0x5f if 0x60 <= op <= 0x7f else 0)
    return counts


def grow():
    return HistGradientBoostingClassifier(learning_rate=0.08, max_iter=150, max_leaf_nodes=8, min_samples_leaf=5, early_stopping=False,
                                          random_state=0)


def out_of_fold(x, y, splits):
    z = np.zeros(len(y))
    for fit, test in splits:
        z[test] = grow().fit(x[fit], y[fit]).decision_function(x[test])
    return z


def platt(z, y):
    """Slope and intercept that make log odds right on average."""
    loss = lambda b: np.sum(np.logaddexp(0, b[0] * z + b[1]) - y * (b[0] * z + b[1]))
    return minimize(loss, [1.0, 0.0]).x


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def measures(p, y):
    bins = np.minimum((p * 10).astype(int), 9)
    base = y.mean()
    brier = np.mean((p - y) ** 2)
    error = sum(abs((p - y)[bins == k].sum()) for k in range(10)) / len(y)
    return [f1_score(y, p >= 0.5), roc_auc_score(y, p), error, 1 - brier / (base * (1 - base)), (p < 0.5)[y == 0].mean()]


def report(name, p, y, random, groups=None):
    """Prints each measure with its 95 % interval, by drawing codes, or whole families of them, again."""
    drawn = []
    members = [np.flatnonzero(groups == g) for g in np.unique(groups)] if groups is not None else [np.array([i]) for i in range(len(y))]
    while len(drawn) < 500:
        i = np.concatenate([members[k] for k in random.integers(0, len(members), len(members))])
        if 0 < y[i].sum() < len(i):
            drawn.append(measures(p[i], y[i]))
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    text = ", ".join(f"{n} {m:.4f} [{l:.4f}, {h:.4f}]" for n, m, l, h in zip(["F1", "AUC", "ECE", "BSS", "specificity"], measures(p, y), low, high))
    print(f"{name}: n={len(y)}, traps {y.mean():.3f}: {text}")


def export(model):
    trees = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        leaf = nodes["is_leaf"].astype(bool)
        trees.append({
            "instruction": [0 if l else int(f) for f, l in zip(nodes["feature_idx"], leaf)],
            "threshold": [0 if l else float(t) for t, l in zip(nodes["num_threshold"], leaf)],
            "left": [-1 if l else int(n) for n, l in zip(nodes["left"], leaf)],
            "right": [-1 if l else int(n) for n, l in zip(nodes["right"], leaf)],
            "value": [float(v) if l else 0 for v, l in zip(nodes["value"], leaf)],
        })
    return float(np.ravel(model._baseline_prediction)[0]), trees


def log_odds(document, counts, total):
    """What the Go code computes, from the document alone."""
    z = document["start"]
    x = [counts[op] / total for op in document["instructions"]]
    for tree in document["trees"]:
        node = 0
        while tree["left"][node] >= 0:
            node = tree["left" if x[tree["instruction"][node]] <= tree["threshold"][node] else "right"][node]
        z += tree["value"][node]
    return document["slope"] * z + document["intercept"]


def strangeness(document, counts, total):
    """How many instructions are rarer or more frequent than in nearly all codes of the training data."""
    x = [counts[op] / total for op in document["instructions"]]
    return sum(not low <= v <= high for v, low, high in zip(x, document["lowest"], document["highest"]))


def known(document, counts, total):
    return (document["least"] <= total <= document["greatest"] and counts[PUSH0] <= document["push0"]
            and strangeness(document, counts, total) <= document["strange"])


def main():
    counts, totals, y, held, rows = read(sys.argv[1])
    train = ~held
    random = np.random.default_rng(20_26)
    used = [op for op in sorted(BYTES.values()) if np.median(counts[train, op]) >= USUAL]
    x = counts[:, used] / totals[:, None]
    # Families are chains of codes that differ in a few instructions.
    families = fcluster(linkage(np.sqrt(counts[:, used]), "single"), 2, "distance")
    print(f"{rows} rows, {len(y)} distinct, {y.sum()} of them traps, in {families.max()} families; {len(used)} instructions")
    for name, splits, groups in (
            ("cross-validated, rows at random", list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y)), None),
            ("cross-validated, whole families left out", list(GroupKFold(FOLDS, shuffle=True, random_state=0).split(x, y, families)), families)):
        report(name, sigmoid(out_of_fold(x, y, splits)), y, random, groups)

    xt, yt = x[train], y[train]
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(xt, yt))
    slope, intercept = platt(out_of_fold(xt, yt, splits), yt)
    start, trees = export(grow().fit(xt, yt))
    low, high = np.quantile(xt, [TAIL, 1 - TAIL], axis=0)
    document = {
        "instructions": used, "prior": float(yt.mean()), "start": start, "slope": round(float(slope), 6), "intercept": round(float(intercept), 6),
        # Below the smallest and above the largest trap nothing was learned.
        "least": int(totals[train][yt == 1].min()), "greatest": int(totals[train][yt == 1].max()),
        "push0": int(np.quantile(counts[train, PUSH0], 1)), "lowest": low.tolist(), "highest": high.tolist(), "trees": trees,
    }
    document["strange"] = 0
    document["strange"] = int(np.quantile([strangeness(document, c, n) for c, n in zip(counts[train], totals[train])], 0.95))
    for k in ("slope", "intercept", "prior", "least", "greatest", "push0", "strange"):
        print(f"  {k} {document[k]}")
    z = np.array([log_odds(document, c, n) for c, n in zip(counts, totals)])
    inside = np.array([known(document, c, n) for c, n in zip(counts, totals)])
    report("held out, all", sigmoid(z[held]), y[held], random)
    report("held out, families", sigmoid(z[held]), y[held], random, families[held])
    report(f"held out, inside the domain ({inside[held].mean():.3f})", sigmoid(z[held & inside]), y[held & inside], random)
    fresh = held & ~np.isin(families, families[train])
    report("held out, families of which no code was trained on", sigmoid(z[fresh]), y[fresh], random, families[fresh])
    with open("shared/bytecode/traps.json", "w") as out:
        json.dump(document, out, separators=(",", ":"))
        out.write("\n")

    cases = []
    for row in csv.reader(gzip.open(sys.argv[2], "rt")):
        code = bytes.fromhex(row[4])
        c = count_instructions(code)
        n = int(c.sum())
        cases.append((row, c, n, log_odds(document, c, n), known(document, c, n), bytes.fromhex("4e487b71") in code))
    for version in sorted({row[2] for row, *_ in cases}):
        part = [case for case in cases if case[0][2] == version]
        told = [case for case in part if case[4]]
        clean = [case for case in told if not case[0][3].strip()]
        print(f"  {version}: {len(part)} codes, checked arithmetic {sum(c[5] for c in part)}, inside {len(told)}, clean inside {len(clean)}, alarms "
              f"{sum(c[3] > 0 for c in clean)}", [(c[0][1], round(float(sigmoid(c[3])), 3)) for c in clean if c[3] > 0])
    golden = [{"code": row[4], "logOdds": z, "known": bool(k)} for row, _, _, z, k, _ in cases[::37]]
    for _ in range(60):
        spread = random.dirichlet(np.full(256, 0.05)) * random.uniform(0, 0.2)
        spread[used] += random.uniform(low, high)
        c = np.rint(spread / spread.sum() * random.integers(200, 20_000)).astype(int)
        golden.append({"counts": c.tolist(), "logOdds": log_odds(document, c, int(c.sum())), "known": bool(known(document, c, int(c.sum())))})
    with open("shared/bytecode/testdata/traps.json.gz", "wb") as out:
        # Without a time of its own in the file, a run gives the same bytes again.
        out.write(gzip.compress(json.dumps(golden, separators=(",", ":")).encode(), mtime=0))


if __name__ == "__main__":
    main()
