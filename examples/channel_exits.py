"""Channel exits: functions that a message channel calls. Here one is tried by itself, before a channel uses it."""

import os
import tempfile
from pathlib import Path

import libremq
from libremq.channels.exits import Exits, Suppressed
from libremq.mqi.structs import MQMD1, MQXQH

KITCHEN = """
from libremq.channels.exits import ExitCall, SuppressMessage
from libremq.mqi import constants as C


def no_decaf(call: ExitCall) -> bytes | None:
    if call.reason != C.MQXR_MSG:
        return None
    if b"decaf" in call.data:
        raise SuppressMessage("we do not serve that", feedback=70001)
    call.md.Priority = 7
    return call.data + b", " + call.user_data.encode()
"""


def main() -> None:
    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("QM2", usage="xmitq", replace=True)
        define = "DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(SDR) CONNAME('localhost(1415)') XMITQ(QM2) REPLACE"
        (defined,) = qm.mqsc(f"{define} MSGEXIT('kitchen(no_decaf)') MSGDATA('table 7')")
        print("the channel is defined:", defined.state)

    folder = Path(os.environ["LIBREMQ_DATA"], "qmgrs", "QM1", "exits")
    (folder / "kitchen.py").write_text(KITCHEN)
    (folder / "kitchen.py").chmod(0o600)  # an exit that others can write to is refused

    exits = Exits.from_folder(str(folder), msgexit=("kitchen(no_decaf)",), msgdata=("table 7",))
    for order in ("two espressos", "one decaf"):
        header = MQXQH(RemoteQName="ORDERS", RemoteQMgrName="QM2", MsgDesc=MQMD1(Format="MQSTR"))
        result = exits.message(header.pack() + order.encode())
        if isinstance(result, Suppressed):
            print(f"{order}: to the dead-letter queue, reason {result.feedback}: {result.words}")
        else:
            sent = MQXQH.unpack(result.data)
            print(f"{result.data[MQXQH.size() :].decode()!r} with priority {sent.MsgDesc.Priority}")
    exits.end()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:  # with LIBREMQ_DATA set, the data stays there
        os.environ.setdefault("LIBREMQ_DATA", folder)
        main()
