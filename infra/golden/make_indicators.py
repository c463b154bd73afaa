"""Indicators of seeded random bars, by their definitions in NumPy and SciPy's filters. Prints CSV with NA in the warm-up.

The conventions are those of R's TTR: population deviation in Bollinger bands, Wilder's averages begun with the mean of the first
window, his running sums losing 1/n from the n-th value on, close-to-close volatility over n-1 returns, 365 days a year.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.signal import lfilter

BARS, DAYS = 220, 365
rng = np.random.default_rng(41)

close = 7 * np.exp(np.cumsum(0.05 * rng.standard_t(4, BARS)))
opened = np.roll(close, 1) * np.exp(0.01 * rng.standard_normal(BARS))
opened[0] = 7
high = np.maximum(opened, close) * np.exp(np.abs(0.02 * rng.standard_normal(BARS)))
low = np.minimum(opened, close) * np.exp(-np.abs(0.02 * rng.standard_normal(BARS)))
close[60] = close[59]  # an unchanged close
high[60], low[60] = max(high[60], close[60]), min(low[60], close[60])
volume = rng.integers(1, 5000, BARS).astype(float)


def pad(x):
    return np.concatenate([np.full(BARS - len(x), np.nan), x])


def windows(x, n):
    return sliding_window_view(x, n)


def smooth(x, n, weight):
    """Exponential average of the numbers in x, from the mean of their first n, as a recursive filter."""
    x = x[~np.isnan(x)]
    start = x[:n].mean()
    rest, _ = lfilter([weight], [1, weight - 1], x[n:], zi=[(1 - weight) * start])
    return pad(np.concatenate([[start], rest]))


def wilder_sum(x, n):
    """Running sum that keeps (n-1)/n of itself; the first n-1 values are added in full."""
    keep = 1 - 1 / n
    rest, _ = lfilter([1], [1, -keep], x[n - 1 :], zi=[keep * x[: n - 1].sum()])
    return rest


def root(x):
    return pad(np.sqrt(DAYS * x))


before = close[:-1]
true_range = pad(np.max([high[1:] - low[1:], np.abs(high[1:] - before), np.abs(low[1:] - before)], axis=0))
up, down = np.diff(high), -np.diff(low)
plus = wilder_sum(np.where((up > down) & (up > 0), up, 0), 14)
minus = wilder_sum(np.where((down > up) & (down > 0), down, 0), 14)
change = np.diff(close)
gain, loss = smooth(change.clip(0), 14, 1 / 14), smooth((-change).clip(0), 14, 1 / 14)
middle, width = windows(close, 20).mean(axis=1), 2 * windows(close, 20).std(axis=1)
logs = {name: np.log(v) for name, v in dict(o=opened, h=high, l=low, c=close).items()}
body, span = logs["c"] - logs["o"], logs["h"] - logs["l"]
rogers_satchell = (logs["h"] - logs["c"]) * (logs["h"] - logs["o"]) + (logs["l"] - logs["c"]) * (logs["l"] - logs["o"])
gap = logs["o"][1:] - logs["c"][:-1]
k = 0.34 / (1.34 + 21 / 19)
yang_zhang = windows(gap, 20).var(axis=1, ddof=1) + k * windows(body, 20).var(axis=1, ddof=1)[1:] + (1 - k) * windows(rogers_satchell, 20).mean(axis=1)[1:]

columns = {
    "o": opened, "h": high, "l": low, "c": close, "v": volume,
    "bb_dn": pad(middle - width), "bb_ma": pad(middle), "bb_up": pad(middle + width),
    "tr": true_range,
    "atr14": smooth(true_range, 14, 1 / 14),
    "adx14": smooth(100 * np.abs(plus - minus) / (plus + minus), 14, 1 / 14),
    "rsi14": 100 * gain / (gain + loss),
    "ema20": smooth(close, 20, 2 / 21),
    "sma20": pad(middle),
    "don_hi": pad(windows(high, 20).max(axis=1)), "don_lo": pad(windows(low, 20).min(axis=1)),
    "yz20": root(yang_zhang),
    "gk20": root(windows(0.5 * span**2 - (2 * np.log(2) - 1) * body**2, 20).mean(axis=1)),
    "pk20": root(windows(span**2, 20).mean(axis=1) / (4 * np.log(2))),
    "cc20": root(windows(np.diff(logs["c"]), 19).var(axis=1, ddof=1)),
    "obv": np.cumsum(np.concatenate([[volume[0]], np.sign(change) * volume[1:]])),
}

print(",".join(columns))
for row in zip(*columns.values()):
    print(",".join("NA" if np.isnan(v) else repr(float(v)) for v in row))
