"""Rows of a narrow table: downloads of packages, of the shape of PyPI's (8 columns), made up from a seed.

Packages are skewed by a power law (of a million downloads the first of 400,000 packages has about 1 %), versions by
package, countries and installers by weights. A file has its share of 90 days, in the order of time.
"""

import numpy as np
import pyarrow as pa
from hits import LATIN, even, joined, mixed, pick, weighted

PROJECTS = 400_000
PROJECT_POWER = 3
# The package that the range scan asks for is this one in the order of popularity.
PROJECT_WANTED = 3
DAYS = 90
BEGIN = np.datetime64("2023-08-01", "D")
COUNTRIES = (["US", "CN", "DE", "IN", "FR", "JP", "GB", "NL", "BR", "KR", "CA", "RU", "SG", "IE", "AU", ""], [40, 8, 7, 6, 5, 5, 4, 4, 3, 3, 3, 3, 2, 2, 1, 4])
TYPES = (["bdist_wheel", "sdist", "bdist_egg"], [88, 11.9, 0.1])
INSTALLERS = (["pip", "poetry", "uv", "bandersnatch", "requests", "Browser", "setuptools", ""], [86, 4, 3, 3, 1.5, 0.5, 0.5, 1.5])
PYTHONS = (["3.8", "3.9", "3.10", "3.11", "3.7", "3.12", "2.7", "3.6", ""], [19, 18, 20, 18, 12, 3, 1, 3, 6])
SYSTEMS = (["Linux", "Windows", "Darwin", ""], [88, 3, 3, 6])

SCHEMA = {
    "date": "Date",
    "country_code": "LowCardinality(String)",
    "project": "String",
    "type": "LowCardinality(String)",
    "installer": "LowCardinality(String)",
    "python_minor": "LowCardinality(String)",
    "system": "LowCardinality(String)",
    "version": "String",
}
ORDER_BY = "(project, date, version, country_code, python_minor, system)"


def project_names() -> pa.Array:
    numbers = np.arange(PROJECTS)
    number = pa.array(mixed(numbers + 77) % np.uint64(1_000)).cast(pa.string())
    return joined(pick(LATIN, numbers, 100), weighted(["-", "_", ""], [70, 10, 20], even(numbers, 101)), pick(LATIN, numbers, 102), number)


def version_names(number: np.ndarray) -> pa.Array:
    places = [pa.array((limit * even(number, 110 + limit) ** 2).astype(np.int64)).cast(pa.string()) for limit in (5, 30, 12)]
    return joined(places[0], ".", places[1], ".", places[2])


def table(names: pa.Array, rows: int, file: int, files: int, seed: int) -> pa.Table:
    """The rows of one file; `rows` are those of all files."""
    count = rows // files
    chance = np.random.default_rng([seed, 2, file])
    project = (PROJECTS * chance.random(count) ** PROJECT_POWER).astype(np.int64)
    # Of a package's sixteen versions the newest are asked for most.
    version = project * 16 + (16 * chance.random(count) ** 2).astype(np.int64)
    day = np.sort((file + chance.random(count)) / files * DAYS).astype(np.int64)
    return pa.table({
        "date": pa.array((BEGIN + day).astype("datetime64[D]"), pa.date32()),
        "country_code": weighted(*COUNTRIES, chance.random(count)),
        "project": names.take(pa.array(project)),
        "type": weighted(*TYPES, chance.random(count)),
        "installer": weighted(*INSTALLERS, chance.random(count)),
        "python_minor": weighted(*PYTHONS, chance.random(count)),
        "system": weighted(*SYSTEMS, chance.random(count)),
        "version": version_names(version),
    })  # fmt: skip
