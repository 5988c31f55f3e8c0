"""SSLKEYR as a queue manager has it at first: MQ's stem, and what that means when the queue manager has moved."""

from __future__ import annotations

from pathlib import Path

import libremq
from libremq.host.creation import default_key_repository
from libremq.mqi import constants as C
from libremq.server.admission.key_repository import repository_path


def test_a_new_queue_manager_names_the_stem_in_its_own_folder(tmp_path: Path) -> None:
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}") as qm:
        assert qm.attributes["sslkeyr"] == f"{tmp_path}/qmgrs/QM1/ssl/key"
        [row] = qm.mqsc("DISPLAY QMGR SSLKEYR")[0].rows
        assert row["sslkeyr"] == f"{tmp_path}/qmgrs/QM1/ssl/key"
    too_long = "/" + "x" * C.MQ_SSL_KEY_REPOSITORY_LENGTH
    assert default_key_repository(too_long) == ""


def test_the_stem_means_the_folder_that_it_is_in(tmp_path: Path) -> None:
    own = tmp_path / "QM1"
    (own / "ssl").mkdir(parents=True)
    assert repository_path("", str(own)) == f"{own}/ssl"
    assert repository_path(f"{own}/ssl/key", str(own)) == f"{own}/ssl"
    assert repository_path("/gone/qmgrs/QM1/ssl/key", str(own)) == f"{own}/ssl"  # the queue manager has moved
    assert repository_path(f"{tmp_path}/keys", str(own)) == f"{tmp_path}/keys"
    elsewhere = tmp_path / "QM2"
    (elsewhere / "ssl").mkdir(parents=True)
    assert repository_path(f"{elsewhere}/ssl/key", str(own)) == f"{elsewhere}/ssl"  # somebody wants that
    (own / "ssl" / "key").write_text("a key beside its certificate")
    assert repository_path(f"{own}/ssl/key", str(own)) == f"{own}/ssl"
    (own / "ssl" / "key.pem").write_text("a stem with a file of its own is that file")
    assert repository_path(f"{own}/ssl/key", str(own)) == f"{own}/ssl/key"
