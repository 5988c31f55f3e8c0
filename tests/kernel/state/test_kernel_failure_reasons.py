"""Old files that cannot be removed are trouble of the next checkpoint, not of the put that made this one due."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.mqi import constants as C


def test_a_put_is_not_refused_because_old_files_cannot_be_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session()
    session.queue("A")
    session.queue("B")
    session.put("A", b"old", Persistence=C.MQPER_PERSISTENT)
    session.qm.checkpoint()
    session.qm.delete("QLOCAL", "A", purge=True)

    def broken(path: str) -> None:
        raise OSError(5, "Input/output error", path)

    with monkeypatch.context() as patch:
        patch.setattr(session.core.files, "remove_folder", broken)
        session.qm._checkpoint_due = 0
        session.put("B", b"new", Persistence=C.MQPER_PERSISTENT)
        assert session.depth("B") == 1 and session.core.dropped_folders
    session.qm.checkpoint()
    assert not session.core.dropped_folders and not session.core.files.exists("qm/queues/A")
