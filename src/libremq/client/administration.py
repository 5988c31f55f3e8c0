"""Commands on the objects of a queue manager, with the names MQSC has for types and attributes.

Attributes are keyword arguments named like the MQSC keyword in lower case; values are numbers, text, or the words of
MQSC: `qm.define_local("ORDERS", maxdepth=1000, defpsist="yes")`. docs/reference/objects.md lists them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from libremq.client.kept_attributes import tell
from libremq.client.options import text
from libremq.client.recovery import Recovery
from libremq.host.binding import AttributeValue
from libremq.mqi import constants as C

if TYPE_CHECKING:
    from libremq.admin.mqsc_session import Answer
    from libremq.kernel.objects.attributes import GivenValue


def object_name(name: str) -> str:
    return text("the name of an object", name, C.MQRCCF_OBJECT_NAME_ERROR)


def object_kind(kind: str) -> str:
    return text("a kind of object", kind, C.MQRC_OBJECT_TYPE_ERROR).upper()


class Administration(Recovery):
    """The part of `QueueManager` that defines, changes and shows objects. What it changed is on disk on return."""

    # Defining

    def define(
        self, kind: str, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE: make an object of a kind: qlocal, qalias, qremote, qmodel, process, namelist, channel or listener.

        Attributes not given come from the object `like`, else from the SYSTEM.DEFAULT object of the kind. ObjectExists
        if there is one of the name, unless `replace` gives it this new definition; the messages of a queue stay. A
        channel needs its type: `qm.define("channel", "DEV.APP.SVRCONN", chltype="svrconn")`. An attribute that has no
        effect yet is kept, with a warning (`NoEffectYet`).
        """
        if like is not None:
            object_name(like)
        access = self._usable_access()
        tell(access.define(object_kind(kind), object_name(name), attributes, like=like, replace=replace))

    def define_local(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE QLOCAL: a queue that holds messages."""
        self.define("QLOCAL", name, like=like, replace=replace, **attributes)

    def define_alias(
        self, name: str, target: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE QALIAS: another name for the queue `target`."""
        self.define("QALIAS", name, like=like, replace=replace, target=target, **attributes)

    def define_remote(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE QREMOTE: the queue `rname` of queue manager `rqmname`, reached through transmission queue `xmitq`."""
        self.define("QREMOTE", name, like=like, replace=replace, **attributes)

    def define_model(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE QMODEL: what `dynamic_queue` makes queues from."""
        self.define("QMODEL", name, like=like, replace=replace, **attributes)

    def define_process(
        self, name: str, *, like: str | None = None, replace: bool = False, **attributes: GivenValue
    ) -> None:
        """DEFINE PROCESS: what a trigger message tells a trigger monitor to start."""
        self.define("PROCESS", name, like=like, replace=replace, **attributes)

    def define_namelist(
        self,
        name: str,
        names: Sequence[str],
        *,
        like: str | None = None,
        replace: bool = False,
        **attributes: GivenValue,
    ) -> None:
        """DEFINE NAMELIST: a list of names."""
        self.define("NAMELIST", name, like=like, replace=replace, names=names, **attributes)

    def alter(self, kind: str, name: str = "", **attributes: GivenValue) -> None:
        """ALTER: change the given attributes and keep the others. `alter("qmgr", deadq="DEAD")` for the manager."""
        tell(self._usable_access().alter(object_kind(kind), object_name(name), attributes))

    def delete(self, kind: str, name: str, *, purge: bool = False) -> None:
        """DELETE. A queue must not be open elsewhere, nor hold messages unless `purge` throws them away."""
        access = self._usable_access()
        self._session().release(object_name(name))
        access.delete(object_kind(kind), name, purge=purge)

    def clear(self, name: str) -> None:
        """CLEAR QLOCAL: throw away all messages. The queue must not be open elsewhere."""
        access = self._usable_access()
        self._session().release(object_name(name))
        access.clear(name)

    def mqsc(self, commands: str) -> list[Answer]:
        """Run commands of MQSC: `qm.mqsc("DEFINE QLOCAL(ORDERS) MAXDEPTH(1000)")`; a text may have many.

        Each answer has `state` ("done", "failed" or "syntax"), the `lines` that runmqsc would print, and for DISPLAY
        the `rows`: dicts by keyword in lower case. A command that fails does not keep the next ones from running.
        """
        return self._usable_access().mqsc(text("commands of MQSC", commands, C.MQRCCF_PARM_SYNTAX_ERROR))

    # Showing

    def display(self, kind: str, pattern: str = "*") -> list[dict[str, AttributeValue]]:
        """DISPLAY: the objects of a kind, or of all queues with kind "queue", that a name or `ABC*` means.

        Each is a dict by MQSC keyword in lower case: words where MQSC has words, and live values such as curdepth.
        """
        return self._usable_access().display(object_kind(kind), object_name(pattern))

    def queue_names(self, pattern: str = "*") -> list[str]:
        """The names of the queues that a name or `ABC*` means, those of the system left out unless asked for."""
        names = self._usable_access().names("QUEUE", object_name(pattern))
        if pattern.startswith("SYSTEM."):
            return names
        return [name for name in names if not name.startswith("SYSTEM.")]

    @property
    def attributes(self) -> dict[str, AttributeValue]:
        """DISPLAY QMGR: the attributes of the queue manager itself."""
        return self.display("QMGR")[0]
