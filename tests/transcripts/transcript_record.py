"""A record of what every call of a transcript gives back: the transcript shows some fields, this has them all.

Two runs of a script over different bindings are to have the same record. Identifiers that were made up are counted in
the order of their appearance, as in a transcript, and so are message handles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQCBC, MQCBD, MQGMO, MQMD, MQOD, MQPMO, Structure

_RESPONSES = C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNC_RESPONSE
_MADE_UP = (b"AMQ ", b"LMQC")
_SHOWN = (Structure, int, str, bytes, list)


class Record:
    """The calls of a run, in their order."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.unanswered: set[str] = set()  # queues with DEFPRESP(ASYNC)
        self._ids: dict[bytes, str] = {}
        self._handles: dict[str, str] = {}  # of messages: which numbers connections have is the queue manager's affair

    def note(self, who: str, call: str, *values: object) -> None:
        if call == "create_message_handle" and isinstance(values[0], int):
            self._handles.setdefault(str(values[0]), f"handle {len(self._handles) + 1}")
        line = f"{who} {call}: {', '.join(self._shown(value) for value in values)}"
        for number, name in self._handles.items():
            line = line.replace(number, name)
        self.calls.append(line)

    def failed(self, who: str, call: str, error: MQError, *values: object) -> None:
        self.note(who, call, error.reason, error.comp_code, error.object_name, error.detail, *values)

    def _shown(self, value: object) -> str:
        if isinstance(value, Structure):
            return self._structure(value)
        if isinstance(value, bytes) and len(value) == 24 and value.startswith(_MADE_UP):
            return self._ids.setdefault(value, f"id{len(self._ids) + 1}")
        if isinstance(value, list | tuple):
            return f"[{', '.join(self._shown(item) for item in value)}]"
        return "function" if callable(value) else repr(value)

    def _structure(self, value: Structure) -> str:
        """Its fields, as far as its version has them."""
        shape = value._shapes.get(getattr(value, "Version", 0), value._current)
        fields = " ".join(f"{name}={self._shown(getattr(value, name))}" for name in shape.fields)
        return f"{type(value).__name__}({fields})"


class RecordingHost:
    """A host whose connections note what they give back."""

    def __init__(self, host: Any) -> None:
        self._host = host
        self.record = Record()
        self._connections = 0

    def __getattr__(self, name: str) -> Any:
        """Administration, time and restart; a command that fails is noted."""
        return _noted(self.record, "operator", name, getattr(self._host, name), only_errors=True)

    def define(self, kind: str, name: str, values: Mapping[str, str], like: str | None, replace: bool) -> None:
        if values.get("defpresp", "").lower() == "async":
            self.record.unanswered.add(name)
        _noted(self.record, "operator", "define", self._host.define, only_errors=True)(
            kind, name, values, like, replace
        )

    def connect(self, user: str, application: str) -> RecordingBinding:
        self._connections += 1
        return RecordingBinding(self._host.connect(user, application), self.record, f"{user} {self._connections}")

    def get(self, binding: RecordingBinding, hobj: int, md: MQMD, gmo: MQGMO, length: int | None) -> Any:
        try:
            got = self._host.get(binding.inner, hobj, md, gmo, length)
        except MQError as error:
            self.record.failed(binding.who, "get", error, hobj, md, gmo)
            raise
        if not isinstance(got, Got):
            return RecordingPending(got, self.record, binding.who, (md, gmo))
        _note_got(self.record, binding.who, got, md, gmo)
        return got

    def callback(
        self,
        binding: RecordingBinding,
        operation: int,
        cbd: MQCBD,
        function: Callable[..., Any],
        hobj: int,
        md: MQMD,
        gmo: MQGMO,
    ) -> None:
        def called(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
            self.record.note(binding.who, "is called", md, gmo, data, cbc)
            function(md, gmo, data, cbc)

        noted = _noted(self.record, binding.who, "callback", self._host.callback)
        noted(binding.inner, operation, cbd, called, hobj, md, gmo)

    def control(self, binding: RecordingBinding, operation: int) -> None:
        _noted(self.record, binding.who, "control", self._host.control)(binding.inner, operation)

    def deliver(self, binding: RecordingBinding) -> None:
        self._host.deliver(binding.inner)


class RecordingBinding:
    """A connection that notes what its calls give back."""

    def __init__(self, inner: Any, record: Record, who: str) -> None:
        self.inner = inner
        self.who = who
        self._record = record
        self._unanswered: set[int] = set()  # handles of queues with DEFPRESP(ASYNC)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.inner, name)
        return _noted(self._record, self.who, name, value) if callable(value) else value

    def open(self, od: MQOD, *values: Any) -> int:
        hobj: int = _noted(self._record, self.who, "open", self.inner.open)(od, *values)
        if od.ObjectName in self._record.unanswered:
            self._unanswered.add(hobj)
        return hobj

    def put(self, hobj: int, md: MQMD, pmo: MQPMO, *values: Any) -> int:
        response = pmo.Options & _RESPONSES
        unanswered = response == C.MQPMO_ASYNC_RESPONSE or (not response and hobj in self._unanswered)
        put = _noted(self._record, self.who, "put", self.inner.put, without=(MQMD, MQPMO) if unanswered else ())
        warning: int = put(hobj, md, pmo, *values)
        return warning


class RecordingPending:
    """A get that waits; it is noted when it is over."""

    def __init__(self, inner: Any, record: Record, who: str, structures: tuple[MQMD, MQGMO]) -> None:
        self._inner = inner
        self._record = record
        self._who = who
        self._structures = structures

    @property
    def done(self) -> bool:
        if not self._inner.done:
            return False
        if self.error is not None:
            self._record.failed(self._who, "waited", self.error, *self._structures)
        elif self.result is not None:
            _note_got(self._record, self._who, self.result, *self._structures)
        return True

    @property
    def result(self) -> Got | None:
        result: Got | None = self._inner.result
        return result

    @property
    def error(self) -> MQError | None:
        error: MQError | None = self._inner.error
        return error


def _note_got(record: Record, who: str, got: Got, md: MQMD, gmo: MQGMO) -> None:
    record.note(who, "got", got.data, got.length, got.comp_code, got.reason, md, gmo)


def _noted(
    record: Record,
    who: str,
    name: str,
    function: Callable[..., Any],
    *,
    only_errors: bool = False,
    without: tuple[type[Structure], ...] = (),
) -> Callable[..., Any]:
    """The function, with what it gives back noted, and its arguments as it leaves them but for some structures."""

    def comparable(values: tuple[Any, ...]) -> list[Any]:
        return [value for value in values if isinstance(value, _SHOWN) and not isinstance(value, without)]

    def call(*values: Any, **named: Any) -> Any:
        try:
            result = function(*values, **named)
        except MQError as error:
            record.failed(who, name, error, *comparable(values))
            raise
        if not only_errors:
            record.note(who, name, result, *comparable(values))
        return result

    return call
