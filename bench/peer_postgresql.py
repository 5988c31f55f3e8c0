"""A queue in a table of PostgreSQL with psycopg: rows are inserted, and deleted in their order with SKIP LOCKED.

Settings are those of a new cluster: every commit waits for the disk. What need not survive is in an unlogged table,
and a request wakes the other side by NOTIFY. Each round begins with a vacuumed table.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from contenders import DATA, UNIT, Absent, Client, Contender, as_root
from daemons import LOOPBACK, free_port, own_folder, program, running

_USER = "postgres"
_COLUMNS = "id bigserial PRIMARY KEY, data bytea NOT NULL"
_PUT = "INSERT INTO {} (data) VALUES (%b)"
_PUT_UNIT = "INSERT INTO {} (data) SELECT unnest(%b::bytea[])"
_GET = "DELETE FROM {0} WHERE id = (SELECT id FROM {0} ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING data"
_GET_UNIT = (
    "DELETE FROM {0} WHERE id = ANY (ARRAY("
    f"SELECT id FROM {{0}} ORDER BY id FOR UPDATE SKIP LOCKED LIMIT {UNIT})) RETURNING data"
)
_UNIT_DATA = [DATA] * UNIT


@contextmanager
def serve(folder: str) -> Iterator[list[Contender]]:
    if find_spec("psycopg") is None:
        raise Absent("the Python package psycopg is not installed")
    places = sorted(glob("/usr/lib/postgresql/*/bin"), key=lambda path: -int(path.split("/")[4]))
    initdb, server = (program(name, "postgresql", *places) for name in ("initdb", "postgres"))
    home = own_folder(folder, "postgresql")
    data, port = home / "data", free_port()
    before = _as_server_user(home)
    made = subprocess.run(
        [*before, initdb, "-D", str(data), "-A", "trust", "-U", _USER, "-E", "UTF8", "--locale=C"],
        cwd=home, capture_output=True, text=True,
    )  # fmt: skip
    if made.returncode:
        raise Absent(f"initdb failed: {(made.stderr or made.stdout).strip()[-300:]}")
    command = [*before, server, "-D", str(data), "-h", LOOPBACK, "-p", str(port), "-k", ""]
    with running(command, home, port):
        settings = {"dsn": f"host={LOOPBACK} port={port} user={_USER} dbname=postgres"}
        with _connect(**settings) as connection:
            connection.execute(f"CREATE TABLE messages ({_COLUMNS})")
            connection.execute(f"CREATE UNLOGGED TABLE fast ({_COLUMNS})")
            connection.execute(f"CREATE UNLOGGED TABLE requests ({_COLUMNS}, destination text, reply_to text)")
            version = connection.info.server_version // 10000
        name = f"PostgreSQL {version}, skip locked"
        yield [Contender(name, "peer_postgresql:PostgreSQLClient", settings, sets_goals=True)]


def _as_server_user(home: Path) -> list[str]:
    """PostgreSQL refuses to run as root: what to put before a command, with the folder given to the right user."""
    if not as_root():
        return []
    import pwd

    try:
        user = pwd.getpwnam(_USER)
    except KeyError:
        raise Absent(f"there is no user {_USER} to run it as, and it does not run as root") from None
    os.chown(home, user.pw_uid, user.pw_gid)
    change = shutil.which("setpriv")
    if change is None:
        raise Absent("setpriv, which would run it as another user than root, is not installed")
    return [change, f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _connect(dsn: str) -> Any:
    import psycopg

    return psycopg.connect(dsn, autocommit=True, prepare_threshold=0)


class PostgreSQLClient(Client):
    def __init__(self, dsn: str) -> None:
        self._connection = _connect(dsn)
        self._cursor = self._connection.cursor(binary=True)
        self._name = f"requester_{self._connection.info.backend_pid}"
        self._listens = ""

    def _put(self, table: str) -> int:
        self._cursor.execute(_PUT.format(table), (DATA,))
        return 1

    def _get(self, statement: str, table: str) -> int:
        return len(self._cursor.execute(statement.format(table)).fetchall())

    def put(self) -> int:
        return self._put("messages")

    def get(self) -> int:
        return self._get(_GET, "messages")

    def put_unit(self) -> int:
        self._cursor.execute(_PUT_UNIT.format("messages"), (_UNIT_DATA,))
        return UNIT

    def get_unit(self) -> int:
        return self._get(_GET_UNIT, "messages")

    def put_fast(self) -> int:
        return self._put("fast")

    def get_fast(self) -> int:
        return self._get(_GET, "fast")

    # A request is a row, and so is its reply; NOTIFY, in the same commit, wakes the one who waits for it

    def begin(self, operation: str) -> None:
        wanted = {"request": self._name, "respond": "requests"}.get(operation, "")
        if wanted and wanted != self._listens:
            self._connection.execute(f"LISTEN {wanted}")
            self._listens = wanted

    def request(self) -> int:
        self._send("requests", DATA, self._name)
        while True:
            got = self._take(self._name)
            if got is not None:
                return 1
            if not self._notified(10):
                return 0

    def respond(self) -> int:
        got = self._take("requests")
        if got is None:
            self._notified(0.1)
            got = self._take("requests")
        if got is None:
            return 0
        self._send(got[1], got[0], "")
        return 1

    def _send(self, to: str, data: bytes, reply_to: str) -> None:
        """The row and the wake-up in one trip and one commit."""
        self._cursor.execute(
            "WITH put AS (INSERT INTO requests (data, destination, reply_to) VALUES (%b, %s, %s)) "
            "SELECT pg_notify(%s, '')",
            (data, to, reply_to, to),
        )

    def _take(self, destination: str) -> tuple[bytes, str] | None:
        rows = self._cursor.execute(
            "DELETE FROM requests WHERE id = (SELECT id FROM requests WHERE destination = %s "
            "ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING data, reply_to",
            (destination,),
        ).fetchall()
        return rows[0] if rows else None

    def _notified(self, seconds: float) -> bool:
        return any(True for _ in self._connection.notifies(timeout=seconds, stop_after=1))

    def tidy(self) -> None:
        # Rounds of units leave so many dead rows that the next gets one by one would pay for them, before the server's
        # own vacuum, which comes once a minute, has been there
        for table in ("messages", "fast", "requests"):
            self._connection.execute(f"VACUUM {table}")

    def close(self) -> None:
        self._connection.close()
