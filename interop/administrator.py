"""Stands in for the command server until LibreMQ has one: carries out the few PCF commands of other people's fixtures.

Nearly every test of ibmmq defines its queue with a PCF command first, also those that are about verbs. This process
reads SYSTEM.ADMIN.COMMAND.QUEUE as a command server does and answers those commands; any other is refused with
MQRCCF_CFH_COMMAND_ERROR, so that a test that is about PCF shows as waiting for it. Authority is not checked yet, so
granting it changes nothing and succeeds.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable

from libremq.client import connecting
from libremq.client.binding import Access
from libremq.client.verbs import MQI
from libremq.kernel.attribute_tables import TABLES
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.pcf import MQCFH, MQCFIN, MQCFST, PCFParameter, pack_message, unpack_message
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

COMMAND_QUEUE = "SYSTEM.ADMIN.COMMAND.QUEUE"
_WAIT_MS = 1000
_OVER = (C.MQRC_Q_MGR_STOPPING, C.MQRC_Q_MGR_QUIESCING, C.MQRC_CONNECTION_BROKEN, C.MQRC_HCONN_ERROR)
"""The queue manager ends, and this with it."""
_KINDS = {
    C.MQQT_LOCAL: "QLOCAL", C.MQQT_MODEL: "QMODEL", C.MQQT_ALIAS: "QALIAS", C.MQQT_REMOTE: "QREMOTE",
}  # fmt: skip
_NOT_ATTRIBUTES = (C.MQCA_Q_NAME, C.MQIA_Q_TYPE, C.MQIACF_REPLACE, C.MQIACF_PURGE)

Given = dict[int, int | str]
Answer = list[PCFParameter]


class Administrator:
    """Answers commands over one connection."""

    def __init__(self, url: str) -> None:
        self.access: Access = connecting.reach(url)
        self.mqi = MQI(self.access.connect("admin", "interop administrator"), self.access, close=True)
        self.ended = False
        self._commands: dict[int, Callable[[Given], Answer]] = {
            C.MQCMD_CREATE_Q: self._create_queue,
            C.MQCMD_DELETE_Q: self._delete_queue,
            C.MQCMD_PING_Q_MGR: lambda _: [],
            C.MQCMD_INQUIRE_Q_MGR: self._inquire_queue_manager,
            C.MQCMD_INQUIRE_AUTH_INFO: self._inquire_authentication,
            C.MQCMD_SET_AUTH_REC: lambda _: [],
        }

    def run(self) -> None:
        """Answer until `ended` is set."""
        hobj = self.mqi.MQOPEN(MQOD(ObjectName=COMMAND_QUEUE), C.MQOO_INPUT_SHARED)
        while not self.ended:
            md = MQMD(Version=C.MQMD_VERSION_2)
            gmo = MQGMO(Version=C.MQGMO_VERSION_2, Options=C.MQGMO_WAIT | C.MQGMO_CONVERT, WaitInterval=_WAIT_MS)
            try:
                got = self.mqi.MQGET(hobj, md, gmo)
            except MQError as error:
                if error.reason == C.MQRC_NO_MSG_AVAILABLE:
                    continue
                if error.reason in _OVER:
                    return
                raise
            self._answer(md, got.data)
        self.mqi.MQDISC()

    def _answer(self, request: MQMD, data: bytes) -> None:
        header, parameters = unpack_message(data, charset="utf-8")
        reply = MQCFH(Type=C.MQCFT_RESPONSE, Command=header.Command)
        answer: Answer = []
        try:
            command = self._commands.get(header.Command)
            if command is None:
                raise mq_error(C.MQRCCF_CFH_COMMAND_ERROR, detail=f"command {header.Command} is not one of fixtures")
            answer = command(_given(parameters))
        except MQError as error:
            reply.CompCode, reply.Reason = error.comp_code, error.reason
        md = MQMD(MsgType=C.MQMT_REPLY, Format=C.MQFMT_ADMIN, CorrelId=request.MsgId, CodedCharSetId=1208)
        target = MQOD(ObjectName=request.ReplyToQ, ObjectQMgrName=request.ReplyToQMgr)
        try:
            self.mqi.MQPUT1(target, md, MQPMO(), pack_message(reply, answer, charset="utf-8"))
        except MQError as error:
            print(f"nobody waits for an answer any more: {error}", file=sys.stderr)

    # Commands

    def _create_queue(self, given: Given) -> Answer:
        kind = _KINDS[int(given.get(C.MQIA_Q_TYPE, C.MQQT_LOCAL))]
        rows = TABLES[kind].by_selector
        attributes = {rows[key].keyword: value for key, value in given.items() if key not in _NOT_ATTRIBUTES}
        replace = given.get(C.MQIACF_REPLACE) == C.MQRP_YES
        self.access.define(kind, str(given[C.MQCA_Q_NAME]), attributes, like=None, replace=replace)
        return []

    def _delete_queue(self, given: Given) -> Answer:
        purge = given.get(C.MQIACF_PURGE) == C.MQPO_YES
        self.access.delete("QLOCAL", str(given[C.MQCA_Q_NAME]), purge=purge)
        return []

    def _inquire_queue_manager(self, given: Given) -> Answer:
        (shown,) = self.access.display("QMGR", "*")
        return [
            MQCFST(Parameter=C.MQCA_Q_MGR_NAME, String=self.access.name.ljust(48)),
            MQCFST(Parameter=C.MQCA_CONN_AUTH, String=str(shown["connauth"]).ljust(48)),
            MQCFIN(Parameter=C.MQIA_COMMAND_LEVEL, Value=int(str(shown["cmdlevel"]))),
        ]

    def _inquire_authentication(self, given: Given) -> Answer:
        """The developer configuration asks administrators for a password, and others if they send one."""
        return [
            MQCFST(Parameter=C.MQCA_AUTH_INFO_NAME, String=str(given[C.MQCA_AUTH_INFO_NAME])),
            MQCFIN(Parameter=C.MQIA_AUTH_INFO_TYPE, Value=C.MQAIT_IDPW_OS),
            MQCFIN(Parameter=C.MQIA_CHECK_CLIENT_BINDING, Value=C.MQCHK_REQUIRED_ADMIN),
        ]


def _given(parameters: Iterable[PCFParameter]) -> Given:
    """The parameters that are a number or a text, by their id."""
    given: Given = {}
    for parameter in parameters:
        if isinstance(parameter, MQCFIN):
            given[parameter.Parameter] = parameter.Value
        elif isinstance(parameter, MQCFST):
            given[parameter.Parameter] = parameter.String.strip(" \0")
    return given


def main() -> None:
    administrator = Administrator(sys.argv[1])

    def end(*_: object) -> None:
        administrator.ended = True

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    print("ready", flush=True)
    administrator.run()


if __name__ == "__main__":
    main()
