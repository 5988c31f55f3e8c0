"""Client programs for the kill tests: `python helper_kill_clients.py verbs|ledger URL FOLDER NAME...`.

One process loads everything and forks a child for each name, so that many clients cost little to start. `verbs`:
a child holds a unit of work, an exclusive handle and a temporary queue, and makes one verb again and again until it is
killed. `ledger`: a child puts or moves messages until the file `stop` appears, and leaves a ledger.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator

import libremq
from libremq import MQError, Queue, QueueManager
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQPMO


def _pairs(work: Queue, numbers: Iterator[int]) -> list[str]:
    number = next(numbers)
    return [f"{number}.a", f"{number}.b"]


def _commit(qm: QueueManager, work: Queue, numbers: Iterator[int]) -> None:
    with qm.transaction():
        for text in _pairs(work, numbers):
            work.put(text)


def _backout(qm: QueueManager, work: Queue, numbers: Iterator[int]) -> None:
    with qm.transaction() as unit:
        work.put("never")
        unit.backout()


def _get(qm: QueueManager, work: Queue, numbers: Iterator[int]) -> None:
    work.put_many(_pairs(work, numbers))
    with qm.transaction():
        work.get()
        work.get()


def _get_many(qm: QueueManager, work: Queue, numbers: Iterator[int]) -> None:
    work.put_many(_pairs(work, numbers))
    with qm.transaction():
        work.get_many(2)


def _open(qm: QueueManager, work: Queue, numbers: Iterator[int]) -> None:
    with qm.queue(work.name) as queue:
        queue.handle("output")
        queue.handle("input")


def _asynchronous(qm: QueueManager, work: Queue, numbers: Iterator[int]) -> None:
    with qm.transaction():
        hobj = work.handle("output")
        options = C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNCPOINT
        for text in _pairs(work, numbers):
            qm.mqi.MQPUT(hobj, MQMD(), MQPMO(Options=options), text.encode())


def _consume(qm: QueueManager, work: Queue, numbers: Iterator[int]) -> None:
    with work.consume(lambda message: None):
        work.put_many(_pairs(work, numbers))


Verb = Callable[[QueueManager, Queue, Iterator[int]], object]
VERBS: dict[str, Verb] = {
    "OPEN": _open,
    "PUT.MANY": lambda qm, work, numbers: work.put_many(_pairs(work, numbers)),
    "PUT1": lambda qm, work, numbers: qm.put("SHARED", f"{work.name} {next(numbers)}"),
    "GET": _get,
    "GET.MANY": _get_many,
    "WAIT": lambda qm, work, numbers: work.get_or_none(0.01),
    "BROWSE": lambda qm, work, numbers: list(work.browse()),
    "INQUIRE": lambda qm, work, numbers: work.depth,
    "SET": lambda qm, work, numbers: work.set(get="enabled"),
    "COMMIT": _commit,
    "BACKOUT": _backout,
    "ASYNC": _asynchronous,
    "CONSUME": _consume,
    "DYNAMIC": lambda qm, work, numbers: qm.dynamic_queue().close(),
}
"""Each leaves an even number of messages on its queue after every commit."""


def repeat(verb: str, url: str, folder: str) -> None:
    held = libremq.connect(url)
    queue = held.queue(f"Q.{verb}", exclusive=True)
    temporary = held.dynamic_queue()
    unit = held.transaction()
    unit.__enter__()
    assert queue.get().text == "held"
    queue.put("never")
    other = libremq.connect(url)
    work, numbers = other.queue(f"WORK.{verb}"), itertools.count(1)
    for turn in itertools.count():
        VERBS[verb](other, work, numbers)
        if turn == 3:
            _leave(folder, f"{verb}.ready", temporary.name)


class _Told:
    def __init__(self) -> None:
        self.surely: list[str] = []
        self.maybe: list[str] = []

    def run(self, texts: list[str], work: Callable[[], object]) -> None:
        try:
            work()
        except MQError as error:
            if error.reason == C.MQRC_CALL_INTERRUPTED:
                self.maybe += texts
            elif error.reason != C.MQRC_BACKED_OUT:
                raise
        else:
            self.surely += texts


def keep_books(name: str, url: str, folder: str) -> None:
    """PUT puts messages, MOVE takes them from Q to OUT."""
    told, numbers = _Told(), itertools.count(1)
    with libremq.connect(url) as qm:
        queue, out = qm.queue("Q"), qm.queue("OUT")

        def move(texts: list[str]) -> None:
            with qm.transaction():
                for message in queue.get_many(5, 0.05):
                    texts.append(message.text)
                    out.put(message.text)

        while not os.path.exists(f"{folder}/stop"):
            if name.startswith("PUT"):
                text = f"{name} {next(numbers)}"
                told.run([text], lambda: queue.put(text))  # noqa: B023
                many = [f"{name} {next(numbers)}" for _ in range(5)]
                told.run(many, lambda: queue.put_many(many))  # noqa: B023
            else:
                texts: list[str] = []
                try:
                    told.run(texts, lambda: move(texts))  # noqa: B023
                except libremq.NoMessageAvailable:
                    pass
            losses = getattr(qm.mqi.binding, "losses", 0)
            if losses:
                _leave(folder, f"{name}.lost", str(losses))
            _leave(folder, f"{name}.count", str(len(told.surely)))
        losses = getattr(qm.mqi.binding, "losses", 0)
    _leave(folder, f"{name}.books", json.dumps({"surely": told.surely, "maybe": told.maybe, "losses": losses}))


def _leave(folder: str, name: str, text: str) -> None:
    path = f"{folder}/{name}"
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.new", path)


def main(kind: str, url: str, folder: str, names: list[str]) -> int:
    work = repeat if kind == "verbs" else keep_books
    children: dict[int, str] = {}
    for name in names:
        child = os.fork()
        if not child:
            code = 1
            try:
                work(name, url, folder)
                code = 0
            except BaseException as error:
                _leave(folder, f"{name}.error", repr(error))
            finally:
                os._exit(code)
        children[child] = name
        _leave(folder, f"{name}.pid", str(child))
    failed = 0
    for child in children:
        failed |= os.waitpid(child, 0)[1]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
