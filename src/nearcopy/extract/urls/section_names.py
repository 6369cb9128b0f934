"""The usual names of sections and listings in addresses, in the languages of much news."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A path of nothing but these names a section, not an article.
SECTIONS = _words(
    "home homepage index news new latest breaking top headlines world us usa uk europe asia africa"
    " americas middleeast middle-east international national local nation politics business"
    " economy markets finance money tech technology science health sport sports football soccer"
    " culture arts entertainment lifestyle life style travel food opinion opinions comment"
    " commentisfree video videos photos pictures podcasts live weather education environment"
    " climate media magazine newsletters today mobile amp main start startseite"
    " portada inicio accueil nachrichten aktuell politik wirtschaft panorama kultur wissen"
    " ausland inland noticias actualidad internacional nacional economia deportes mundo"
    " politica sociedad actualites actualite monde politique economie societe france culture"
    " notizie cronaca esteri sport economia spettacoli"
    " wiadomosci kraj swiat haber haberler gundem dunya ekonomi spor siyaset"
    " zh-hans zh-hant simp trad xinwen"
)

# Parameters that choose the edition of a home page, not a page.
EDITIONS = frozenset({"", "lang", "hl", "gl", "ceid", "edition", "locale", "region", "country"})

# What stands before the name of a listing: /tag/storms, /author/jane-doe.
LISTINGS = _words(
    "tag tags topic topics category categories section author authors by people profile archive"
    " archives search label labels page series collection hub thema themen schlagwort autor"
    " etiqueta tema temas categoria mot-cle dossier sujet"
)

# What templates leave behind when they have no address to give.
NAMELESS = frozenset(
    {"undefined", "null", "none", "false", "nan", "404", "error", "[object object]"}
)
