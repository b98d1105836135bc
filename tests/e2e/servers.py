"""Object stores on loopback ports, as users run them: versitygw (S3), fake-gcs-server (GCS), Azurite (Azure)."""

import base64
import hashlib
import hmac
import json
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

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
class Server:
    """A store over a folder."""

    root: Path
    port: int = field(default_factory=free_port)
    process: Process | None = None

    def line(self) -> list:
        """The program and its arguments."""
        raise NotImplementedError

    def start(self):
        self.root.mkdir(parents=True, exist_ok=True)
        self.process = Process(self.line(), self.port, self.root.with_suffix(".log"))
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
class S3(Server):
    """versitygw over a folder: a bucket is a folder in it."""

    key: str = "GRISTMILLE2EKEY"
    secret: str = "e2e/secret+of=the.s3.server"
    flags: list = field(default_factory=list)

    def line(self) -> list:
        # Attributes of objects lie in a folder of their own: not every file system has extended attributes.
        sidecar = self.root.with_name("attributes")
        sidecar.mkdir(exist_ok=True)
        line = [TOOLS / "bin/versitygw", "--port", f"127.0.0.1:{self.port}", "--access", self.key, "--secret", self.secret]
        return [*line, *self.flags, "posix", "--sidecar", sidecar, self.root]

    @property
    def environment(self) -> dict[str, str]:
        """Keys as AWS's own tools read them."""
        return {"AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret, "AWS_EC2_METADATA_DISABLED": "true"}

    @property
    def keys(self) -> str:
        """Two arguments of `s3(…)`."""
        return f"'{self.key}', '{self.secret}'"

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

    def request(self, method: str, path: str, query: str, body: bytes = b"") -> bytes:
        """What pyarrow cannot ask for, such as `?policy` of a bucket, with AWS's signature, version 4."""
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(body).hexdigest()
        headers = {"host": f"127.0.0.1:{self.port}", "x-amz-content-sha256": digest, "x-amz-date": moment}
        names = ";".join(headers)
        lines = [method, path, f"{query}=", *(f"{name}:{value}" for name, value in headers.items()), "", names, digest]
        scope = f"{moment[:8]}/us-east-1/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256("\n".join(lines).encode()).hexdigest()])
        key = f"AWS4{self.secret}".encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        credential = f"Credential={self.key}/{scope}, SignedHeaders={names}, Signature={signature}"
        headers["Authorization"] = f"AWS4-HMAC-SHA256 {credential}"
        request = Request(f"{self.endpoint}{path}?{query}", method=method, data=body or None, headers=headers)
        with urlopen(request, timeout=10) as answer:
            return answer.read()

    def make_public(self, bucket: str) -> None:
        """Anyone may list the bucket and read what is in it."""
        resources = [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"]
        allowed = {"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": resources}
        policy = {"Version": "2012-10-17", "Statement": [allowed]}
        self.request("PUT", f"/{bucket}", "policy", json.dumps(policy).encode())

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
class Gcs(Server):
    """fake-gcs-server, with the buckets that lie in a folder."""

    def line(self) -> list:
        line = [TOOLS / "bin/fake-gcs-server", "-scheme", "http", "-host", "127.0.0.1", "-port", self.port]
        line += ["-backend", "memory", "-data", self.root, "-public-host", f"127.0.0.1:{self.port}"]
        return [*line, "-external-url", self.endpoint, "-log-level", "warn"]


@dataclass
class Azure(Server):
    """Azurite. Account and key are those that every emulator of Azure has."""

    account: str = "devstoreaccount1"
    key: str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    def line(self) -> list:
        program = TOOLS / "azurite/node_modules/.bin/azurite-blob"
        line = [program, "--blobHost", "127.0.0.1", "--blobPort", self.port, "--location", self.root]
        return [*line, "--silent", "--skipApiVersionCheck", "--disableTelemetry"]

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def account_url(self) -> str:
        return self.url(self.account)

    @property
    def connection_string(self) -> str:
        return (
            f"DefaultEndpointsProtocol=http;AccountName={self.account};AccountKey={self.key};"
            f"BlobEndpoint={self.account_url};"
        )

    def make_container(self, name: str) -> None:
        """A PUT with the signature that Azure calls Shared Key."""
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
