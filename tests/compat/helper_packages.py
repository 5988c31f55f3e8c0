"""The packages pymqi and ibmmq in small, for a machine that has neither: how they call the module beneath them.

A queue without open options is opened by the first put or get, for that alone. `make interop` has the packages
themselves.
"""

from __future__ import annotations

import ctypes
from types import ModuleType, SimpleNamespace
from typing import Any

from helper_compat import gmo, md, od, packed, pmo

from libremq.compat import ibmmqc, pymqe
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCD, MQCNO, MQCSP, MQSCO

_BYTES = 4096


class MQMIError(Exception):
    """What both packages raise: completion code and reason."""


def _checked(result: tuple[Any, ...]) -> Any:
    if result[-2]:
        raise MQMIError(*result[-2:])
    return result[0]


def packed_cd(cd: MQCD) -> bytes:
    return cd.pack(fill=b"\0").ljust(MQCD.size(), b"\0")


def package(name: str) -> ModuleType:
    """The module `ibmmq` or `pymqi`, with what the samples use."""
    below: Any = ibmmqc if name == "ibmmq" else pymqe

    def connect(queue_manager: str, channel: str, connection: str, user: str, password: str) -> SimpleNamespace:
        cd = MQCD(ChannelName=channel, ConnectionName=connection, Version=11)
        cd.TransportType, cd.ChannelType = C.MQXPT_TCP, C.MQCHT_CLNTCONN
        who = {"user": user.encode(), "password": password.encode()}
        if name == "ibmmq":
            lies = {key: ctypes.create_string_buffer(value) for key, value in who.items()}
            csp = MQCSP(
                AuthenticationType=C.MQCSP_AUTH_USER_ID_AND_PWD,
                CSPUserIdPtr=ctypes.addressof(lies["user"]), CSPUserIdLength=len(user),
                CSPPasswordPtr=ctypes.addressof(lies["password"]), CSPPasswordLength=len(password),
            )  # fmt: skip
            given = packed(MQCNO, 8), packed_cd(cd), csp.pack().ljust(MQCSP.size(), b"\0"), None, None
            hconn = _checked(ibmmqc.MQCONNX(queue_manager.encode(), *given))
        else:
            sco = MQSCO(Version=5).pack()[:628]
            hconn = _checked(pymqe.MQCONNX(queue_manager.encode(), C.MQCNO_NONE, packed_cd(cd), who, sco))
        return SimpleNamespace(hconn=hconn, disconnect=lambda: below.MQDISC(hconn))

    class Queue:
        def __init__(self, qmgr: Any, queue: str, options: int | None = None) -> None:
            self.hconn, self.name, self.hobj = qmgr.hconn, queue, None
            if options is not None:
                self.open(options)

        def open(self, options: int) -> None:
            if self.hobj is None:
                self.hobj = _checked(below.MQOPEN(self.hconn, od(self.name), options))

        def put(self, data: str | bytes) -> None:
            self.open(C.MQOO_OUTPUT)
            data = data.encode() if isinstance(data, str) else data
            _checked(below.MQPUT(self.hconn, self.hobj, md(), pmo(), data))

        def get(self) -> bytes:
            self.open(C.MQOO_INPUT_AS_Q_DEF)
            return bytes(_checked(below.MQGET(self.hconn, self.hobj, md(), gmo(), _BYTES)))

        def close(self) -> None:
            _checked((None, *below.MQCLOSE(self.hconn, self.hobj, 0)[-2:]))

    made = ModuleType(name)
    for one, value in (("CMQC", C), ("connect", connect), ("Queue", Queue), ("MQMIError", MQMIError)):
        setattr(made, one, value)
    return made
