"""What the articles of wire.jsonl are to each other, and why: `make demo`."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nearcopy import POLICIES, Article, Explanation, Fingerprint, Recipe, explain, fingerprints
from nearcopy.cluster import Clustering, Edge, stories
from nearcopy.facts import sentence
from nearcopy.formats import read_articles
from nearcopy.keys import keys

WIRE = Path(__file__).with_name("wire.jsonl")
SHOWN = (("en-12", "en-13"), ("en-24", "en-25"), ("en-18", "en-19"))
console = Console(width=150)


def main() -> None:
    """Reads the articles, judges every pair that shares a key, and tells the stories."""
    articles = {article.id: article for article in read_articles(WIRE)}
    made = list(fingerprints(articles.values()))
    pairs = sorted(candidates(made))
    found = [explain(articles[a], articles[b]) for a, b in pairs]
    edges = [Edge(each.a, each.b, each.decision) for each in found]
    told = stories(made, edges, POLICIES["default"])
    console.print(duplicates(told, articles))
    console.print(vetoed(found, articles))
    for a, b in SHOWN:
        console.print(shown(explain(articles[a], articles[b]), articles))
    copies = sum(m.duplicate_of is not None for story in told.stories for m in story.members)
    console.print(
        f"{len(articles)} articles, {len(pairs)} pairs shared a key and were compared; "
        f"{len(articles) - copies} kept, {copies} duplicates of them; "
        f"{len(told.stories)} stories."
    )


def candidates(made: list[Fingerprint]) -> Iterator[tuple[str, str]]:
    """The pairs of articles that share a key, each once."""
    filed: dict[int, list[str]] = {}
    for each, found in zip(made, keys(made, Recipe()), strict=True):
        for key in found.tolist():
            filed.setdefault(key, []).append(each.id)
    yield from {pair for ids in filed.values() for pair in combinations(sorted(ids), 2)}


def duplicates(told: Clustering, articles: dict[str, Article]) -> Table:
    """Each story of several articles: what is kept, and what each other one is, and to which."""
    table = Table("story", "article", "title", "is", "of", "sure", "because", title="Stories")
    for story in told.stories:
        if len(story.members) == 1:
            continue
        for member in story.members:
            kept = member.id == story.kept
            table.add_row(
                story.id[:8] if kept else "",
                member.id,
                title(articles[member.id]),
                "[green]kept" if kept else str(member.relation),
                "" if kept else member.duplicate_of or story.kept,
                "" if kept else f"{member.confidence:.2f}",
                Text(story.why if kept else member.reason),
                end_section=member is story.members[-1],
            )
    return table


def vetoed(found: list[Explanation], articles: dict[str, Article]) -> Table:
    """Pairs that look alike and are not the same news."""
    table = Table("pair", "titles", "but", title="Alike, and kept apart")
    for each in found:
        if each.decision.rule == "vetoed":
            both = Text.assemble(title(articles[each.a]), "\n", title(articles[each.b]))
            table.add_row(f"{each.a} {each.b}", both, Text(each.decision.reason), end_section=True)
    return table


def shown(found: Explanation, articles: dict[str, Article]) -> Text:
    """One pair as an explanation has it: the rule, the facts, the longest shared passage."""
    lines = [
        f"{found.a} / {found.b}  {found.sentence}",
        f"  facts of {found.a}: " + "; ".join((*found.names_a, *map(sentence, found.facts_a))),
        f"  facts of {found.b}: " + "; ".join((*found.names_b, *map(sentence, found.facts_b))),
    ]
    if found.figures:
        changed = (f"{one.value} / {other.value}" for one, other in found.figures[:4])
        lines.append("  figures that differ in the same place: " + ", ".join(changed))
    longest = max(found.passages, key=lambda passage: passage.words, default=None)
    if longest:
        text = " ".join(articles[found.a].text[longest.a_start : longest.a_end].split())
        lines.append(f"  longest shared passage, {longest.words} words: {text[:100]}")
    return Text("\n".join(lines) + "\n")


def title(article: Article) -> Text:
    """The title in one line."""
    line = Text(article.title)
    line.truncate(62, overflow="ellipsis")
    return line


if __name__ == "__main__":
    main()
