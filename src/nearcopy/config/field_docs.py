"""What each setting of a policy means, in the order in which they are shown."""

MEANINGS = {
    "What counts": {
        "duplicates": "the relations that make a duplicate",
        "window": 'how far apart copies may be: "14d", "36h", "all"',
        "sources": 'compared: "any", "across" (never two of one source), "within" (no others)',
        "compares": '"all" there is, or the "text" alone: no titles, addresses, figures, junk',
        "calibration": "confidence in duplicates: [[given, right], ...], both ascending",
    },
    "The text": {
        "min_words": "shorter texts are judged by identity, title and facts alone",
        "unchanged": "with less overlap, the page at one address was rewritten",
        "near_overlap": "the overlap of near copies",
        "near_bits": "equal SimHash bits of 64 of near copies",
        "reworded": "the overlap of copies in other words by another source",
        "reworded_profile": "how alike the profiles of these have to be, less with more overlap",
        "contained": "how much of the shorter text the longer one holds",
        "revised": "the overlap of a new version by the same source",
        "site_overlap": "of two pages of one site whose titles are not alike",
        "site_title": "titles less alike are not, on one site or over a stub",
    },
    "The titles: any one of these is enough": {
        "title_ratio": "1 - Levenshtein distance / the longer length",
        "title_token_set": "of the words that both have",
        "title_partial": "of the shorter within the longer",
        "title_average": "the weighted average of the ratios",
        "title_mix": "0.4 letters + 0.6 words",
        "title_soft": "cosine of the words, rare ones weighing more",
        "title_news": "likelihood of one piece of news: words, facts, stages and days weighed",
        "title_and_facts": "enough, as title_soft, when facts agree",
        "title_later": "asked of titles, as title_soft, once title_days have passed",
        "title_days": "after which like titles are new news",
        "min_title_chars": "shorter titles never match",
        "min_title_words": "shorter titles never match",
    },
    "Like titles over different bodies: one item, or two?": {
        "like_titles": '"one" or "two"',
        "title_certain": "a title mix that decides whatever the bodies are",
        "body_overlap": "bodies are different when less of the shorter is shared",
        "body_bits": "the same by SimHash, where there is no overlap",
    },
    "The veto by facts": {
        "facts": "whether other sums, dates, rounds, versions part like titles",
        "stages": "whether stages, columns, opinion, names in each other's place do",
        "names_shared": "fewer shared names make two articles different",
        "numerals_shared": "fewer shared figures make two texts a template",
        "numerals_kept": "one changed figure is a template below this",
    },
    "Not a copy, but worth knowing": {
        "event_soft": "title_soft of the same event",
        "event_news": "how likely two have to report the same news to be of one event",
        "related_news": "how likely they have to for being related",
        "related_soft": "title_soft of related articles",
        "related_overlap": "the overlap of related articles",
        "related_bits": "equal SimHash bits of related articles",
        "related_mix": "title mix of related articles",
        "embed": "whether the likeness in meaning is measured (extra `embed`); no rule reads it",
    },
    "Stories": {
        "story_news": "how likely reports of one event tell the same news, on average",
        "keep": "which copy: best, earliest, latest, longest, source-rank; the first that tells",
        "source_rank": "sources by name or site, best first",
        "largest_story": "a story of more members is stopped by the brake",
    },
}

KEEPING = {
    "best": "the most points",
    "earliest": "published first",
    "latest": "published last",
    "longest": "the most words",
    "source-rank": "of the best source",
}
KEEP_RULES = ", ".join(f"{rule} ({meaning})" for rule, meaning in KEEPING.items())

SCORING = {
    "length": "for the longest, and those it does not exceed by `longer`",
    "details": "at most, for technical details",
    "detail": "for each technical detail",
    "tiers": "for tier 1, 2, 3; an unknown one has the last",
    "freshness": "for the newest",
    "stale_per_day": "less for every day behind the newest",
    "longer": "this much longer is longer; less is the same length",
}
