"""Stage words: words that distinguish two stages, or two sides, of one story."""

from collections.abc import Iterator

from nearcopy.kernels.reference.titles import ARTICLE, stem

Sides = tuple[tuple[int, int], ...]  # (axis, side) of a word; some are on several axes
MAX_WORDS = 64  # of a title that are read

# One axis per line: its stages or sides, each with its words. Words that outlets use for the same
# moment ("jailed", "sentenced") are on one side.
AXES = """
arrest detain nab suspect | charge indict accuse arraign | trial | convict guilty | sentence
    jail imprison | acquit exonerate | appeal
search missing hunt manhunt | found rescue recover captured
injure hurt wound hospitalize | kill dead die dies death fatal
rise gain jump surge climb soar rally rebound higher increase grow | fall drop slump plunge
    slip tumble sink dip slide lower decrease decline crash shrink
raise hike | cut reduce slash trim
win victory triumph | lose loss defeat
suspend halt pause freeze stop block | resume restart unfreeze unblock continue
open reopen | close shut shutter
launch start begin debut unveil | end finish conclude | delay postpone cancel scrap shelve
    scrub
approve pass accept endorse uphold | reject refuse veto overturn dismiss deny
preview predict prediction odds lineup forecast | result recap highlight takeaway aftermath
    grade reaction
hire appoint sign join | fire sack resign quit oust leave
withhold | release disclose
ban outlaw | lift legalize unban allow
admit confess confirm | deny dispute
issue | lift cancel rescind
beat top exceed | miss
agree deal truce ceasefire | collapse walkout breach violate
invade attack strike | withdraw retreat
ease weaken soften | intensify strengthen tighten escalate
upgrade | downgrade
quarterfinal | semifinal | final
best | worst
north northern | south southern | east eastern | west western
morning | afternoon | evening
men | women
summer | winter | spring | autumn
impose | waive exempt
enter arrive | exit depart
plan propose mull consider weigh | enact adopt
festnehmen festgenommen verhaftet | angeklagt | verurteilt | freigesprochen
steigt steigen | fallt sinkt fallen sinken
sube suben aumenta | baja bajan cae caen
detenido detienen | acusado imputado | condenado condenan | absuelto
gana ganan | pierde pierden
gewinnt gewinnen siegt | verliert verlieren
aprueba aprueban | rechaza rechazan
condamne condamnee | acquitte acquittee relaxe
gagne gagnent | perd perdent
상승 급등 | 하락 급락
涨 升 | 跌 降
gripen anhallen | atalad atalas haktad | domd doms | frikand frias
okar stiger hojer | minskar faller sanker
monte montent hausse | baisse chute recule
yukseldi artti | dustu geriledi azaldi
ارتفاع يرتفع ترتفع | انخفاض ينخفض تنخفض تراجع يتراجع
فوز يفوز | خسارة يخسر
"""
IRREGULAR_FORMS = {
    "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "won": "win", "lost": "lose",
    "began": "begin", "begun": "begin", "shut": "shut", "froze": "freeze",
    "grew": "grow", "sank": "sink", "slid": "slide", "left": "leave", "dying": "die",
    "killing": "kill", "struck": "strike", "winner": "win", "winners": "win", "loser": "lose",
    "resignation": "resign", "arrests": "arrest", "suspension": "suspend", "approval": "approve",
    "rejection": "reject", "conviction": "convict", "sentencing": "sentence", "acquittal": "acquit",
    "closure": "close", "cancellation": "cancel", "withdrawal": "withdraw", "launching": "launch",
    "predictions": "prediction", "dead": "dead",
}  # fmt: skip


# Words that distinguish a title from one without any word of their line: another kind of article,
# or a step in court that no headline about it omits.
DISTINCTIVE_WORDS = """
takeaways observations
tips
tribute tributes obituary
timeline
charged indicted sentenced jailed imprisoned convicted acquitted guilty pleads pleaded
@opinion
"""
# Tags of opinion pieces.
OPINION_TAGS = frozenset(
    ("opinion", "analysis", "commentary", "editorial", "explainer", "meinung", "kommentar")
)


def _lines(table: str) -> list[str]:
    return table.strip().replace("\n    ", " ").splitlines()


def _sides() -> dict[str, Sides]:
    """The sides of each stem that has one."""
    sides_of: dict[str, Sides] = {}
    for axis, line in enumerate(_lines(AXES)):
        for side, words in enumerate(line.split("|")):
            for word in words.split():
                sides_of[stem(word)] = (*sides_of.get(stem(word), ()), (axis, side))
    return sides_of


SIDES_BY_STEM = _sides()
FIRST_DISTINCTIVE = len(_lines(AXES))
SIDES_BY_LINE = {
    word: (FIRST_DISTINCTIVE + line, 0)
    for line, words in enumerate(_lines(DISTINCTIVE_WORDS))
    for word in words.split()
}


# What a stem may have been cut from: its endings, and the letters before them.
_ENDINGS = ("", "e", "s", "es", "ed", "eed", "ing", "eing")


def _forms(stemmed: str) -> Iterator[str]:
    """Every word with this stem."""
    bases = (stemmed, stemmed + stemmed[-1])
    words = [base + ending for base in bases for ending in _ENDINGS]
    words += [stemmed[:-1] + "ies", stemmed[:-1] + "ied", ARTICLE + stemmed]
    return (word for word in words if stem(word) == stemmed)


def _sides_by_word() -> dict[str, Sides]:
    """The sides of each word that has one, in all its forms."""
    sides_of = {word: sides for stemmed, sides in SIDES_BY_STEM.items() for word in _forms(stemmed)}
    for word, meant in IRREGULAR_FORMS.items():
        sides_of[word] = SIDES_BY_STEM.get(stem(meant), ())
    for word, line in SIDES_BY_LINE.items():
        sides_of[word] = (*sides_of.get(word, ()), line)
    return {word: sides for word, sides in sides_of.items() if sides}


STAGE_WORDS = _sides_by_word()


def find_stage_words(title: str, prefix: str | None = None) -> tuple[str, ...]:
    """The stage words of a normalised title, in order; opinion is recognised by the prefix.

    >>> find_stage_words("port suspends ferry service after storm")
    ('suspends',)
    >>> find_stage_words("the port is wrong", "opinion")
    ('@opinion',)
    """
    words = title.split(" ", MAX_WORDS)[:MAX_WORDS]
    stage_words = tuple([word for word in words if word in STAGE_WORDS])
    is_opinion = prefix is not None and not OPINION_TAGS.isdisjoint(prefix.split())
    return (*stage_words, "@opinion") if is_opinion else stage_words
