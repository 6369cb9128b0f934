"""Two articles: candidates, their evidence, the decision and its explanation.

`candidate_index` finds candidates by blocking keys, `eligibility` says which of them a
policy compares, `compare` measures the evidence, `decide` applies the rules, `judgement` does both
for many pairs.
"""
