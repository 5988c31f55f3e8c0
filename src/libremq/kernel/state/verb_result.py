"""What a verb says when it is done: its value, the log position that the answer depends on, and whose answer it is.

No answer may leave before the log is on disk up to the position that it depends on. So a verb that answers a connection
returns all three, and cannot return without: the type checker sees to it. One place takes such answers apart and has
the connection wait (`verb_calls.connection_verb`); a get that waited has no call any more to return from, and says it
as it is completed (`Waiter.complete`). Nobody else sets `Connection.lsn`. Whom the verb has woken is gathered beside it
(`Woken`), and told by the same place when the verb is over.

0 is the position of an answer that depends on nothing. A call that fails promises nothing: errors have no position.

A plain tuple, for it is made with every call, and costs a tenth of an object with names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from libremq.kernel.state.connection import Connection

_T = TypeVar("_T")

Answer = tuple[_T, int, "Connection"]
Positioned = tuple[_T, int]
"""What the parts of a verb return: a value, and the log position that it depends on."""
UNSAID = -1
"""The position of a result that is not finished. No answer has it."""
