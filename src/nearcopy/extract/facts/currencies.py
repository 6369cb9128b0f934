"""Currencies: how they are written, what they are called, and roughly what they are worth.

A currency is added here and nowhere else: its signs in `CURRENCY_BEFORE` or its words in
`CURRENCY_AFTER`, its value in `ROUGH_DOLLARS`, and its English name in `CURRENCY_NAMES`.
"""

CURRENCY_BEFORE = {
    "us$": "USD", "$": "USD", "usd": "USD", "a$": "AUD", "au$": "AUD", "aud": "AUD", "c$": "CAD",
    "ca$": "CAD", "cad": "CAD", "hk$": "HKD", "hkd": "HKD", "nz$": "NZD", "s$": "SGD",
    "sgd": "SGD", "nt$": "TWD", "r$": "BRL", "mex$": "MXN", "€": "EUR", "eur": "EUR", "£": "GBP",
    "gbp": "GBP", "¥": "JPY", "jpy": "JPY", "rmb": "CNY", "cny": "CNY", "cn¥": "CNY",
    "₹": "INR", "rs": "INR", "rs.": "INR", "inr": "INR", "₩": "KRW", "₽": "RUB",
    "₺": "TRY", "₪": "ILS", "₦": "NGN", "₱": "PHP", "₫": "VND", "₴": "UAH", "chf": "CHF",
    "sek": "SEK", "nok": "NOK", "dkk": "DKK", "aed": "AED", "sar": "SAR", "rm": "MYR",
    "rp": "IDR", "zł": "PLN",
}  # fmt: skip
CURRENCY_AFTER = {
    **dict.fromkeys(("$", "dollar", "dollars", "usd", "دولار", "美元", "ドル", "डॉलर"), "USD"),
    **dict.fromkeys(("€", "euro", "euros", "eur", "يورو", "欧元", "歐元", "ユーロ"), "EUR"),
    **dict.fromkeys(("£", "pound", "pounds", "gbp", "英镑", "英鎊"), "GBP"),
    **dict.fromkeys(("yen", "jpy", "円", "日元"), "JPY"),
    **dict.fromkeys(("yuan", "rmb", "cny", "元", "人民币", "人民幣"), "CNY"),
    **dict.fromkeys(("rupee", "rupees", "inr", "रुपये", "रुपए"), "INR"),
    **dict.fromkeys(("kr", "kronor", "kronas", "sek"), "SEK"),
    **dict.fromkeys(("franc", "francs", "chf", "franken"), "CHF"),
    **dict.fromkeys(("riyal", "riyals", "ريال"), "SAR"),
    **dict.fromkeys(("dirham", "dirhams", "درهم"), "AED"),
    **dict.fromkeys(("won", "krw"), "KRW"),
    **dict.fromkeys(("ruble", "rubles", "roubles"), "RUB"),
    **dict.fromkeys(("reais",), "BRL"),
    **dict.fromkeys(("港元", "港币", "港幣"), "HKD"),
    **dict.fromkeys(("新台币", "新台幣", "台币", "台幣"), "TWD"),
    "pesos": "MXN", "naira": "NGN", "جنيه": "EGP", "zloty": "PLN", "zł": "PLN", "tl": "TRY",
    "lira": "TRY", "shekels": "ILS",
}  # fmt: skip
# Words that only numerals in Chinese characters are followed by.
CURRENCY_AFTER_CHINESE = {
    **{word: code for word, code in CURRENCY_AFTER.items() if word[0] >= "\u2e80"},
    "韩元": "KRW", "日圆": "JPY", "卢布": "RUB", "加元": "CAD", "澳元": "AUD",
}  # fmt: skip
# Signs, and the last characters of words in scripts without spaces: one of them is in every sum.
CURRENCY_SIGNS = frozenset(
    word[-1]
    for word in (*CURRENCY_BEFORE, *CURRENCY_AFTER)
    if word[-1] >= "\u2e80" or not (word[-1].isalpha() or word[-1] == ".")
)
# Currency words only after a large sum: "3 won gold", "40 pounds lighter".
AMBIGUOUS_CURRENCIES = frozenset(("won", "pound", "pounds"))
# Dollars per unit, close enough to recognise one deal in two currencies.
ROUGH_DOLLARS = {
    "USD": 1.0, "EUR": 1.1, "GBP": 1.3, "CHF": 1.15, "AUD": 0.66, "CAD": 0.73, "NZD": 0.6,
    "SGD": 0.75, "HKD": 0.128, "CNY": 0.14, "TWD": 0.031, "JPY": 0.007, "KRW": 0.00073,
    "INR": 0.012, "SEK": 0.1, "NOK": 0.095, "DKK": 0.147, "AED": 0.272, "SAR": 0.267, "BRL": 0.18,
    "MXN": 0.055, "RUB": 0.012, "TRY": 0.028, "ILS": 0.28, "NGN": 0.00065, "PHP": 0.0175,
    "VND": 0.00004, "UAH": 0.024, "MYR": 0.23, "IDR": 0.000062, "PLN": 0.26, "EGP": 0.02,
}  # fmt: skip
CURRENCY_NAMES = {
    "USD": "dollars", "EUR": "euros", "GBP": "pounds", "INR": "rupees", "JPY": "yen",
    "CNY": "yuan", "SEK": "kronor", "CHF": "francs", "AUD": "Australian dollars",
    "CAD": "Canadian dollars", "HKD": "Hong Kong dollars",
}  # fmt: skip
