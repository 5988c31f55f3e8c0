"""The commands of a transcript: each is one MQI call by an application (A, B, ...) or one thing that an operator does.

`Interpreter.run` takes a command line and returns its reply lines: the outcome of the call first, then, indented,
what it brought about elsewhere (a waiting get that is served, a consumer that is called).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from transcript_host import Host, Pending
from transcript_values import (
    Names,
    TranscriptError,
    constant,
    is_data,
    reason_text,
    show_bytes,
    split,
    to_bytes,
    to_number,
    to_text,
)

from libremq.host.binding import Binding
from libremq.kernel.properties.property_types import infer_type
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi import structs
from libremq.mqi.constant_names import name_of, value_of
from libremq.mqi.errors import MQError
from libremq.mqi.rfh2 import Folder, Rfh2, parse_chain
from libremq.mqi.structs import (
    MQCBC,
    MQCBD,
    MQCMHO,
    MQDMPO,
    MQGMO,
    MQIMPO,
    MQMD,
    MQOD,
    MQOR,
    MQPD,
    MQPMO,
    MQPMR,
    MQSMPO,
    MQSTS,
    Structure,
)

_USERS = {"A": "alice", "B": "bob", "C": "carol", "D": "dave"}
_BROWSE = C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass
class Application:
    """One connection and the names that the script gave to its handles."""

    letter: str
    binding: Binding
    handles: dict[str, int] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Call:
    """A command, taken apart."""

    verb: str
    words: list[str]  # positional, options among them
    fields: dict[str, str]
    show: list[str]
    name: str = ""  # as name
    header: list[str] = field(default_factory=list)  # as MQXQH Field ...
    data: bytes | None = None
    do: str = ""

    @classmethod
    def parse(cls, words: list[str]) -> Call:
        call = cls(words[0], [], {}, [])
        rest = words[1:]
        while rest:
            word = rest.pop(0)
            if word == "show":
                end = rest.index("do") if "do" in rest else len(rest)
                call.show, rest = rest[:end], rest[end:]
            elif word == "do":
                call.do, rest = " ".join(rest), []
            elif word == "as" and rest[0].startswith("MQ"):
                end = rest.index("show") if "show" in rest else len(rest)
                call.header, rest = rest[:end], rest[end:]
            elif word == "as":
                call.name = rest.pop(0)
            elif is_data(word):
                call.data = to_bytes(word)
            elif "=" in word and word[0] not in "\"'[":
                key, _, value = word.partition("=")
                call.fields[key] = value
            else:
                call.words.append(word)
        return call

    def take(self) -> str:
        if not self.words:
            raise TranscriptError(f"{self.verb} needs an object")
        return self.words.pop(0)

    def options(self, *prefixes: str) -> list[int]:
        """The words that are left, as options, one sum for each prefix."""
        sums = [0] * len(prefixes)
        for word in self.words:
            for index, prefix in enumerate(prefixes):
                value = constant(prefix, word)
                if value is not None:
                    sums[index] |= value
                    break
            else:
                raise TranscriptError(f"{word!r} is no option of {self.verb}")
        return sums


@dataclass
class Waiting:
    application: Application
    pending: Pending
    call: Call
    structures: list[Structure]
    hobj: int  # to be closed when it is over, 0 for none


class Interpreter:
    def __init__(self, host: Host) -> None:
        self.host = host
        self.names = Names()
        self.applications: dict[str, Application] = {}
        self.waiting: list[Waiting] = []
        self.effects: list[str] = []

    def run(self, line: str) -> list[str]:
        words = split(line)
        self.effects = []
        try:
            reply = self._run(words)
        except MQError as error:
            reply = reason_text(error.reason, error.comp_code, error.name)
        self._look_around()
        return [*reply.split("\n"), *self.effects]

    def _run(self, words: list[str]) -> str:
        if len(words[0]) == 1 and words[0].isupper():
            application, call = self._application(words[0], words[1]), Call.parse(words[1:])
            verb = getattr(self, f"_mq_{call.verb}", None)
            if verb is None:
                raise TranscriptError(f"there is no verb {call.verb}")
            return str(verb(application, call))
        command = getattr(self, f"_do_{words[0]}", None)
        if command is None:
            raise TranscriptError(f"there is no command {words[0]}")
        return str(command(Call.parse(words)))

    def _application(self, letter: str, verb: str) -> Application:
        """The application of this letter; it connects by itself when it is first heard of."""
        if letter not in self.applications and verb != "connect":
            self._connect(letter, _USERS.get(letter, letter.lower()), f"app-{letter.lower()}")
        return self.applications.get(letter) or Application(letter, None)  # type: ignore[arg-type]

    def _connect(self, letter: str, user: str, application: str) -> None:
        self.applications[letter] = Application(letter, self.host.connect(user, application))

    def _look_around(self) -> None:
        """Tell of the waiting gets that are over, and let consumers be called."""
        for waiting in list(self.waiting):
            if waiting.pending.done:
                self.waiting.remove(waiting)
                self._over(waiting)
        for application in list(self.applications.values()):
            self.host.deliver(application.binding)

    def _over(self, waiting: Waiting) -> None:
        pending, letter = waiting.pending, waiting.application.letter
        if pending.result is not None:
            self.effects.append(f"  {letter} got {self._got(pending.result, waiting.call, waiting.structures)}")
        else:
            assert pending.error is not None
            error = pending.error
            self.effects.append(f"  {letter} {reason_text(error.reason, error.comp_code, error.name)}")
        if waiting.hobj and waiting.application.binding.connected:
            waiting.application.binding.close(waiting.hobj)

    # ---- the operator

    def _do_define(self, call: Call) -> str:
        kind, name = call.take(), call.take()
        like = call.fields.pop("like", None)
        self.host.define(kind, name, self._attributes(call), like, "replace" in call.words)
        return "ok"

    def _do_alter(self, call: Call) -> str:
        kind = call.take()
        self.host.alter(kind, "" if kind == "qmgr" else call.take(), self._attributes(call))
        return "ok"

    def _do_delete(self, call: Call) -> str:
        self.host.delete(call.take(), self.names.real(call.take()), "purge" in call.words)
        return "ok"

    def _do_clear(self, call: Call) -> str:
        self.host.clear(call.take())
        return "ok"

    def _do_display(self, call: Call) -> str:
        kind = call.take()
        name = "" if kind == "qmgr" else self.names.real(call.take())
        values = {word: self.host.attribute(kind, name, word) for word in call.words}
        return " ".join(f"{word}({value})" for word, value in values.items() if value is not None) or "not found"

    def _do_depth(self, call: Call) -> str:
        return str(self.host.depth(self.names.real(call.take())))

    def _do_advance(self, call: Call) -> str:
        word = call.take()
        unit = word.lstrip("0123456789.")
        self.host.advance(float(word.removesuffix(unit)) * _UNITS[unit])
        return "ok"

    def _do_restart(self, call: Call) -> str:
        self.host.restart()
        self.applications.clear()
        return "ok"

    def _do_kill(self, call: Call) -> str:
        self.host.kill()
        self.applications.clear()
        self.waiting.clear()
        return "ok"

    @staticmethod
    def _attributes(call: Call) -> dict[str, str]:
        return {name: to_text(value) for name, value in call.fields.items()}

    # ---- MQCONN, MQDISC, MQOPEN, MQCLOSE

    def _mq_connect(self, application: Application, call: Call) -> str:
        user = call.fields.get("user", _USERS.get(application.letter, ""))
        self._connect(application.letter, user, to_text(call.fields.get("app", f"app-{application.letter.lower()}")))
        return "ok"

    def _mq_disc(self, application: Application, call: Call) -> str:
        application.binding.disconnect()
        return "ok"

    def _od(self, call: Call, name: str) -> MQOD:
        queue, _, qmgr = self.names.real(name).partition("@")
        od = MQOD(Version=int(call.fields.pop("od", "4")), ObjectName=queue, ObjectQMgrName=qmgr)
        for key in list(call.fields):
            word = {"selector": "SelectionString"}.get(key, key)
            if self.names.set_field([od], word, call.fields[key]):
                del call.fields[key]
        return od

    def _mq_open(self, application: Application, call: Call) -> str:
        name = call.take()
        if name.startswith("["):
            return self._open_list(application, call, name)
        od = self._od(call, name)
        pattern = od.DynamicQName
        application.handles[call.name] = C.MQHO_UNUSABLE_HOBJ
        application.handles[call.name] = application.binding.open(od, call.options("MQOO")[0])
        if od.ObjectName != name.partition("@")[0]:
            self.names.made(pattern, od.ObjectName)
        return "ok" + self.names.show_fields([od], call.show)

    def _open_list(self, application: Application, call: Call, first: str) -> str:
        queues = [first[1:]]
        while not queues[-1].endswith("]"):
            queues.append(call.take())
        queues[-1] = queues[-1][:-1]
        records = [MQOR(ObjectName=q.partition("@")[0], ObjectQMgrName=q.partition("@")[2]) for q in queues]
        od = self._od(call, "")
        hobj = application.binding.open(od, call.options("MQOO")[0], records)
        application.handles[call.name] = hobj
        application.lists[call.name] = queues
        return self._responses(application, call.name, self.names.show_fields([od], call.show))

    def _responses(self, application: Application, name: str, shown: str = "") -> str:
        """The outcome of a call on a distribution list: one reply line, and one for each destination that failed."""
        responses = application.binding.responses(application.handles[name])
        failed = [
            f"\n  {queue} {reason_text(response.Reason, response.CompCode)}"
            for queue, response in zip(application.lists[name], responses, strict=True)
            if response.Reason
        ]
        return (reason_text(C.MQRC_MULTIPLE_REASONS, C.MQCC_WARNING) if failed else "ok") + shown + "".join(failed)

    def _mq_close(self, application: Application, call: Call) -> str:
        name = call.take()
        warning = application.binding.close(self._handle(application, name), call.options("MQCO")[0])
        return self._warning(warning)

    def _handle(self, application: Application, name: str) -> int:
        if name not in application.handles:
            raise TranscriptError(f"{application.letter} has no handle {name}")
        return application.handles[name]

    def _open_for(self, application: Application, name: str, options: int) -> tuple[int, int]:
        """The handle of this name; or the queue opened for this call, and the handle to close after it."""
        if name in application.handles:
            return application.handles[name], 0
        queue, _, qmgr = self.names.real(name).partition("@")
        hobj = application.binding.open(MQOD(ObjectName=queue, ObjectQMgrName=qmgr), options)
        return hobj, hobj

    @staticmethod
    def _warning(reason: int) -> str:
        return reason_text(reason, C.MQCC_WARNING) if reason else "ok"

    # ---- MQPUT, MQPUT1

    def _message(self, application: Application, call: Call) -> tuple[MQMD, MQPMO, bytes]:
        md = MQMD(Version=int(call.fields.pop("md", "2")))
        pmo = MQPMO(Version=int(call.fields.pop("pmo", "3")), Options=call.options("MQPMO")[0])
        data = call.data or b""
        folders = call.fields.pop("rfh2", "")
        context = call.fields.pop("context", "")
        if context:
            pmo.Context = self._handle(application, context)
        for key, name in (("handle", "NewMsgHandle"), ("original", "OriginalMsgHandle")):
            if key in call.fields:
                setattr(pmo, name, application.messages[call.fields.pop(key)])
        self._fields(call, [md, pmo])
        if folders:
            header = Rfh2([Folder(to_text(folders))], md.Encoding, md.CodedCharSetId or 1208, md.Format)
            md.Format, data = C.MQFMT_RF_HEADER_2.strip(), header.build(md.Encoding) + data
        return md, pmo, data

    def _fields(self, call: Call, structures: list[Structure]) -> None:
        for name, word in call.fields.items():
            if not self.names.set_field(structures, name, word):
                raise TranscriptError(f"{call.verb} knows no field {name}")

    def _mq_put(self, application: Application, call: Call) -> str:
        name = call.take()
        records = [MQPMR(MsgId=self.names.to_id(word, 24)) for word in self._list(call, "MsgIds")]
        md, pmo, data = self._message(application, call)
        hobj, opened = self._open_for(application, name, C.MQOO_OUTPUT)
        try:
            warning = application.binding.put(hobj, md, pmo, data, records)
        finally:
            if opened:
                application.binding.close(opened)
        shown = "".join(f" {self.names.show_id(record.MsgId)}" for record in records)
        shown += self.names.show_fields([md, pmo], call.show)
        if name in application.lists:
            return self._responses(application, name, shown)
        return self._warning(warning) + shown

    @staticmethod
    def _list(call: Call, name: str) -> list[str]:
        value = call.fields.pop(name, "")
        return value.strip("[]").split(",") if value else []

    def _mq_put1(self, application: Application, call: Call) -> str:
        od = self._od(call, call.take())
        md, pmo, data = self._message(application, call)
        warning = application.binding.put1(od, md, pmo, data)
        return self._warning(warning) + self.names.show_fields([md, pmo, od], call.show)

    # ---- MQGET

    def _get_options(self, application: Application, call: Call) -> tuple[MQMD, MQGMO, int | None]:
        md = MQMD(Version=int(call.fields.pop("md", "2")))
        gmo = MQGMO(Version=int(call.fields.pop("gmo", "4")))
        gmo.Options, match = call.options("MQGMO", "MQMO")
        if match or "none" in call.words:
            gmo.MatchOptions = match
        wait = call.fields.pop("wait", "")
        if wait:
            gmo.Options |= C.MQGMO_WAIT
            gmo.WaitInterval = C.MQWI_UNLIMITED if wait == "unlimited" else int(float(wait.rstrip("s")) * 1000)
        if "handle" in call.fields:
            gmo.MsgHandle = application.messages[call.fields.pop("handle")]
        buffer = call.fields.pop("buffer", "")
        self._fields(call, [md, gmo])
        return md, gmo, int(buffer) if buffer else None

    def _mq_get(self, application: Application, call: Call) -> str:
        name = call.take()
        md, gmo, length = self._get_options(application, call)
        access = C.MQOO_BROWSE if gmo.Options & _BROWSE else C.MQOO_INPUT_AS_Q_DEF
        hobj, opened = self._open_for(application, name, access)
        try:
            result = self.host.get(application.binding, hobj, md, gmo, length)
        except MQError:
            if opened:
                application.binding.close(opened)
            raise
        if not isinstance(result, Got):
            self.waiting.append(Waiting(application, result, call, [md, gmo], opened))
            return f"{application.letter} waits"
        if opened:
            application.binding.close(opened)
        return self._got(result, call, [md, gmo])

    def _got(self, got: Got, call: Call, structures: list[Structure]) -> str:
        reply = reason_text(got.reason, got.comp_code) + " " if got.reason else ""
        md = structures[0]
        assert isinstance(md, MQMD)
        if got.length or got.data:
            reply += self._headers(got.data, md, call) if call.header else show_bytes(got.data)
        elif not got.reason:
            reply += "''" if structures[1].ResolvedQName else "ok"  # type: ignore[attr-defined]
        if got.length != len(got.data):
            reply += f" of {got.length} bytes"
        return reply.strip() + self.names.show_fields(structures, call.show)

    def _headers(self, data: bytes, md: MQMD, call: Call) -> str:
        """The header at the front of the data with the fields asked for, and the data behind it."""
        kind, *wanted = call.header
        if kind == "MQRFH2":
            chain = parse_chain(data, md.Format, md.CodedCharSetId, md.Encoding)
            folders = "".join(folder.text for header in chain.headers for folder in header.folders)
            return f"MQRFH2({folders}) {show_bytes(data[chain.body_offset :])}" if chain.headers else show_bytes(data)
        structure: type[Structure] = getattr(structs, kind)
        big_endian = md.Encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
        charset = "cp500" if md.CodedCharSetId in (37, 500) else "latin-1"
        header = structure.unpack(data, big_endian=big_endian, charset=charset)
        nested = [header.MsgDesc] if isinstance(header, structs.MQXQH) else []
        rest = data[structure.size() :]
        return f"{kind}({self.names.show_fields([header, *nested], wanted).strip()}) {show_bytes(rest) if rest else ''}"

    # ---- units of work

    def _mq_begin(self, application: Application, call: Call) -> str:
        return self._warning(application.binding.begin())

    def _mq_cmit(self, application: Application, call: Call) -> str:
        application.binding.commit()
        return "ok"

    def _mq_back(self, application: Application, call: Call) -> str:
        application.binding.backout()
        return "ok"

    def _mq_xa(self, application: Application, call: Call) -> str:
        binding, operation = application.binding, call.take()
        if operation == "recover":
            return " ".join(f"'{xid.decode()}'" for xid in sorted(binding.xa_recover())) or "none in doubt"
        xid = call.data or b""
        if operation == "commit":
            binding.xa_commit(xid, one_phase="one_phase" in call.words)
        else:
            getattr(binding, f"xa_{operation}")(xid)
        return "ok"

    # ---- MQINQ, MQSET, MQSTAT

    @staticmethod
    def _selector(word: str) -> int:
        if word.isdigit():
            return int(word)
        for prefix in ("MQIA_", "MQCA_"):
            value = value_of(prefix + word)
            if isinstance(value, int):
                return value
        raise TranscriptError(f"there is no selector {word}")

    def _mq_inq(self, application: Application, call: Call) -> str:
        hobj, opened = self._open_for(application, call.take(), C.MQOO_INQUIRE)
        try:
            values, reason = application.binding.inquire(hobj, [self._selector(word) for word in call.words])
        finally:
            if opened:
                application.binding.close(opened)
        shown = [f"{word}={self.names.show(word, value)}" for word, value in zip(call.words, values, strict=True)]
        return " ".join([reason_text(reason, C.MQCC_WARNING)] * bool(reason) + shown)

    def _mq_set(self, application: Application, call: Call) -> str:
        hobj, opened = self._open_for(application, call.take(), C.MQOO_SET)
        values: dict[int, int | str] = {
            self._selector(name): to_text(word) if is_data(word) else to_number(name, word)
            for name, word in call.fields.items()
        }
        try:
            application.binding.set(hobj, values)
        finally:
            if opened:
                application.binding.close(opened)
        return "ok"

    def _mq_stat(self, application: Application, call: Call) -> str:
        sts = MQSTS()
        kind = int(call.words[0]) if call.words else C.MQSTAT_TYPE_ASYNC_ERROR
        application.binding.status(kind, sts)
        wanted = ["CompCode", "Reason", "PutSuccessCount", "PutWarningCount", "PutFailureCount", "ObjectName"]
        return self.names.show_fields([sts], call.show or wanted).strip()

    # ---- message handles

    def _mq_crtmh(self, application: Application, call: Call) -> str:
        cmho = MQCMHO(Options=call.options("MQCMHO")[0])
        application.messages[call.name] = application.binding.create_message_handle(cmho)
        return "ok"

    def _mq_dltmh(self, application: Application, call: Call) -> str:
        application.binding.delete_message_handle(application.messages[call.take()])
        return "ok"

    def _mq_setmp(self, application: Application, call: Call) -> str:
        hmsg, name = application.messages[call.take()], to_text(call.take())
        kind = constant("MQTYPE", call.fields.pop("type", "")) if "type" in call.fields else None
        value: Any = call.data.decode() if call.data is not None and kind != C.MQTYPE_BYTE_STRING else call.data
        if call.data is None and kind != C.MQTYPE_NULL:
            word = call.take()
            value = {"true": True, "false": False}.get(word)
            if value is None:
                value = float(word) if "." in word else int(word)
        pd = MQPD()
        self._fields(call, [pd])
        smpo = MQSMPO(Options=call.options("MQSMPO")[0])
        application.binding.set_property(hmsg, name, value, infer_type(value) if kind is None else kind, smpo, pd)
        return "ok"

    def _mq_inqmp(self, application: Application, call: Call) -> str:
        hmsg, name = application.messages[call.take()], to_text(call.take())
        buffer = call.fields.pop("buffer", "")
        kind = constant("MQTYPE", call.fields.pop("type", "as_set"))
        impo, pd = MQIMPO(Options=call.options("MQIMPO")[0]), MQPD()
        found = application.binding.inquire_property(
            hmsg, name, impo, pd, C.MQTYPE_AS_SET if kind is None else kind, int(buffer) if buffer else None
        )
        shown = show_bytes(found.value) if isinstance(found.value, bytes) else self.names.show_text(str(found.value))
        reply = reason_text(found.reason, found.comp_code) + " " if found.reason else ""
        kind_name = name_of("MQTYPE", found.type).removeprefix("MQTYPE_").lower()
        if impo.Options & C.MQIMPO_QUERY_LENGTH or found.reason:
            kind_name += f" of {found.data_length} bytes"
        return f"{reply}{found.returned_name}={shown} {kind_name}" + self.names.show_fields([pd], call.show)

    def _mq_dltmp(self, application: Application, call: Call) -> str:
        hmsg, name = application.messages[call.take()], to_text(call.take())
        application.binding.delete_property(hmsg, name, MQDMPO(Options=call.options("MQDMPO")[0]))
        return "ok"

    def _mq_mhbuf(self, application: Application, call: Call) -> str:
        hmsg, name = application.messages[call.take()], to_text(call.take())
        md = MQMD(Version=2, CodedCharSetId=1208)
        self._fields(call, [md])
        found = application.binding.handle_to_buffer(hmsg, name, md)
        call.header = ["MQRFH2"]
        shown = self._headers(found.buffer, found.md, call).removesuffix(" ''")
        return shown + self.names.show_fields([found.md], call.show)

    def _mq_bufmh(self, application: Application, call: Call) -> str:
        hmsg = application.messages[call.take()]
        md, _, data = self._message(application, call)
        described, rest = application.binding.buffer_to_handle(hmsg, md, data)
        return show_bytes(rest) + self.names.show_fields([described], call.show)

    # ---- MQCB, MQCTL

    def _mq_cb(self, application: Application, call: Call) -> str:
        """MQCB: `A cb orders register ...`; the event handler of the connection is `A cb events register ...`."""
        name = call.take()
        hobj = 0 if name == "events" else self._handle(application, name)
        md, gmo, length = MQMD(Version=2), MQGMO(Version=4), call.fields.pop("MaxMsgLength", "")
        if "wait" in call.fields:
            gmo.WaitInterval = int(float(call.fields.pop("wait").rstrip("s")) * 1000)
            gmo.Options |= C.MQGMO_WAIT
        operation, options, get_options = call.options("MQOP", "MQCBDO", "MQGMO")
        gmo.Options |= get_options
        self._fields(call, [md, gmo])
        cbd = MQCBD(Options=options, MaxMsgLength=int(length or C.MQCBD_FULL_MSG_LENGTH))
        cbd.CallbackType = C.MQCBT_EVENT_HANDLER if hobj == 0 else C.MQCBT_MESSAGE_CONSUMER

        def called(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
            line = f"  {application.letter} consumer of {name}: {name_of('MQCBCT', cbc.CallType)[7:].lower()}"
            if cbc.Reason:
                line += f" {reason_text(cbc.Reason, cbc.CompCode)}"
            if data is not None:
                line += f" {show_bytes(data)}"
            self.effects.append(line + (self.names.show_fields([md, gmo, cbc], call.show) if md and gmo else ""))
            if call.do and data is not None:
                self._in_consumer(application.letter, call.do)

        self.host.callback(application.binding, operation, cbd, called, hobj, md, gmo)
        return "ok"

    def _in_consumer(self, letter: str, commands: str) -> None:
        for command in commands.split(";"):
            try:
                reply = self._run([letter, *split(command.strip())])
            except MQError as error:
                reply = reason_text(error.reason, error.comp_code, error.name)
            self.effects.append(f"    {command.strip()}: {reply}")

    def _mq_ctl(self, application: Application, call: Call) -> str:
        self.host.control(application.binding, call.options("MQOP")[0])
        return "ok"
