"""Message handles: MQCRTMH, MQDLTMH, MQSETMP, MQINQMP, MQDLTMP, MQBUFMH and MQMHBUF.

A handle is a bag of properties with a cursor, and the descriptor of the message last received through it. Each
connection has its own table. Values are Python values; a binding that has raw bytes passes them with their type,
and they are read by the ValueEncoding and ValueCCSID of the MQSMPO.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.kernel.properties.handle_values import correl_id_of, read_raw, set_md_field, text_codec
from libremq.kernel.properties.header_properties import JMS_TYPES, JMS_VALUES, MD_FIELDS, MD_TYPES, md_value
from libremq.kernel.properties.message_properties import (
    PROPERTIES_MAX,
    Properties,
    Property,
    make_property,
    replace_contents,
)
from libremq.kernel.properties.property_delivery import extract, parse_properties, to_rfh2
from libremq.kernel.properties.property_names import (
    JMS_SYNONYMS,
    MD_PREFIX,
    canonical_name,
    check_length,
    full_name,
    returned_name,
)
from libremq.kernel.properties.property_types import convert, value_length
from libremq.mqi.constants import (
    MQACTP_FORWARD,
    MQACTP_NEW,
    MQACTP_REPLY,
    MQACTP_REPORT,
    MQBMHO_DELETE_PROPERTIES,
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQCMHO_NO_VALIDATION,
    MQCMHO_VALIDATE,
    MQCOPY_ALL,
    MQCOPY_FORWARD,
    MQCOPY_PUBLISH,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
    MQDMPO_DEL_PROP_UNDER_CURSOR,
    MQENC_NATIVE,
    MQIMPO_CONVERT_TYPE,
    MQIMPO_CONVERT_VALUE,
    MQIMPO_INQ_NEXT,
    MQIMPO_INQ_PROP_UNDER_CURSOR,
    MQIMPO_QUERY_LENGTH,
    MQMHBO_DELETE_PROPERTIES,
    MQMHBO_PROPERTIES_IN_MQRFH2,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
    MQPD_SUPPORT_REQUIRED,
    MQPD_SUPPORT_REQUIRED_IF_LOCAL,
    MQPD_USER_CONTEXT,
    MQPMO_VERSION_3,
    MQPROP_UNRESTRICTED_LENGTH,
    MQRC_ACTION_ERROR,
    MQRC_BMHO_ERROR,
    MQRC_BUFFER_LENGTH_ERROR,
    MQRC_CMHO_ERROR,
    MQRC_DMHO_ERROR,
    MQRC_DMPO_ERROR,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_HMSG_ERROR,
    MQRC_IMPO_ERROR,
    MQRC_MHBO_ERROR,
    MQRC_MSG_HANDLE_IN_USE,
    MQRC_NONE,
    MQRC_OPTIONS_ERROR,
    MQRC_PD_ERROR,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_NAME_TOO_BIG,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_PROPERTY_TYPE_ERROR,
    MQRC_PROPERTY_VALUE_TOO_BIG,
    MQRC_SMPO_ERROR,
    MQSMPO_APPEND_PROPERTY,
    MQSMPO_SET_FIRST,
    MQSMPO_SET_PROP_AFTER_CURSOR,
    MQSMPO_SET_PROP_BEFORE_CURSOR,
    MQSMPO_SET_PROP_UNDER_CURSOR,
    MQTYPE_AS_SET,
    MQTYPE_BYTE_STRING,
    MQTYPE_NULL,
)
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.layout import Structure
from libremq.mqi.rfh2 import FORMAT_RFH2, PropertyValue, parse_chain
from libremq.mqi.structs import MQBMHO, MQCMHO, MQDMHO, MQDMPO, MQIMPO, MQMD, MQMHBO, MQPD, MQPMO, MQSMPO

HANDLES_MAX = 100_000
"""Message handles per connection. Far above MAXHANDS, because some client packages never delete one."""

_COPY_OPTIONS = MQCOPY_ALL | MQCOPY_FORWARD | MQCOPY_PUBLISH | MQCOPY_REPLY | MQCOPY_REPORT
_SUPPORT = (MQPD_SUPPORT_OPTIONAL, MQPD_SUPPORT_REQUIRED_IF_LOCAL, MQPD_SUPPORT_REQUIRED)
_SET_OPTIONS = (
    MQSMPO_SET_FIRST,
    MQSMPO_SET_PROP_UNDER_CURSOR,
    MQSMPO_SET_PROP_AFTER_CURSOR,
    MQSMPO_APPEND_PROPERTY,
    MQSMPO_SET_PROP_BEFORE_CURSOR,
)
_INQUIRE_OPTIONS = (
    MQIMPO_CONVERT_TYPE | MQIMPO_QUERY_LENGTH | MQIMPO_INQ_NEXT | MQIMPO_INQ_PROP_UNDER_CURSOR | MQIMPO_CONVERT_VALUE
)


class InquiredProperty(NamedTuple):
    """What MQINQMP returns. With MQRC_PROPERTY_VALUE_TOO_BIG the value is as much as fits."""

    value: PropertyValue
    type: int
    data_length: int
    returned_name: str
    pd: MQPD
    comp_code: int = MQCC_OK
    reason: int = MQRC_NONE


class PropertiesBuffer(NamedTuple):
    """What MQMHBUF returns. With MQRC_PROPERTY_VALUE_TOO_BIG the buffer is empty, the length what it takes."""

    md: MQMD
    buffer: bytes
    data_length: int
    comp_code: int = MQCC_OK
    reason: int = MQRC_NONE


class MessageHandle:
    """One handle: the properties, the descriptor, and the property cursor."""

    __slots__ = ("_after", "_cursor", "in_use", "md", "properties", "validate")

    def __init__(self, validate: bool = True) -> None:
        self.properties = Properties()
        self.md = MQMD()
        self.validate = validate
        self.in_use = False
        """Set by the kernel while a call that waits holds the handle."""
        self._cursor: Property | str | None = None  # a str is a field of the descriptor
        self._after: Property | None = None  # where the search goes on once the property at the cursor is gone

    def receive(self, md: MQMD, properties: Properties) -> None:
        """Take over a message that MQGET returned; what was there before is gone."""
        self.md = md.copy()
        self.properties = properties
        self.reset_cursor()

    def reset_cursor(self) -> None:
        self._cursor = self._after = None

    @property
    def cursor(self) -> Property | str:
        """What the cursor is on. Raises MQRC_PROPERTY_NOT_AVAILABLE if on nothing."""
        if self._cursor is None:
            raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, detail="the property cursor is not on a property")
        return self._cursor

    def move_cursor(self, found: Property | str) -> None:
        self._cursor, self._after = found, None

    def first(self, name: str) -> Property | str:
        return self._search(name, None, from_cursor=False)

    def next(self, name: str) -> Property | str:
        return self._search(name, self._cursor or self._after, from_cursor=True)

    def _search(self, name: str, start: Property | str | None, from_cursor: bool) -> Property | str:
        wildcard = name.endswith("%")
        wanted = name[:-1] if wildcard else name
        if "%" in wanted:
            raise mq_error(MQRC_PROPERTY_NAME_ERROR, object_name=name[:100], detail="% stands only at the end")
        if wanted.startswith("Root."):
            fields = [f for f in MD_FIELDS if _matches(MD_PREFIX + f, wanted, wildcard)]
            if isinstance(start, str) and start in fields:
                fields = fields[fields.index(start) + 1 :]
            if fields:
                return fields[0]
        else:
            if not from_cursor and not wildcard:
                found = self.properties.find(wanted)
                if found is not None:
                    return found
            else:
                entries = self.properties.entries()
                position = next((i + 1 for i, e in enumerate(entries) if e is start), 0)
                canonical = canonical_name(wanted)
                for entry in entries[position:]:
                    if _entry_matches(entry.name, wanted, canonical, wildcard):
                        return entry
        raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, object_name=name[:100])

    def matching(self, name: str) -> list[Property]:
        """Every property that a name, with or without a wildcard, stands for."""
        wildcard = name.endswith("%")
        wanted = name[:-1] if wildcard else name
        canonical = canonical_name(wanted)
        entries = self.properties.entries()
        return [entry for entry in entries if _entry_matches(entry.name, wanted, canonical, wildcard)]

    def remove(self, entry: Property) -> None:
        """Delete a property; a cursor on it stays where it was, on nothing."""
        before: Property | None = None
        for other in self.properties.entries():
            if other is entry:
                break
            before = other
        self.properties.remove(entry)
        if self._cursor is entry:
            self._cursor, self._after = None, before
        elif self._after is entry:
            self._after = before


def _matches(name: str, wanted: str, wildcard: bool) -> bool:
    return name.startswith(wanted) if wildcard else name == wanted


def _entry_matches(name: str, wanted: str, canonical: str, wildcard: bool) -> bool:
    if not wildcard:
        return name == canonical
    spellings = (name, full_name(name), returned_name(name))
    return any(spelling.startswith(wanted) for spelling in spellings)


class MessageHandles:
    """The message handles of one connection."""

    __slots__ = ("_connection", "_handles", "_last", "handles_max")

    def __init__(self, connection: int = 0, handles_max: int = HANDLES_MAX) -> None:
        self._connection = connection & 0x7FFFFFFF  # in the handle, so that another connection's is refused
        self._last = 0
        self._handles: dict[int, MessageHandle] = {}
        self.handles_max = handles_max

    def __len__(self) -> int:
        return len(self._handles)

    def create(self, cmho: MQCMHO | None = None) -> int:
        """MQCRTMH: a new handle, never 0 and never negative."""
        options = 0
        if cmho is not None:
            _check_structure(cmho, "CMHO", MQRC_CMHO_ERROR)
            options = cmho.Options
        if options not in (0, MQCMHO_NO_VALIDATION, MQCMHO_VALIDATE):
            raise mq_error(MQRC_OPTIONS_ERROR, detail=f"MQCMHO Options {options:#x}")
        if len(self._handles) >= self.handles_max:
            raise mq_error(MQRC_HANDLE_NOT_AVAILABLE, detail=f"the connection has {self.handles_max} message handles")
        self._last += 1
        hmsg = self._connection << 32 | (self._last & 0xFFFFFFFF)
        self._handles[hmsg] = MessageHandle(options != MQCMHO_NO_VALIDATION)
        return hmsg

    def get(self, hmsg: int) -> MessageHandle:
        """The handle of a number; MQRC_HMSG_ERROR if there is none, MQRC_MSG_HANDLE_IN_USE if a get waits on it."""
        handle = self._handles.get(hmsg)
        if handle is None:
            raise mq_error(MQRC_HMSG_ERROR, detail=f"{hmsg} is not a message handle of this connection")
        if handle.in_use:
            raise mq_error(MQRC_MSG_HANDLE_IN_USE)
        return handle

    def delete(self, hmsg: int, dmho: MQDMHO | None = None) -> None:
        """MQDLTMH."""
        if dmho is not None:
            _check_structure(dmho, "DMHO", MQRC_DMHO_ERROR)
            _check_options(dmho.Options, 0, "MQDMHO")
        self.get(hmsg)
        del self._handles[hmsg]

    # ---- MQSETMP

    def set(self, hmsg: int, smpo: MQSMPO | None, name: str, pd: MQPD | None, type: int, value: object) -> None:
        """MQSETMP. Either the property is set or nothing changes."""
        handle = self.get(hmsg)
        smpo = smpo if smpo is not None else MQSMPO()
        _check_structure(smpo, "SMPO", MQRC_SMPO_ERROR)
        if smpo.Options not in _SET_OPTIONS:
            raise mq_error(MQRC_OPTIONS_ERROR, detail=f"MQSMPO Options {smpo.Options:#x}")
        pd = pd if pd is not None else MQPD()
        _check_descriptor(pd)
        if isinstance(value, bytes) and type not in (MQTYPE_BYTE_STRING, MQTYPE_NULL):
            value = read_raw(value, type, smpo.ValueEncoding, smpo.ValueCCSID)
        options = smpo.Options
        if options == MQSMPO_SET_PROP_UNDER_CURSOR:
            target = handle.cursor
            name = MD_PREFIX + target if isinstance(target, str) else target.name
        check_length(name)
        if name.startswith("Root."):
            set_md_field(handle.md, name, type, value)
            return
        if name in JMS_TYPES and type != JMS_TYPES[name]:
            raise mq_error(MQRC_PROPERTY_TYPE_ERROR, object_name=name, detail=f"{name} is of MQTYPE {JMS_TYPES[name]}")
        validate = handle.validate and options != MQSMPO_SET_PROP_UNDER_CURSOR
        entry = make_property(
            name,
            value,
            type,
            support=pd.Support,
            context=pd.Context,
            copy_options=pd.CopyOptions,
            validate=validate,
        )
        properties = handle.properties
        if options == MQSMPO_SET_FIRST:
            properties.set(
                name,
                entry.value,
                type,
                support=pd.Support,
                context=pd.Context,
                copy_options=pd.CopyOptions,
                validate=validate,
            )
        elif options == MQSMPO_APPEND_PROPERTY:
            properties.add(entry)
        else:
            target = handle.cursor
            if isinstance(target, str):
                raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, detail="the property cursor is on the descriptor")
            if options == MQSMPO_SET_PROP_UNDER_CURSOR:
                replace_contents(target, entry)
            else:
                properties.insert(target, entry, after=options == MQSMPO_SET_PROP_AFTER_CURSOR)
        if not validate:
            properties.note_unchecked()
        if name == "JMSCorrelationID" and isinstance(entry.value, str):
            handle.md.CorrelId = correl_id_of(entry.value)

    # ---- MQINQMP

    def inquire(
        self,
        hmsg: int,
        impo: MQIMPO | None,
        name: str,
        pd: MQPD | None = None,
        type: int = MQTYPE_AS_SET,
        max_length: int | None = None,
    ) -> InquiredProperty:
        """MQINQMP. `max_length` None means as long as it is; the output fields of `impo` and `pd` are set."""
        handle = self.get(hmsg)
        impo = impo if impo is not None else MQIMPO()
        _check_structure(impo, "IMPO", MQRC_IMPO_ERROR)
        options = impo.Options
        _check_options(options, _INQUIRE_OPTIONS, "MQIMPO")
        if options & MQIMPO_INQ_NEXT and options & MQIMPO_INQ_PROP_UNDER_CURSOR:
            raise mq_error(
                MQRC_OPTIONS_ERROR, detail="MQIMPO_INQ_NEXT and MQIMPO_INQ_PROP_UNDER_CURSOR exclude each other"
            )
        if max_length is not None and max_length < 0:
            raise mq_error(MQRC_BUFFER_LENGTH_ERROR, detail=f"the value length is {max_length}")
        pd = pd if pd is not None else MQPD()
        found = self._find(handle, options, name)
        return _inquired(handle, found, impo, pd, type, max_length)

    def _find(self, handle: MessageHandle, options: int, name: str) -> Property | str:
        if options & MQIMPO_INQ_PROP_UNDER_CURSOR:
            return handle.cursor
        check_length(name)
        if options & MQIMPO_INQ_NEXT:
            return handle.next(name)
        try:
            return handle.first(name)
        except MQError:
            entry = _derived(handle, name)
            if entry is None:
                raise
            return entry

    # ---- MQDLTMP

    def delete_property(self, hmsg: int, dmpo: MQDMPO | None, name: str) -> None:
        """MQDLTMP."""
        handle = self.get(hmsg)
        options = 0
        if dmpo is not None:
            _check_structure(dmpo, "DMPO", MQRC_DMPO_ERROR)
            options = dmpo.Options
            _check_options(options, MQDMPO_DEL_PROP_UNDER_CURSOR, "MQDMPO")
        if options & MQDMPO_DEL_PROP_UNDER_CURSOR:
            found = handle.cursor
        else:
            check_length(name)
            if "%" in name:
                raise mq_error(MQRC_PROPERTY_NAME_ERROR, object_name=name[:100], detail="MQDLTMP takes no wildcard")
            found = handle.first(name)
        if isinstance(found, str):
            raise mq_error(
                MQRC_PROPERTY_NAME_ERROR, object_name=found, detail="a field of the descriptor cannot be deleted"
            )
        handle.remove(found)

    # ---- MQBUFMH, MQMHBUF

    def buffer_to_handle(self, hmsg: int, bmho: MQBMHO | None, md: MQMD, buffer: bytes) -> tuple[MQMD, bytes]:
        """MQBUFMH: the properties in the MQRFH2 headers of `buffer` become those of the handle.

        Returns the descriptor and the buffer, without the properties if MQBMHO_DELETE_PROPERTIES asks so.
        """
        handle = self.get(hmsg)
        bmho = bmho if bmho is not None else MQBMHO()
        _check_structure(bmho, "BMHO", MQRC_BMHO_ERROR)
        _check_options(bmho.Options, MQBMHO_DELETE_PROPERTIES, "MQBMHO")
        chain = parse_chain(buffer, md.Format, md.CodedCharSetId, md.Encoding)
        properties = parse_properties(chain.headers)
        described = md.copy()
        if bmho.Options & MQBMHO_DELETE_PROPERTIES:
            _, buffer, described.Format, described.CodedCharSetId, described.Encoding = extract(
                buffer, md.Format, md.CodedCharSetId, md.Encoding
            )
        handle.receive(described, properties)
        return described, buffer

    def handle_to_buffer(
        self, hmsg: int, mhbo: MQMHBO | None, name: str, md: MQMD, max_length: int | None = None
    ) -> PropertiesBuffer:
        """MQMHBUF: the properties that `name` stands for as an MQRFH2, and the descriptor that fits it.

        `md` describes the data that the caller is going to append.
        """
        handle = self.get(hmsg)
        mhbo = mhbo if mhbo is not None else MQMHBO()
        _check_structure(mhbo, "MHBO", MQRC_MHBO_ERROR)
        _check_options(mhbo.Options, MQMHBO_PROPERTIES_IN_MQRFH2 | MQMHBO_DELETE_PROPERTIES, "MQMHBO")
        if not mhbo.Options & MQMHBO_PROPERTIES_IN_MQRFH2:
            raise mq_error(MQRC_OPTIONS_ERROR, detail="MQMHBUF knows no other form than MQMHBO_PROPERTIES_IN_MQRFH2")
        check_length(name)
        matching = handle.matching(name)
        if not matching:
            raise mq_error(MQRC_PROPERTY_NOT_AVAILABLE, object_name=name[:100])
        header = to_rfh2(Properties.from_entries(matching), md.Format, md.CodedCharSetId, md.Encoding)
        buffer = header.build(md.Encoding)
        if max_length is not None and len(buffer) > max_length:
            return PropertiesBuffer(md.copy(), b"", len(buffer), MQCC_FAILED, MQRC_PROPERTY_VALUE_TOO_BIG)
        described = md.copy()
        described.Format, described.CodedCharSetId = FORMAT_RFH2, 1208
        if mhbo.Options & MQMHBO_DELETE_PROPERTIES:
            for entry in matching:
                handle.remove(entry)
        return PropertiesBuffer(described, buffer, len(buffer))


# ---- MQPUT

_COPY_OF_ACTION = {MQACTP_FORWARD: MQCOPY_FORWARD, MQACTP_REPLY: MQCOPY_REPLY, MQACTP_REPORT: MQCOPY_REPORT}


def resolve_put_properties(
    handles: MessageHandles, pmo: MQPMO, md: MQMD, data: bytes, max_length: int = MQPROP_UNRESTRICTED_LENGTH
) -> tuple[bytes, bytes]:
    """The stored properties and the data of a message that is being put.

    By Action the properties come from the original handle (those whose copy options say so), changed by those
    of the new handle; a NULL there takes a property away. An MQRFH2 in the data stays in the data: it is looked
    at when the message is read. `max_length` is MAXPROPL.
    """
    if pmo.Version < MQPMO_VERSION_3 or not (pmo.OriginalMsgHandle or pmo.NewMsgHandle or pmo.Action):
        return b"", data
    properties = Properties()
    if pmo.OriginalMsgHandle or pmo.Action != MQACTP_NEW:
        if pmo.Action != MQACTP_NEW and pmo.Action not in _COPY_OF_ACTION:
            raise mq_error(MQRC_ACTION_ERROR, detail=f"MQPMO Action {pmo.Action}")
        original = handles.get(pmo.OriginalMsgHandle)
        original.reset_cursor()
        copy_option = _COPY_OF_ACTION.get(pmo.Action)
        properties = original.properties if copy_option is None else original.properties.for_copy(copy_option)
    if pmo.NewMsgHandle:
        changes = handles.get(pmo.NewMsgHandle)
        changes.reset_cursor()
        if properties:
            properties = changes.properties.merged_over(properties)
            for entry in properties.entries():
                if entry.type == MQTYPE_NULL and changes.properties.find(entry.name) is not None:
                    properties.remove(entry)
        else:
            properties = changes.properties
    check_count(len(properties))
    if max_length != MQPROP_UNRESTRICTED_LENGTH and properties.data_length > max_length:
        raise properties_too_big(properties.data_length, max_length)
    return properties.encode(), data


def check_count(count: int) -> None:
    """Before so many properties are made, or put."""
    if count > PROPERTIES_MAX:
        raise mq_error(MQRC_PROPERTIES_TOO_BIG, detail=f"{count} properties; a message has {PROPERTIES_MAX} at most")


def properties_too_big(length: int, max_length: int) -> MQError:
    detail = f"the properties have {length} bytes, MAXPROPL is {max_length}"
    return mq_error(MQRC_PROPERTIES_TOO_BIG, detail=detail)


# ---- checks


def _check_structure(structure: Structure, struc_id: str, reason: int) -> None:
    found = str(getattr(structure, "StrucId", "")).rstrip()
    version = getattr(structure, "Version", 0)
    if found != struc_id or version != 1:
        raise mq_error(reason, detail=f"StrucId is {found!r} and Version {version}, not {struc_id!r} and 1")


def _check_options(options: int, allowed: int, structure: str) -> None:
    if options & ~allowed:
        raise mq_error(MQRC_OPTIONS_ERROR, detail=f"{structure} Options {options:#x}")


def _check_descriptor(pd: MQPD) -> None:
    _check_structure(pd, "PD", MQRC_PD_ERROR)
    if (
        pd.Options != 0
        or pd.Support not in _SUPPORT
        or pd.Context not in (MQPD_NO_CONTEXT, MQPD_USER_CONTEXT)
        or pd.CopyOptions & ~_COPY_OPTIONS
    ):
        raise mq_error(
            MQRC_PD_ERROR,
            detail=f"Options {pd.Options}, Support {pd.Support}, Context {pd.Context}, CopyOptions {pd.CopyOptions}",
        )


def _derived(handle: MessageHandle, name: str) -> Property | None:
    """A JMS header field that the descriptor answers; not a place for the cursor."""
    reader = JMS_VALUES.get(name)
    if reader is None:
        return None
    value = reader(handle.md, handle.properties)
    return None if value is None else Property(name, value, JMS_TYPES[name])


def _inquired(
    handle: MessageHandle,
    found: Property | str,
    impo: MQIMPO,
    pd: MQPD,
    type: int,
    max_length: int | None,
) -> InquiredProperty:
    if isinstance(found, str):
        entry = Property(MD_PREFIX + found, md_value(handle.md, found), MD_TYPES[found])
    else:
        entry = found
    name = entry.name if entry.name in JMS_SYNONYMS else returned_name(entry.name)
    buffer = impo.raw.get("ReturnedName")
    if buffer is not None and 0 < buffer.VSBufSize < len(name.encode()):
        raise mq_error(MQRC_PROPERTY_NAME_TOO_BIG, object_name=name[:100])
    value, mqtype = entry.value, entry.type
    if impo.Options & MQIMPO_CONVERT_TYPE and type != MQTYPE_AS_SET:
        value, mqtype = convert(value, mqtype, type), type
    ccsid, codec, reason = 1208, "utf-8", MQRC_NONE
    if impo.Options & MQIMPO_CONVERT_VALUE and isinstance(value, str):
        wanted = text_codec(impo.RequestedCCSID, impo.RequestedEncoding)
        try:
            value.encode(wanted or "ascii")
        except UnicodeEncodeError:
            wanted = None
        if wanted is None:
            reason = MQRC_PROP_VALUE_NOT_CONVERTED
        elif impo.RequestedCCSID > 0:
            ccsid, codec = impo.RequestedCCSID, wanted
    length = len(value.encode(codec)) if isinstance(value, str) else value_length(value, mqtype)
    if impo.Options & MQIMPO_QUERY_LENGTH:
        value = None
    elif max_length is not None and length > max_length:
        reason = MQRC_PROPERTY_VALUE_TOO_BIG
        if isinstance(value, str):
            value = value.encode(codec)[:max_length].decode(codec, "ignore")
        else:
            value = value[:max_length] if isinstance(value, bytes) else None
    # A field that only the descriptor answers is not in the list, so the cursor cannot stand on it.
    if isinstance(found, str) or handle.properties.contains_entry(found):
        handle.move_cursor(found)
    impo.ReturnedName = name
    impo.ReturnedCCSID = ccsid
    impo.ReturnedEncoding = impo.RequestedEncoding if impo.Options & MQIMPO_CONVERT_VALUE else MQENC_NATIVE
    pd.Support, pd.Context, pd.CopyOptions = entry.support, entry.context, entry.copy_options
    comp_code = MQCC_WARNING if reason else MQCC_OK
    return InquiredProperty(value, mqtype, length, name, pd, comp_code, reason)
