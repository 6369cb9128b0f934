"""Evaluating: how what is found agrees with what people, or an oracle, say."""

from nearcopy.evaluate.clusters import evaluate_clusters
from nearcopy.evaluate.labelled import labelled
from nearcopy.evaluate.labels import Asked, scheme
from nearcopy.evaluate.near_pairs import evaluate_near_pairs, listed_pairs
from nearcopy.evaluate.pairs import evaluate_pairs
from nearcopy.evaluate.report import page
from nearcopy.evaluate.results import Evaluation

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
