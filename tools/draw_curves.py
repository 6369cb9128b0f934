"""Draw docs/curves.svg: the probability that MinHash bands and SimHash blocks find a pair."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from pathlib import Path

from nearcopy.config import lsh_probability
from nearcopy.fingerprint.blocking_keys import BLOCKS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "curves.svg"
WIDTH, HEIGHT, LEFT, TOP = 320, 200, 60, 40
GAP = 90
COLOURS = ("#0b6fa4", "#b5520a", "#2e7d32")
BITS = 64
Curve = tuple[str, Sequence[tuple[float, float]]]


def band_curves() -> list[Curve]:
    """Probability of a common MinHash band, by overlap."""
    shapes = ((32, 4, "32 x 4, default"), (42, 3, "42 x 3, copies"), (16, 8, "16 x 8, similarity"))
    steps = [step / 100 for step in range(101)]
    return [(name, [(j, lsh_probability(j, b, r)) for j in steps]) for b, r, name in shapes]


def block_curves() -> list[Curve]:
    """Probability of equal SimHash blocks, by Hamming distance."""
    pairs = [bin(mask).count("1") for mask in BLOCKS]
    quarters = [BITS // 4] * 4
    return [
        ("two of five blocks, here", _over_bits(lambda d: block_probability(pairs, 2, d))),
        ("one of four blocks", _over_bits(lambda d: block_probability(quarters, 1, d))),
    ]


def block_probability(sizes: Sequence[int], equal: int, bits: int) -> float:
    """The probability that at least `equal` of the blocks hold none of the differing bits.

    >>> [round(1 - block_probability([16] * 4, 1, bits), 2) for bits in (3, 4, 5, 6)]
    [0.0, 0.1, 0.26, 0.42]
    """
    exactly = [0.0] * (len(sizes) + 1)  # by number of blocks, by inclusion-exclusion
    for count in range(len(sizes), -1, -1):
        total = sum(
            comb(BITS - sum(chosen), bits) / comb(BITS, bits)
            for chosen in combinations(sizes, count)
            if BITS - sum(chosen) >= bits
        )
        more = sum(comb(k, count) * exactly[k] for k in range(count + 1, len(sizes) + 1))
        exactly[count] = total - more
    return sum(exactly[equal:])


def _over_bits(probability: Callable[[int], float]) -> list[tuple[float, float]]:
    return [(float(bits), probability(bits)) for bits in range(13)]


def panel(left: int, title: str, below: str, curves: Sequence[Curve], last: float) -> str:
    """One diagram as SVG elements."""
    parts = [
        f'<text x="{left}" y="{TOP - 16}" font-weight="bold">{title}</text>',
        f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>',
        f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">{below}</text>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = TOP + HEIGHT * (1 - share)
        parts.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{share:g}</text>')
    for step in range(5):
        x = left + WIDTH * step / 4
        at = f'x="{x}" y="{TOP + HEIGHT + 18}" text-anchor="middle"'
        parts.append(f"<text {at}>{last * step / 4:g}</text>")
    for number, (name, points) in enumerate(curves):
        colour = COLOURS[number]
        line = " ".join(
            f"{left + WIDTH * x / last:.1f},{TOP + HEIGHT * (1 - y):.1f}" for x, y in points
        )
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = TOP + HEIGHT + 56 + 16 * number
        parts.append(f'<text x="{left}" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join(parts)


def draw_svg() -> str:
    """Both diagrams as an SVG file."""
    second = LEFT + WIDTH + GAP
    panels = [
        panel(LEFT, "MinHash: one band shared", "overlap (Jaccard)", band_curves(), 1.0),
        panel(second, "SimHash: found by its blocks", "bits that differ", block_curves(), 12.0),
    ]
    size = f'width="{second + WIDTH + 30}" height="{TOP + HEIGHT + 100}"'
    style = 'font-family="sans-serif" font-size="12" fill="#333"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
        'aria-label="Probability that two texts are found">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n'
        f"<g {style}>\n" + "\n".join(panels) + "\n</g>\n</svg>\n"
    )


if __name__ == "__main__":
    PAGE.write_text(draw_svg(), encoding="utf-8")
