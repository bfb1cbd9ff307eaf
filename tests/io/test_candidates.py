"""Lists of candidates: the number enrolled, searches that returned nobody, and labels that no list names."""

from __future__ import annotations

import json
import warnings
from collections import Counter

import numpy as np
import pytest

from classex.fields.open_set import extrapolate_open_set, open_set_curve
from classex.io import load_searches
from tests.io.writers import save

N, MATED, OTHERS, LONG = 60, 14, 12, 4
RNG = np.random.default_rng(11)
SCORES = (RNG.normal(size=(MATED + OTHERS, N)) + 3 * np.eye(MATED + OTHERS, N)).round(4)
SCORES[MATED:, MATED : MATED + OTHERS] -= 3 * np.eye(OTHERS)  # strangers resemble nobody
LABELS = [f"p{i}" if i < MATED else "" for i in range(MATED + OTHERS)]


def lists(labels=LABELS, longest=LONG, least=-np.inf, nobody=("", ""), number=str):
    """The longest lists that a system with a threshold returns, as lines of text."""
    rows = ["search,candidate,score,label"]
    for i, (row, label) in enumerate(zip(SCORES, labels, strict=True)):
        best = [c for c in np.argsort(-row)[:longest] if row[c] >= least]
        rows += [f"s{i},p{c},{number(row[c])},{label}" for c in best] or [f"s{i},{nobody[0]},{nobody[1]},{label}"]
    return "\n".join(rows) + "\n"


def curve(found, cuts, **options):
    return open_set_curve(*found[:3], cuts, enrolled_labels=found.enrolled_labels, **options)


def quietly(path, **options):
    """Mates in no list draw a warning, which is not the matter of most tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*searches with labels that no list names")
        return load_searches(path, **options)


def test_with_the_number_enrolled_rates_are_those_of_the_whole_matrix(tmp_path):
    """At thresholds that all lists reach: for all enrolled, and for random subsets of them."""
    found = quietly(save(tmp_path, "c.csv", lists()), gallery=N)
    reach = max(np.sort(row)[-LONG] for row in SCORES)
    assert found.complete_from == reach
    cuts = [reach, reach + 0.3, reach + 0.8]
    assert len({c for row in SCORES for c in np.argsort(-row)[:LONG]}) < N
    for size in (7, 30, N):
        whole = open_set_curve(SCORES[:MATED], range(MATED), SCORES[MATED:], cuts, n_enrolled=size)
        listed = curve(found, cuts, n_enrolled=size)
        for name in ("fpir", "fnir", "fmr", "fpir_error", "fnir_error", "fpir_interval", "fnir_interval"):
            np.testing.assert_allclose(getattr(listed, name), getattr(whole, name), rtol=1e-9, atol=1e-12)
    ahead = extrapolate_open_set(*found[:3], reach, n_enrolled=[N, 200], enrolled_labels=found.enrolled_labels)
    whole = extrapolate_open_set(SCORES[:MATED], range(MATED), SCORES[MATED:], reach, n_enrolled=[N, 200])
    assert ahead.n_searched == N
    np.testing.assert_allclose(ahead.fpir[0], whole.fpir[0])
    np.testing.assert_array_equal(ahead.n_false_matches, whole.n_false_matches)
    assert whole.fpir_interval[1, 0] < ahead.fpir[1] < whole.fpir_interval[1, 1]


def test_without_the_number_enrolled_people_listed_once_draw_a_warning(tmp_path):
    path = save(tmp_path, "c.csv", lists())
    listed = Counter(int(c) for row in SCORES for c in np.argsort(-row)[:LONG])
    once, twice = (sum(n == k for n in listed.values()) for k in (1, 2))
    chao = once * (once - 1) // (2 * (twice + 1))
    assert chao >= 5
    with pytest.warns(UserWarning, match=rf"{len(listed)} people are taken as enrolled.* {once} are .*about {chao} or"):
        assert load_searches(path).enrolled_labels.size == len(listed)
    assert quietly(save(tmp_path, "whole.csv", lists(longest=N))).enrolled_labels.size == N


@pytest.mark.parametrize("nobody", [("", ""), ("", "-inf"), (" ", " ")])
def test_searches_that_returned_nobody(nobody, tmp_path):
    """The system has a threshold: shorter lists are known from there on, and rates are those of the whole matrix."""
    least = 2.4
    path = save(tmp_path, "c.csv", lists(longest=3, least=least, nobody=nobody))
    returned = [np.sort(row)[::-1][:3] for row in SCORES]
    assert sum(best[0] < least for best in returned) >= 3
    found = quietly(path, gallery=N)
    assert (len(found.scores), len(found.nonmated_scores)) == (MATED, OTHERS)
    assert found.complete_from == max(best[2] for best in returned if best[2] >= least)
    cuts = [found.complete_from, 3.2]
    whole = open_set_curve(SCORES[:MATED], range(MATED), SCORES[MATED:], cuts, n_enrolled=20)
    listed = curve(found, cuts, n_enrolled=20)
    np.testing.assert_allclose((listed.fpir, listed.fnir), (whole.fpir, whole.fnir))


def test_lists_that_all_end_at_the_threshold_are_known_from_it_on(tmp_path):
    found = quietly(save(tmp_path, "c.csv", lists(longest=N, least=2.4)), gallery=N)
    returned = [row[row >= 2.4] for row in SCORES]
    longest = max(map(len, returned))
    assert found.complete_from == max(row.min() for row in returned if len(row) == longest)
    assert found.complete_from < max(row.min() for row in returned if len(row) == 1)


def test_null_is_empty(tmp_path):
    """In records of JSON, and for pandas."""
    records = [dict(zip(("search", "candidate", "score", "label"), line.split(","), strict=True))
               for line in lists(longest=3, least=2.4).splitlines()[1:]]  # fmt: skip
    for record in records:
        record |= {"score": float(record["score"]) if record["score"] else None}
        record |= {name: record[name] or None for name in ("candidate", "label")}
    path = save(tmp_path, "c.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    whole = quietly(save(tmp_path, "c.csv", lists(longest=3, least=2.4)), gallery=N)
    found = quietly(path, gallery=N)
    np.testing.assert_array_equal(found.scores, whole.scores)
    np.testing.assert_array_equal(found.nonmated_scores, whole.nonmated_scores)


def test_labels_that_no_list_names(tmp_path):
    """They count as people enrolled, with a warning, unless all people enrolled are listed: then they are strangers."""
    named = [label or (f"z{i}" if i < MATED + 5 else "") for i, label in enumerate(LABELS)]
    path = save(tmp_path, "c.csv", lists(named, longest=N))
    with pytest.warns(UserWarning, match="labels that no list names: 5, such as of 'z14'. They count as mated"):
        found = load_searches(path)
    assert (len(found.scores), found.enrolled_labels.size) == (MATED + 5, N + 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        known = load_searches(path, gallery=N)
    right = quietly(save(tmp_path, "empty.csv", lists(longest=N)))
    np.testing.assert_array_equal(known.nonmated_scores, right.nonmated_scores)
    np.testing.assert_array_equal(known.labels, right.labels)
    with pytest.raises(
        ValueError, match=rf"at least {N + 5}, the number of people in lists \({N}\) and in labels alone"
    ):
        load_searches(path, gallery=N + 2)
    with pytest.warns(UserWarning, match="no list names: 5"):
        assert load_searches(path, gallery=N + 9).scores.shape == (MATED + 5, N + 9)
