"""The files that are loaded. Seeded, made once a scale, kept on the local disk: in all 3 GB at full scale."""

import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import downloads
import hits
import numpy as np
import pyarrow as pa
import pyarrow.parquet
from made_data import Made
from seed_tables import generate_posts

# Changes with what this folder makes, so that data of before is not taken for it.
VERSION = 1
SEED = 1


@dataclass(frozen=True)
class Scale:
    """Rows of everything. `partitioned` rows are computed while they are loaded and lie in no file."""

    posts: int
    posts_files: int
    downloads: int
    downloads_files: int
    random: int
    random_files: int
    hits: int
    hits_files: int
    partitioned: int

    @property
    def partition_rows(self) -> int:
        return self.partitioned // 1_000


SCALES = {
    "small": Scale(100_000, 20, 5_000_000, 10, 1_000_000, 4, 1_000_000, 4, 10_000_000),
    "full": Scale(1_000_000, 60, 50_000_000, 50, 10_000_000, 20, 10_000_000, 40, 100_000_000),
}
RANDOM_SCHEMA = {"k": "UInt64", "n": "UInt64", "s": "String"}


def make(gristmill: str, scale: Scale, wanted: set[str], folder: Path) -> dict[str, dict]:
    """Files and bytes of each data set; makes those that are wanted and missing, each in a folder of its name."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Made(folder, {"version": VERSION} | asdict(scale))
    for name in sorted(wanted - made.sets.keys()):
        print(f"Making {name} …", flush=True)
        out = folder / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        if name == "posts":
            for path in generate_posts(gristmill, out / "made", scale.posts, scale.posts_files):
                path.rename(out / path.name)
            shutil.rmtree(out / "made")
        else:
            for number, table in enumerate(TABLES[name](scale)):
                pa.parquet.write_table(table, out / f"{number:03}.parquet", compression="zstd", store_schema=False)
        made.add(name, [path.stat().st_size for path in out.iterdir()])
    return made.sets


def hits_tables(scale: Scale) -> Iterator[pa.Table]:
    pools = hits.pools(scale.hits)
    return (hits.table(pools, file, scale.hits_files, SEED) for file in range(scale.hits_files))


def downloads_tables(scale: Scale) -> Iterator[pa.Table]:
    names = downloads.project_names()
    return (downloads.table(names, scale.downloads, file, scale.downloads_files, SEED) for file in range(scale.downloads_files))


def random_tables(scale: Scale) -> Iterator[pa.Table]:
    """A key in no order at all, and two columns that a sort has to move with it."""
    rows = scale.random // scale.random_files
    for file in range(scale.random_files):
        chance = np.random.default_rng([SEED, 3, file])
        numbers = np.arange(file * rows, (file + 1) * rows)
        texts = hits.joined("row ", pa.array(hits.mixed(numbers)).cast(pa.string()))
        yield pa.table({"k": chance.integers(0, 2**64, rows, np.uint64), "n": pa.array(numbers, pa.uint64()), "s": texts})


TABLES = {"hits": hits_tables, "downloads": downloads_tables, "random": random_tables}
