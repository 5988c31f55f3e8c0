"""The connection id that an application is given with MQCONN is the one that DISPLAY CONN shows and STOP CONN takes."""

from __future__ import annotations

from pathlib import Path

from helper_raw_client import RawClient

import libremq
from libremq.testing.serving import served_queue_manager


def test_one_id_for_a_connection_wherever_it_is_named(tmp_path: Path) -> None:
    with (
        served_queue_manager("A.LONG.NAME.OF.ONE", folder=tmp_path) as served,
        libremq.connect(served.url("local")) as qm,
        RawClient(served.port) as client,
    ):
        client.negotiate()
        given = client.connect("A.LONG.NAME.OF.ONE").parts["FCNO"]["ConnTag"][:24]
        [row] = qm.mqsc("DISPLAY CONN(*) WHERE(APPLTAG EQ 'raw client') EXTCONN")[0].rows
        assert given.hex().upper() == row["extconn"] + row["conn"]
        assert given[:16] == b"AMQCA.LONG.NAME."
        [stopped] = qm.mqsc(f"STOP CONN({given[16:].hex()})")
        assert stopped.state == "done"
        assert client.ended()
