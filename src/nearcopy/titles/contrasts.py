"""Contrasts: words that tell two stages or two sides of one matter apart."""

from functools import lru_cache

from nearcopy.kernels.reference.titles import stem

Sides = tuple[tuple[int, int], ...]  # (axis, side) of a word; some stand on several axes
MAX_WORDS, MAX_LETTERS = 64, 48  # that are looked at

# An axis a line: its stages or sides, each with the words for it. Words that outlets use for one
# and the same moment ("jailed", "sentenced") stand on one side.
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
admit confess | deny dispute
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
gripen anhallen | atalad atalas haktad | domd doms | frikand frias
okar stiger hojer | minskar faller sanker
monte montent hausse | baisse chute recule
yukseldi artti | dustu geriledi azaldi
ارتفاع يرتفع ترتفع | انخفاض ينخفض تنخفض تراجع يتراجع
فوز يفوز | خسارة يخسر
"""
IRREGULAR = {
    "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "won": "win", "lost": "lose",
    "began": "begin", "begun": "begin", "shut": "shut", "froze": "freeze",
    "grew": "grow", "sank": "sink", "slid": "slide", "left": "leave", "dying": "die",
    "killing": "kill", "struck": "strike", "winner": "win", "winners": "win", "loser": "lose",
    "resignation": "resign", "arrests": "arrest", "suspension": "suspend", "approval": "approve",
    "rejection": "reject", "conviction": "convict", "sentencing": "sentence", "acquittal": "acquit",
    "closure": "close", "cancellation": "cancel", "withdrawal": "withdraw", "launching": "launch",
    "predictions": "prediction", "dead": "dead",
}  # fmt: skip


def _sides() -> dict[str, Sides]:
    """The sides of each stem that has one."""
    found: dict[str, Sides] = {}
    for axis, line in enumerate(AXES.strip().replace("\n    ", " ").splitlines()):
        for side, words in enumerate(line.split("|")):
            for word in words.split():
                found[stem(word)] = (*found.get(stem(word), ()), (axis, side))
    return found


SIDES = _sides()


def contrast(a: str, b: str) -> str | None:
    """The words by which two normal titles are of other stages or sides, a's first; else None.

    Only words that the other title does not have are looked at.

    >>> contrast("port suspends ferry service", "port resumes ferry service")
    'suspends/resumes'
    >>> contrast("port suspends ferry service", "ferry service suspended by port")
    """
    left, right = _placed(a), _placed(b)
    shared = {side for _, sides in left for side in sides} & {
        side for _, sides in right for side in sides
    }
    for word, sides in left:
        for other, other_sides in right:
            if _opposed(sides, other_sides, shared):
                return f"{word}/{other}"
    return None


def _opposed(sides: Sides, others: Sides, shared: set[tuple[int, int]]) -> bool:
    """Whether two words are on other sides of one axis, and on none that both titles share."""
    return any(
        axis == other_axis and side != other_side
        and (axis, side) not in shared and (axis, other_side) not in shared
        for axis, side in sides
        for other_axis, other_side in others
    )  # fmt: skip


def _placed(title: str) -> list[tuple[str, Sides]]:
    """The words of a title that have a side, in order."""
    return [
        (word, sides)
        for word in title.split(" ", MAX_WORDS)[:MAX_WORDS]
        if (sides := _sides_of(word[:MAX_LETTERS]))
    ]


@lru_cache(maxsize=65536)
def _sides_of(word: str) -> Sides:
    return SIDES.get(stem(IRREGULAR.get(word, word)), ())
