"""Evaluation: metrics of decisions and stories against labels, tuned policies, reports."""

from nearcopy.evaluate.clusters import evaluate_clusters
from nearcopy.evaluate.html_report import page
from nearcopy.evaluate.labels import LabelOptions, find_scheme, read_labels
from nearcopy.evaluate.near_duplicates import evaluate_near_pairs, read_listed_pairs
from nearcopy.evaluate.outcomes import Evaluation
from nearcopy.evaluate.pairs import evaluate_pairs

__all__ = [
    "Evaluation",
    "LabelOptions",
    "evaluate_clusters",
    "evaluate_near_pairs",
    "evaluate_pairs",
    "find_scheme",
    "page",
    "read_labels",
    "read_listed_pairs",
]
