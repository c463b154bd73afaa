"""Fits and checks the inflection model. See README.md."""

import csv
import gzip
import json
import math
import sys
from collections import defaultdict

import numpy as np
from sklearn.linear_model import LogisticRegression

WINDOW, RANK, MINIMUM, STEP, HORIZON, MULTIPLE = 20, 90, 120, 3, 6, 3.0
# Features: width percentile, log volume ratio, distance from the middle of the range, share of bars with trades.

def four_hours(hours):
    """hours: (hour, open, high, low, close, volume) in order -> traded four-hour bars on the UTC grid."""
    bars = []
    for h, o, hi, lo, c, v in hours:
        k = int(h // 4)
        if bars and bars[-1][0] == k:
            b = bars[-1]
            bars[-1] = (k, b[1], max(b[2], hi), min(b[3], lo), c, b[5] + v)
        else:
            bars.append((k, o, hi, lo, c, v))
    return np.array(bars, dtype=float)


def wilder(x, n):
    out = np.full(len(x), np.nan)
    out[n] = x[1 : n + 1].mean()
    for i in range(n + 1, len(x)):
        out[i] = x[i] / n + out[i - 1] * (1 - 1 / n)
    return out


def indicators(bars):
    high, low, close = (np.log(bars[:, i]) for i in (2, 3, 4))
    before = np.concatenate([[np.nan], close[:-1]])
    atr = wilder(np.fmax(high, before) - np.fmin(low, before), 14)
    width = np.full(len(close), np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(close, WINDOW)
    width[WINDOW - 1 :] = 4 * windows.std(axis=1)
    return high, low, close, atr, width


def features(bars, i, high, low, close, width):
    ranked = width[i - RANK + 1 : i + 1]
    percentile = (ranked <= width[i] * (1 + 1e-9)).mean()
    volume = bars[:, 5]
    ratio = volume[i - 5 : i + 1].mean() / volume[i - 59 : i + 1].mean()
    top, bottom = high[i - WINDOW + 1 : i + 1].max(), low[i - WINDOW + 1 : i + 1].min()
    position = (close[i] - bottom) / (top - bottom)
    activity = RANK / (bars[i, 0] - bars[i - RANK + 1, 0] + 1)
    return [percentile, math.log(min(20, max(0.05, ratio))), abs(2 * position - 1), activity]


def observations(bars):
    if len(bars) < MINIMUM:
        return
    high, low, close, atr, width = indicators(bars)
    last = bars[-1, 0]
    for i in range(MINIMUM - 1, len(bars), STEP):
        # The horizon is a day by the clock: bars without a trade are part of it and move nothing.
        if bars[i, 0] + HORIZON > last or not atr[i] > 1e-9 or np.ptp(width[i - RANK + 1 : i + 1]) <= 1e-9:
            continue
        j = i + 1
        while j < len(bars) and bars[j, 0] <= bars[i, 0] + HORIZON:
            j += 1
        moved = j > i + 1 and high[i + 1 : j].max() - low[i + 1 : j].min() >= MULTIPLE * atr[i]
        yield bars[i, 0], features(bars, i, high, low, close, width), bool(moved)


def basis(x):
    """The percentile enters twice, since the odds rise steeply in the tightest tail alone."""
    x = np.asarray(x)
    return np.column_stack([x[:, 0], np.maximum(0, 0.15 - x[:, 0]) / 0.15, x[:, 1], x[:, 2], x[:, 3]])


def report(name, p, y, pools, base):
    rng = np.random.default_rng(1)
    brier, plain = np.mean((p - y) ** 2), np.mean((base - y) ** 2)
    edges = np.minimum((p * 10).astype(int), 9)
    ece = sum(abs(p[edges == b].mean() - y[edges == b].mean()) * (edges == b).mean() for b in range(10) if (edges == b).any())
    names = np.unique(pools)
    groups = [np.flatnonzero(pools == n) for n in names]
    gaps = []
    for _ in range(500):
        pick = np.concatenate([groups[g] for g in rng.integers(len(groups), size=len(groups))])
        gaps.append((p[pick] - y[pick]).mean())
    low, high = np.quantile(gaps, [0.025, 0.975])
    print(f"{name}: n {len(y)}, pools {len(names)}, rate {y.mean():.3f}, mean forecast {p.mean():.3f}, "
          f"forecast - rate {low:+.3f} to {high:+.3f} (95 %), ECE {ece:.4f}, Brier skill {1 - brier / plain:+.4f}")


def main(path, folder):
    pools = defaultdict(list)
    with gzip.open(path, "rt") as f:
        for row in csv.DictReader(f):
            pools[row["pair"]].append(tuple(float(row[k]) for k in ("h", "o", "hi", "lo", "c", "vol")))
    when, x, y, pool, held = [], [], [], [], []
    for number, name in enumerate(sorted(pools)):
        for t, feature, moved in observations(four_hours(sorted(pools[name]))):
            when.append(t), x.append(feature), y.append(moved), pool.append(number), held.append(number % 4 == 3)
    when, x, y, pool, held = np.array(when), np.array(x), np.array(y, float), np.array(pool), np.array(held)
    cut = np.quantile(when, 0.7)
    fit = (when < cut) & ~held
    model = LogisticRegression(C=1e6, max_iter=10000, tol=1e-10)
    model.fit(basis(x[fit]), y[fit])
    base = y[fit].mean()
    p = model.predict_proba(basis(x))[:, 1]
    for name, part in (("fitted", fit), ("newer", (when >= cut) & ~held), ("held-out pools", held),
                       ("newer and held-out", (when >= cut) & held)):
        report(name, p[part], y[part], pool[part], base)
    tight = x[:, 0] <= 0.05
    print(f"all: n {len(y)}, rate {y.mean():.3f}; tightest 5 %: n {tight.sum()}, rate {y[tight].mean():.3f}")
    weights, intercept = model.coef_[0], model.intercept_[0]
    with open(folder + "/coefficients.go", "w") as f:
        f.write("// Code generated by infra/inflection/fit.py. DO NOT EDIT.\n\npackage priceaction\n\n")
        f.write("// The logistic model of a large move, by feature.\nconst (\n")
        names = ("Intercept", "Percentile", "Tightness", "Volume", "Distance", "Activity")
        for name, value in zip(names, (intercept, *weights)):
            f.write(f"\tweight{name} = {value!r}\n".replace("np.float64(", "").replace(")\n", "\n"))
        f.write(f"\n\t// BaseRate is how often a token in the fitted sample made such a move within a day, whatever its state.\n\tBaseRate = {round(float(base), 3)}\n)\n")
    golden(folder, lambda v: float(model.predict_proba(basis([v]))[0, 1]))


def golden(folder, probability):
    """Made-up bars, so that the Go code can be held to this script."""
    rng = np.random.default_rng(7)
    cases = []
    for scale in (0.002, 0.03, 0.01):
        level, hours = 0.0, []
        calm = 1.0 if len(cases) < 2 else 0.2
        for h in range(500):
            sd = scale * (calm if h > 440 else 1)
            close = level + sd * rng.standard_normal()
            top, bottom = max(level, close) + sd * rng.random() / 2, min(level, close) - sd * rng.random() / 2
            volume = 1000 * math.exp(rng.standard_normal() / 2)
            if rng.random() < 0.9:
                hours.append([480000 + h] + [float(f"{math.exp(z):.7g}") for z in (level, top, bottom, close)] + [float(f"{volume:.6g}")])
                o, hi, lo, c = hours[-1][1:5]
                hours[-1][2], hours[-1][3] = max(o, hi, c), min(o, lo, c)
            level = close
        bars = four_hours(hours)
        high, low, close, atr, width = indicators(bars)
        v = features(bars, len(bars) - 1, high, low, close, width)
        cases.append({"hours": hours, "percentile": v[0], "logVolumeRatio": v[1], "distance": v[2], "activity": v[3], "probability": probability(v)})
    with open(folder + "/testdata/inflection.json", "w") as f:
        json.dump(cases, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
