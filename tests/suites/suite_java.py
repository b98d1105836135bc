"""clickhouse-java: its tests, compiled from the tag of its repository against the published modules, and run by TestNG.

Only the modules that talk to a server are run, and of them the tests of the group `integration`. Each module gets a server of its
own, at ClickHouse's ports, since secure ones cannot be told, and with the users of the tests. Its data go when it ends: some of its tests
write gigabytes.
"""

import os
import shutil
import subprocess
from pathlib import Path

from http_client import Http
from results import Outcomes, junit
from server import Server
from sources import TOOLS, call, repository

TITLE = "clickhouse-java 0.10.0"
TAG = "v0.10.0"
MODULES = ["clickhouse-http-client", "client-v2", "jdbc-v2", "clickhouse-jdbc"]
# What the tests of every module stand on.
BASE = "clickhouse-client"
SECONDS = 1800
HERE = Path(__file__).resolve().parent
# Its name has to begin so.
DATABASE = "clickhouse_java_test_suite"
CREDENTIALS = {"X-ClickHouse-User": "default", "X-ClickHouse-Key": "test_default_password"}
TLS = HERE.parent / "clients/tls"


def run(folder: Path) -> Outcomes:
    source = repository("ClickHouse", "clickhouse-java", TAG, folder)
    libraries = TOOLS / "java"
    pom = HERE / "java/pom.xml"
    call("mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={libraries}")
    base = compiled(source / BASE, [f"{libraries}/*"], libraries)
    outcomes = Outcomes()
    for module in MODULES:
        found = run_module(source / module, [str(base), f"{libraries}/*"], libraries, folder / module)
        outcomes.passed |= found.passed
        outcomes.failed |= found.failed
        outcomes.skipped |= found.skipped
    return outcomes


def compiled(module: Path, path: list[str], libraries: Path) -> Path:
    """Classes and resources of a module's tests in one folder."""
    tests, classes = module / "src/test", module / "test-classes"
    files = [str(file) for file in sorted((tests / "java").rglob("*.java")) if "/perf/" not in str(file)]
    classes.mkdir()
    lombok = next(libraries.glob("lombok-*.jar"))
    options = ["-nowarn", "-proc:full"] if javac_version() >= 21 else ["-nowarn"]
    call("javac", *options, "-encoding", "UTF-8", "-processorpath", lombok, "-cp", ":".join(path), "-d", classes, *files)
    if (tests / "resources").exists():
        shutil.copytree(tests / "resources", classes, dirs_exist_ok=True)
    return classes


def javac_version() -> int:
    told = subprocess.run(["javac", "-version"], check=True, capture_output=True, text=True)
    return int(told.stdout.split()[1].split(".")[0])


def run_module(module: Path, path: list[str], libraries: Path, folder: Path) -> Outcomes:
    classes = compiled(module, path, libraries)
    names = [str(file.relative_to(classes)).removesuffix(".class").replace("/", ".") for file in classes.rglob("*Test*.class")]
    names = sorted(name for name in names if "$" not in name)
    server = Server(
        folder / "data", "--http-port", "8123", "--tcp-port", "9000", "--https-port", "8443", "--tcp-port-secure", "9440",
        "--certificate", TLS / "server.crt", "--private-key", TLS / "server.key",
        "--config-file", HERE / "java/server.xml",
    )
    # Of a server that they did not start, the tests make no database.
    made = Http(server.http_port)(f"CREATE DATABASE {DATABASE}", headers=CREDENTIALS)
    assert made.status == 200, made
    line = ["java", "-Xmx4g", "-DclickhouseServer=localhost"]
    line += ["-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp", ":".join([str(classes), *path])]
    line += ["org.testng.TestNG", "-groups", "integration", "-d", str(folder / "reports"), "-testclass", ",".join(names)]
    with (folder / "output.txt").open("w") as output:
        told = os.environ | {"TEST_DB_NAME": DATABASE}
        subprocess.run(line, cwd=module, env=told, stdout=output, stderr=subprocess.STDOUT, timeout=SECONDS)
    server.stop()
    shutil.rmtree(folder / "data")
    outcomes = Outcomes()
    for report in sorted((folder / "reports/junitreports").glob("TEST-*.xml")):
        found = junit(report, lambda case: f"{module.name}.{case.get('classname').split('.')[-1]}::{case.get('name')}")
        outcomes.passed |= found.passed
        outcomes.failed |= found.failed
        outcomes.skipped |= found.skipped
    outcomes.passed -= outcomes.failed.keys()
    return outcomes
