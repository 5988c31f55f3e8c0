"""What a command has to wait for, such as an answer over the network.

Commands run under the kernel's lock and never wait, so one that cannot know yet how it ended gives this back instead.
Whoever asked is told, or waits without the lock. What comes, comes under the lock; only the first counts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")
_U = TypeVar("_U")


class Pending(Generic[_T]):
    """A value that is not there yet."""

    def __init__(self) -> None:
        self._values: list[_T] = []  # none, or one
        self._callbacks: list[Callable[[_T], None]] = []
        self._come = threading.Event()

    @property
    def is_there(self) -> bool:
        return bool(self._values)

    @property
    def value(self) -> _T:
        """IndexError if it is not there."""
        return self._values[0]

    def complete(self, value: _T) -> None:
        """Here it is. What comes after the first is dropped."""
        if self._values:
            return
        self._values.append(value)
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(value)
        self._come.set()

    def then(self, callback: Callable[[_T], None]) -> None:
        """Call with the value, at once if it is there."""
        if self._values:
            callback(self._values[0])
        else:
            self._callbacks.append(callback)

    def map(self, function: Callable[[_T], _U]) -> Pending[_U]:
        """What the function makes of it."""
        made: Pending[_U] = Pending()
        self.then(lambda value: made.complete(function(value)))
        return made

    def chain(self, function: Callable[[_T], Pending[_U]]) -> Pending[_U]:
        """What comes of what the function begins with it."""
        made: Pending[_U] = Pending()
        self.then(lambda value: function(value).then(made.complete))
        return made

    def wait(self, seconds: float) -> bool:
        """Has it come, and have all been called that wanted to hear of it? Without the lock."""
        return self._come.wait(seconds)


def there(value: _T) -> Pending[_T]:
    """One that has come already."""
    made: Pending[_T] = Pending()
    made.complete(value)
    return made
