"""Recurring columns: titles reused every day or week for other news.

Live pages (updates, deals) are not among them: within a day they are one page retitled.
"""

# The column, then its phrases, normalised. The words of a phrase are adjacent; with "+" between
# them they may be apart, in that order.
COLUMNS = """
today in history: today in history, this day in history, hoy en la historia, on this day in,
    heute vor + jahren
puzzle: connections + hint, connections + hints, connections + answers, strands + hint,
    strands + hints, strands + answers, nyt mini, mini crossword, crossword, sudoku, quordle,
    spelling bee + answers, hints + answers, kreuzwortratsel, korsord, quiz of the week,
    news quiz, weekly quiz, wordle + hint, wordle + hints, wordle + answer, wordle today,
    today s wordle
horoscope: horoscope, horoscopes, horoskop, horoscopo, oroscopo, horoskopy, burc yorumlari, zodiac
briefing: morning briefing, evening briefing, news briefing, war briefing, daily briefing,
    the briefing, morning report, news at a glance, what to know today, morning newsletter,
    daily digest, news digest, news roundup, news round up, daily open, morning squawk,
    morgenbriefing, nyhetsbrev, first thing, week ahead, things to know before,
    things to know today, top stories today
markets: stock market today, stock market news, stocks to watch, premarket, pre market,
    stock futures, futures + rise, futures + fall, market wrap, markets wrap, market close,
    closing bell, opening bell, wall street + today, dow jones today, dow jones futures,
    mortgage and refinance, cd rates, savings rates, heloc rates, gold price today,
    gold prices today, oil prices today, price of gold, bitcoin price today,
    bitcoin price prediction, interest rates today, borsen idag, boersen, stockholmsborsen,
    wechselkurs, exchange rate today, dolar kac, altin fiyatlari, precio del dolar, hisse senedi,
    mortgage rates today, current mortgage rates, mortgage rates + today
lottery: powerball numbers, powerball results, powerball + winning numbers, powerball drawing,
    mega millions numbers, mega millions results, mega millions drawing, lottery numbers,
    lottery results, lotto numbers, lotto results, winning numbers, winning lottery numbers,
    lottozahlen, euromillions results, eurojackpot + zahlen, numeros ganadores,
    resultados + loteria, milli piyango sonuclari, lottorad, lottodragning, wyniki lotto
weather: weather forecast, weather today, weather update, forecast for + day, wetterbericht,
    vadret, pronostico del tiempo, hava durumu, prognoza pogody, حاله الطقس, الطقس اليوم,
    天 气 预 报
week in review: week in review, year in review, weekly roundup, weekly round up,
    the week that was, best of the week, photos of the week, photo of the day, photo of the week,
    pictures of the week, picture of the day, week in pictures, day in pictures, quote of the day,
    word of the day, ruckblick, wochenruckblick
letters: letters to the editor, readers letters, dear abby, dear doctor, dear annie, ask amy,
    leserbriefe, insandare, cartas al director, advice column, miss manners
television: recap, tv tonight, what to watch, tv schedule, tv guide, how to watch, where to watch,
    what time is, watch + online, start time, weekend box office, box office report,
    episode + recap
sport: results + highlights, live score, who went home, season schedule, match preview,
    game preview, betting odds, best bets, expert picks, predictions + odds, odds + predictions,
    power rankings, mock draft, injury report, starting lineup, projected lineup,
    starting lineups, live score, player ratings, rumors roundup, transfer news, fantasy football,
    waiver wire, box score, game thread, game recap, spieltag, vs + score, vs + prediction,
    vs + predictions, inactives
space: sky tonight, moon phase, moon tonight, starlink + launch, falcon 9 + launch,
    aurora forecast, northern lights forecast
transcript: transcript + on, full transcript, campaign assessment, situation report,
    sammanfattning natt
obituaries: obituaries, death notices, dodsannonser, police blotter, police log, arrest log,
    court report, crime log
earnings: earnings call transcript, earnings preview, earnings calendar
"""
MAX_WORDS = 64
_Phrases = dict[str, list[tuple[tuple[tuple[str, ...], ...], str]]]


def _phrases() -> _Phrases:
    """The columns by the first word of their phrases, each phrase in its parts."""
    by_first_word: _Phrases = {}
    for line in COLUMNS.strip().replace("\n    ", " ").splitlines():
        name, phrases = line.split(": ")
        for phrase in phrases.split(", "):
            parts = tuple(tuple(part.split()) for part in phrase.split(" + "))
            by_first_word.setdefault(parts[0][0], []).append((parts, name))
    return by_first_word


PHRASES = _phrases()
# The longest word of each phrase: a title with none of these is of no column.
ANCHORS = frozenset(
    max((word for part in parts for word in part), key=len)
    for phrases in PHRASES.values()
    for parts, _ in phrases
)


def recurring_column(normal: str) -> str | None:
    """The recurring column of a normalised title, or None.

    >>> recurring_column("wordle hints and answer for friday")
    'puzzle'
    """
    words = normal.split(" ", MAX_WORDS)[:MAX_WORDS]
    if ANCHORS.isdisjoint(words):
        return None
    for at, word in enumerate(words):
        for parts, name in PHRASES.get(word, ()):
            if _matches(words[at:], parts):
                return name
    return None


def _matches(words: list[str], parts: tuple[tuple[str, ...], ...]) -> bool:
    """Whether the words begin with the first part, and have the others behind it, in order."""
    at = 0
    for part in parts:
        places = range(at, len(words) - len(part) + 1) if at else (0,)
        position = next((p for p in places if tuple(words[p : p + len(part)]) == part), None)
        if position is None:
            return False
        at = position + len(part)
    return True
