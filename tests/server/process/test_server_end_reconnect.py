"""endmqm -r: clients that reconnect by themselves do not hold up a quiesced end, and go on after the next start."""

from __future__ import annotations

import threading
from pathlib import Path

from helper_server import HostPort, served, until

import libremq
from libremq.commands import main


def test_a_quiesced_end_with_r_sends_reconnecting_clients_away(tmp_path: Path) -> None:
    with served(tmp_path / "qmgrs" / "QM1") as server:
        port = server.start().ports[0]
        with libremq.connect(f"mq://127.0.0.1:{port}/QM1?reconnect=1", say=lambda text: None) as qm:
            qm.define_local("Q")
            queue = qm.queue("Q")
            came: list[str] = []
            waiting = threading.Thread(target=lambda: came.append(queue.get(wait=60).text))
            waiting.start()
            until(lambda: queue.statistics().opens_for_input, "the get of the thread")
            assert main.main(["endmqm", "-r", "-w", "-md", str(tmp_path), "QM1"]) == 0
            assert not server.locked()
            server.start(listen=(HostPort("127.0.0.1", port),))
            queue.put("after the restart")
            waiting.join(60)
            assert came == ["after the restart"]
