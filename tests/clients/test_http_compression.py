"""Bodies of requests and answers in the codings of HTTP, and in the frames of the native protocol."""

import gzip
import zlib

import pytest
import zstandard
from clickhouse_cityhash.cityhash import CityHash128
from lz4 import block as lz4_block
from lz4 import frame as lz4_frame

DECODERS = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    "lz4": lz4_frame.decompress,
}
ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "lz4": lz4_frame.compress,
}


@pytest.mark.parametrize("coding", DECODERS)
def test_http_compression_both_ways(http, table, coding):
    plain = http("SELECT number FROM numbers(100000)").body
    answer = http("SELECT number FROM numbers(100000)", headers={"Accept-Encoding": coding})
    assert answer.headers["content-encoding"] == coding
    assert len(answer.body) < len(plain) and DECODERS[coding](answer.body) == plain
    http.ok(f"CREATE TABLE {table} (a UInt64) ENGINE = Memory")
    http.ok(f"INSERT INTO {table} FORMAT TSV", ENCODERS[coding](plain), headers={"Content-Encoding": coding})
    assert http.ok(f"SELECT count(), max(a) FROM {table}") == "100000\t99999\n"
    off = http("SELECT 1", headers={"Accept-Encoding": coding}, enable_http_compression=0)
    assert "content-encoding" not in off.headers


def snappy(data: bytes) -> bytes:
    """In Hadoop's framing, which ClickHouse reads; the text is not made shorter."""
    framed = b""
    for at in range(0, len(data), 65536):
        part = data[at : at + 65536]
        length, varint = len(part), bytearray()
        while length >= 0x80:
            varint.append(length & 0x7F | 0x80)
            length >>= 7
        packed = bytes(varint) + bytes([length, 61 << 2]) + (len(part) - 1).to_bytes(2, "little") + part
        framed += len(part).to_bytes(4, "big") + len(packed).to_bytes(4, "big") + packed
    return framed


def test_snappy_is_read_as_hadoop_frames_it(http, table):
    plain = http("SELECT number FROM numbers(100000)").body
    http.ok(f"CREATE TABLE {table} (a UInt64) ENGINE = Memory")
    http.ok(f"INSERT INTO {table} FORMAT TSV", snappy(plain), headers={"Content-Encoding": "snappy"})
    assert http.ok(f"SELECT count(), max(a) FROM {table}") == "100000\t99999\n"
    insert = f"INSERT INTO {table} FORMAT TSV"
    assert http(insert, snappy(plain)[:-1], headers={"Content-Encoding": "snappy"}).error == (33, "CANNOT_READ_ALL_DATA")
    assert http(insert, b"no such data", headers={"Content-Encoding": "snappy"}).error == (638, "SNAPPY_UNCOMPRESS_FAILED")


def test_snappy_goes_both_ways_in_its_framing_format(http, table):
    http.ok(f"CREATE TABLE {table} (a UInt64) ENGINE = Memory")
    query = "SELECT number FROM numbers(100000)"
    answer = http(query, headers={"Accept-Encoding": "snappy"})
    assert answer.headers["content-encoding"] == "snappy" and answer.body.startswith(b"\xff\x06\x00\x00sNaPpY\x00")
    assert len(answer.body) < len(http(query).body)
    http.ok(f"INSERT INTO {table} FORMAT TSV", answer.body, headers={"Content-Encoding": "snappy"})
    assert http.ok(f"SELECT count(), max(a) FROM {table}") == "100000\t99999\n"
    insert = f"INSERT INTO {table} FORMAT TSV"
    assert http(insert, answer.body[:-1], headers={"Content-Encoding": "snappy"}).error == (33, "CANNOT_READ_ALL_DATA")
    broken = answer.body[:15] + bytes([answer.body[15] ^ 1]) + answer.body[16:]
    assert http(insert, broken, headers={"Content-Encoding": "snappy"}).error == (638, "SNAPPY_UNCOMPRESS_FAILED")


def checksum(framed: bytes) -> bytes:
    """The high half comes first."""
    number = CityHash128(framed)
    return (number >> 64).to_bytes(8, "little") + (number & (1 << 64) - 1).to_bytes(8, "little")


def frames(data: bytes) -> bytes:
    """The frames of the native protocol, by another's implementation."""
    out = b""
    for at in range(0, len(data), 1 << 20):
        piece = data[at : at + (1 << 20)]
        body = lz4_block.compress(piece, store_size=False)
        framed = b"\x82" + (len(body) + 9).to_bytes(4, "little") + len(piece).to_bytes(4, "little") + body
        out += checksum(framed) + framed
    return out


def unframed(data: bytes) -> bytes:
    out = b""
    while data:
        length = int.from_bytes(data[17:21], "little")
        framed = data[16 : 16 + length]
        assert data[:16] == checksum(framed)
        size = int.from_bytes(framed[5:9], "little")
        out += lz4_block.decompress(framed[9:], uncompressed_size=size)
        data = data[16 + length :]
    return out


def test_frames_both_ways(http, table):
    plain = http("SELECT number FROM numbers(300000)").body
    assert unframed(http("SELECT number FROM numbers(300000)", compress=1).body) == plain
    http.ok(f"CREATE TABLE {table} (a UInt64) ENGINE = Memory")
    http.ok(f"INSERT INTO {table} FORMAT TSV", frames(plain), decompress=1)
    assert http.ok(f"SELECT count() FROM {table}") == "300000\n"
    broken = bytearray(frames(b"1\n"))
    broken[20] ^= 1
    assert http(f"INSERT INTO {table} FORMAT TSV", bytes(broken), decompress=1).status != 200
    assert unframed(http("SELECT no_such_function()", compress=1).body).startswith(b"Code: 46.")
