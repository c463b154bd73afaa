"""Answers of SciPy, and of definitions written out in NumPy, for shared/stats. Prints JSON."""

import json
import math

import numpy as np
from scipy import integrate, optimize, stats

rng = np.random.default_rng(20240229)


def wilson():
    rows = []
    for n in (1, 4, 9, 17, 60, 1000, 250_000):
        for k in sorted({0, 1, n // 3, n - 1, n}):
            for level in (0.80, 0.90, 0.95, 0.99):
                interval = stats.binomtest(k, n, 0.5).proportion_ci(level, method="wilson")
                z = stats.norm.isf((1 - level) / 2)
                rows.append({"k": k, "n": n, "z": z, "lo": interval.low, "hi": interval.high})
    return rows


def beta_shrink():
    rows = []
    for k, n, a, b in [(0, 1, 4, 6), (5, 9, 4, 6), (2, 2, 2, 2), (180, 400, 3.3, 5.1), (7, 7000, 0.5, 0.5), (30_000, 90_000, 4, 6), (0, 0, 0.2, 0.3)]:
        d = stats.beta(k + a, n - k + b)
        rows.append({"k": k, "n": n, "a": a, "b": b, "mean": d.mean(), "q05": d.ppf(0.05), "q95": d.ppf(0.95), "pGt50": d.sf(0.5)})
    return rows


def beta_greater():
    rows = []
    for a, b in [((2, 2), (2, 2.5)), ((4, 3), (9, 14)), ((0.5, 0.5), (3, 1)), ((52, 48), (410, 590)), ((1, 1), (800, 200)), ((5000, 5000), (30, 30)), ((7.7, 1.2), (0.4, 2.2))]:
        # Over the quantiles of the narrower one the integrand is bounded and smooth inside.
        p, q = stats.beta(*a), stats.beta(*b)
        value = integrate.quad(lambda u: q.cdf(p.ppf(u)), 0, 1, epsabs=1e-13, epsrel=1e-13, limit=2000, points=[1e-6, 1e-3, 0.5, 0.999, 1 - 1e-6])[0]
        rows.append({"a": a, "b": b, "p": value})
    return rows


def empirical_bayes():
    n = rng.integers(0, 60, 260)
    k = rng.binomial(n, rng.beta(6, 11, 260))
    played = n > 0
    rate = k[played] / n[played]
    mean = k.sum() / n.sum()
    between = rate.var(ddof=1) - np.mean(mean * (1 - mean) / n[played])
    strength = float(np.clip(mean * (1 - mean) / between - 1, 5, 50))
    return {"k": k.tolist(), "n": n.tolist(), "a": mean * strength, "b": (1 - mean) * strength}


def effective_size():
    return [
        {"sizes": sizes, "rho": rho, "nEff": sum(m / (1 + (m - 1) * rho) for m in sizes)}
        for sizes, rho in [([1] * 10, 0.3), ([10], 0.3), ([4, 4, 1, 7], 0.3), ([3, 9], 0.0), ([3, 9], 1.0)]
    ]


def psr_of(x):
    x = np.asarray(x, float)
    sr = x.mean() / x.std(ddof=1)
    g3, g4 = stats.skew(x), stats.kurtosis(x, fisher=False)
    return stats.norm.cdf(sr * math.sqrt(len(x) - 1) / math.sqrt(1 - g3 * sr + (g4 - 1) / 4 * sr**2))


def psr():
    samples = {
        "swing": np.exp(0.25 * rng.standard_normal(40) - 0.03) - 1,
        "lottery": np.exp(1.2 * rng.standard_normal(25) - 0.7) - 1,
        "lossHider": np.array([0.1] * 11 + [-0.9]),
        "three": np.array([0.4, -0.2, 0.05]),
        "offset": 1000 + rng.standard_normal(30),
    }
    return [
        {
            "name": name, "returns": x.tolist(), "mean": x.mean(), "sd": x.std(ddof=1), "skew": float(stats.skew(x)),
            "kurt": float(stats.kurtosis(x, fisher=False)), "sr": x.mean() / x.std(ddof=1), "psr0": psr_of(x), "psrStar": psr_of(np.append(x, -1.0)),
        }
        for name, x in samples.items()
    ]


def track_record():
    rows = []
    for sr, g3, g4 in [(0.2, 0, 3), (0.05, 2.5, 12), (1.1, -1.8, 6)]:
        n = 1 + (1 - g3 * sr + (g4 - 1) / 4 * sr**2) * (stats.norm.ppf(0.95) / sr) ** 2
        rows.append({"sr": sr, "skew": g3, "kurt": g4, "minTRL": n, "years": n / 12})
    return rows


def expected_maximum(n):
    return (1 - np.euler_gamma) * stats.norm.isf(1 / n) + np.euler_gamma * stats.norm.isf(1 / (n * math.e))


def deflated():
    n, trials, sr, g3, g4, var = 400, 37, 0.21, 1.4, 8.0, 0.004
    sr0 = math.sqrt(var) * expected_maximum(trials)
    dsr = stats.norm.cdf((sr - sr0) * math.sqrt(n - 1) / math.sqrt(1 - g3 * sr + (g4 - 1) / 4 * sr**2))
    return {"sr": sr, "sr0": sr0, "n": n, "skew": g3, "kurt": g4, "N": trials, "varSR": var, "dsr": dsr}


def drawdown():
    rows = []
    for x in (rng.normal(0.01, 0.1, 50), rng.normal(-0.02, 0.3, 20).clip(-0.99), np.array([0.5, -1.0, 3.0]), np.array([0.2, 0.3])):
        curve = np.concatenate([[1], np.cumprod(1 + x)])
        rows.append({"returns": x.tolist(), "mdd": float((curve / np.maximum.accumulate(curve) - 1).min())})
    return rows


def kelly():
    rows = []
    for x in (np.append(rng.lognormal(0, 0.8, 30) - 1, -1), rng.normal(0.02, 0.4, 60).clip(-0.95), np.array([0.2, 0.3]), np.array([-0.3, 0.1]), np.array([4.0, -1.0, -1.0])):
        ceiling = 1.0 if x.min() > -1 else 1 / -x.min()
        slope = lambda f: float(np.mean(x / (1 + f * x)))
        if x.mean() <= 0:
            best = 0.0
        elif x.min() > -1 and slope(ceiling) >= 0:
            best = ceiling
        else:
            best = optimize.brentq(slope, 0, ceiling * (1 - 1e-13), xtol=1e-15, rtol=1e-15)
        rows.append({"returns": x.tolist(), "full": best})
    return rows


def herfindahl():
    rows = []
    for w in (rng.exponential(1, 12), np.array([1e-9, 2e-9, 5e-9]), np.array([3.0, 0, 0, 1])):
        h = float(((w / w.sum()) ** 2).sum())
        rows.append({"w": w.tolist(), "hhi": h, "nEff": 1 / h})
    return rows


def tails():
    hyper = [(500, 40, 25, 6), (20_000, 900, 300, 25), (60, 50, 30, 24), (10, 4, 10, 4), (300_000, 30_000, 2_000, 260), (1000, 10, 100, 11)]
    binom = [(200, 31, 0.1), (13, 13, 0.6), (5000, 420, 0.08), (40, 0, 0.3), (100_000, 1100, 0.01), (8, 9, 0.5)]
    return {
        "hypergeom": [{"M": m, "K": k, "n": n, "k": x, "p": stats.hypergeom.sf(x - 1, m, k, n)} for m, k, n, x in hyper],
        "binom": [{"n": n, "k": k, "p0": p, "p": stats.binom.sf(k - 1, n, p)} for n, k, p in binom],
    }


def poisson_binomial():
    rows = []
    for p, k in [(rng.uniform(0, 0.4, 30), 9), (rng.uniform(0, 1, 12), 12), (rng.uniform(0, 0.1, 400), 33), (np.array([1.0, 1, 0.5]), 3)]:
        distribution = np.array([1.0])
        for v in p:
            distribution = np.convolve(distribution, [1 - v, v])
        rows.append({"ps": p.tolist(), "k": k, "p": float(distribution[k:].sum())})
    return rows


def false_discovery(method):
    p = np.concatenate([rng.uniform(0, 1, 30), rng.uniform(0, 0.005, 6), [0.2, 0.2, 1.0, 0.0]])
    return {"p": p.tolist(), "q": stats.false_discovery_control(p, method=method).tolist()}


def brier():
    f = rng.uniform(0, 1, 80)
    o = rng.binomial(1, f**1.3)
    score = float(np.mean((f - o) ** 2))
    return {"f": f.tolist(), "o": o.tolist(), "brier": score, "bss": 1 - score / (o.mean() * (1 - o.mean()))}


def murphy():
    f = rng.choice([0.05, 0.3, 0.45, 0.7, 0.95], 120)
    o = rng.binomial(1, f)
    rel = sum((f == v).mean() * (v - o[f == v].mean()) ** 2 for v in np.unique(f))
    res = sum((f == v).mean() * (o[f == v].mean() - o.mean()) ** 2 for v in np.unique(f))
    return {"f": f.tolist(), "o": o.tolist(), "brier": float(np.mean((f - o) ** 2)), "rel": rel, "res": res, "unc": o.mean() * (1 - o.mean())}


def kendall_sum(x):
    return int(np.sign(x[None, :] - x[:, None])[np.triu_indices(len(x), 1)].sum())


def trend():
    x = np.round(np.cumsum(rng.normal(0.1, 1, 31)), 1)
    return {"x": x.tolist(), "theilSen": stats.theilslopes(x)[0], "S": kendall_sum(x)}


def mann_kendall():
    rows = []
    for x in (rng.normal(0, 1, 25), np.round(rng.normal(0, 1, 40) + np.arange(40) / 30), np.arange(12.0), np.array([2.0, 2, 2, 2])):
        n, s = len(x), kendall_sum(x)
        ties = np.unique(x, return_counts=True)[1]
        spread = (n * (n - 1) * (2 * n + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
        p = 1.0 if s == 0 else 2 * stats.norm.sf((abs(s) - 1) / math.sqrt(spread))
        rows.append({"x": x.tolist(), "s": s, "p": min(1.0, p)})
    return rows


def theil_sen_at():
    rows = []
    for n in (12, 45, 400):  # the last is past the size where slopes are counted instead of listed
        x = np.round(rng.uniform(0, n, n), 0 if n != 45 else 3)
        y = 0.3 * x + rng.standard_t(2, n)
        rows.append({"x": x.tolist(), "y": y.tolist(), "slope": stats.theilslopes(y, x)[0]})
    return rows


def order():
    rows = []
    for n in (1, 2, 7, 100):
        x = rng.lognormal(0, 1, n)
        p = [0, 0.01, 0.25, 0.5, 0.8, 0.99, 1]
        median, mad = float(np.median(x)), float(stats.median_abs_deviation(x))
        at = median if n == 1 else median + 1.7
        z = 0.0 if n == 1 else 1.7 / (1.4826 * mad)
        rows.append({"x": x.tolist(), "sorted": np.sort(x).tolist(), "p": p, "q": np.quantile(x, p).tolist(), "median": median, "mad": mad, "at": at, "z": z})
    return rows


def burstiness():
    return [
        {"intervals": x.tolist(), "b": float((x.std() - x.mean()) / (x.std() + x.mean()))}
        for x in (np.full(9, 60.0), rng.exponential(100, 80), rng.pareto(1.1, 80))
    ]


def benford_chi_square():
    rows = []
    for x in (10 ** rng.uniform(-3, 6, 700), rng.uniform(1, 1000, 600), np.array([-0.3, 1e23, 9.99, 5e-324, 0.0])):
        digits = np.array([int(repr(abs(float(v))).lstrip("0.")[0]) for v in x if v != 0])
        counts = np.bincount(digits, minlength=10)[1:]
        result = stats.chisquare(counts, counts.sum() * np.log10(1 + 1 / np.arange(1, 10)))
        rows.append({"values": x.tolist(), "statistic": result.statistic, "p": result.pvalue})
    return rows


document = {
    "wilson": wilson(),
    "betaShrink": beta_shrink(),
    "betaGreater": beta_greater(),
    "empiricalBayes": empirical_bayes(),
    "effectiveSize": effective_size(),
    "psr": psr(),
    "minTRLPaper": track_record(),
    "expectedMaxZ": [{"N": n, "z": expected_maximum(n)} for n in (3, 17, 400, 10**6, 10**9)],
    "dsrPaper": deflated(),
    "drawdown": drawdown(),
    "profitFactor": [{"pnl": [3, -1, -0.5, 0], "pf": 2.0}, {"pnl": [0, 4], "pf": None}, {"pnl": [], "pf": None}, {"pnl": [-2], "pf": 0.0}],
    "kelly": kelly(),
    "kellyShrink": [{"mean": m, "se": s, "factor": m * m / (m * m + s * s)} for m, s in [(0.3, 0.02), (0.001, 0.4), (1, 0)]],
    "hhi": herfindahl(),
    "earlyBuyer": tails(),
    "poissonBinomial": poisson_binomial(),
    "bh": false_discovery("bh"),
    "by": false_discovery("by"),
    "brier": brier(),
    "murphy": murphy(),
    "trend": trend(),
    "mannKendall": mann_kendall(),
    "theilSenAt": theil_sen_at(),
    "order": order(),
    "burstiness": burstiness(),
    "benford": [{"d": d, "p": math.log10(1 + 1 / d)} for d in range(1, 10)],
    "benfordChiSquare": benford_chi_square(),
    "normal": [{"p": p, "z": stats.norm.ppf(p)} for p in (1e-300, 1e-12, 0.001, 0.1, 0.5, 0.8, 0.975, 1 - 1e-9)],
}
print(json.dumps(document, indent=1, allow_nan=False, default=float))
