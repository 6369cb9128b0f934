"""Evaluation: metrics of decisions and stories against labels, tuned policies, reports."""
