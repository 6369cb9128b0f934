"""Fits how sure the rules are that rest on likeness, and says how true that is on held-out pairs.

    .venv/bin/python tools/fit_confidence.py

Reads the labelled news in ../shared/data. Each curve is a logistic one in what its rule rests on.
Prints the errors of calibration with the constants of decide.py and on held-out folds, then what
the fitted curves say beside those constants. The constants by eye are as true as the curves, so
they stay: they are put into decide.py by hand where that is no longer so.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
import accuracy
import held_out
from nearcopy import Evidence
from nearcopy.match.decide import RULES
from nearcopy.match.evidence_table import EvidenceTable


def main() -> None:
    """Fit, and print."""
    for row in accuracy.calibrated():
        print(f"{row.measure}: {row.value:.4f} of {row.of} {row.details}")
    pairs = accuracy.near_relations(), accuracy.headlines(timed=True), accuracy.news_pairs()
    copies, titles, reports = held_out.told(*pairs)
    judged = [*map(held_out.copy, copies), *map(_judge_headline, titles)]
    duplicates = [pair for pair in judged if pair.decision.duplicate]
    by_title = [pair for pair in duplicates if pair.decision.rule in held_out.BY_TITLE]
    by_text = [pair for pair in duplicates if pair.decision.rule not in held_out.BY_TITLE]
    print(f"by texts and addresses: {held_out.text_share(by_text):.3f} of {len(by_text)} right")
    _shown("like-titles", held_out.title_curve(by_title))
    scores = [report.evidence.event_score or 0.0 for report in reports]
    events, _ = held_out.reported(reports, scores)
    by_titles = [pair for pair in events if pair.decision.rule == held_out.OVER_OTHER_TEXTS]
    _shown(held_out.OVER_OTHER_TEXTS, held_out.title_curve(by_titles, width=1))


def _judge_headline(told: held_out.Told) -> held_out.Judged:
    return held_out.headline(told, told.evidence.title_event_score or 0.0)


def _shown(name: str, curve: held_out.Floats) -> None:
    """The curve, and what it says beside the constants."""
    rule = next(rule for rule in RULES if rule.name == name)
    print(f"{name}: {[round(value, 3) for value in curve.tolist()]}")
    for soft in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        evidence = Evidence(title_soft=soft)
        (present,) = rule.confidence(EvidenceTable.of([evidence])).tolist()
        fitted = held_out.sure(evidence, curve)
        print(f"  title similarity {soft:.1f}: fitted {fitted:.3f}, present {present:.3f}")


if __name__ == "__main__":
    main()
