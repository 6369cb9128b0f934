"""Publishers: recognised at the end of a title by name, by form, or by the source."""

import re
from functools import lru_cache

from nearcopy.extract.text import normalised

LONGEST = 5  # words of a name
LONGEST_LETTERS = 60
LEAST_INITIALS = 2


def _names(table: str) -> frozenset[str]:
    """The folded names of a table, without their article."""
    return frozenset(_bare(name) for name in table.split(",")) - {""}


def _bare(name: str) -> str:
    return normalised(name).removeprefix("the ")


# Well-known publishers that the rules below do not recognise.
WELL_KNOWN = _names("""
    Reuters, Associated Press, AP, AFP, dpa, UPI, ANSA, BBC, ITV, CNN, NPR, PBS, NBC, CBS, CNBC,
    MSNBC, ESPN, C-SPAN, Axios, Politico, Bloomberg, Forbes, Newsweek, The Economist,
    The Atlantic, The New Yorker, The Hill, The Verge, The Intercept, The Conversation,
    The Register, HuffPost, The Hollywood Reporter, Rolling Stone, USA Today, Business Insider,
    MarketWatch, Yahoo, Yahoo Finance, BuzzFeed, Mashable, TechCrunch, Engadget, Gizmodo, Kotaku,
    IGN, CNET, ZDNET, TechRadar, Ars Technica, MacRumors, 9to5Mac, 9to5Google, VentureBeat,
    Semafor, ProPublica, Al Jazeera, Al Arabiya, Haaretz, Euronews, Deutsche Welle, France 24,
    The Guardian, Financial Times, WSJ, SCMP, NDTV, The Hindu, Moneycontrol, Livemint, Firstpost,
    Nikkei Asia, Kyodo, NHK, Yonhap, CBC, Globe and Mail, RNZ, TMZ, National Geographic,
    Scientific American, Seeking Alpha, Investopedia, Barron's, Der Spiegel, Spiegel, FAZ, n-tv,
    heise, Tagesschau, ARD, ZDF, ORF, SRF, Der Standard, NZZ, Le Monde, Le Figaro, Libération,
    Les Echos, L'Équipe, Ouest-France, Le Parisien, BFM TV, TF1, Mediapart, El País, El Mundo,
    La Vanguardia, El Confidencial, Clarín, La Nación, Infobae, O Globo, Folha, Estadão,
    La Repubblica, Corriere della Sera, La Stampa, SVT, SvD, Aftonbladet, Expressen, Sydsvenskan,
    TV4, TT, Yle, NRK, Dagbladet, Politiken, Berlingske, De Telegraaf, Onet, TVN24, Fox Business,
    Fox Weather, Tom's Guide, The Motley Fool, Android Authority, Android Police, Android Central,
    Windows Central, Eurogamer, CoinDesk, GameSpot, PCMag, Electrek, AppleInsider,
    BleepingComputer, Morningstar, TipRanks, SFGATE, WTOP, Dagens industri, Affärsvärlden,
    Ny Teknik, Hürriyet, Milliyet, Cumhuriyet, Anadolu, Kommersant, Meduza, Interfax, Ukrinform,
    الجزيرة, العربية, الشرق الأوسط, عكاظ, اليوم السابع, سكاي نيوز عربية, 新华社, 新华网, 人民网,
    人民日报, 央视新闻, 环球网, 中新网, 澎湃新闻, 财新网, 腾讯网, 凤凰网, 联合早报, 自由时报,
    联合新闻网, 中央社, 明报, 香港01, 朝日新聞, 読売新聞, 毎日新聞, 日本経済新聞, 共同通信,
    時事通信, 연합뉴스, 조선일보, 중앙일보, 동아일보, 한겨레
""")
# Publishers that are also common words: names only at the end of a title.
COMMON = _names("""
    Fox, ABC, Fortune, Wired, Vox, Slate, Salon, Variety, Deadline, Billboard, Time, People,
    Nature, Space, Vice, Quartz, The Independent, The Nation, The Information, The Athletic,
    The Sun, The Mirror, The Telegraph, The Wrap, Polygon, Insider, Mint, Dawn, Stuff, Stern,
    Focus, Bild, Die Welt, Welt, Die Zeit, taz, Marca, Público, DN, GP, Di, Omni, SR, VG, DW, RT,
    FT, NYT, MSN, AOL, Sabah, The Times, The Star, The Post, Kurier, Arbetet
""")
# Words that a publisher's name is made with.
PUBLISHER_WORDS = _names(
    """
    news newspaper herald tribune gazette chronicle courier bulletin examiner inquirer observer
    sentinel advertiser journal magazine daily weekly times post telegraph dispatch broadcasting
    tv radio fm media press online zeitung nachrichten anzeiger tagblatt tageblatt rundschau
    nyheter nyheterna tidning tidningen dagblad dagbladet posten allehanda kuriren avisen noticias
    diario prensa gaceta nouvelles actu jornal giornale gazzetta notizie gazeta wiadomosci dziennik
    haber haberleri gazetesi новости газета известия вести صحيفة جريدة أخبار الأخبار قناة وكالة
    """.replace(" ", ",")
)
ENDS = ("bladet", "posten", "tidning", "tidningen", "zeitung", "kuriren", "blatt", "nyheter")
# Words that make a phrase with those: "Bad News", "Hard Times".
PHRASES = _names(
    "bad,big,breaking,end,fake,first,good,great,hard,his,her,in,more,my,no,old,our,tough"
)
SITE = re.compile(r"(?:[\w-]{1,63}+\.){1,4}+[A-Za-z]{2,6}")
NOT_NAMES = frozenset(("www", "m", "amp", "co", "com", "edition", "news", "rss", "feeds"))
# What sites put between the title and their name.
SECTIONS = _names("""
    politics, world, sport, sports, business, technology, tech, opinion, culture, health, science,
    uk, us, entertainment, lifestyle, money, football, world news, us news, uk news, news
""")


@lru_cache(maxsize=8192)
def is_publisher(name: str, source: str | None = None) -> bool:
    """Whether this, standing behind a title, names a publisher: by rule, by list or as the source.

    >>> [is_publisher(name) for name in ("Ostsee-Zeitung", "The Harbour Times", "Bad Times")]
    [True, True, False]
    """
    if len(name) > LONGEST_LETTERS or is_well_known(name, source):
        return len(name) <= LONGEST_LETTERS
    written_as_name = not name[:1].islower()
    return (
        bool(SITE.fullmatch(name))
        or name.endswith("(.gov)")
        or (written_as_name and (_bare(name) in COMMON or _looks_like_publisher(name)))
    )


@lru_cache(maxsize=8192)
def is_well_known(name: str, source: str | None = None, *, alone: bool = True) -> bool:
    """Whether this can be nothing but a publisher: a well-known one, or the source itself.

    Unless it is `alone`, a source of one word does not count: before a colon it may be the topic
    of the site.
    """
    words = _bare(name).split(" ")
    if " ".join(words) in WELL_KNOWN or (
        words[0] in WELL_KNOWN and PUBLISHER_WORDS.issuperset(words[1:])
    ):
        return True
    return source is not None and (alone or len(words) > 1) and _is_source(words, source)


@lru_cache(maxsize=8192)
def source_labels(source: str) -> tuple[str, ...]:
    """The names in a source, each without spaces.

    >>> source_labels("https://www.theguardian.com/"), source_labels("The Harbour Times")
    (('guardian',), ('harbourtimes',))
    """
    place = source.strip().lower().split("://")[-1].split("/")[0]
    if " " in place or "." not in place:
        return (_bare(source).replace(" ", ""),)
    labels = (normalised(label).replace(" ", "") for label in place.split(".")[:-1])
    return tuple(label.removeprefix("the") for label in labels if label not in NOT_NAMES)


def _is_source(words: list[str], source: str) -> bool:
    """Whether a name and a source are one: "BBC News" and bbc.co.uk, "Dagens Post" and dp.se."""
    labels = source_labels(source)
    if not words[0]:
        return False
    if "".join(words) in labels:
        return True
    if words[0] in labels and PUBLISHER_WORDS.issuperset(words[1:]):
        return True
    return len(words) >= LEAST_INITIALS and "".join(word[0] for word in words) in labels


def _looks_like_publisher(name: str) -> bool:
    words = normalised(name).split(" ")
    if len(words) > LONGEST or words[0] in PHRASES:
        return False
    if words[-1].endswith(ENDS):
        return True
    named = [word for word in words if word != "the"]
    return len(named) > 1 and not PUBLISHER_WORDS.isdisjoint(named) and _is_capitalised(name)


def _is_capitalised(name: str) -> bool:
    """Whether it is written as names are, in scripts that have capitals."""
    return all(not word[0].islower() or len(word) <= 3 for word in name.split())
