"""The third part of `make demo`: commands, and an application that may do just what it should.

Everything happens in one process, with an embedded queue manager that checks authorities: what a test suite can have.
"""

from __future__ import annotations

import tempfile

import libremq
from libremq.commands.demo.demo_server import colour, say
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFST, unpack_message

_APPLICATION = "nobody"
_EVENTS = "SYSTEM.ADMIN.QMGR.EVENT"


def main() -> int:
    """0 if everything was as it should be."""
    say("")
    say(colour("1", "LibreMQ demo, third part: commands, and an application that may do just what it should"))
    say("")
    with (
        tempfile.TemporaryDirectory(prefix="libremq-demo-") as folder,
        libremq.connect(f"embedded:SHOP?create=1&data={folder}", say=lambda text: None) as manager,
    ):
        return 0 if _shown(manager, folder) else 1


def _shown(manager: libremq.QueueManager, folder: str) -> bool:
    for command in (
        "DEFINE QLOCAL(ORDERS) MAXDEPTH(10000) DESCR('Orders of today')",
        "ALTER QMGR AUTHOREV(ENABLED)",
        f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{_APPLICATION}') AUTHADD(CONNECT)",
        f"SET AUTHREC PROFILE('ORDERS') OBJTYPE(QUEUE) PRINCIPAL('{_APPLICATION}') AUTHADD(PUT)",
        "DISPLAY QUEUE(ORD*) CURDEPTH MAXDEPTH DESCR",
        "DISPLAY QLOCAL(ORDERS) MAXDPTH",
    ):
        say(colour("36", f"   : {command}"))
        for answer in manager.mqsc(command):
            for line in filter(None, answer.lines):
                say(f"     {line}")
    say("")
    say(f"   An application, as the user {_APPLICATION}:")
    manager.mqsc(f"CLEAR QLOCAL({_EVENTS})")
    with libremq.connect(f"embedded:SHOP?data={folder}&authority=1", user=_APPLICATION) as application:
        orders = application.queue("ORDERS")
        orders.put("two espressos", persistent=True)
        say("     put:  done")
        try:
            orders.get()
        except libremq.NotAuthorized as error:
            say(f"     get:  {colour('31', 'refused')}. {error.detail}")
            refused = True
        else:
            refused = False
    event = manager.queue(_EVENTS).get_or_none()
    told = _told(event.data) if event is not None else ""
    say(f"     event on {_EVENTS}: {told}")
    fine = refused and manager.queue("ORDERS").depth == 1 and _APPLICATION in told
    say("")
    say("   " + (colour("1;32", "It may do what it should, and no more.") if fine else colour("1;31", "WRONG")))
    return fine


def _told(data: bytes) -> str:
    """Who, and on what."""
    header, parameters = unpack_message(data)
    texts = {one.Parameter: one.String.strip() for one in parameters if isinstance(one, MQCFST)}
    return (
        f"MQRC_NOT_AUTHORIZED ({header.Reason}), user {texts.get(C.MQCACF_USER_IDENTIFIER, '')}, "
        f"queue {texts.get(C.MQCA_Q_NAME, '')}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
