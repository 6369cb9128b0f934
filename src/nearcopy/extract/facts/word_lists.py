"""Word lists for facts, in lower case: numbers, scales, units, series, tolls, months, weekdays."""

import unicodedata


def words(listed: str) -> frozenset[str]:
    """The words of a list separated by spaces."""
    return frozenset(listed.split())


def singular(noun: str) -> str:
    """The noun without the s of its plural; short words are left alone."""
    return noun[:-1] if len(noun) > 3 and noun.endswith("s") else noun


def _number_rows(rows: str, first: int = 1) -> dict[str, int]:
    """The words of each row, separated by semicolons, with the number of the row."""
    return {word: n for n, row in enumerate(rows.split(";"), first) for word in row.split()}


NUMBERS = _number_rows(
    """
zero;
one;
two zwei deux två twee اثنان;
three drei trois tres três drie ثلاثة;
four vier quatre cuatro quatro quattro fyra أربعة;
five fünf cinq cinco cinque fem vijf خمسة;
six sechs seis sei zes ستة;
seven sieben siete sette zeven سبعة;
eight acht ocho oito åtta ثمانية;
nine neun nueve nove negen تسعة;
ten zehn diez dez dieci عشرة;
eleven onze undici elva;
twelve zwölf douze doce doze dodici tolv twaalf;
thirteen;
fourteen;
fifteen;
sixteen;
seventeen;
eighteen;
nineteen;
twenty
""",
    first=0,
)
TENS = {
    word: 10 * n
    for word, n in _number_rows(
        "twenty;thirty;forty;fifty;sixty;seventy;eighty;ninety", first=2
    ).items()
}

SCALES = {
    word: scale
    for scale, row in {
        1e2: "hundred 百",
        1e3: "k thousand tausend mille mil tusen tys bin тыс ألف 千",
        1e4: "万 萬",
        1e5: "lakh lakhs lac lacs लाख",
        1e6: "m mn mln mio million millions millionen millones milhões milioni miljoner مليون",
        1e7: "crore crores cr करोड़",
        1e8: "亿 億",
        1e9: "b bn bln billion billions milliarde milliarden milliard milliards miliardi miljarder "
        "mrd مليار",
        1e12: "t tn trn trillion trillions تريليون 兆",
    }.items()
    for word in row.split()
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
        "part": "part pt teil partie parte", "round": "round runde rodada ronda omgång",
        "beta": "beta", "chapter": "chapter kapitel", "season": "season staffel saison temporada "
        "säsong", "stage": "stage etappe étape etapa", "race": "race", "match": "match matchday",
        "test": "test", "leg": "leg", "act": "act", "phase": "phase", "series": "series",
        "volume": "volume vol", "issue": "issue", "book": "book", "night": "night",
        "lesson": "lesson", "edition": "edition", "level": "level", "lap": "lap",
        "step": "step", "tier": "tier", "category": "category cat kategorie", "group": "group",
        "puzzle": "puzzle", "no": "no nr № nos", "inning": "inning", "vol": "vol",
    }.items()
    for word in row.split()
}  # fmt: skip
# Places by one Roman letter, where "the game I love" cannot be meant.
ROMAN_ONES = frozenset(("act", "phase", "volume", "chapter"))
LETTERED = frozenset(("series", "group", "phase", "tier", "category"))
ROMAN = _number_rows("i;ii;iii;iv;v;vi;vii;viii;ix;x;xi;xii;xiii;xiv;xv;xvi")
# "this week two men": the number belongs to what follows.
NOT_A_SERIES_AFTER = words("this last next a per every each one the same that")

ORDINALS = _number_rows("""
first erste ersten erster première primera primero första;
second zweite zweiten deuxième segundo segunda;
third dritte dritten troisième tercer tercera tredje;
fourth vierte vierten quatrième cuarto cuarta fjärde;
fifth fünfte fünften cinquième quinto quinta femte;
sixth sechste sechsten sixième sexto sexta sjätte;
seventh siebte siebten septième séptimo sjunde;
eighth achte achten huitième octavo åttonde;
ninth neunte neunten neuvième noveno nionde;
tenth zehnte zehnten dixième décimo tionde;
eleventh elfte elften onzième elfte;
twelfth zwölfte zwölften douzième tolfte;
thirteenth;
fourteenth;
fifteenth;
sixteenth;
seventeenth;
eighteenth;
nineteenth;
twentieth
""")

# What a toll counts: any change of it is the same news, moved on.
TOLLS = {
    word: kind
    for kind, row in {
        "dead": "kill kills killed killing dead die dies died dying death deaths toll fatalities "
        "fatal slain perish perished drowned drown tote toten getötet morts mort décès "
        "muertos muertes fallecidos döda zabitych ölü погибли погибших  قتلى قتيل مقتل "
        "وفاة 死 死亡 遇难 遇難",
        "hurt": "injured injures injuring injuries hurt wounded wounds wounding hospitalized "
        "hospitalised verletzte blessés heridos skadade rannych yaralı пострадали جرحى 受伤 "
        "受傷 負傷",
        "missing": "missing unaccounted vermisst disparus desaparecidos saknas مفقود 失踪",
        "ill": "cases infected infections sick sickened sickens ill fälle infizierte casos "
        "zakażeń przypadków vaka إصابة إصابات 确诊 確診",
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
MODIFIERS = words(
    "more new other others additional further of the its their his her weitere neue nuevos nuevas "
    "nouveaux nouvelles nowych yeni"
)

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


def _number_plain_rows(rows: str) -> dict[str, int]:
    """The words of each row, with and without accents, with the number of the row."""
    table = _number_rows(rows)
    return {_plain(word): n for word, n in table.items()} | table


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


MONTHS = _number_plain_rows("""
january jan januar stycznia ocak января janvier enero janeiro gennaio januari يناير जनवरी;
february feb februar lutego şubat февраля février febrero fevereiro febbraio februari فبراير
फरवरी;
march mar märz marca mart марта mars marzo março maart مارس मार्च;
april apr avril kwietnia nisan апреля abril aprile أبريل ابريل अप्रैल;
may mai mayo maja mayıs мая maio maggio maj mei مايو मई;
june jun juni czerwca haziran июня juin junio junho giugno يونيو जून;
july jul juli lipca temmuz июля juillet julio julho luglio يوليو जुलाई;
august aug août sierpnia ağustos августа agosto augusti augustus أغسطس अगस्त;
september sep sept września eylül сентября septembre septiembre setembro settembre سبتمبر सितंबर;
october oct oktober października ekim октября octobre octubre outubro ottobre أكتوبر اكتوبر
अक्टूबर;
november nov novembre listopada kasım ноября noviembre novembro نوفمبر नवंबर;
december dec dezember grudnia aralık декабря décembre diciembre dezembro dicembre ديسمبر दिसंबर
""")
# Months that are other words too, and short forms: a month only beside a day or a year.
DOUBTFUL_MONTHS = words(
    "may march mars mar mai maj mei maio mart maja marca ekim jan jun jul aug sep oct nov"
)

WEEKDAYS = _number_plain_rows("""
monday montag poniedziałek pazartesi понедельник lundi lunes segunda-feira lunedì måndag mandag
maandag الاثنين الإثنين सोमवार;
tuesday dienstag wtorek salı вторник mardi martes terça-feira martedì tisdag tirsdag dinsdag
الثلاثاء मंगलवार;
wednesday mittwoch środa środę çarşamba среда среду mercredi miércoles quarta-feira mercoledì
onsdag woensdag الأربعاء बुधवार;
thursday donnerstag czwartek perşembe четверг jeudi jueves quinta-feira giovedì torsdag
donderdag الخميس गुरुवार;
friday freitag piątek cuma пятница пятницу vendredi viernes sexta-feira venerdì fredag vrijdag
الجمعة शुक्रवार;
saturday samstag sobota sobotę cumartesi суббота субботу sonnabend samedi sábado sabato lördag
lørdag zaterdag السبت शनिवार;
sunday sonntag niedziela niedzielę воскресенье dimanche domingo domenica söndag søndag zondag
الأحد रविवार
""")
# "Black Friday", "Super Tuesday", "Saturday Night Live": names, not days.
NAMED_DAY_BEFORE = words(
    "black cyber super ash good giving palm easter bloody freaky patch fat sheffield business"
)
NAMED_DAY_AFTER = ("night live", "night football", "night lights", "night baseball", "gras")
