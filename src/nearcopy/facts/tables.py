"""Word tables: what the words around a figure say it is. All in lower case."""

import unicodedata


def words(listed: str) -> frozenset[str]:
    """The words of a list, parted by spaces."""
    return frozenset(listed.split())


def singular(noun: str) -> str:
    """The noun without the s of its plural; short words are left alone."""
    return noun[:-1] if len(noun) > 3 and noun.endswith("s") else noun


def _numbered(rows: str) -> dict[str, int]:
    """Each line's words with the number of the line, from 1."""
    return {word: n for n, row in enumerate(rows.strip().splitlines(), 1) for word in row.split()}


def _with_plain(table: dict[str, int]) -> dict[str, int]:
    """The table, and again with its accents off."""
    return {_plain(word): n for word, n in table.items()} | table


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


# English, German, French, Spanish, Portuguese, Italian, Swedish (Danish, Dutch), Arabic, Hindi.
MONTHS = _with_plain(
    _numbered("""
january jan januar janvier enero janeiro gennaio januari يناير जनवरी
february feb februar février febrero fevereiro febbraio februari فبراير फरवरी
march mar märz mars marzo março maart مارس मार्च
april apr avril abril aprile أبريل ابريل अप्रैल
may mai mayo maio maggio maj mei مايو मई
june jun juni juin junio junho giugno يونيو जून
july jul juli juillet julio julho luglio يوليو जुलाई
august aug août agosto augusti augustus أغسطس अगस्त
september sep sept septembre septiembre setembro settembre سبتمبر सितंबर
october oct oktober octobre octubre outubro ottobre أكتوبر اكتوبر अक्टूबर
november nov novembre noviembre novembro نوفمبر नवंबर
december dec dezember décembre diciembre dezembro dicembre ديسمبر दिसंबर
""")
)
# Months that are other words too, and short forms: a month only beside a day or a year.
DOUBTFUL_MONTHS = words("may march mars mar mai maj mei maio jan jun jul aug sep oct nov")

WEEKDAYS = _with_plain(
    _numbered("""
monday montag lundi lunes segunda-feira lunedì måndag mandag maandag الاثنين الإثنين सोमवार
tuesday dienstag mardi martes terça-feira martedì tisdag tirsdag dinsdag الثلاثاء मंगलवार
wednesday mittwoch mercredi miércoles quarta-feira mercoledì onsdag woensdag الأربعاء बुधवार
thursday donnerstag jeudi jueves quinta-feira giovedì torsdag donderdag الخميس गुरुवार
friday freitag vendredi viernes sexta-feira venerdì fredag vrijdag الجمعة शुक्रवार
saturday samstag sonnabend samedi sábado sabato lördag lørdag zaterdag السبت शनिवार
sunday sonntag dimanche domingo domenica söndag søndag zondag الأحد रविवार
""")
)
# "Black Friday", "Super Tuesday", "Saturday Night Live": names, not days.
NAMED_DAY_BEFORE = words(
    "black cyber super ash good giving palm easter bloody freaky patch fat sheffield business"
)
NAMED_DAY_AFTER = ("night live", "night football", "night lights", "night baseball", "gras")

NUMBERS = {
    word: number
    for number, row in enumerate(
        """
zero
one
two zwei deux två twee اثنان
three drei trois tres três tre drie ثلاثة
four vier quatre cuatro quatro quattro fyra أربعة
five fünf cinq cinco cinque fem vijf خمسة
six sechs seis sei zes ستة
seven sieben siete sette sju zeven سبعة
eight acht ocho oito otto åtta ثمانية
nine neun nueve nove nio negen تسعة
ten zehn dix diez dez dieci tio tien عشرة
eleven onze undici elva
twelve zwölf douze doce doze dodici tolv twaalf
thirteen
fourteen
fifteen
sixteen
seventeen
eighteen
nineteen
twenty
""".strip().splitlines()
    )
    for word in row.split()
}
TENS = dict(
    zip(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        range(20, 100, 10),
        strict=True,
    )
)

SCALES = {
    **dict.fromkeys(
        ("k", "thousand", "tausend", "mille", "mil", "tusen", "ألف", "आلاف", "千"), 1e3
    ),
    **dict.fromkeys(("lakh", "lakhs", "lac", "lacs", "लाख"), 1e5),
    **dict.fromkeys(
        [
            "m",
            "mn",
            "mln",
            "mio",
            "million",
            "millions",
            "millionen",
            "millones",
            "milhões",
            "milioni",
            "miljoner",
            "مليون",
        ],
        1e6,
    ),
    **dict.fromkeys(("crore", "crores", "cr", "करोड़"), 1e7),
    **dict.fromkeys(
        [
            "b",
            "bn",
            "bln",
            "billion",
            "billions",
            "milliarde",
            "milliarden",
            "milliard",
            "milliards",
            "miliardi",
            "miljarder",
            "mrd",
            "مليار",
        ],
        1e9,
    ),
    **dict.fromkeys(("t", "tn", "trn", "trillion", "trillions", "تريليون"), 1e12),
    **dict.fromkeys(("hundred", "百"), 1e2),
    **dict.fromkeys(("万", "萬"), 1e4),
    **dict.fromkeys(("亿", "億"), 1e8),
    "兆": 1e12,
}
INDIAN = frozenset(("lakh", "lakhs", "lac", "lacs", "लाख", "crore", "crores", "cr", "करोड़"))

# "5 lakh farmers": crores and lakhs of people and things are no rupees.
COUNTED_IN_LAKHS = words(
    "people persons devotees voters farmers jobs users students cases doses families houses homes "
    "women men youth youths workers tonnes tons units litres shares children citizens customers "
    "visitors pilgrims tourists subscribers vehicles trees seats posts employees candidates "
    "beneficiaries applications accounts passengers saplings vacancies aspirants"
)

SERIES = {
    word: key
    for key, row in {
        "week": "week weeks wk woche semaine semana vecka 周", "day": "day tag jour día dag",
        "game": "game", "episode": "episode ep epi folge épisode episodio avsnitt",
        "part": "part pt teil partie parte del", "round": "round runde rodada ronda omgång",
        "beta": "beta", "chapter": "chapter kapitel", "season": "season staffel saison temporada "
        "säsong", "stage": "stage etappe étape etapa", "race": "race", "match": "match matchday",
        "test": "test", "leg": "leg", "act": "act", "phase": "phase", "series": "series",
        "volume": "volume vol", "issue": "issue", "book": "book", "night": "night",
        "lesson": "lesson", "edition": "edition", "level": "level", "lap": "lap", "heat": "heat",
        "step": "step", "tier": "tier", "category": "category cat kategorie", "group": "group",
        "puzzle": "puzzle", "no": "no nr № nos", "inning": "inning", "vol": "vol",
    }.items()
    for word in row.split()
}  # fmt: skip
LETTERED = frozenset(("series", "group", "phase", "tier", "category"))
ROMAN = dict(
    zip(
        [
            "i",
            "ii",
            "iii",
            "iv",
            "v",
            "vi",
            "vii",
            "viii",
            "ix",
            "x",
            "xi",
            "xii",
            "xiii",
            "xiv",
            "xv",
            "xvi",
        ],
        range(1, 17),
        strict=True,
    )
)
# "this week two men": the number belongs to what follows.
NOT_A_SERIES_AFTER = words("this last next a per every each one the same that")

ORDINALS = {
    word: n
    for n, row in enumerate(
        """first erste ersten erster premier première primer primera primero första
second zweite zweiten deuxième segundo segunda andra
third dritte dritten troisième tercer tercera tredje
fourth vierte vierten quatrième cuarto cuarta fjärde
fifth fünfte fünften cinquième quinto quinta femte
sixth sechste sechsten sixième sexto sexta sjätte
seventh siebte siebten septième séptimo sjunde
eighth achte achten huitième octavo åttonde
ninth neunte neunten neuvième noveno nionde
tenth zehnte zehnten dixième décimo tionde
eleventh elfte elften onzième elfte
twelfth zwölfte zwölften douzième tolfte
thirteenth
fourteenth
fifteenth
sixteenth
seventeenth
eighteenth
nineteenth
twentieth""".splitlines(),
        1,
    )
    for word in row.split()
}

# What a toll counts: any change of it is the same news, moved on.
TOLLS = {
    word: kind
    for kind, row in {
        "dead": "kill kills killed killing dead die dies died dying death deaths toll fatalities "
        "fatal slain perish perished drowned drown tote toten getötet morts muertos mort döda "
        "قتلى قتيل مقتل وفاة 死 死亡 遇难 遇難",
        "hurt": "injured injures injuring injuries hurt wounded wounds wounding hospitalized "
        "hospitalised verletzte blessés heridos skadade جرحى إصابة 受伤 受傷 負傷",
        "missing": "missing unaccounted vermisst disparus desaparecidos saknas مفقود 失踪",
        "ill": "cases infected infections sick sickened sickens ill fälle casos إصابات 确诊 確診",
        "held": "arrested arrests arrest detained detains",
        "displaced": "displaced evacuated evacuate evacuates displaces flee",
    }.items()
    for word in row.split()
}
COUNTED_ONES = words(
    "dead killed dies died injured hurt wounded missing person people man woman child boy girl "
    "officer soldier arrested case death suspect victim"
)
# Figures that tick through the day on one page.
COUNTERS = words("points pts point punkte punkter puntos deals deal sales discounts viewers votes")
MODIFIERS = words("more new other others additional further of the its their his her")

# A number after one of these is part of the name, whatever its size.
NAMED = words(
    "boeing airbus formula channel iphone ipad pixel galaxy xbox ps playstation switch windows "
    "android ios ipados macos watchos falcon area route interstate highway title section article "
    "agenda project apollo artemis ufc cop big sweet nasdaq ftse nikkei russell fortune stoxx asx "
    "dax cac studio catch p topix csi crew expedition flight pier proposition prop windows3 "
    "playstation5 covid type hurricane bundesliga ligue division airpods watch macbook ryzen rtx "
    "gemini llama claude grok gpt qwen deepseek kimi sonnet opus haiku"
)
YEARS_IN_NAMES = words("agenda project studio russell catch")
NAMED_ONES = words("formula xbox force final big elite power square no any every each")
WIRE_MARKS = words("update wrapup corrected rpt refile")

# Words that start a headline, or link names in one, and are no names themselves.
COMMON = words(
    "a an the this that these those my your his her its our their i you he she it we they who what "
    "when where why how which whose and or but nor so yet if as at by for from in into of off on "
    "onto out over to up with about after against amid among around before behind between during "
    "inside near since through under until via without is are was were be been being has have had "
    "do does did can could may might must shall should will would not no yes more most many "
    "some all any each every both few other another one two three four five six seven eight nine "
    "ten first second third last next top best here there now then today tomorrow yesterday just "
    "only even still also than too very man woman men women people police court judge report "
    "reports live watch video photos update updates breaking exclusive opinion analysis review "
    "inside meet can't don't won't it's he's she's there's what's here's let's i'm "
    "der die das ein eine und oder aber in im am mit für von zu auf ist sind nach vor bei wie was "
    "wer warum le la les un une des et ou mais dans avec pour sur est sont après avant comment el "
    "los las uno una y o pero en con por para es son tras antes como que de del den det en ett och "
    "men i på av till för är efter före hur vad vem uppgifter"
)
