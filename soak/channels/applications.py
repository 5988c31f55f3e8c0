"""The applications, processes of their own: some put numbered messages, one answers them.

    python -m soak.channels.applications FOLDER DATA ROUND SEED

One process loads everything and forks a child for each application. A child that loses its queue manager connects
again. Those that put end when the file `stop` appears in the folder, the one that answers when `stop.service` does.
The ledger of each says what it was told: see `books`.
"""

from __future__ import annotations

import os
import random
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import libremq
from libremq import MQError, QueueManager
from libremq.mqi import constants as C
from soak.channels.topology import ANSWER, ARRIVED, SENDERS, SERVICE, Sender
from soak.ledger import Ledger
from soak.messages import content, number_of

STOP, STOP_SERVICE = "stop", "stop.service"
_UNIT_MAX = 12
_PERSISTENT = 0.75
_BACKED_OUT = 0.05
_PAUSE_S = 0.1
_WAIT_S = 0.2
_AGAIN_S = 0.05
_GONE = {
    C.MQRC_CONNECTION_BROKEN,
    C.MQRC_CONNECTION_NOT_AVAILABLE,
    C.MQRC_CONNECTION_QUIESCING,
    C.MQRC_CONNECTION_STOPPING,
    C.MQRC_HCONN_ERROR,
    C.MQRC_Q_MGR_NOT_AVAILABLE,
    C.MQRC_Q_MGR_QUIESCING,
    C.MQRC_Q_MGR_STOPPING,
}
"""The queue manager was killed or ended. Whatever was not committed is backed out."""


class Application(ABC):
    """Connected as long as the queue manager lets it; `step` is one unit of work."""

    def __init__(self, url: str, ledger: Ledger, ended: Callable[[], bool]) -> None:
        self._url = url
        self.ledger = ledger
        self._ended = ended

    def run(self) -> None:
        while not self._ended():
            try:
                with libremq.connect(self._url) as qm:
                    while not self._ended():
                        self.step(qm)
            except MQError as error:
                if error.reason not in _GONE:
                    self.ledger.write("alarm", f"{error}")
                    return
                time.sleep(_AGAIN_S)

    @abstractmethod
    def step(self, qm: QueueManager) -> None:
        """Put, or get and put, and commit."""


class Putting(Application):
    """Puts units of work of a few messages, and says in its ledger what became of each."""

    def __init__(self, url: str, ledger: Ledger, ended: Callable[[], bool], who: Sender, run: int, seed: int) -> None:
        super().__init__(url, ledger, ended)
        self._who = who
        self._prefix = f"{run}.{who.name}"
        self._rng = random.Random(f"{seed}/{self._prefix}")
        self._units = 0
        self._numbers = 0

    def step(self, qm: QueueManager) -> None:
        rng, who = self._rng, self._who
        queue = qm.queue(who.queue, manager=who.to)
        unit = self._units = self._units + 1
        messages = [(self._number(), rng.random() < _PERSISTENT) for _ in range(rng.randint(1, _UNIT_MAX))]
        commits = rng.random() >= _BACKED_OUT
        self.ledger.write("unit", unit, [[number, persistent] for number, persistent in messages])
        try:
            with qm.transaction() as work:
                for number, persistent in messages:
                    reply = {"reply_to": "REPLIES"} if who.queue == SERVICE else {}
                    queue.put(content(number, self._size()), persistent=persistent, **reply)  # type: ignore[arg-type]
                if not commits:
                    work.backout()
                self.ledger.write("commit" if commits else "backout", unit)
        except MQError as error:
            if error.reason == C.MQRC_BACKED_OUT:
                self.ledger.write("undone", unit)
                return
            raise
        self.ledger.write("committed" if commits else "undone", unit)
        time.sleep(rng.uniform(0, _PAUSE_S))

    def _number(self) -> str:
        self._numbers += 1
        return f"{self._prefix}.{self._numbers}"

    def _size(self) -> int:
        return int(2 ** self._rng.uniform(4, 11)) if self._rng.random() < 0.97 else self._rng.randrange(30_000, 90_000)


class Answering(Application):
    """Keeps every request and answers it, all in one unit of work."""

    def step(self, qm: QueueManager) -> None:
        service, kept = qm.queue(SERVICE), qm.queue(ARRIVED)
        try:
            with qm.transaction():
                for request in service.get_many(20, _WAIT_S):
                    persistent = request.md.Persistence == C.MQPER_PERSISTENT
                    number = number_of(request.data)
                    if number is None:
                        self.ledger.write("alarm", f"a request was damaged: {request.data[:80]!r}")
                        number = "damaged"
                    kept.put(request.data, persistent=persistent)
                    to = qm.queue(request.md.ReplyToQ.strip(), manager=request.md.ReplyToQMgr.strip())
                    to.put(content(ANSWER + number, len(number)), persistent=persistent)
        except libremq.NoMessageAvailable:
            return
        except MQError as error:
            if error.reason != C.MQRC_BACKED_OUT:
                raise


def main(folder: Path, data: str, run: int, seed: int) -> int:
    def url(manager: str) -> str:
        return f"local:{manager}?data={quote(data)}"

    children = []
    for who in (*SENDERS, None):
        child = os.fork()
        if child:
            children.append(child)
            continue
        code = 1
        ledger = Ledger(folder / (who.name if who else SERVICE))
        try:
            stop = folder / (STOP if who else STOP_SERVICE)
            if who is None:
                Answering(url("QM3"), ledger, stop.exists).run()
            else:
                Putting(url(who.at), ledger, stop.exists, who, run, seed).run()
            code = 0
        except BaseException as error:
            ledger.write("alarm", repr(error))
        finally:
            os._exit(code)
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
