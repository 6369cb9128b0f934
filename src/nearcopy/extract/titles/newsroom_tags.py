"""Marks: what newsrooms put before and behind a title, folded, in several languages."""

from nearcopy.extract.titles.normalize import normal


def _folded(table: str) -> frozenset[str]:
    """The entries of a table, one or more words each, with commas between."""
    return frozenset(map(normal, table.split(","))) - {""}


# Of a title that is filed again; a number may follow.
REFILED = _folded("""
    update, updated, updates, wrapup, wrap up, rpt, repeat, refile, refiled, corrected,
    correction, clarification, Aktualisiert, Update, Korrigiert, Berichtigung, mise à jour,
    rectificatif, actualización, actualizado, corrección, atualização, aggiornamento,
    aktualizacja, güncelleme, uppdaterad, uppdatering, rättelse, oppdatert, обновлено, исправлено,
    تحديث, تصحيح, 更新, 更正, 订正, 訂正, 업데이트, 정정
""")
# Of what kind of a piece it is, or how it is shown.
KINDS = _folded("""
    breaking, breaking news, just in, news alert, alert, urgent, flash, exclusive, scoop,
    developing, live, live updates, live update, live blog, liveblog, live coverage, live now,
    watch, watch live, watch now, video, videos, listen, podcast, photos, opinion, analysis,
    explainer, insight, factbox, must see, the latest, latest, Eilmeldung, Eil, Liveticker,
    Live-Ticker, Newsticker, Exklusiv, Analyse, Meinung, Kommentar, flash info, en direct, direct,
    en continu, exclusif, vidéo, dernière minute, alerte, alerte info, última hora, urgente,
    en vivo, en directo, directo, exclusiva, exclusivo, análisis, opinión, vivo, ao vivo,
    urgência, ultim'ora, ultima ora, diretta, in diretta, esclusiva, pilne, na żywo,
    z ostatniej chwili, wideo, son dakika, canlı, flaş, özel, just nu, senaste nytt, direkt,
    direktrapport, analys, siste, siste nytt, ekstra, срочно, молния, видео, эксклюзив, онлайн,
    прямая трансляция, عاجل, مباشر, بث مباشر, فيديو, بالفيديو, شاهد, حصري, بالصور, 快讯, 突发,
    突发新闻, 即时, 独家, 视频, 直播, 最新, 速報, 号外, 動画, 独自, 속보, 단독, 영상, 긴급
""")
# What stands behind a title.
BEHIND = (
    KINDS
    | REFILED
    | _folded("""
    as it happened, as it happens, live reaction, with video, video inside, gallery, sponsored,
    paid content, graphic content, wie es war, como ocurrió
""")
)
# What wires join to the title with a bare hyphen.
WIRE = REFILED | _folded("exclusive, analysis, insight, factbox, timeline, flash, urgent")
# A title that is no more than this says nothing.
MARKS = BEHIND | _folded("news, top news, top stories, headlines, untitled, no title")
