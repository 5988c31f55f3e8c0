"""A mistake of ours while a call is served: the connection ends, a report says where, the others go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import libremq
from libremq.testing.serving import served_queue_manager


def test_an_unexpected_error_is_reported_once_and_ends_one_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served_queue_manager(folder=tmp_path / "data") as served:
        reports: list[dict[str, Any]] = []
        served.in_loop(lambda: served.engine.loop.set_exception_handler(lambda loop, context: reports.append(context)))
        with libremq.connect(served.url()) as other:
            other.define_local("Q")

            def broken(*arguments: object) -> None:
                raise ZeroDivisionError("a mistake")

            with monkeypatch.context() as patched:
                patched.setattr(served.embedded.manager, "put1", broken)
                for _ in range(2):
                    with libremq.connect(served.url()) as qm, pytest.raises(libremq.ConnectionBroken):
                        qm.put("Q", b"x")
            assert [type(one["exception"]) for one in reports] == [ZeroDivisionError]
            other.put("Q", b"still there")
            assert other.queue("Q").get().data == b"still there"
