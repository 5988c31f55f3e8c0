"""Several threads for work that waits for the disk: syncs of many files, which a file system answers together.

Ten thousand queues have twenty thousand files. One sync after the other, a checkpoint of them all takes minutes, and a
start or an end has to wait for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

_THREADS = 8


def side_by_side(tasks: Iterable[Callable[[], None]]) -> None:
    """Do them all, in any order. When this returns, or raises what one of them has raised, none is under way."""
    left = iter(tasks)
    guard = threading.Lock()
    trouble: list[BaseException] = []

    def work() -> None:
        while True:
            with guard:
                task = None if trouble else next(left, None)
            if task is None:
                return
            try:
                task()
            except BaseException as error:
                trouble.append(error)

    helpers: list[threading.Thread] = []
    try:
        for _ in range(_THREADS - 1):
            helper = threading.Thread(target=work, name="libremq-disk", daemon=True)
            helper.start()
            helpers.append(helper)
    except RuntimeError:
        pass  # there are no more to be had
    except BaseException as error:
        trouble.append(error)
    try:
        work()
    except BaseException as error:
        trouble.append(error)
    for helper in helpers:
        while helper.is_alive():
            try:
                helper.join()
            except BaseException as error:
                trouble.append(error)  # an interrupt has to wait: what is being written is not to be read meanwhile
    if trouble:
        raise trouble[0]
