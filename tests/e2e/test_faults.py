"""A real S3 server behind a proxy that does harm: the right answer or a clear error, never a part of the answer, no hang."""

import pyarrow
import pyarrow.parquet
import pytest
from fault_proxy import Fault, FaultProxy
from runner import gristmill
from servers import S3

QUICK = "SETTINGS s3_request_timeout_ms = 700, s3_retry_attempts = 3, object_read_hedging = 0"
COUNT = "SELECT count(), sum(cityHash64(Id, OwnerDisplayName, Body)) FROM {source}"


@pytest.fixture(scope="module")
def truth(s3):
    source = f"s3('{s3.url('data/posts/by_month/*.parquet')}', {s3.keys})"
    return gristmill(COUNT.format(source=source)).ok().rows


def posts_through(proxy: FaultProxy, s3: S3) -> str:
    return f"s3('http://127.0.0.1:{proxy.port}/data/posts/by_month/*.parquet', {s3.keys})"


def every_third_read(fault: Fault):
    """Harm to a third of the reads, until twelve were harmed; twice to a file, so that its retries are enough."""
    harmed = []

    def harm(request):
        path = request.target.split("?")[0]
        if request.method == "GET" and request.number % 3 == 1 and len(harmed) < 12 and harmed.count(path) < 2:
            harmed.append(path)
            return fault
        return None

    return harm


@pytest.mark.parametrize(
    "fault",
    [
        Fault("reset"),
        Fault("cut", bytes=1000),
        Fault("stall"),
        Fault("stall_within", bytes=1000),
        Fault("answer"),
        Fault("answer", status=500, body=b"<Error><Code>InternalError</Code><Message>x</Message></Error>"),
        Fault("slow", seconds=0.3),
    ],
    ids=lambda fault: f"{fault.kind}{fault.status if fault.kind == 'answer' else ''}",
)
def test_what_passes_leaves_the_answer_as_it_is(s3, truth, fault):
    with FaultProxy(s3.port, every_third_read(fault)) as proxy:
        assert gristmill(f"{COUNT.format(source=posts_through(proxy, s3))} {QUICK}").ok().rows == truth
        assert proxy.faults >= 3


@pytest.mark.parametrize("kind", ["reset", "cut", "stall", "stall_within", "answer"])
def test_what_does_not_pass_is_a_clear_error(s3, kind, data):
    """All reads of one file fail; what was read of the others is not shown, and a load leaves nothing."""
    victim = "/data/posts/by_month/"

    def harm(request):
        is_victim = victim in request.target and request.target.split("?")[0].endswith(names[-1])
        return Fault(kind, bytes=10) if request.method == "GET" and is_victim else None

    names = sorted(path.rsplit("/", 1)[1] for path in s3.list("data/posts/by_month"))
    create = "CREATE TABLE t (Id Int64, Body String) ENGINE = MergeTree ORDER BY Id"
    gristmill(create, path=data).ok()
    with FaultProxy(s3.port, harm) as proxy:
        source = posts_through(proxy, s3)
        answer = gristmill(f"{COUNT.format(source=source)} {QUICK}")
        assert answer.error == (499, "S3_ERROR") and names[-1] in answer.message and answer.out == "", answer
        load = gristmill(f"INSERT INTO t SELECT Id, Body FROM {source} {QUICK}", path=data)
        assert load.error == (499, "S3_ERROR") and names[-1] in load.message, load
        assert s3.secret not in answer.err + load.err
    assert gristmill("SELECT count() FROM t", path=data).ok().value == "0"


def test_a_storm_of_slow_downs_is_ridden_out(s3, truth):
    def harm(request):
        stormy = request.number < 8 or (request.number < 40 and request.number % 2 == 1)
        return Fault("answer") if stormy else None

    with FaultProxy(s3.port, harm) as proxy:
        events = "SELECT value > 8 FROM system.events WHERE event = 'S3ReadRequestsThrottling'"
        answer = gristmill(COUNT.format(source=posts_through(proxy, s3)), events).ok()
        assert answer.rows == [*truth, ["1"]]


def test_a_node_that_answers_slowly_is_asked_a_second_time(s3, truth):
    """One read in fifteen takes half a minute: longer than the test may, if it were waited for."""
    slow = Fault("slow", seconds=30)
    with FaultProxy(s3.port, lambda request: slow if request.number % 15 == 14 and request.number > 30 else None) as proxy:
        source = posts_through(proxy, s3)
        again = [COUNT.format(source=source) + " SETTINGS use_parquet_metadata_cache = 0"] * 4
        hedged = "SELECT sum(value) > 0 FROM system.events WHERE event = 'ObjectStorageHedgesWon'"
        answer = gristmill(*again, hedged).ok()
        assert answer.rows == [*(truth * 4), ["1"]]


def test_a_file_that_is_replaced_while_it_is_read(s3):
    """Between the listing and the read, and between two reads of one file."""
    lines = b"".join(b"%d,%s\n" % (number, b"x" * 90) for number in range(200_000))
    s3.put("data/replaced/a.csv", lines)
    for number_of_the_read in (0, 2):
        s3.put("data/replaced/a.csv", lines)

        def harm(request, number_of_the_read=number_of_the_read):
            if request.method == "GET" and request.range and len(reads) == number_of_the_read:
                s3.put("data/replaced/a.csv", b"other,content\n" * 2_000_000)
            if request.method == "GET" and request.range:
                reads.append(request)

        reads = []
        with FaultProxy(s3.port, harm) as proxy:
            source = f"s3('http://127.0.0.1:{proxy.port}/data/replaced/*.csv', {s3.keys}, CSV, 'a String, b String')"
            answer = gristmill(f"SELECT count(), uniqExact(b) FROM {source} SETTINGS max_download_buffer_size = 4000000")
        assert answer.out == "" and "replaced while" in answer.message, answer


def test_a_limit_asks_only_for_what_it_needs(s3):
    """Of 400 text files one is read, of 60 Parquet files as many as have the rows, and all of them where no row passes."""
    (s3.root / "data/many").mkdir(exist_ok=True)
    for number in range(400):
        (s3.root / f"data/many/{number:03}.csv").write_text(f"{number}\n{number}\n{number}\n")
    (s3.root / "data/tables").mkdir(exist_ok=True)
    for number in range(60):
        table = pyarrow.table({"a": [number] * 10, "b": [f"text {number}"] * 10})
        pyarrow.parquet.write_table(table, s3.root / f"data/tables/{number:02}.parquet")

    def gets(query: str, rows: int) -> int:
        with FaultProxy(s3.port) as proxy:
            url = f"http://127.0.0.1:{proxy.port}/data"
            text = f"s3('{url}/many/*.csv', {s3.keys}, CSV, 'a Int32')"
            parquet = f"s3('{url}/tables/*.parquet', {s3.keys})"
            assert len(gristmill(query.format(text=text, parquet=parquet)).ok().rows) == rows
            return sum(request.method == "GET" and "list-type" not in request.target for request in proxy.requests)

    assert gets("SELECT a FROM {text} LIMIT 3", 3) <= 2
    # The first file tells how many more are needed.
    assert gets("SELECT a FROM {text} LIMIT 30", 30) <= 20
    assert gets("SELECT a, b FROM {parquet} LIMIT 3", 3) <= 3
    assert gets("SELECT a, b FROM {parquet} LIMIT 35", 35) <= 4 * 3
    assert gets("SELECT a, b FROM {parquet} WHERE b LIKE '%9' LIMIT 1", 1) < 60
    # The last row that is asked for is not there: no file can be left out.
    assert gets("SELECT a, b FROM {parquet} WHERE b LIKE '%t 59' LIMIT 11", 10) >= 60
    assert gets("SELECT a, b FROM {parquet} WHERE b LIKE 'none%' LIMIT 1", 0) >= 60
    assert gets("SELECT a, b FROM {parquet} ORDER BY a DESC LIMIT 1", 1) >= 60