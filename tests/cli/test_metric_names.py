"""Names of metrics as other programs write them."""

from __future__ import annotations

import pytest

from classex.cli import main
from classex.cli.options import HELP, metric_name

ALIKE = {
    "recall@10": ["R@10", "recall_10", "Recall@10", "recall-10", "recall_at_10", "R10", "recall.10"],
    "precision@10": ["P_10", "P@10", "Prec@10", "precision_10"],
    "hit@10": ["HR@10", "Hit@10", "hits@10", "success_10", "HitRate@10", "hit_rate_10"],
    "ndcg@10": ["nDCG@10", "NDCG@10", "ndcg_cut_10", "ndcg_at_10", "NDCG10"],
    "ndcg": ["nDCG", "ndcg"],
    "map@10": ["map_cut_10", "MAP@10", "map_at_10"],
    "map": ["MAP", "AP"],
    "mrr": ["recip_rank", "MRR", "RR"],
    "mrr@10": ["MRR@10", "recip_rank_10", "mrr_cut_10"],
    "top-5": ["top5", "top-5", "top_5", "acc@5", "rank-5", "Top 5"],
    "accuracy": ["accuracy"],
}


@pytest.mark.parametrize("known", ALIKE)
def test_one_name_for_each(known):
    assert {metric_name(one) for one in ALIKE[known]} == {known}


def test_an_unknown_name_is_left_to_the_library(capsys):
    assert [metric_name(one) for one in ("f1", "recall@", "top", "@10", "", "rank")] == [
        *("f1", "recall@", "top", "@10", "", "rank")
    ]
    assert main(["extrapolate", "none.csv", "--to", "9", "--metric", "f1"]) == 2
    with pytest.raises(SystemExit):
        main(["extrapolate", "--help"])
    assert HELP in capsys.readouterr().out
