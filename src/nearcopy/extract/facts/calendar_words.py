"""Words for months and weekdays, in lower case: German, French, Spanish, Portuguese, Italian,
Swedish, Danish, Dutch, Polish, Turkish, Russian, Arabic and Hindi beside English."""

import unicodedata

from nearcopy.extract.facts.unit_words import words


def _numbered(rows: str) -> dict[str, int]:
    """Each row's words, with and without accents, and the number of the row, from 1."""
    table = {word: n for n, row in enumerate(rows.split(";"), 1) for word in row.split()}
    return {_plain(word): n for word, n in table.items()} | table


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


MONTHS = _numbered("""
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

WEEKDAYS = _numbered("""
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
