"""Object stores on loopback ports, as users run them: versitygw (S3), fake-gcs-server (GCS), Azurite (Azure)."""

import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pyarrow.fs

TOOLS = Path(os.environ.get("GRISTMILL_TOOLS", Path.home() / ".cache/gristmill/tools"))
START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Process:
    """A server process; `stop` ends it."""

    def __init__(self, line: list, port: int, log: Path, environment: dict | None = None):
        self.log = log
        with log.open("wb") as out:
            self.child = subprocess.Popen(
                [str(word) for word in line],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=os.environ | (environment or {}),
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            if self.child.poll() is not None:
                raise RuntimeError(f"{line[0]} ended with code {self.child.returncode}: {log.read_text()[-2000:]}")
            try:
                urlopen(f"http://127.0.0.1:{port}/", timeout=2).close()
                return
            except HTTPError:
                return
            except (URLError, OSError):
                if time.monotonic() > deadline:
                    self.stop()
                    raise RuntimeError(f"{line[0]} does not answer: {log.read_text()[-2000:]}") from None
                time.sleep(0.05)

    def stop(self) -> None:
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


@dataclass
class S3:
    """versitygw over a folder: a bucket is a folder in it."""

    root: Path
    port: int = field(default_factory=free_port)
    key: str = "GRISTMILLE2EKEY"
    secret: str = "e2e/secret+of=the.s3.server"
    flags: list = field(default_factory=list)
    process: Process | None = None

    def start(self) -> "S3":
        self.root.mkdir(parents=True, exist_ok=True)
        address = f"127.0.0.1:{self.port}"
        line = [TOOLS / "bin/versitygw", "--port", address, "--access", self.key, "--secret", self.secret, *self.flags]
        # Attributes of objects lie in a folder of their own: not every file system has extended attributes.
        sidecar = self.root.with_name("attributes")
        sidecar.mkdir(exist_ok=True)
        self.process = Process([*line, "posix", "--sidecar", sidecar, self.root], self.port, self.root.with_suffix(".log"))
        return self

    def stop(self) -> None:
        if self.process:
            self.process.stop()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """Keys as AWS's own tools read them."""
        return {"AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret, "AWS_EC2_METADATA_DISABLED": "true"}

    @property
    def keys(self) -> str:
        """Two arguments of `s3(…)`."""
        return f"'{self.key}', '{self.secret}'"

    def url(self, path: str) -> str:
        return f"{self.endpoint}/{path}"

    def files(self) -> pyarrow.fs.S3FileSystem:
        return pyarrow.fs.S3FileSystem(
            access_key=self.key,
            secret_key=self.secret,
            endpoint_override=f"127.0.0.1:{self.port}",
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
            allow_bucket_deletion=True,
        )

    def put(self, path: str, content: bytes) -> str:
        """Puts an object and gives its URL. `path` begins with the bucket."""
        files = self.files()
        files.create_dir(path.split("/")[0])
        with files.open_output_stream(path) as out:
            out.write(content)
        return self.url(path)

    def get(self, path: str) -> bytes:
        with self.files().open_input_stream(path) as stream:
            return stream.read()

    def list(self, path: str) -> list[str]:
        selector = pyarrow.fs.FileSelector(path, recursive=True, allow_not_found=True)
        return sorted(info.path for info in self.files().get_file_info(selector) if info.is_file)


@dataclass
class Gcs:
    """fake-gcs-server, with the buckets that lie in a folder."""

    root: Path
    port: int = field(default_factory=free_port)
    process: Process | None = None

    def start(self) -> "Gcs":
        line = [TOOLS / "bin/fake-gcs-server", "-scheme", "http", "-host", "127.0.0.1", "-port", self.port]
        line += ["-backend", "memory", "-data", self.root, "-public-host", f"127.0.0.1:{self.port}"]
        line += ["-external-url", self.endpoint, "-log-level", "warn"]
        self.process = Process(line, self.port, self.root.with_suffix(".log"))
        return self

    def stop(self) -> None:
        if self.process:
            self.process.stop()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        return f"{self.endpoint}/{path}"


@dataclass
class Azure:
    """Azurite. Account and key are those that every emulator of Azure has."""

    root: Path
    port: int = field(default_factory=free_port)
    account: str = "devstoreaccount1"
    key: str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
    process: Process | None = None

    def start(self) -> "Azure":
        self.root.mkdir(parents=True, exist_ok=True)
        program = TOOLS / "azurite/node_modules/.bin/azurite-blob"
        line = [program, "--blobHost", "127.0.0.1", "--blobPort", self.port, "--location", self.root]
        line += ["--silent", "--skipApiVersionCheck", "--disableTelemetry"]
        self.process = Process(line, self.port, self.root.with_suffix(".log"))
        return self

    def stop(self) -> None:
        if self.process:
            self.process.stop()
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def account_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.account}"

    @property
    def connection_string(self) -> str:
        return (
            f"DefaultEndpointsProtocol=http;AccountName={self.account};AccountKey={self.key};"
            f"BlobEndpoint={self.account_url};"
        )

    def make_container(self, name: str) -> None:
        """A PUT with the signature that Azure calls Shared Key."""
        import base64
        import hashlib
        import hmac
        from email.utils import formatdate
        from urllib.request import Request

        date, version = formatdate(usegmt=True), "2021-12-02"
        resource = f"/{self.account}/{self.account}/{name}\nrestype:container"
        text = "PUT" + "\n" * 12 + f"x-ms-date:{date}\nx-ms-version:{version}\n{resource}"
        signature = hmac.new(base64.b64decode(self.key), text.encode(), hashlib.sha256).digest()
        request = Request(f"{self.account_url}/{name}?restype=container", method="PUT", data=b"")
        request.remove_header("Content-type")
        request.add_header("x-ms-date", date)
        request.add_header("x-ms-version", version)
        request.add_header("Content-Type", "")
        request.add_header("Authorization", f"SharedKey {self.account}:{base64.b64encode(signature).decode()}")
        urlopen(request, timeout=10).close()
