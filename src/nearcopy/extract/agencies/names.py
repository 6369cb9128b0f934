"""The table of news agencies: their names, spellings and sites."""

import re
from functools import lru_cache

from nearcopy.extract.urls import site

# One agency per line or two: name | spellings | sites. Lowercase spellings match in any case, the
# others only as written: "AA" may be an agency, "aa" is not.
AGENCIES = """
Associated Press | AP, ap, the associated press, associated press | apnews.com, ap.org
Associated Press | ا ب, أ ب, أسوشيتد برس, اسوشيتد برس, АП, 美联社, AP通信 |
Reuters | reuters, reuter, rtr, reu, thomson reuters | reuters.com
Reuters | رويترز, Рейтер, Рейтерс, 路透社, 路透, ロイター, 로이터, רויטרס |
AFP | afp, agence france-presse, agence france presse | afp.com
AFP | أ ف ب, ا ف ب, أف ب, فرانس برس, АФП, 法新社, AFP通信 |
dpa | dpa, dpa-afx, dpa-tmn, dpa-infocom, deutsche presse-agentur | dpa.com
dpa | د ب أ, د ب ا, ДПА, 德新社 |
EFE | EFE, efe, agencia efe, epa-efe | efe.com
Europa Press | europa press, europapress | europapress.es
ANSA | ANSA, ansa | ansa.it
Adnkronos | adnkronos | adnkronos.com
AGI | AGI | agi.it
Lusa | LUSA, lusa, agência lusa | lusa.pt
Agência Brasil | agência brasil | ebc.com.br
Estadão Conteúdo | estadão conteúdo, estadao conteudo |
Folhapress | folhapress |
Notimex | notimex, NTX |
Télam | télam, telam | telam.com.ar
Prensa Latina | prensa latina | prensa-latina.cu
Xinhua | xinhua, xinhua news agency | xinhuanet.com, news.cn
Xinhua | شينخوا, Синьхуа, 新华社, 新華社, 新华, 新華 |
China News Service | china news service, 中新社, 中新网 | chinanews.com.cn
CNA | 中央社, 中央通訊社 | cna.com.tw
TASS | TASS, ITAR-TASS, ТАСС, ИТАР-ТАСС, تاس | tass.ru, tass.com
RIA Novosti | ria novosti, РИА Новости, риа новости, РИА | ria.ru
Interfax | interfax, интерфакс | interfax.ru, interfax.com
Sputnik | sputnik, спутник, سبوتنيك | sputniknews.com
UNIAN | UNIAN, УНИАН | unian.ua, unian.net
Ukrinform | ukrinform, укринформ, укрінформ | ukrinform.net, ukrinform.ua
BelTA | BELTA, belta, БЕЛТА | belta.by
Anadolu | anadolu, anadolu agency, anadolu ajansı, AA, الأناضول, الاناضول | aa.com.tr
DHA | DHA, demirören haber ajansı, doğan haber ajansı | dha.com.tr
İHA | İHA, IHA, ihlas haber ajansı | iha.com.tr
PTI | PTI, press trust of india, पीटीआई, पीटीआइ | ptinews.com
ANI | ANI, asian news international, एएनआई | aninews.in
IANS | IANS, indo-asian news service, आईएएनएस | ians.in
UNI | UNI, united news of india, वार्ता | uniindia.com
Kyodo | kyodo, kyodo news, 共同, 共同通信, 共同社 | kyodonews.net, kyodonews.jp
Jiji | jiji, jiji press, 時事, 時事通信 | jiji.com
Yonhap | yonhap, yonhap news, yonhap news agency, 연합, 연합뉴스, 韩联社, 聯合ニュース | yna.co.kr
Newsis | newsis, 뉴시스 | newsis.com
News1 | 뉴스1 | news1.kr
PAP | PAP, pap, polska agencja prasowa | pap.pl
SPA | SPA, saudi press agency, واس, وكالة الأنباء السعودية | spa.gov.sa
WAM | WAM, emirates news agency, وام, وكالة أنباء الإمارات | wam.ae
KUNA | KUNA, كونا, وكالة الأنباء الكويتية | kuna.net.kw
QNA | QNA, qatar news agency, قنا, وكالة الأنباء القطرية | qna.org.qa
BNA | BNA, بنا, وكالة أنباء البحرين | bna.bh
MENA | MENA, أ ش أ, وكالة أنباء الشرق الأوسط | mena.org.eg
Petra | petra, بترا | petra.gov.jo
SANA | SANA, سانا | sana.sy
IRNA | IRNA, إرنا | irna.ir
MAP | MAP, و م ع | mapnews.ma
Bloomberg | bloomberg, bloomberg news | bloomberg.com
Bloomberg | بلومبرغ, بلومبيرغ, Блумберг, 彭博, 彭博社, ブルームバーグ, 블룸버그 |
UPI | UPI, united press international | upi.com
Canadian Press | canadian press, the canadian press, CP, la presse canadienne | thecanadianpress.com
PA Media | PA, PA Media, press association, the press association, pa news agency | pa.media
AAP | AAP, australian associated press | aap.com.au
APA | APA, apa | apa.at
Keystone-SDA | sda, SDA, keystone-sda, ats, ATS | keystone-sda.ch
ANP | ANP | anp.nl
Belga | belga | belga.be
Ritzau | ritzau | ritzau.dk
NTB | NTB | ntb.no
TT | TT, TT Nyhetsbyrån | tt.se
STT | STT | stt.fi
MTI | MTI | mti.hu
ČTK | ČTK, CTK, ctk, čtk | ctk.cz, ctk.eu
Agerpres | agerpres | agerpres.ro
Tanjug | tanjug | tanjug.rs
Antara | antara | antaranews.com
Bernama | bernama, 马新社 | bernama.com
PR Newswire | prnewswire, pr newswire | prnewswire.com
Business Wire | business wire, businesswire | businesswire.com
GlobeNewswire | globenewswire, globe newswire | globenewswire.com
"""
# Also places and plain words, so no credit in a dateline ...
NOT_DATELINES = frozenset(("PA", "CP", "TT", "MENA", "UNI", "MAP", "بنا", "petra", "antara"))
# ... and only there: the short name of Qatar's agency is also the town of Qena.
ONLY_BRACKETED = frozenset(("قنا", "بنا", "تاس"))
LONGEST = 40
# Agencies that are not in the table, recognised in datelines: "Meridian Wire".
UNLISTED_AGENCY = re.compile(
    r"(?:[^\W\d_a-zа-я][\w'.&-]{0,20}+ ){1,3}"
    r"(?:Wire|Newswire|News Agency|News Service|Press Agency)"
)


def _lines() -> list[list[list[str]]]:
    return [
        [[part.strip() for part in cell.split(",")] for cell in line.split("|")]
        for line in AGENCIES.strip().splitlines()
    ]


@lru_cache(maxsize=1)
def _forms() -> dict[str, str]:
    return {form: name for (name,), forms, _ in _lines() for form in forms}


@lru_cache(maxsize=1)
def _sites() -> dict[str, str]:
    return {host: name for (name,), _, sites in _lines() for host in sites if host}


def agency(called: str) -> str | None:
    """The agency with this spelling; None if there is none.

    >>> agency("The Associated Press"), agency("REUTERS"), agency("spa"), agency("واس")
    ('Associated Press', 'Reuters', None, 'SPA')
    """
    if len(called) > LONGEST:
        return None
    forms = _forms()
    return forms.get(called) or forms.get(called.lower())


@lru_cache(maxsize=4096)
def agency_of(source: str) -> str | None:
    """The agency that a source is, by its name or its site.

    >>> agency_of("reuters"), agency_of("www.apnews.com"), agency_of("harbourtimes.example")
    ('Reuters', 'Associated Press', None)
    """
    host = site("//" + source) if "." in source and " " not in source else None
    return _sites().get(host or "") or agency(source.strip()) or agency(source.strip().upper())


@lru_cache(maxsize=1)
def spelled_out() -> tuple[str, ...]:
    """The unambiguous spellings: two words or more, in lower case."""
    return tuple(form for form in _forms() if " " in form and form.islower() and len(form) > 10)
