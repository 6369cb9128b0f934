"""Evaluating: how what is found agrees with what people, or an oracle, say."""

from nearcopy.evaluate.clusters import evaluate_clusters
from nearcopy.evaluate.html_report import page
from nearcopy.evaluate.label_schemes import Asked, scheme
from nearcopy.evaluate.labelled_pairs import labelled
from nearcopy.evaluate.near_duplicates import evaluate_near_pairs, listed_pairs
from nearcopy.evaluate.pairs import evaluate_pairs
from nearcopy.evaluate.result_types import Evaluation

__all__ = [
    "Asked",
    "Evaluation",
    "evaluate_clusters",
    "evaluate_near_pairs",
    "evaluate_pairs",
    "labelled",
    "listed_pairs",
    "page",
    "scheme",
]
