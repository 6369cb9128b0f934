"""Names in Han characters, which no capital betrays: known places, and what looks like a name.

A name is a known place, a surname with one or two characters, or what stands first in a title and
is no common word: who or what it is about.
"""

from functools import cache
from importlib.resources import files
from itertools import pairwise

from nearcopy.extract.titles.normalize import normal

SHORTEST, LONGEST = 2, 4  # characters of a name


def _listed(name: str) -> frozenset[str]:
    """The words of a file, in the characters of folded titles."""
    lines = files(__package__).joinpath(name).read_text("utf-8").splitlines()
    return _folded(" ".join(line for line in lines if not line.startswith("#")))


def _folded(table: str) -> frozenset[str]:
    """The words of a table, in the characters of folded titles."""
    return frozenset(normal(word).replace(" ", "") for word in table.split())


PLACES = _listed("han_places.txt")
# Surnames that begin few other words.
SURNAMES = frozenset(
    "王李张刘陈杨赵吴徐孙朱郭罗郑梁宋韩冯邓曹彭萧董袁潘蔡蒋杜魏苏吕沈姚卢姜崔谭陆汪廖贾邱孟秦薛侯雷"
    "龚邵戴"
)
# Words of newsrooms, and some that begin like a surname, which few dictionaries count as common.
OF_NEWS = _folded("""
上市 上映 上月 上调 下周 下月 下调 两国 丧生 中秋 今晨 今起 俄方 元旦 公交 出炉 判刑 台风 国庆 国足
外国 外媒 多国 多地 大巴 大涨 大跌 大雪 大风 央行 女排 女童 女足 孙女 孙子 官媒 客机 寒假 寒潮 年内
延期 张开 张贴 强震 徐徐 快讯 戴上 抓获 拘留 推迟 揭晓 数名 新冠 新款 日方 明星 明起 暑假 暑期 暴涨
暴跌 暴雪 曝光 本周 李子 杜绝 枪击 检方 楼市 歌手 民警 沪指 油价 洪水 洪灾 渔船 独家 王国 王子 王牌
王者 男童 男篮 疫情 疫苗 空袭 组图 罗列 美方 聚焦 苏联 苏醒 落网 财长 货车 货轮 身亡 车市 车祸 速报
遇难 重磅 金价 闭幕 陆军 陆战 陆路 陈列 陈述 雷同 雷达 雷雨 韩元 韩方 飓风 飙升 首个 首例 首款 高铁
""")


@cache
def common_words() -> frozenset[str]:
    """Words that are no names: the common ones of tools/make_han_words.py, and those of news."""
    return (_listed("han_words.txt") | OF_NEWS) - PLACES


def is_place(name: str) -> bool:
    """Whether it is a well-known place."""
    return name in PLACES


def are_other(x: str, y: str, *, leads: bool) -> bool:
    """Whether two runs of characters in one place of two titles are names of different things.

    `leads` is whether they stand first.

    >>> are_other("北京", "上海", leads=False), are_other("发布", "推出", leads=True)
    (True, False)
    """
    if len(x) == len(y) == 1:
        return x in SURNAMES and y in SURNAMES
    if not all(SHORTEST <= len(name) <= LONGEST or name in PLACES for name in (x, y)):
        return False
    if x in PLACES or y in PLACES or leads:
        return not _is_common(x) and not _is_common(y)
    return _is_person(x) and _is_person(y)


def _is_person(name: str) -> bool:
    return name[0] in SURNAMES and len(name) < LONGEST and not _is_common(name)


def _is_common(name: str) -> bool:
    """Whether a common word is in it; a known place has none."""
    words = common_words()
    return name not in PLACES and any(a + b in words for a, b in pairwise(name))
