"""What each setting of a policy means, in the order of policy files."""

POLICY_FIELDS = {
    "What counts": {
        "duplicates": "the relations that make a duplicate",
        "window": 'the largest distance in time between copies: "14d", "36h", "all"',
        "sources": 'compare "any" sources, only "across" sources, or only "within" one source',
        "compares": '"all", or "text" to ignore titles, addresses, facts and block pages',
        "calibration": "confidence in duplicates: [[confidence, share right], ...], ascending",
    },
    "The text": {
        "min_words": "shorter texts match by identity, title and facts only",
        "unchanged_overlap": "below this overlap, the page at one address was rewritten",
        "near_overlap": "overlap of near copies",
        "max_hamming": "SimHash bits of 64 in which near copies may differ, at most",
        "reworded_overlap": "overlap of a reworded copy by another source",
        "reworded_profile": "profile cosine of a reworded copy; less is enough with more overlap",
        "containment": "share of the shorter text that the longer one contains",
        "revision_overlap": "overlap of a new version by the same source",
        "site_overlap": "overlap of two pages of one site with different titles",
        "site_title": "title_soft below which titles are different, on one site or over a stub",
    },
    "The titles: any one of these suffices": {
        "title_ratio": "1 - Levenshtein distance / the longer length",
        "title_token_set": "token set ratio",
        "title_partial": "ratio of the shorter within the longer",
        "title_average": "weighted average of the ratios",
        "title_mix": "0.4 indel ratio + 0.6 word cosine",
        "title_soft": "soft cosine of the words, rare ones weigh more",
        "title_event_score": "likelihood of the same event, by words, facts, stages and days",
        "title_and_facts": "title_soft that suffices when facts agree",
        "title_later": "title_soft required beyond title_window",
        "title_window": "time after which similar titles report something new",
        "min_title_chars": "shorter titles never match",
        "min_title_words": "shorter titles never match",
    },
    "Similar titles over different bodies: one article, or two?": {
        "like_titles": '"one" or "two"',
        "title_certain": "title_mix that decides whatever the bodies",
        "body_overlap": "containment below which bodies are different",
        "body_max_hamming": "Hamming distance up to which bodies are the same, without MinHash",
    },
    "Vetoes": {
        "facts": "whether other sums, dates, rounds, versions separate similar titles",
        "stages": "whether stages, columns, opinion and swapped names do",
        "names_shared": "a smaller share of names is a veto",
        "numerals_shared": "a smaller share of figures makes two texts a template",
        "numerals_kept": "below this share, one changed figure makes two texts a template",
    },
    "Relations that are no copies": {
        "event_soft": "title_soft of the same event",
        "event_score": "event score of the same event",
        "related_score": "event score of related articles",
        "related_soft": "title_soft of related articles",
        "related_overlap": "overlap of related articles",
        "related_max_hamming": "SimHash bits in which related articles may differ, at most",
        "related_mix": "title_mix of related articles",
        "embed": "measure the embedding cosine (extra `embed`); no rule reads it",
    },
    "Stories": {
        "story_score": "mean event score between the reports of a story",
        "keep": "which copy: best, earliest, latest, longest, source-rank; ties go to the next",
        "source_rank": "sources by name or site, best first",
        "max_story_size": "members of a story, at most; larger groups are oversized",
    },
}

KEEP_RULE_MEANINGS = {
    "best": "the most points",
    "earliest": "published first",
    "latest": "published last",
    "longest": "the most words",
    "source-rank": "of the best source",
}
KEEP_RULES = ", ".join(f"{rule} ({meaning})" for rule, meaning in KEEP_RULE_MEANINGS.items())

SCORING_FIELDS = {
    "length": "points of the longest copy, and of those within `longer` of it",
    "details": "points for technical details, at most",
    "detail": "points for each technical detail",
    "tiers": "points of tier 1, 2, 3; the last for an unknown tier",
    "freshness": "points of the newest copy",
    "stale_per_day": "points lost for every day behind the newest",
    "longer": "lengths within this share count as equal",
}
