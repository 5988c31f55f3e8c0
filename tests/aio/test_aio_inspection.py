"""Units of work in doubt and files of objects, seen from asyncio and from the blocking API, embedded and served."""

from __future__ import annotations

import asyncio
from pathlib import Path

import libremq
from libremq import aio
from libremq.testing.serving import served_queue_manager


def test_both_apis_see_the_same(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served:
        url = served.url("local")
        with libremq.connect(url) as qm:
            qm.define_local("Q", defpsist="yes")
            with qm.xa.branch(b"one"):
                qm.put("Q", "tea")
            qm.xa.prepare(b"one")
            (unit,) = qm.units_in_doubt()
            (files,) = qm.object_files("ql", "Q")
            assert (unit.xid, unit.queues, unit.puts, unit.gets) == (b"one".hex(), ("Q",), 1, 0)
            assert (files.kind, files.name, files.paths) == ("QLOCAL", "Q", (f"{qm.folder}/queues/Q",))

        async def look() -> tuple[object, object]:
            async with await aio.connect(url) as manager:
                return await manager.units_in_doubt(), await manager.object_files("ql", "Q")

        assert asyncio.run(look()) == ([unit], [files])
