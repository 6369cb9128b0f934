"""Whole corpora: on one machine (`local`) and on a cluster (`spark`)."""
