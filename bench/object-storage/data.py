"""The files that are queried. Seeded, made once a scale, and kept in a folder that the S3 server serves."""

import csv
import gzip
import io
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from made_data import Made
from seed_tables import generate_posts
from servers import S3

BUCKET = "bench"
# Changes with what this file makes, so that data of before is not taken for it.
VERSION = 2
# Columns of the small files: few, so that a file of 8 KB is not all footer.
SMALL_COLUMNS = ["Id", "PostTypeId", "CreationDate", "Score", "ViewCount", "OwnerDisplayName", "Title", "Body"]


@dataclass(frozen=True)
class Scale:
    """How much of everything."""

    posts: int
    months: int
    one_file_posts: int
    files_20kb: int
    files_8kb: int
    text_posts: int
    text_files: int = 4


SCALES = {
    "trial": Scale(posts=100_000, months=24, one_file_posts=200_000, files_20kb=300, files_8kb=100, text_posts=20_000),
    "standard": Scale(posts=1_000_000, months=189, one_file_posts=1_000_000, files_20kb=2_000, files_8kb=500, text_posts=100_000),
    "full": Scale(posts=4_000_000, months=189, one_file_posts=4_000_000, files_20kb=10_000, files_8kb=2_000, text_posts=400_000),
}
POSTS_IN_20KB = 30
POSTS_IN_8KB = 8


def make(gristmill: str, scale: Scale, server: S3, folder: Path) -> dict[str, dict]:
    """Files and bytes of each data set; makes those that are missing."""
    made = Made(folder, {"version": VERSION} | asdict(scale))
    scratch = folder / "scratch"
    for name, maker in MAKERS.items():
        if name in made.sets:
            continue
        print(f"Making {name} …", flush=True)
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        remove(server, name)
        made.add(name, put_all(server, name, maker(gristmill, scale, scratch)))
    shutil.rmtree(scratch, ignore_errors=True)
    return made.sets


def remove(server: S3, name: str) -> None:
    """Objects of a making that was not finished."""
    for path in server.list(f"{BUCKET}/{name}"):
        server.files().delete_file(path)


def put_all(server: S3, name: str, contents) -> list[int]:
    """Puts pairs of name and content through the server, so that objects have the ETags of real ones."""
    files = server.files()
    files.create_dir(BUCKET)

    def put(pair) -> int:
        key, content = pair
        # Without a word about compression pyarrow would compress what has `.gz` in its name.
        with files.open_output_stream(f"{BUCKET}/{name}/{key}", compression=None) as out:
            if isinstance(content, Path):
                with content.open("rb") as source:
                    shutil.copyfileobj(source, out, 8 * 2**20)
                    return source.tell()
            out.write(content)
            return len(content)

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(put, contents))


def by_month(gristmill, scale, scratch):
    return [(path.name, path) for path in generate_posts(gristmill, scratch, scale.posts, scale.months)]


def one_file(gristmill, scale, scratch):
    return [(path.name, path) for path in generate_posts(gristmill, scratch, scale.one_file_posts, 1)]


def slices(gristmill, scratch, files: int, posts: int):
    """Many small Parquet files."""
    table = pa.concat_tables(pa.parquet.read_table(path, columns=SMALL_COLUMNS) for path in generate_posts(gristmill, scratch, files * posts, 1))
    for number in range(files):
        out = io.BytesIO()
        pa.parquet.write_table(table.slice(number * posts, posts), out, compression="zstd", store_schema=False)
        yield f"{number:05}.parquet", out.getvalue()


def files_20kb(gristmill, scale, scratch):
    return slices(gristmill, scratch, scale.files_20kb, POSTS_IN_20KB)


def files_8kb(gristmill, scale, scratch):
    return slices(gristmill, scratch, scale.files_8kb, POSTS_IN_8KB)


def text_tables(gristmill, scale, scratch):
    """The tables of text files, times spelled as ClickHouse does."""
    for path in generate_posts(gristmill, scratch, scale.text_posts, scale.text_files):
        table = pa.parquet.read_table(path)
        for at, column in enumerate(table.schema):
            if pa.types.is_timestamp(column.type):
                spelled = pa.compute.strftime(table.column(at), format="%Y-%m-%d %H:%M:%S")
                table = table.set_column(at, column.name, spelled)
        yield path.stem, table


def csv_gz(gristmill, scale, scratch):
    for name, table in text_tables(gristmill, scale, scratch):
        out = io.StringIO()
        writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerow(table.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in table.columns)))
        # No time in the header: the same seed gives the same bytes.
        yield f"{name}.csv.gz", gzip.compress(out.getvalue().encode(), 6, mtime=0)


def json_rows(gristmill, scale, scratch):
    for name, table in text_tables(gristmill, scale, scratch):
        lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in table.to_pylist())
        yield f"{name}.jsonl", "".join(lines).encode()


# Data set, which is also the folder in the bucket, to what makes its files.
MAKERS = {
    "by_month": by_month,
    "one_file": one_file,
    "files_20kb": files_20kb,
    "files_8kb": files_8kb,
    "csv_gz": csv_gz,
    "json_rows": json_rows,
}
