"""Rank metrics on the full catalogue of 32,923 words from a hundred sampled negatives for each of 5,000 queries.

Run ``python -m benchmarks.sampled_negatives``; it writes ``estimates.csv`` beside this file (about ten minutes). The
ranks among all entries are in ``ranks.npz``; ``--ranks`` makes them again. A sample of the negatives is drawn from the
ranks: of the entries that beat the truth a hypergeometric number is in it. Those who win against the hundred then meet
900 more, for one of the methods. Three recognisers answer the example
sentences, by the cosine of TF-IDF vectors: of strings of three to five letters (as in the chapter on words), of strings
of two or three letters, and of whole words, which finds an entry at once or not at all.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from benchmarks import study
from benchmarks.sampled_negatives.rivals import bias_and_variance, maximum_entropy, maximum_likelihood
from classex.curves.metrics import as_rank_metric
from classex_book.data import embed_words, load_words

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.sampled_negatives"
SYSTEMS = ("three to five letters", "two or three letters", "whole words")
METRICS = ("recall@10", "ndcg@10", "mrr")
LAWS = ("gaussian-process", "empirical-bayes", "probit-normal")
DRAWS, N_USERS, N_WRONG, MORE = 10, 5_000, 100, 900
LONGER = f"empirical-bayes, {MORE} more for winners"
WITH_ENDS = ("gaussian-process", "probit-normal", LONGER)
TABLE = study.STORED / "sampled_negatives" / "estimates.csv"
HEADER = "system,draw,method,metric,truth,estimate,low,high"
FloatArray = NDArray[np.float64]


def full_ranks() -> dict[str, cx.CorrectRanks]:
    """Ranks among all entries, as they are stored: by system, the losses and the ties."""
    with np.load(HERE / "ranks.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    n = arrays["losses"].shape[1]
    pairs = zip(arrays["losses"].astype(np.int64), arrays["ties"].astype(np.int64), strict=True)
    return {
        system: cx.CorrectRanks(n - 1 - losses - ties, ties, np.arange(n), n)
        for system, (losses, ties) in zip(SYSTEMS, pairs, strict=True)
    }


def rank_all() -> None:
    """Rank all entries with each system and store losses and ties."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = load_words()
    pairs = [embed_words(words)]
    for settings in ({"analyzer": "char_wb", "ngram_range": (2, 3)}, {"analyzer": "word"}):
        vectorizer = TfidfVectorizer(dtype=np.float32, **settings)
        references = sparse.csr_array(vectorizer.fit_transform(words.references))
        pairs.append((sparse.csr_array(vectorizer.transform(words.tests)), references))
    found = [
        cx.correct_ranks_from_embeddings(test, references, np.arange(words.n_classes), metric="inner_product")
        for test, references in pairs
    ]
    losses, ties = np.array([one.losses for one in found]), np.array([one.ties for one in found])
    np.savez_compressed(HERE / "ranks.npz", losses=losses.astype(np.uint16), ties=ties.astype(np.uint16))


def sample(
    ranks: cx.CorrectRanks,
    users: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    n_wrong: int = N_WRONG,
    more: int = MORE,
) -> tuple[cx.CorrectRanks, cx.CorrectRanks]:
    """Ranks of these users' items among some others, drawn without replacement; and with more for winners."""
    losses, ties, others = ranks.losses[users], ranks.ties[users], ranks.n_classes - 1
    lost = rng.hypergeometric(losses, others - losses, n_wrong)
    tied = rng.hypergeometric(ties, others - losses - ties, n_wrong - lost)
    first = cx.ranks_from_wins(n_wrong - lost - tied, ranks.n_classes, ties=tied, n_wrong=n_wrong)
    extra = np.where(first.wins == n_wrong, more, 0)
    # winners have met none of those that beat them or tie with them
    lost_more = rng.hypergeometric(losses - lost, others - n_wrong - losses + lost, extra)
    tied_more = rng.hypergeometric(ties - tied, others - n_wrong - losses + lost - ties + tied, extra - lost_more)
    wins = first.wins + extra - lost_more - tied_more
    return first, cx.ranks_from_wins(wins, ranks.n_classes, ties=tied + tied_more, n_wrong=n_wrong + extra)


def estimates(system: str, draw: int) -> list[list[Any]]:
    """Every method's estimates from one draw of users and negatives."""
    ranks = full_ranks()[system]
    n_items = ranks.n_classes
    # the same users for every system, as one would test them
    users = np.random.default_rng([2020, draw]).choice(ranks.n_points, N_USERS, replace=False)
    rng = np.random.default_rng([2023, draw, SYSTEMS.index(system)])
    sampled, longer = sample(ranks, users, rng)
    broken = sampled.losses + rng.integers(0, sampled.ties + 1)
    shares = np.bincount(broken, minlength=N_WRONG + 1) / N_USERS
    likely, even = maximum_likelihood(shares, n_items), maximum_entropy(shares, n_items)
    laws = {name: cx.Extrapolator(name).fit_ranks(sampled) for name in LAWS}
    laws[LONGER] = cx.Extrapolator(cx.methods.EmpiricalBayes()).fit_ranks(longer)
    rows: list[list[Any]] = []
    for metric in METRICS:
        checked = as_rank_metric(metric)
        value = checked.values(np.arange(1.0, n_items + 1))
        truth = cx.accuracy_curve(ranks, n_items, metric=metric).accuracy[0]
        found: dict[str, tuple[float, ...]] = {
            "sampled metric": (float(shares @ checked.values(np.arange(1.0, N_WRONG + 2))),),
            "MLE": (float(likely @ value),),
            "MES": (float(even @ value),),
            "BV, uniform": (float(shares @ bias_and_variance(np.full(n_items, 1 / n_items), N_WRONG, value)),),
            "BV, MLE": (float(shares @ bias_and_variance(likely, N_WRONG, value)),),
        }
        for name, fit in laws.items():
            # without resampling for the laws that need it: their intervals are not shown
            ends = fit.predict_interval(n_items, metric=metric)[0] if name in WITH_ENDS else ()
            found[name] = (float(fit.predict(n_items, metric=metric)[0]), *map(float, ends))
        for name, numbers in found.items():
            cells = [f"{number:.6f}" for number in numbers]
            rows.append([system, draw, name, metric, f"{truth:.6f}", *cells, *[""] * (3 - len(cells))])
    return rows


def main() -> None:
    """Run every draw and write the table."""
    parser = study.parser(COMMAND, __doc__)
    parser.add_argument("--ranks", action="store_true", help="rank all entries again first")
    options = parser.parse_args()
    if options.ranks:
        rank_all()
    cells = [(system, draw) for draw in range(DRAWS) for system in SYSTEMS]
    found = study.run(estimates, cells, "sampled_negatives", options.jobs)
    study.write(TABLE, COMMAND, HEADER, chain.from_iterable(found))


if __name__ == "__main__":
    main()
