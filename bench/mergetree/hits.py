"""Rows of ClickBench's table `hits`: its 105 columns, and values made up so that its 43 queries meet what they meet there.

Everything follows from a seed. Who visits, which counter, which page and which phrase are skewed by a power law: a number
x drawn evenly from 0 to 1 takes the entry `size * x ** power`, so that with power 4 the first of 2,000 has 15 % and the
last 0.01 %. What belongs to a visitor (region, address, browser, screen) follows from the visitor's number, what belongs to
a page (its counter, URL, title and hash) from the page's, so columns depend on one another as they do in a log. The values
that the queries name (counter 62, three hashes and ids) are those of things that are visited often.

A file has the events of its share of July 2013, in the order in which they came.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

COUNTERS = 2_000
COUNTER_POWER = 4
# The second most visited counter is the one that the queries ask for.
COUNTER_WANTED = (1, 62)
USER_WANTED = (5_000, 435090932899640449)
URL_HASH_WANTED = 2868770270353813622
REFERER_HASH_WANTED = 3594120000172545465
BEGIN = np.datetime64("2013-07-01T00:00:00", "s")
DAYS = 31
# Share of a day's events in each hour.
HOURS = np.array([15, 9, 6, 5, 5, 8, 14, 25, 38, 48, 53, 55, 54, 55, 55, 54, 53, 52, 51, 52, 54, 53, 44, 28]) / 986


def mixed(numbers: np.ndarray) -> np.ndarray:
    """A number that looks random for each number (splitmix64's finaliser)."""
    x = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def positive(numbers: np.ndarray) -> np.ndarray:
    return (mixed(numbers) >> np.uint64(1)).astype(np.int64)


def even(numbers: np.ndarray, salt: int) -> np.ndarray:
    """For each number one from 0 to 1 that follows from it."""
    return (mixed(mixed(numbers) + np.uint64(salt)) >> np.uint64(11)).astype(np.float64) / 2**53


def weighted(values: list, weights: list, x: np.ndarray):
    """The value at each x of 0 to 1, where values lie side by side as wide as their weights."""
    at = np.searchsorted(np.cumsum(weights) / np.sum(weights), x, side="right")
    at = np.minimum(at, len(values) - 1)
    return pa.array(values).take(pa.array(at)) if isinstance(values[0], str) else np.array(values)[at]


def joined(*pieces) -> pa.Array:
    return pc.binary_join_element_wise(*pieces, "")


def words(syllables: list[str], count: int, salt: int) -> pa.Array:
    """Words of two to four syllables."""
    numbers = np.arange(count)
    some = pa.array([*syllables, ""])
    pieces = []
    for place in range(4):
        at = (even(numbers, salt + place) * len(syllables)).astype(np.int64)
        if place > 1:
            at = np.where(even(numbers, salt + 10 + place) < 0.5, at, len(syllables))
        pieces.append(some.take(pa.array(at)))
    return joined(*pieces)


LATIN = words([a + b for a in "bdfgklmnprstvz" for b in "aeiou"], 4_000, 1)
CYRILLIC = words([a + b for a in "бвгдклмнпрстх" for b in "аеиоуы"], 4_000, 2)
MODELS = ["iPad", "iPhone", "A500", "N8-00", "iPho", "ONE TOUCH 6030A", "GT-P7300B", "3110000", "GT-I9500", "eagle75",
          *(f"{maker}-{number}" for maker in ("GT", "Lumia", "XPERIA", "HTC", "LG") for number in range(100, 3_000, 100))]  # fmt: skip


@dataclass
class Pools:
    """Texts that rows choose from: pages, what led to them, titles, phrases."""

    rows: int
    pages: int
    urls: pa.Array
    titles: pa.Array
    phrases: pa.Array
    referers: pa.Array


def counter_of_page(page: np.ndarray, pages: int) -> np.ndarray:
    """Counters have pages as they have visits."""
    return np.minimum((COUNTERS * (page / pages) ** COUNTER_POWER).astype(np.int64), COUNTERS - 1)


def pick(words: pa.Array, numbers: np.ndarray, salt: int, power: float = 1) -> pa.Array:
    return words.take(pa.array((len(words) * even(numbers, salt) ** power).astype(np.int64)))


def made_urls(pages: np.ndarray, sites: np.ndarray) -> pa.Array:
    """Addresses of 20 to 150 bytes; of 2,000 one is about google."""
    site = pick(LATIN, sites, 20)
    special = weighted(["", "google/"], [1999, 1], even(pages, 26))
    section = weighted(["catalog/", "news/", "search?text=", "forum/topic", "photo/", "index.ru?showtopic="], [30, 25, 15, 10, 15, 5], even(pages, 21))
    tail = weighted([".html", "/?page=", "&lang=ru&from=", "#", "&lr=213&text=", "/comments/all/#comment_"], [35, 20, 15, 10, 10, 10], even(pages, 25))
    numbers = pc.cast(pa.array(positive(pages) % 100_000), pa.string())
    host = weighted(["http://", "http://www.", "https://", "http://m."], [60, 25, 10, 5], even(sites, 22))
    zone = weighted([".ru/", ".com/", ".com.tr/", ".net/"], [75, 15, 6, 4], even(sites, 23))
    more = pick(LATIN, pages, 24, 2)
    return joined(host, site, zone, special, section, more, "-", pick(LATIN, pages, 27, 2), tail, numbers)


def made_titles(pages: np.ndarray) -> pa.Array:
    special = weighted(["", " - Google Chrome"], [999, 1], even(pages, 36))
    parts = [pick(CYRILLIC, pages, 30 + place, 2) for place in range(4)]
    end = weighted([" - купить", " | новости", " смотреть онлайн", ""], [20, 20, 10, 50], even(pages, 35))
    return joined(parts[0], " ", parts[1], ", ", parts[2], " ", parts[3], end, special)


def made_phrases(numbers: np.ndarray) -> pa.Array:
    parts = [pick(CYRILLIC, numbers, 40 + place, 3) for place in range(3)]
    last = pc.cast(pa.array(positive(numbers) % 2_014), pa.string())
    return joined(parts[0], " ", parts[1], " ", parts[2], " ", last)


def pools(rows: int) -> Pools:
    """As many of everything as `rows` rows have at ClickBench."""
    pages = np.arange(max(rows // 5, COUNTERS * 2))
    sites = counter_of_page(pages, len(pages))
    phrases = made_phrases(np.arange(max(rows // 16, 1_000)))
    # One site leads to most pages: the engine people search with.
    led = np.arange(max(rows // 6, 1_000))
    from_sites = (COUNTERS * even(led, 50) ** COUNTER_POWER).astype(np.int64) + COUNTERS
    return Pools(rows, len(pages), made_urls(pages, sites), made_titles(pages // 2), phrases, made_urls(led + 2 * len(pages), from_sites))


class Chunk:
    """The rows of one file: who, what, when."""

    def __init__(self, pools: Pools, file: int, files: int, seed: int):
        self.pools = pools
        self.rows = rows = pools.rows // files
        self.chance = chance = np.random.default_rng([seed, file])
        users = max(pools.rows // 6, USER_WANTED[0] + 1)
        self.user = (users * chance.random(rows) ** 2.5).astype(np.int64)
        # A page within its counter is skewed again.
        counter = COUNTERS * chance.random(rows) ** COUNTER_POWER
        low, high = ((np.floor(counter) + more) / COUNTERS for more in (0, 1))
        low, high = low ** (1 / COUNTER_POWER), high ** (1 / COUNTER_POWER)
        page = pools.pages * (low + (high - low) * chance.random(rows) ** 3)
        self.page = np.minimum(page.astype(np.int64), pools.pages - 1)
        self.counter = counter_of_page(self.page, pools.pages)
        day = (file + np.sort(chance.random(rows))) / files * DAYS
        hour = weighted(list(range(24)), list(HOURS), day % 1)
        self.seconds = (np.floor(day) * 86_400 + hour * 3_600).astype(np.int64) + chance.integers(0, 3_600, rows)
        self.seconds.sort()
        self.searched = chance.random(rows) < 0.13
        self.referred = chance.random(rows) < 0.81
        self.referer = (len(pools.referers) * chance.random(rows) ** 3).astype(np.int64)
        self.mobile = even(self.user, 60) < 0.06

    def of_user(self, salt: int) -> np.ndarray:
        return even(self.user, salt)

    def where(self, condition: np.ndarray, texts: pa.Array) -> pa.Array:
        return pc.if_else(pa.array(condition), texts, "")


Maker = Callable[[Chunk], object]


def zero(chunk: Chunk):
    return np.zeros(chunk.rows, np.int64)


def empty(chunk: Chunk):
    return pa.repeat("", chunk.rows)


def always(value: int) -> Maker:
    return lambda chunk: np.full(chunk.rows, value)


def share(of_one: float) -> Maker:
    """1 in this share of rows, 0 elsewhere."""
    return lambda chunk: (chunk.chance.random(chunk.rows) < of_one).astype(np.int64)


def one_of(values: list, weights: list) -> Maker:
    return lambda chunk: weighted(values, weights, chunk.chance.random(chunk.rows))


def of_user(values: list, weights: list, salt: int) -> Maker:
    return lambda chunk: weighted(values, weights, chunk.of_user(salt))


def below(limit: int, power: float = 1, zeros: float = 0) -> Maker:
    """Numbers below a limit, skewed to the small ones, and 0 in a share of rows."""

    def made(chunk: Chunk):
        numbers = (limit * chunk.chance.random(chunk.rows) ** power).astype(np.int64)
        return np.where(chunk.chance.random(chunk.rows) < zeros, 0, numbers)

    return made


def user_below(limit: int, salt: int, power: float = 1) -> Maker:
    return lambda chunk: (limit * chunk.of_user(salt) ** power).astype(np.int64)


def tag(prefix: str, of_one: float) -> Maker:
    """Some hundreds of names in a small share of rows."""

    def made(chunk: Chunk):
        numbers = pc.cast(pa.array((300 * chunk.chance.random(chunk.rows) ** 2).astype(np.int64)), pa.string())
        return chunk.where(chunk.chance.random(chunk.rows) < of_one, joined(pa.scalar(prefix), numbers))

    return made


def moment(chunk: Chunk, late: int = 0):
    return BEGIN + (chunk.seconds + (chunk.chance.integers(0, late, chunk.rows) if late else 0)).astype("timedelta64[s]")


def counter_id(chunk: Chunk):
    return np.where(chunk.counter == COUNTER_WANTED[0], COUNTER_WANTED[1], 100 + positive(chunk.counter) % 250_000)


def user_id(chunk: Chunk):
    return np.where(chunk.user == USER_WANTED[0], USER_WANTED[1], positive(chunk.user + 7_000_000_000))


def url_hash(chunk: Chunk):
    # The most visited page of the counter that is asked for is the first of its own.
    first = np.ceil(chunk.pools.pages * (COUNTER_WANTED[0] / COUNTERS) ** (1 / COUNTER_POWER))
    return np.where(chunk.page == int(first), URL_HASH_WANTED, positive(chunk.page + 3_000_000_000))


def referer_hash(chunk: Chunk):
    hashes = np.where(chunk.referer < 50, REFERER_HASH_WANTED, positive(chunk.referer + 5_000_000_000))
    return np.where(chunk.referred, hashes, -296158784638538920)


def client_ip(chunk: Chunk):
    return (positive(chunk.user + 9_000_000_000) % 2**32 - 2**31).astype(np.int64)


def watch_id(chunk: Chunk):
    return chunk.chance.integers(2**62, 2**63 - 1, chunk.rows)


def url(chunk: Chunk):
    return chunk.pools.urls.take(pa.array(chunk.page))


def title(chunk: Chunk):
    texts = chunk.pools.titles.take(pa.array(chunk.page))
    return chunk.where(chunk.chance.random(chunk.rows) < 0.85, texts)


def referer(chunk: Chunk):
    return chunk.where(chunk.referred, chunk.pools.referers.take(pa.array(chunk.referer)))


def original_url(chunk: Chunk):
    return chunk.where(chunk.chance.random(chunk.rows) < 0.15, url(chunk))


def search_phrase(chunk: Chunk):
    at = (len(chunk.pools.phrases) * chunk.chance.random(chunk.rows) ** 2).astype(np.int64)
    return chunk.where(chunk.searched, chunk.pools.phrases.take(pa.array(at)))


def search_engine(chunk: Chunk):
    return np.where(chunk.searched, weighted([2, 3, 13, 4, 28, 59], [45, 30, 10, 8, 4, 3], chunk.chance.random(chunk.rows)), 0)


def phone(chunk: Chunk):
    return np.where(chunk.mobile, (1 + 90 * chunk.of_user(61) ** 3).astype(np.int64), 0)


def phone_model(chunk: Chunk):
    at = (len(MODELS) * chunk.of_user(62) ** 3).astype(np.int64)
    return chunk.where(chunk.mobile, pa.array(MODELS).take(pa.array(at)))


def clipped(of: Maker, low: int, high: int) -> Maker:
    return lambda chunk: np.clip(of(chunk), low, high)


def window(width: list[int], share_of: float, salt: int) -> Maker:
    """A window as large as the screen, less what is cut off it."""

    def made(chunk: Chunk):
        screen = weighted(width, [30, 25, 20, 10, 10, 5], chunk.of_user(salt))
        return (screen * (1 - share_of * chunk.chance.random(chunk.rows) ** 3)).astype(np.int64)

    return made


WIDTHS, HEIGHTS = [1366, 1920, 1280, 1024, 1600, 320], [768, 1080, 1024, 600, 900, 480]
SCREENS = [30, 25, 20, 10, 10, 5]

# Every column in ClickBench's order: its type, and what makes its values.
COLUMNS: dict[str, tuple[str, Maker]] = {
    "WatchID": ("Int64", watch_id),
    "JavaEnable": ("Int16", share(0.8)),
    "Title": ("String", title),
    "GoodEvent": ("Int16", always(1)),
    "EventTime": ("DateTime", moment),
    "EventDate": ("Date", moment),
    "CounterID": ("Int32", counter_id),
    "ClientIP": ("Int32", client_ip),
    "RegionID": ("Int32", user_below(5_000, 70, 4)),
    "UserID": ("Int64", user_id),
    "CounterClass": ("Int16", one_of([0, 1, -1], [70, 25, 5])),
    "OS": ("Int16", user_below(90, 71, 3)),
    "UserAgent": ("Int16", user_below(80, 72, 3)),
    "URL": ("String", url),
    "Referer": ("String", referer),
    "IsRefresh": ("Int16", share(0.08)),
    "RefererCategoryID": ("Int16", below(15_000, 2, 0.5)),
    "RefererRegionID": ("Int32", below(5_000, 3, 0.5)),
    "URLCategoryID": ("Int16", below(15_000, 2, 0.3)),
    "URLRegionID": ("Int32", below(5_000, 3, 0.3)),
    "ResolutionWidth": ("Int16", of_user(WIDTHS, SCREENS, 73)),
    "ResolutionHeight": ("Int16", of_user(HEIGHTS, SCREENS, 73)),
    "ResolutionDepth": ("Int16", of_user([24, 32, 16, 37], [55, 40, 3, 2], 74)),
    "FlashMajor": ("Int16", of_user([11, 10, 0, 9, 15], [60, 20, 12, 5, 3], 75)),
    "FlashMinor": ("Int16", of_user([7, 3, 0, 1, 15], [55, 20, 15, 5, 5], 76)),
    "FlashMinor2": ("String", of_user(["700", "0", "", "D%", "634"], [40, 25, 20, 10, 5], 77)),
    "NetMajor": ("Int16", of_user([0, 2, 3, 4], [70, 10, 15, 5], 78)),
    "NetMinor": ("Int16", of_user([0, 5, 9], [80, 15, 5], 79)),
    "UserAgentMajor": ("Int16", user_below(60, 80, 2)),
    "UserAgentMinor": ("String", of_user(["D", "0", "b7", "D+", "C0", "D<"], [35, 25, 15, 10, 10, 5], 81)),
    "CookieEnable": ("Int16", share(0.98)),
    "JavascriptEnable": ("Int16", share(0.99)),
    "IsMobile": ("Int16", lambda chunk: chunk.mobile.astype(np.int64)),
    "MobilePhone": ("Int16", phone),
    "MobilePhoneModel": ("String", phone_model),
    "Params": ("String", tag('{"param":"', 0.03)),
    "IPNetworkID": ("Int32", user_below(4_000_000, 82, 3)),
    "TraficSourceID": ("Int16", one_of([0, -1, 1, 2, 3, 6, 8], [25, 35, 15, 12, 4, 7, 2])),
    "SearchEngineID": ("Int16", search_engine),
    "SearchPhrase": ("String", search_phrase),
    "AdvEngineID": ("Int16", one_of([0, 2, 27, 13, 45, 44, 3, 62, 52], [99_370, 400, 110, 50, 40, 15, 6, 5, 4])),
    "IsArtifical": ("Int16", share(0.02)),
    "WindowClientWidth": ("Int16", window(WIDTHS, 0.4, 73)),
    "WindowClientHeight": ("Int16", window(HEIGHTS, 0.6, 73)),
    "ClientTimeZone": ("Int16", of_user([135, 157, 112, -1, 201, 104], [50, 15, 15, 10, 5, 5], 83)),
    "ClientEventTime": ("DateTime", lambda chunk: moment(chunk, 7_200)),
    "SilverlightVersion1": ("Int16", of_user([0, 5, 4], [60, 38, 2], 84)),
    "SilverlightVersion2": ("Int16", of_user([0, 1], [65, 35], 85)),
    "SilverlightVersion3": ("Int32", of_user([0, 12081, 10411, 19080], [60, 20, 12, 8], 86)),
    "SilverlightVersion4": ("Int16", zero),
    "PageCharset": ("String", one_of(["utf-8", "windows-1251", "windows", "koi8-r"], [70, 25, 4, 1])),
    "CodeVersion": ("Int32", one_of([1601, 291, 282, 0, 1590], [50, 25, 15, 5, 5])),
    "IsLink": ("Int16", share(0.05)),
    "IsDownload": ("Int16", share(0.002)),
    "IsNotBounce": ("Int16", share(0.04)),
    "FUniqID": ("Int64", lambda chunk: np.where(chunk.of_user(87) < 0.3, 0, positive(chunk.user + 11_000_000_000))),
    "OriginalURL": ("String", original_url),
    "HID": ("Int32", lambda chunk: chunk.chance.integers(1, 2**30, chunk.rows)),
    "IsOldCounter": ("Int16", zero),
    "IsEvent": ("Int16", zero),
    "IsParameter": ("Int16", zero),
    "DontCountHits": ("Int16", share(0.06)),
    "WithHash": ("Int16", share(0.01)),
    "HitColor": ("String", one_of(["5", "E", "g", "W"], [60, 25, 10, 5])),
    "LocalEventTime": ("DateTime", lambda chunk: moment(chunk, 3_600)),
    "Age": ("Int16", of_user([0, 31, 26, 22, 16, 50, 55], [35, 25, 15, 10, 5, 5, 5], 88)),
    "Sex": ("Int16", of_user([0, 1, 2], [35, 35, 30], 89)),
    "Income": ("Int16", of_user([0, 2, 3, 4, 1], [35, 30, 15, 10, 10], 90)),
    "Interests": ("Int16", user_below(32_000, 91, 3)),
    "Robotness": ("Int16", below(80, 4)),
    "RemoteIP": ("Int32", client_ip),
    "WindowName": ("Int32", below(7_000, 2, 0.2)),
    "OpenerName": ("Int32", below(5_000, 3, 0.7)),
    "HistoryLength": ("Int16", clipped(below(200, 4), 0, 50)),
    "BrowserLanguage": ("String", of_user(["S\x0c", "p\x0c", "en", "uk"], [85, 8, 5, 2], 92)),
    "BrowserCountry": ("String", of_user(["\nM", "cU", "NN", "eH"], [70, 15, 10, 5], 93)),
    "SocialNetwork": ("String", empty),
    "SocialAction": ("String", empty),
    "HTTPError": ("Int16", zero),
    "SendTiming": ("Int32", below(30_000, 4, 0.6)),
    "DNSTiming": ("Int32", below(3_000, 6, 0.8)),
    "ConnectTiming": ("Int32", below(5_000, 5, 0.7)),
    "ResponseStartTiming": ("Int32", below(30_000, 4, 0.4)),
    "ResponseEndTiming": ("Int32", below(30_000, 4, 0.4)),
    "FetchTiming": ("Int32", below(60_000, 4, 0.3)),
    "SocialSourceNetworkID": ("Int16", one_of([0, 1, 2, 5], [94, 3, 2, 1])),
    "SocialSourcePage": ("String", tag("http://vk.com/id", 0.02)),
    "ParamPrice": ("Int64", below(100_000, 4, 0.99)),
    "ParamOrderID": ("String", tag("order", 0.002)),
    "ParamCurrency": ("String", one_of(["NH\x1c", "RUR"], [98, 2])),
    "ParamCurrencyID": ("Int16", zero),
    "OpenstatServiceName": ("String", tag("direct.", 0.005)),
    "OpenstatCampaignID": ("String", tag("c", 0.005)),
    "OpenstatAdID": ("String", tag("ad", 0.005)),
    "OpenstatSourceID": ("String", tag("src", 0.005)),
    "UTMSource": ("String", tag("source", 0.02)),
    "UTMMedium": ("String", tag("cpc", 0.02)),
    "UTMCampaign": ("String", tag("campaign", 0.02)),
    "UTMContent": ("String", tag("content", 0.01)),
    "UTMTerm": ("String", tag("term", 0.01)),
    "FromTag": ("String", tag("from", 0.005)),
    "HasGCLID": ("Int16", share(0.005)),
    "RefererHash": ("Int64", referer_hash),
    "URLHash": ("Int64", url_hash),
    "CLID": ("Int32", below(2_000_000, 5, 0.97)),
}
# As the columns lie in a file; dates and times are spelled by Parquet as both engines read them into those types.
ARROW = {"Int16": pa.int16(), "Int32": pa.int32(), "Int64": pa.int64(), "String": pa.string(), "Date": pa.date32(), "DateTime": pa.timestamp("ms")}


def column(kind: str, values) -> pa.Array:
    if kind == "Date":
        return pa.array(values.astype("datetime64[D]"), pa.date32())
    if kind == "DateTime":
        return pa.array(values.astype("datetime64[ms]"), ARROW[kind])
    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
    return array.cast(ARROW[kind])


def table(pools: Pools, file: int, files: int, seed: int) -> pa.Table:
    """The rows of one file."""
    chunk = Chunk(pools, file, files, seed)
    return pa.table({name: column(kind, make(chunk)) for name, (kind, make) in COLUMNS.items()})


SCHEMA = {name: kind for name, (kind, _) in COLUMNS.items()}
ORDER_BY = "(CounterID, EventDate, UserID, EventTime, WatchID)"
