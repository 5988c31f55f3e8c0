"""Tables and dumps on an object store: a server of S3's protocol on loopback, killed runs included.

Needs what no test downloads: a server (moto's `moto_server`, named by LIBREMQ_TEST_S3_SERVER) and the jars by which
Hadoop reaches it (hadoop-aws and what it needs, in the folder LIBREMQ_TEST_S3_JARS). Without them it is skipped;
the same code runs against Hadoop's local file system in `test_pipeline_tables_dumps`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVER, JARS = os.environ.get("LIBREMQ_TEST_S3_SERVER"), os.environ.get("LIBREMQ_TEST_S3_JARS")

pytestmark = [
    pytest.mark.skipif(
        not SERVER or not JARS,
        reason="LIBREMQ_TEST_S3_SERVER and LIBREMQ_TEST_S3_JARS do not say where a server of S3's protocol, and the"
        " jars of hadoop-aws, are",
    ),
    pytest.mark.timeout(1800),
]

LOOPBACK = "127.0.0.1"


class Site:
    """`libremq pipeline` with its tables in a bucket."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        s3a = {
            "endpoint": f"http://{LOOPBACK}:{port}",
            "endpoint.region": "us-east-1",
            "path.style.access": "true",
            "access.key": "any",
            "secret.key": "any",
        }
        jars = ",".join(sorted(str(jar) for jar in Path(JARS or "").glob("*.jar")))
        settings = {"spark.jars": jars, **{f"spark.hadoop.fs.s3a.{name}": value for name, value in s3a.items()}}
        self._settings = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]

        self._listing = f"http://{LOOPBACK}:{port}/site?list-type=2&prefix=tables/raw/data/"

    def has_files(self) -> bool:
        """Has a worker's file come to the bucket?"""
        with urllib.request.urlopen(self._listing) as answer:
            return b"<Key>" in answer.read()

    def command(self, action: str, *words: str) -> list[str]:
        run = "from libremq.commands.main import main; raise SystemExit(main())"
        spark = () if action == "generate" else ("--master", "local[2]", *self._settings)
        return [sys.executable, "-c", run, "pipeline", action, *words, "--quiet", *spark]

    def run(self, action: str, *words: str) -> str:
        done = subprocess.run(
            self.command(action, *words), cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [str(SERVER), "-H", LOOPBACK, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(300):
            try:
                bucket = urllib.request.Request(f"http://{LOOPBACK}:{port}/site", method="PUT")
                urllib.request.urlopen(bucket).close()
                break
            except OSError:
                time.sleep(0.2)
        yield Site(tmp_path, port)
    finally:
        server.terminate()
        server.wait()


def test_a_night_s_job_that_is_killed_and_run_again(site: Site) -> None:
    site.run("generate", "site", "--days", "2", "--queue-managers", "2", "--interval", "60")
    words = ("site/dumps", "--tables", "s3a://site/tables")
    job = subprocess.Popen(site.command("ingest", *words), cwd=site.folder, stdout=subprocess.DEVNULL)
    while not site.has_files() and job.poll() is None:
        time.sleep(0.1)
    job.send_signal(signal.SIGKILL)
    job.wait()
    site.run("ingest", *words)
    site.run("ingest", "site/dumps", "--tables", "here")
    far = json.loads(site.run("tables", "--tables", "s3a://site/tables", "--json"))
    assert far == json.loads(site.run("tables", "--tables", "here", "--json"))
    assert far["conformed"]["log"] > 0
