"""A queue manager with one object of each sort, and a user whose authorities a test gives and takes."""

from __future__ import annotations

from typing import Any

from libremq.host import lifecycle
from libremq.kernel.authority import object_authority
from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.objects.object_types import LocalQueue
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQOD
from libremq.security.authorities import APPLICABLE, TYPES, words
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

OBJECTS = (
    (C.MQOT_Q_MGR, "self"),
    (C.MQOT_Q, "Q"),
    (C.MQOT_Q, "ALIAS"),
    (C.MQOT_Q, "REMOTE"),
    (C.MQOT_Q, "MODEL"),
    (C.MQOT_Q, "MODEL.KEPT"),
    (C.MQOT_Q, "MODEL.XMIT"),
    (C.MQOT_Q, "KEPT"),
    (C.MQOT_Q, "XMIT"),
    (C.MQOT_PROCESS, "PROC"),
    (C.MQOT_NAMELIST, "LIST"),
    (C.MQOT_REMOTE_Q_MGR_NAME, "OTHER"),
)
"""The objects of `Rig`, by type and profile."""


class Rig:
    def __init__(self) -> None:
        self.clock, self.files = VirtualClock(), FaultyFiles()
        lifecycle.create(self.files, "qm", "QM1", self.clock, LogConfig(file_pages=64))
        self.said: list[str] = []
        self.start()
        qm = self.qm
        for kind, name, attributes in (
            ("QLOCAL", "Q", {}),
            ("QLOCAL", "TWO", {}),
            ("QALIAS", "ALIAS", {"target": "Q"}),
            ("QLOCAL", "XMIT", {"usage": "xmitq"}),
            ("QREMOTE", "REMOTE", {"rname": "FAR", "rqmname": "OTHER", "xmitq": "XMIT"}),
            ("QREMOTE", "OTHER", {"rqmname": "OTHER", "xmitq": "XMIT"}),
            ("QREMOTE", "HERE", {"rqmname": "QM1"}),
            ("QMODEL", "MODEL", {}),
            ("QMODEL", "MODEL.KEPT", {"deftype": "permdyn"}),
            ("QMODEL", "MODEL.XMIT", {"usage": "xmitq"}),
            ("PROCESS", "PROC", {}),
            ("NAMELIST", "LIST", {"names": ["A"]}),
        ):
            qm.define(kind, name, attributes)
        self.keep_dynamic_queue()

    def start(self) -> None:
        self.qm = lifecycle.start(self.files, "qm", "QM1", self.clock)
        self.core = self.qm.core
        self.core.say = self.said.append
        self.core.authorities.external_users = True
        self.admin = self.qm.connect("boss")

    def crash(self) -> None:
        """Everything that was not forced is gone."""
        self.files = next(iter(self.files.disk_states()))
        self.start()

    def keep_dynamic_queue(self) -> None:
        """KEPT: a permanent dynamic queue that somebody else made."""
        if self.core.catalogue.find_queue("KEPT") is None:
            od = MQOD(ObjectName="MODEL.KEPT", DynamicQName="KEPT")
            self.qm.close(self.admin, self.qm.open(self.admin, od, C.MQOO_OUTPUT))

    def connect(self, user: str = "app", **more: Any) -> int:
        return self.qm.connect(user, "program", privileged=False, **more)

    def set(self, user: str, object_type: int, profile: str, *, add: Any = (), remove: Any = ()) -> int:
        return object_authority.set_authority(
            self.core, profile, object_type, principals=[user], add=list(add), remove=list(remove)
        )

    def give_all(self, *users: str) -> None:
        for user in users:
            for object_type, profile in OBJECTS:
                self.set(user, object_type, profile, add=words(APPLICABLE[object_type]))

    def state(self) -> dict[str, Any]:
        """All that a refused call must leave as it was."""
        core = self.core
        depths = {
            name: core.local_queue(queue).store.depth
            for name, queue in core.catalogue.queues.items()
            if isinstance(queue, LocalQueue)
        }
        return {
            "definitions": [to_record(obj) for obj in core.catalogue],
            "depths": depths,
            "handles": [sorted(connection.handles) for connection in core.connections.values()],
            "counts": [(queue.name, queue.input_count, queue.output_count, len(queue.open_handles))
                       for queue in core.queues.values()],
            "log": core.log.tail,
        }  # fmt: skip


def all_authorities() -> list[tuple[int, str, str]]:
    """Every authority on every object of the rig: type, profile, word. CRT is one for each type."""
    return [
        (object_type, profile, word)
        for object_type, profile in OBJECTS
        for word in words(APPLICABLE[object_type])
        if word != "crt"
    ]


def named(object_type: int, profile: str, word: str) -> str:
    return f"{word} on {TYPES[object_type].name} {profile}"
