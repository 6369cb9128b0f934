"""Query strings without tracking parameters. The names in the tables are in lower case."""

import re
from functools import lru_cache
from typing import NamedTuple

from nearcopy.extract.urls.hosts import site_of
from nearcopy.extract.urls.split import spell_query


class SiteRules(NamedTuple):
    """Parameters dropped or kept only on one site."""

    dropped: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    starts: tuple[str, ...] = ()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Prefixes of names for campaigns, clicks and mailings on any site.
TRACKING_STARTS = (
    "utm_",
    "utm-",
    "mtm_",  # Matomo, once Piwik
    "matomo_",
    "piwik_",
    "pk_",
    "hsa_",  # HubSpot
    "__hs",
    "_hs",
    "hmb_",
    "cm_mmc",  # IBM, Acoustic
    "at_",  # AT Internet, Piano
    "ga_",
    "itm_",
    "otm_",
    "vn_",
    "oft_",
    "oly_",
    "vero_",
    "sfmc_",  # Salesforce
    "guce_",  # Yahoo's consent pages
    "_guc_",
    "_branch_",
    "bsft_",  # Blueshift
    "fb_",
    "ml_sub",  # MailerLite
    "ir_",  # Impact
    "nb_",  # native advertisements
    "ss_campaign",  # SharpSpring
    "cx_",  # Cxense
    "brave-",
    "dop_",  # Seznam
    "sms_",
    "amp_",
    "__cf_chl",  # Cloudflare's challenges
    "wt.",  # Webtrends
    "mkt_",
    "dm_i",
    "stm_",
    "adobe_mc",
    "action_object_",
    "action_type_",
    "action_ref_",
    "trk_",
    "int_campaign",
    "int_source",
    "int_medium",
    "ns_",  # comScore
)

TRACKING = _words(
    # clicks on advertisements, by who sold them
    "gclid gclsrc gbraid wbraid gad gad_source gad_campaignid dclid fbclid msclkid ttclid twclid"
    " li_fat_id yclid ysclid ymclid igshid igsh epik rdt_cid sccid scclid qclid obclid tblci"
    " oborigurl irclickid irgwc cjevent rb_clickid wickedid syclid unicorn_click_id clickid"
    " click_id srsltid _openstat zanpid awc ranmid raneaid ransiteid vgo_ee kwclickid efid"
    " outbrainclickid dicbo ircid yadclid yadordid"
    # mailings and their readers
    " mc_cid mc_eid mc_tc mkt_tok ck_subscriber_id s_kwcid ss_email_id et_rid et_cid"
    " et_lid eblastid ss_source"
    " bbeml _bhlid _kx __s sc_eh sc_uid sc_customer sc_llid sc_lid sc_channel sc_src dm_i"
    " elqtrack elqtrackid elqaid elqat elqcampaignid elq cvosrc nr_email_referer"
    " emci emdi ceid_hash email_hash emailid subscriber_id newsletter_id nlid nl_id mcid h_sid"
    " h_slt inf_contact_key pn_id trk_contact trk_msg trk_module trk_sid ust_id"
    " hsctatracking mailing_id rs_oid_rd uclick_id"
    # analytics
    " ex_cid s_campaign sznclid hasha hashb hashc"
    " cmp wpisrc dmcid test_uuid test_variant"
    " utm mtm _ga _gl _gac _gid gs_l gs_lcp s_cid icid cmpid camp_id campaign_id campaignid"
    " campid utm_id xtor xt_at xtref wtmc wtzmc wt_mc wt_zmc wtrid wt_mc_n wtmcid cm_cr cm_me"
    " cm_re cm_sp cm_ite cm_lm cm_ven cm_cat cm_pla ncid ocid nclid ecid emc echobox spm scm"
    " spm_id_from os_ehash tracking_source trackingid tracking_id trackid trkid trkinfo"
    " ceneo_spo mbid cndid bxid smtyp smid ito ns_mchannel ns_source ns_campaign ns_linkname"
    " hootpostid soc_src soc_trk sr_share socialreferrer _trkparms _trksid intcmp int_cmp"
    " tpcc taid guccounter __source __twitter_impression"
    " unlocked_article_code gift gift_code sharetoken sharedtoken"
    # where the reader came from, and with what
    " ref ref_ ref_src ref_url refsrc refid refer referer referrer referral referral_code"
    " reflink referringsource referrer_access_token share_id shareid share_token sharetype"
    " sharesource share_source share_medium share_from share_app_id share_type shared"
    " partageapp __tn__ __cft__ __xts__ mibextid sfnsn wtsid feature_source feedtype feedname"
    " fromrss rss rssfeed feed_tracker locallinksenabled ftcamp ftag ssm cmp_id wprov"
    # AMP and its viewers
    " amp amphtml __amp _amp isamp ampmode aoh usqp"
    # sessions
    " phpsessid jsessionid sessionid session_id aspsessionid cfid cftoken"
    # nothing but caches and clocks
    " _ nocache cachebuster cache_buster cb_rand"
) | {f"{letter}mc" for letter in "abcdefghijklmnopqrstuvwxyz"}

# Names that other lists drop everywhere, kept here.
NOT_DROPPED = {
    "mc": "a bare `mc` names the category or the article in several content systems",
}

# Names that may choose a page or an edition: dropped where the value is but a channel.
CHANNEL_NAMES = _words("from medium origin partner s share source src track via output_source")
CHANNELS = _words(
    "app bluesky copy copylink email facebook fb feed feedburner feeds flipboard google"
    " googlenews home homepage ig instagram linkedin mail mastodon messenger mobile msn newsletter"
    " pinterest push reddit rss rss2 sharebar share sharing sms social socialflow telegram threads"
    " tw twitter web weibo whatsapp x yahoo twsrc tco nl"
)

# Names that hold the format: dropped where that is AMP.
AMP_FORMATS = _words("output outputtype view type mode format template page_type")

# Names that hold a session where the value looks like one, and else something that counts.
SESSIONS = _words("sid s session sess phpsid oscsid zenid")

_BBC = SiteRules(_words("pinned_post_locator pinned_post_asset_id pinned_post_type"))
_BLOOMBERG = SiteRules(_words("srnd in_source leadsource trk sref embedded-checkout"))
_CONDE_NAST = SiteRules(_words("source esrc intcid"))
_SEZNAM = SiteRules(_words("source seq_no"))
_TWITTER = SiteRules(_words("s t cn cxt src"))

# By registrable domain, or by host. The rules of a host replace those of
# its site's. `kept` wins over everything above: there the name identifies what is shown.
SITE_RULES: dict[str, SiteRules] = {
    "abc.net.au": SiteRules(_words("sf nw pfm pfmredir")),
    "aljazeera.com": SiteRules(_words("traffic_source")),
    "allure.com": _CONDE_NAST,
    "apnews.com": SiteRules(_words("taid")),
    "architecturaldigest.com": _CONDE_NAST,
    "arstechnica.com": _CONDE_NAST,
    "bbc.co.uk": _BBC,
    "bbc.com": _BBC,
    "bilibili.com": SiteRules(_words("from from_source seid vd_source timestamp unique_k mid")),
    "bloomberg.com": _BLOOMBERG,
    "bloomberglaw.com": _BLOOMBERG,
    "bonappetit.com": _CONDE_NAST,
    "businessinsider.com": SiteRules(_words("r ir")),
    "buzzfeed.com": SiteRules(_words("origin")),
    "cbsnews.com": SiteRules(_words("intcid linkid")),
    "cnbc.com": SiteRules(_words("par doc")),
    "cnet.com": SiteRules(_words("intcid linkid")),
    "cnn.com": SiteRules(_words("hpt eref sr cid iid")),
    "csmonitor.com": SiteRules(_words("nav")),
    "dailymail.co.uk": SiteRules(_words("mol_source")),
    "diepresse.com": SiteRules(_words("from")),
    "dw.com": SiteRules(_words("maca")),
    "economist.com": SiteRules(_words("fsrc cid1 etear")),
    "eonline.com": SiteRules(_words("source medium content")),
    "facebook.com": SiteRules(
        _words(
            "eid hc_location hc_ref paipv rdr _rdr rdc eav idorvanity acontext app"
            " locale _nc_x comment_tracking dti external_ref fref ls_ref sfnsn source tracking"
            " video_source"
        ),
        kept=_words("id story_fbid fbid v"),
        starts=("__cft__", "__xts__", "hc_"),
    ),
    "forbes.com": SiteRules(_words("sh ss")),
    "foxnews.com": SiteRules(_words("test")),
    "ft.com": SiteRules(_words("trk segmentid sharetype accesstoken desktop")),
    "gamespot.com": SiteRules(_words("intcid linkid posttype servicetype thetime uniqueid")),
    "github.com": SiteRules(kept=_words("ref")),
    "gitlab.com": SiteRules(kept=_words("ref")),
    "glamour.com": _CONDE_NAST,
    "go.com": SiteRules(_words("cid")),
    "gq.com": _CONDE_NAST,
    "hbr.org": SiteRules(_words("ab deliveryname")),
    "hs.fi": SiteRules(_words("share")),
    "huffingtonpost.com": SiteRules(_words("ir")),
    "huffpost.com": SiteRules(_words("ncid section")),
    "independent.co.uk": SiteRules(_words("r")),
    "indiatimes.com": SiteRules(_words("from mdr utm_src")),
    "instagram.com": SiteRules(_words("img_index hl ig_rid")),
    "latimes.com": SiteRules(_words("_amp")),
    "lefigaro.fr": SiteRules(_words("m_i een seen")),
    "lemonde.fr": SiteRules(_words("lmd_medium lmd_campaign lmd_creation lmd_source random")),
    "linkedin.com": SiteRules(
        _words("trk trackingid trackingcode rcm original_referer lipi licu midtoken")
    ),
    "marketscreener.com": SiteRules(
        _words(
            "acomposeinputsearch add_mots countview lien mots noredirect rewritelast type_recherche"
            " type_recherche_forum"
        )
    ),
    "marketwatch.com": SiteRules(_words("mod siteid")),
    "medium.com": SiteRules(_words("source sk _branch_match_id")),
    "metro.co.uk": SiteRules(_words("ito")),
    "msn.com": SiteRules(_words("cvid ei pc fullscreen")),
    "nature.com": SiteRules(_words("error code")),
    "nbcnews.com": SiteRules(_words("cid")),
    "news.google.com": SiteRules(_words("oc hl gl ceid ved")),
    "newyorker.com": _CONDE_NAST,
    "nikkei.com": SiteRules(_words("adid i_cid n_cid waad")),
    "novinky.cz": _SEZNAM,
    "npr.org": SiteRules(_words("ft f sc"), kept=_words("storyid story")),
    "nytimes.com": SiteRules(
        _words(
            "_r action algo clicksource contentplacement gwh gwt mtrref"
            " contentcollection context emc hp instance_id"
            " module nl partner pgtype pool referringsource regi_id region req_id rref"
            " ribbon-ad-idx segment_id sgrp src surface te ugrp user_id variant version"
            " wt.nav smprod mabreward auth login em_pos impression_id"
        )
    ),
    "onet.pl": SiteRules(_words("srcc utm_v")),
    "outsideonline.com": SiteRules(_words("scope")),
    "pitchfork.com": _CONDE_NAST,
    "politico.com": SiteRules(_words("hp lo nname nrid")),
    "prvnizpravy.cz": SiteRules(_words("xid")),
    "reddit.com": SiteRules(
        _words("context rdt correlation_id post_index post_fullname target_user $deep_link $3p"),
        starts=("ref_", "%24", "$"),
    ),
    "reuters.com": SiteRules(
        _words("il rpc feedtype feedname edition-redirect virtualbrandchannel")
    ),
    "scmp.com": SiteRules(_words("module pgtype campaign")),
    "seznamzpravy.cz": _SEZNAM,
    "sohu.com": SiteRules(_words("pvid")),
    "spiegel.de": SiteRules(_words("sara_ref d")),
    "substack.com": SiteRules(_words("r s isfreemail triedredirect showwelcome token")),
    "techcrunch.com": SiteRules(_words("sr")),
    "teenvogue.com": _CONDE_NAST,
    "telegraph.co.uk": SiteRules(_words("li_source li_medium wt_mc")),
    "teletrader.com": SiteRules(_words("internal")),
    "theatlantic.com": SiteRules(_words("utm_term")),
    "therecord.media": SiteRules(_words("trk")),
    "thetimes.co.uk": SiteRules(_words("region")),
    "threads.com": SiteRules(_words("xmt")),
    "tiktok.com": SiteRules(
        _words(
            "_t _r _d u_code share_app_name share_iid timestamp"
            " is_from_webapp sender_device web_id refer embed_source"
        )
    ),
    "tweakers.net": SiteRules(_words("nb u")),
    "twitter.com": _TWITTER,
    "usatoday.com": SiteRules(_words("gnt-cfr gps-source gca-cat gca-uir gca-epti gca-ft gca-ds")),
    "vanityfair.com": _CONDE_NAST,
    "vogue.com": _CONDE_NAST,
    "washingtonpost.com": SiteRules(
        _words("itid hpid tid arc404 outputtype nid wpisrc wpmm wpmk pwapi_token"),
    ),
    "weibo.com": SiteRules(_words("dt_dapp weibo_id")),
    "wikipedia.org": SiteRules(_words("wprov useskin")),
    "wired.co.uk": _CONDE_NAST,
    "wired.com": _CONDE_NAST,
    "wsj.com": SiteRules(_words("mod reflink st")),
    "x.com": _TWITTER,
    "yahoo.com": SiteRules(_words("soc_src soc_trk tsrc bcmt fr")),
    "yle.fi": SiteRules(_words("origin")),
    "youtube.com": SiteRules(
        _words(
            "feature si pp app kw is source_ve_path ab_channel embeds_euri embeds_origin"
            " embeds_loader_url_for_pings t start index"
        ),
        kept=_words("v list"),
    ),
}


_NOTHING = SiteRules()
# What a session's id looks like: long, of one run, and with digits.
_SESSION_VALUE = re.compile(r"(?=[A-Za-z]*+[0-9])[A-Za-z0-9]{20,}+")
# "?id=3?utm_source=x": tracking that was pasted on; "&amp;id=3": an ampersand left as in HTML.
_PASTED = re.compile(r"\?(?=utm_|fbclid=|gclid=)|(?:^|&)(?:amp;)++")


class Parameter(NamedTuple):
    """A parameter as it is compared."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name


def clean_query(query: str, host: str) -> str:
    """The parameters that identify a page of this host, each once and sorted.

    >>> clean_query("z=1&utm_source=x&id=3&fbclid=abc&b=", "example.com")
    'b&id=3&z=1'
    """
    if not query:
        return ""
    rules = _rules(host)
    kept = {parameter for parameter in parameters(query) if not _is_noise(parameter, rules)}
    return "&".join(map(str, sorted(kept)))


def parameters(query: str) -> list[Parameter]:
    """The parameters of a query in one spelling; those without a name are none."""
    pairs = []
    for piece in _PASTED.sub("&", spell_query(query.replace("+", " "))).split("&"):
        name, _, value = piece.partition("=")
        if name:
            pairs.append(Parameter(name, value.replace("=", "%3D")))
    return pairs


@lru_cache(maxsize=1 << 14)
def _rules(host: str) -> SiteRules:
    """The rules of a host, its site, or its platform."""
    own = site_of(host)
    names = (host, own, own.partition(".")[2])
    return next((SITE_RULES[name] for name in names if name in SITE_RULES), _NOTHING)


def _is_noise(parameter: Parameter, rules: SiteRules) -> bool:
    """Whether a parameter does not identify the page."""
    name = parameter.name.lower().removeprefix("?")
    if name in rules.kept:
        return False
    return (
        name in TRACKING
        or name.startswith(TRACKING_STARTS)
        or name in rules.dropped
        or (rules.starts != () and name.startswith(rules.starts))
        or _is_noise_by_value(name, parameter.value)
    )


def _is_noise_by_value(name: str, value: str) -> bool:
    """Whether the value shows that an ambiguous name does not identify the page."""
    if name in CHANNEL_NAMES:
        channel = value.lower().removeprefix("rss_")
        return channel in CHANNELS or channel != value.lower() or channel.endswith("_rss")
    if name in AMP_FORMATS:
        return value.lower() in ("amp", "amphtml")
    return name in SESSIONS and _SESSION_VALUE.fullmatch(value) is not None
