"""Clustering: the decisions between many articles become stories.

Duplicates are grouped by star clustering around a kept copy, events by average linkage; story ids
are stable. User feedback gives must-link and cannot-link constraints.
"""
