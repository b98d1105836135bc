"""The rows of the table: what is loaded, merged and asked. The statements are the same for all engines."""

from dataclasses import dataclass

import downloads
import hits
from clickbench import COMPARED, TIMED
from data import RANDOM_SCHEMA, Scale
from seed_tables import (
    CHECK_PARTITIONED,
    CHECK_POSTS,
    CREATE_PARTITIONED,
    CREATE_POSTS,
    keys_in_partitions,
    load_partitioned,
)


@dataclass(frozen=True)
class Table:
    """How a table is made. `{files}` in `load` is the pattern of the files of the data set `data` (none: it is computed);
    `check` is a query whose answer tells whether all rows are there. `create_zstd`: every column has ZSTD."""

    name: str
    create: str
    load: str
    check: str
    data: str | None
    settings: str = ""
    create_zstd: str = ""


@dataclass(frozen=True)
class Load:
    """Into an empty table, in a process of its own."""

    name: str
    title: str
    table: str


@dataclass(frozen=True)
class Merge:
    """OPTIMIZE TABLE … FINAL of a table that was filled in `parts` parts or a few more, from the first ten files. All columns
    have ZSTD: what each engine takes for merged parts depends on their size."""

    name: str
    title: str
    table: str
    parts: int = 40


@dataclass(frozen=True)
class Query:
    """`compared` gives the rows by which answers are compared: the query itself unless its answer is not determined."""

    name: str
    title: str
    table: str
    query: str
    compared: str


@dataclass(frozen=True)
class Size:
    """Bytes on disk of a table, as it was loaded and as one merge left it."""

    name: str
    title: str
    table: str


Row = Load | Merge | Query | Size
ZSTD = " CODEC(ZSTD(1))"


def create(name: str, schema: dict[str, str], order_by: str, codec: str = "") -> str:
    columns = ", ".join(f"{column} {kind}{codec}" for column, kind in schema.items())
    return f"CREATE TABLE {name} ({columns}) ENGINE = MergeTree ORDER BY {order_by}"


def load_of(name: str) -> str:
    return f"INSERT INTO {name} SELECT * FROM file('{{files}}', Parquet)"


def tables(scale: Scale) -> dict[str, Table]:
    def from_files(name: str, schema: dict[str, str], order_by: str, check: str) -> Table:
        made, zstd = create(name, schema, order_by), create(name, schema, order_by, ZSTD)
        return Table(name, made, load_of(name), f"SELECT count(), {check} FROM {name}", name, create_zstd=zstd)

    made = [
        Table("posts", CREATE_POSTS, load_of("posts"), CHECK_POSTS, "posts"),
        from_files("downloads", downloads.SCHEMA, downloads.ORDER_BY, "uniqExact(project), sum(length(version)), max(date)"),
        from_files("random", RANDOM_SCHEMA, "k", "sum(k % 1000), sum(n), sum(length(s))"),
        from_files("hits", hits.SCHEMA, hits.ORDER_BY, "sum(WatchID % 1000), sum(length(URL)), uniqExact(UserID)"),
        Table(
            "test_s3",
            CREATE_PARTITIONED,
            load_partitioned(scale.partitioned, scale.partition_rows),
            CHECK_PARTITIONED,
            None,
            # A block of ten million rows has more partitions than the 100 that are allowed.
            "max_partitions_per_insert_block = 100000",
        ),
    ]
    return {table.name: table for table in made}


def query(name: str, title: str, table: str, text: str, compared: str | None = None) -> Query:
    return Query(name, title, table, text, compared or text)


RANGE = """SELECT date, country_code, count() AS c, uniqExact(version) FROM downloads WHERE project = '{project}' AND date >= '2023-08-15' AND date < '2023-10-01'
GROUP BY date, country_code ORDER BY date, country_code"""
GROUPS = """SELECT RegionID, count(), sum(AdvEngineID), avg(ResolutionWidth), max(EventTime), sum(SendTiming) FROM hits
GROUP BY RegionID ORDER BY RegionID"""
TOP = "SELECT * FROM hits ORDER BY EventTime DESC, WatchID LIMIT 10"
BY_KEY = "SELECT CounterID, EventDate, UserID, EventTime, WatchID, URL FROM hits ORDER BY CounterID, EventDate, UserID, EventTime, WatchID LIMIT 100"


def rows(scale: Scale) -> list[Row]:
    project = downloads.project_names()[downloads.PROJECT_WANTED].as_py()
    loads = [
        Load("load_posts", "Load of posts, 22 columns with text", "posts"),
        Load("load_narrow", "Load of downloads, 8 columns", "downloads"),
        Load("load_random", "Load by a random key", "random"),
        Load("load_hits", "Load of hits, 105 columns", "hits"),
        Load("load_partitions", "Load into 1,000 partitions", "test_s3"),
    ]
    merges = [Merge("merge_narrow", "Merge of downloads, 8 columns", "downloads"), Merge("merge_hits", "Merge of hits, 105 columns", "hits")]
    queries = [
        query("keys", "1,000 keys in 1,000 partitions", "test_s3", keys_in_partitions(scale.partition_rows)),
        query("range", "A range of the key", "downloads", RANGE.format(project=project)),
        query("groups", "Whole scan with GROUP BY", "hits", GROUPS),
        query("top_n", "Top 10 rows of 105 columns", "hits", TOP),
        query("by_key", "First 100 rows by the key", "hits", BY_KEY),
    ]
    pairs = enumerate(zip(TIMED, COMPARED, strict=True), 1)
    clickbench = [Query("clickbench", f"ClickBench {number}", "hits", timed, compared) for number, (timed, compared) in pairs]
    sizes = [Size("size", f"Size on disk: {name}", name) for name in ("posts", "downloads", "hits")]
    return [*loads, *merges, *sizes, *queries, *clickbench]
