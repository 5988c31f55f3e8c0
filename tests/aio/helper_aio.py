"""Running coroutines in tests: nothing may be left behind, neither tasks nor warnings; and cancelling them at will."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Callable, Coroutine, Generator
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE = 120.0


def run(work: Coroutine[Any, Any, T]) -> T:
    """asyncio.run, after which no task is left, no transport open and nothing was complained about."""
    complaints: list[dict[str, Any]] = []

    async def main() -> T:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        async with asyncio.timeout(PATIENCE):
            result = await work
        for _ in range(3):
            await asyncio.sleep(0)  # for what was closed to say so
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, left
        return result

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()  # what tests before this one have left
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = asyncio.run(main())
        gc.collect()
    assert not complaints, complaints
    kinds = (ResourceWarning, RuntimeWarning)
    told = [str(warning.message) for warning in caught if issubclass(warning.category, kinds)]
    assert not told, told
    return result


class CancelAt:
    """Await a coroutine; at its n-th suspension, before anything else can happen, the task is cancelled.

    `meanwhile` is called just before, so that something can happen in the same moment.
    """

    def __init__(
        self, work: Coroutine[Any, Any, Any], number: int, meanwhile: Callable[[], object] | None = None
    ) -> None:
        self._iterator = work.__await__()
        self._number = number
        self._meanwhile = meanwhile
        self.struck = False

    def __await__(self) -> Generator[Any, Any, Any]:
        suspensions = 0
        send: Any = None
        error: BaseException | None = None
        while True:
            try:
                waits_for = self._iterator.send(send) if error is None else self._iterator.throw(error)
            except StopIteration as stop:
                return stop.value
            if suspensions == self._number:
                self.struck = True
                if self._meanwhile is not None:
                    self._meanwhile()
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            suspensions += 1
            send, error = None, None
            try:
                send = yield waits_for
            except BaseException as thrown:
                error = thrown


async def cancelled_at(
    work: Coroutine[Any, Any, T], number: int, meanwhile: Callable[[], object] | None = None
) -> tuple[bool, T | None, BaseException | None]:
    """Run it in a task of its own, cancelled at its n-th suspension: whether it has so many, its result, its error."""
    stepper = CancelAt(work, number, meanwhile)

    async def inner() -> T:
        return await stepper  # type: ignore[no-any-return]

    task = asyncio.create_task(inner())
    await asyncio.wait([task])
    if task.cancelled():
        return stepper.struck, None, asyncio.CancelledError()
    error = task.exception()
    return stepper.struck, task.result() if error is None else None, error
