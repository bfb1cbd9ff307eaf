"""Names that people type for metrics of the rank, and what this package calls them."""

from __future__ import annotations

import re

__all__ = ["HELP", "metric_name"]

# Names as trec_eval, BEIR, ranx, pytrec_eval, recommender libraries and re-identification papers write them
_ALIKE = {
    "recall": ("recall", "r"),
    "precision": ("precision", "p", "prec"),
    "hit": ("hit", "hits", "hr", "hitrate", "hit_rate", "success"),
    "map": ("map", "map_cut", "ap"),
    "mrr": ("mrr", "recip_rank", "rr", "mrr_cut", "mean_reciprocal_rank"),
    "ndcg": ("ndcg", "ndcg_cut", "dcg_norm"),
    "top": ("top", "acc", "accuracy", "rank", "cmc"),
}
_NAMES = {name: known for known, names in _ALIKE.items() for name in names}
# recall@10, Recall_10, recall_at_10, R10, R@10, top-5
_FORM = re.compile(r"([a-z_]+?)(?:(?:_at_|[@_\-. ]?)([0-9]+))?")

HELP = "".join(f"  {known:<10} {', '.join(names)}\n" for known, names in _ALIKE.items())


def metric_name(text: str) -> str:
    """Return the name of a metric in this package; one that is not known stays as it is.

    Examples
    --------
    >>> from classex.cli.metric_names import metric_name
    >>> [metric_name(one) for one in ("R@10", "ndcg_cut_10", "recip_rank", "top5")]
    ['recall@10', 'ndcg@10', 'mrr', 'top-5']
    """
    match = _FORM.fullmatch(text.strip().lower())
    known = _NAMES.get(match[1]) if match else None
    if match is None or known is None:
        return text
    if known == "top":
        return text if match[2] is None else f"top-{int(match[2])}"
    return known if match[2] is None else f"{known}@{int(match[2])}"
