"""Properties and MQRFH2: how one becomes the other, and what an application gets to see on MQGET.

A message has properties in two places: the stored ones (set through a message handle) and those in the folders
of an MQRFH2 that the sender put in front of its data. The data is stored exactly as it was put; only here, when
a message is read, are the two brought together in the form that the get options and PROPCTL ask for. A header
that cannot be parsed is data like any other and reaches the application as it is; so is one with more elements than
can be parsed while others wait.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from libremq.kernel.properties.message_properties import PROPERTIES_MAX, Properties, Property
from libremq.kernel.properties.property_names import canonical_name
from libremq.mqi.constants import (
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQCOPY_FORWARD,
    MQCOPY_NONE,
    MQCOPY_PUBLISH,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
    MQENC_INTEGER_MASK,
    MQENC_INTEGER_NORMAL,
    MQENC_INTEGER_REVERSED,
    MQENC_NATIVE,
    MQGMO_NO_PROPERTIES,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQPD_NO_CONTEXT,
    MQPD_SUPPORT_OPTIONAL,
    MQPD_SUPPORT_REQUIRED,
    MQPD_SUPPORT_REQUIRED_IF_LOCAL,
    MQPD_USER_CONTEXT,
    MQPROP_ALL,
    MQPROP_COMPATIBILITY,
    MQPROP_FORCE_MQRFH2,
    MQPROP_NONE,
    MQPROP_V6COMPAT,
    MQRC_HMSG_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_RFH_RESTRICTED_FORMAT_ERR,
)
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.rfh2 import (
    FORMAT_RFH2,
    Element,
    Folder,
    Rfh2,
    Rfh2Chain,
    element_value,
    headers_end,
    parse_chain,
    value_element,
)

Presented = tuple[bytes, str, int, int, Properties | None]
"""Data, format, ccsid and encoding for the application, and the properties for its message handle (None:
leave the handle alone)."""

PROPERTY_FOLDERS = frozenset({"usr", "jms", "mcd", "mqext", "mq", "mq_usr", "mqps", "sib", "sib_usr", "sib_context"})
"""Folders that hold properties without saying content='properties'."""

TAGS_MAX = 2 * PROPERTIES_MAX + 1000
"""Tags in the folders of a message, beyond which they are not parsed: each element has two at most."""
_SEARCHED_BYTES = 10  # a unit of work for each 1024 bytes

_COMPATIBLE_FOLDERS = frozenset({"mcd", "jms", "usr", "mqext"})
_PROPERTY_OPTIONS = (
    MQGMO_PROPERTIES_FORCE_MQRFH2 | MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_IN_HANDLE | MQGMO_PROPERTIES_COMPATIBILITY
)
# What PROPCTL says for MQGMO_PROPERTIES_AS_Q_DEF, in the words of the MQGMO options; ALL and V6COMPAT have none.
_ALL, _V6COMPAT = -1, -2
_MODE_OF_PROPCTL = {
    MQPROP_COMPATIBILITY: MQGMO_PROPERTIES_COMPATIBILITY,
    MQPROP_NONE: MQGMO_NO_PROPERTIES,
    MQPROP_ALL: _ALL,
    MQPROP_FORCE_MQRFH2: MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQPROP_V6COMPAT: _V6COMPAT,
}

_COPY_WORDS = {
    "forward": MQCOPY_FORWARD,
    "reply": MQCOPY_REPLY,
    "report": MQCOPY_REPORT,
    "publish": MQCOPY_PUBLISH,
    "all": MQCOPY_ALL,
    "default": MQCOPY_DEFAULT,
    "none": MQCOPY_NONE,
}

# Headers that stay in front of a generated MQRFH2: where they say what follows them (Encoding, CodedCharSetId,
# Format), and how long they are (0: the length is at offset 8).
_FRONT_HEADERS = {"MQDEAD": (108, 172), "MQXMIT": (128, 428), "MQHRF": (12, 0)}


def present(
    properties: Properties | None,
    data_format: str,
    ccsid: int,
    encoding: int,
    data: bytes,
    *,
    gmo_options: int = 0,
    propctl: int = MQPROP_COMPATIBILITY,
    has_handle: bool = False,
) -> Presented:
    """What MQGET gives for a message, by the property options of the MQGMO and the PROPCTL of the queue."""
    mode = gmo_options & _PROPERTY_OPTIONS
    if mode == 0:
        mode = _MODE_OF_PROPCTL[propctl]
        if has_handle and mode not in (MQGMO_PROPERTIES_FORCE_MQRFH2, _V6COMPAT):
            mode = MQGMO_PROPERTIES_IN_HANDLE
    elif mode & (mode - 1):
        raise mq_error(MQRC_OPTIONS_ERROR, detail="more than one MQGMO option for properties")
    elif mode == MQGMO_PROPERTIES_IN_HANDLE and not has_handle:
        raise mq_error(MQRC_HMSG_ERROR, detail="MQGMO_PROPERTIES_IN_HANDLE needs a message handle")
    into_handle = has_handle and mode in (MQGMO_PROPERTIES_IN_HANDLE, _V6COMPAT)

    if not properties and not may_hold_properties(data_format):
        return data, data_format, ccsid, encoding, Properties() if into_handle else None
    stored = properties if properties is not None else Properties()
    unchanged = (data, data_format, ccsid, encoding)

    if mode == _V6COMPAT:
        return (*unchanged, stored.copy() if into_handle else None)
    if mode == MQGMO_PROPERTIES_IN_HANDLE:
        taken = extract(data, data_format, ccsid, encoding)
        return (*taken[1:], stored.merged_over(taken[0]))
    if mode == MQGMO_PROPERTIES_COMPATIBILITY and not _is_compatible(stored, *unchanged):
        mode = MQGMO_NO_PROPERTIES
    if mode == MQGMO_NO_PROPERTIES:
        return (*extract(data, data_format, ccsid, encoding)[1:], None)
    if not stored:
        return (*unchanged, None)
    return (*insert(stored, *unchanged), None)


def properties_in_data(
    data: bytes, data_format: str, ccsid: int, encoding: int, names: Iterable[bytes]
) -> tuple[list[Property], int]:
    """The properties in the MQRFH2 headers of a message, if one of these names is there, and what the look was worth.

    The names are those of elements, in every character set that a header may have.
    """
    try:
        front = _HeadersInFront(data, data_format, ccsid, encoding)
        if front.format != FORMAT_RFH2:
            return [], 1
        end = headers_end(data, front.offset)
        worth = 1 + (end - front.offset >> _SEARCHED_BYTES)
        if all(data.find(name, front.offset, end) < 0 for name in names):
            return [], worth
        chain = parse_chain(data[front.offset : end], front.format, front.ccsid, front.encoding)
        tags = _count_tags(chain)
        if tags > TAGS_MAX:
            return [], worth
        entries: list[Property] = []
        for header in chain.headers:
            for folder in header.folders:
                _take_folder(folder, entries)
    except (MQError, struct.error):
        return [], 1
    return entries, worth + tags


def property_bytes_in_data(data: bytes, data_format: str, ccsid: int, encoding: int) -> int:
    """How many bytes of the MQRFH2 headers of a message are folders with properties, for MAXPROPL."""
    try:
        front = _HeadersInFront(data, data_format, ccsid, encoding)
        if front.format != FORMAT_RFH2:
            return 0
        end = headers_end(data, front.offset)
        chain = parse_chain(data[front.offset : end], front.format, front.ccsid, front.encoding)
    except (MQError, struct.error):
        return 0
    folders = [folder for header in chain.headers for folder in header.folders]
    return sum(len(folder.text.encode()) for folder in folders if _may_hold_properties(folder))


def _count_tags(chain: Rfh2Chain) -> int:
    return sum(folder.text.count("<") for header in chain.headers for folder in header.folders)


def may_hold_properties(data_format: str) -> bool:
    return data_format.rstrip(" \0") in FORMATS_WITH_PROPERTIES


FORMATS_WITH_PROPERTIES = frozenset({FORMAT_RFH2, *_FRONT_HEADERS})


def _is_compatible(stored: Properties, data: bytes, data_format: str, ccsid: int, encoding: int) -> bool:
    """Whether some property is in one of the folders that applications knew before there were properties."""
    if _has_compatible_name(stored):
        return True
    if not may_hold_properties(data_format):
        return False
    return _has_compatible_name(extract(data, data_format, ccsid, encoding)[0])


def _has_compatible_name(properties: Properties) -> bool:
    return any("." not in name or name.partition(".")[0] in _COMPATIBLE_FOLDERS for name in properties)


# ---- properties out of message data


def extract(data: bytes, data_format: str, ccsid: int, encoding: int) -> tuple[Properties, bytes, str, int, int]:
    """The properties in the MQRFH2 headers of a message, and the message without them.

    Folders that hold no properties stay, in their header; a header without folders goes. If a header is not
    valid, nothing is taken out at all.
    """
    nothing = (Properties(), data, data_format, ccsid, encoding)
    try:
        front = _HeadersInFront(data, data_format, ccsid, encoding)
        if front.format != FORMAT_RFH2:
            return nothing
        chain = parse_chain(data[front.offset :], front.format, front.ccsid, front.encoding)
        if _count_tags(chain) > TAGS_MAX:
            return nothing
        entries: list[Property] = []
        kept: list[Rfh2] = []
        for header in chain.headers:
            folders = [folder for folder in header.folders if not _take_folder(folder, entries)]
            if folders:
                header.folders = folders
                kept.append(header)
    except (MQError, struct.error):
        return nothing
    if not entries and len(kept) == len(chain.headers):
        return nothing
    body = data[front.offset + chain.body_offset :]
    return (Properties.from_entries(entries), *front.rebuild(kept, body, chain.format, chain.ccsid, chain.encoding))


def parse_properties(headers: Iterable[Rfh2]) -> Properties:
    """The properties in MQRFH2 headers; raises the MQRC_RFH_* error of a folder that is not valid."""
    entries: list[Property] = []
    folders = [folder for header in headers for folder in header.folders]
    if sum(folder.text.count("<") for folder in folders) > TAGS_MAX:
        raise mq_error(MQRC_PROPERTIES_TOO_BIG, detail=f"a message has {PROPERTIES_MAX} properties at most")
    for folder in folders:
        _take_folder(folder, entries, strict=True)
    return Properties.from_entries(entries)


def _take_folder(folder: Folder, entries: list[Property], strict: bool = False) -> bool:
    """Add the properties of a folder; False if it holds none and has to stay where it is."""
    if not _may_hold_properties(folder):
        return False
    try:
        elements = folder.elements()
        if not elements or not all(_holds_properties(element) for element in elements):
            return False
        found: list[Property] = []
        for element in elements:
            if element.name == "mq":
                _check_restricted(element)
            found += _folder_properties(element)
    except MQError:
        if strict:
            raise
        return False
    entries += found
    return True


def _may_hold_properties(folder: Folder) -> bool:
    """Told without parsing it."""
    return folder.name in PROPERTY_FOLDERS or "content" in folder.text


def _holds_properties(folder: Element) -> bool:
    return folder.name in PROPERTY_FOLDERS or folder.attributes.get("content") == "properties"


def _check_restricted(folder: Element) -> None:
    for element in folder.children:
        if element.children or "xsi:nil" in element.attributes or not element.name.isascii():
            raise mq_error(MQRC_RFH_RESTRICTED_FORMAT_ERR, detail=f"<{element.name}> does not suit the mq folder")


def _folder_properties(folder: Element) -> list[Property]:
    found: list[Property] = []
    pending: list[tuple[str, Element]] = [(folder.name, child) for child in reversed(folder.children)]
    while pending:
        group, element = pending.pop()
        if "." in element.name:
            continue  # the dot separates levels, so nobody could name this one
        name = f"{group}.{element.name}"
        if element.children:
            pending.extend((name, child) for child in reversed(element.children))
            continue
        value, mqtype = element_value(element)
        entry = Property(canonical_name(name), value, mqtype)
        if element.attributes:
            _read_descriptor(entry, element.attributes, folder.name)
        found.append(entry)
    return found


def _read_descriptor(entry: Property, attributes: dict[str, str], folder: str) -> None:
    if attributes.get("context") == "user":
        entry.context = MQPD_USER_CONTEXT
    if "copy" in attributes:
        entry.copy_options = 0
        for word in attributes["copy"].split(","):
            entry.copy_options |= _COPY_WORDS.get(word.strip(), 0)
    if folder == "mq":
        if attributes.get("sr") == "required":
            entry.support = MQPD_SUPPORT_REQUIRED
        elif attributes.get("sx") == "local":
            entry.support = MQPD_SUPPORT_REQUIRED_IF_LOCAL


# ---- properties into message data


def to_folders(properties: Properties) -> list[Folder]:
    """One folder per first part of the names, in the order of first appearance, groups nested inside."""
    roots: dict[str, Element] = {}
    for entry in properties.entries():
        *groups, name = entry.name.split(".") if "." in entry.name else ("usr", entry.name)
        folder = roots.get(groups[0])
        if folder is None:
            folder = roots[groups[0]] = Element(groups[0])
            if groups[0] not in PROPERTY_FOLDERS:
                folder.attributes["content"] = "properties"
        parent = folder
        for group in groups[1:]:
            # A group goes on only where it was left off: two lists of one name stay two lists.
            if not parent.children or parent.children[-1].name != group or not parent.children[-1].children:
                parent.children.append(Element(group))
            parent = parent.children[-1]
        element = value_element(name, entry.value, entry.type)
        if entry.has_descriptor:
            _write_descriptor(element, entry, groups[0])
        parent.children.append(element)
    return [Folder.of(folder) for folder in roots.values()]


def _write_descriptor(element: Element, entry: Property, folder: str) -> None:
    if entry.context != MQPD_NO_CONTEXT:
        element.attributes["context"] = "user"
    if entry.copy_options != MQCOPY_DEFAULT:
        words = [
            word for word, option in _COPY_WORDS.items() if option and word != "default" and entry.copy_options & option
        ]
        element.attributes["copy"] = ",".join(words) or "none"
    if folder == "mq" and entry.support != MQPD_SUPPORT_OPTIONAL:
        if entry.support == MQPD_SUPPORT_REQUIRED:
            element.attributes["sr"] = "required"
        elif entry.support == MQPD_SUPPORT_REQUIRED_IF_LOCAL:
            element.attributes["sx"] = "local"


def to_rfh2(properties: Properties, data_format: str = "", ccsid: int = 1208, encoding: int = MQENC_NATIVE) -> Rfh2:
    """A header with the properties in front of data that `data_format`, `ccsid` and `encoding` describe."""
    return Rfh2(to_folders(properties), encoding, ccsid, data_format.rstrip(" \0"))


def insert(
    properties: Properties, data: bytes, data_format: str, ccsid: int, encoding: int
) -> tuple[bytes, str, int, int]:
    """The message with its properties in an MQRFH2, merged into the one that it may have already."""
    try:
        front = _HeadersInFront(data, data_format, ccsid, encoding)
        chain = parse_chain(data[front.offset :], front.format, front.ccsid, front.encoding)
        if _count_tags(chain) > TAGS_MAX:
            raise struct.error("more elements than are parsed")
    except (MQError, struct.error):
        # Broken headers are not ours to mend: ours goes to the very front, where it can be read.
        front = _HeadersInFront(b"", "", ccsid, encoding)
        return front.rebuild([to_rfh2(properties, data_format, ccsid, encoding)], data, data_format, ccsid, encoding)
    headers = chain.headers
    if headers:
        taken: list[Property] = []
        others = [folder for folder in headers[0].folders if not _take_folder(folder, taken)]
        merged = properties.merged_over(Properties.from_entries(taken))
        headers[0].folders = to_folders(merged) + others
    else:
        headers = [to_rfh2(properties, chain.format, chain.ccsid, chain.encoding)]
    body = data[front.offset + chain.body_offset :]
    return front.rebuild(headers, body, chain.format, chain.ccsid, chain.encoding)


class _HeadersInFront:
    """The headers that stay in front of any MQRFH2: none as a rule, a dead-letter header for instance.

    Each header describes what follows it; `format`, `ccsid` and `encoding` are what the last one says (or the
    message descriptor when there is none), and `rebuild` makes it say something else.
    """

    __slots__ = ("_at", "_bytes", "_order", "_outer", "ccsid", "encoding", "format", "offset")

    def __init__(self, data: bytes, data_format: str, ccsid: int, encoding: int) -> None:
        self._outer = (data_format, ccsid, encoding)
        self.format, self.ccsid, self.encoding = data_format.rstrip(" \0"), ccsid, encoding
        self.offset = 0
        self._at = -1
        self._order = "<"
        while self.format in _FRONT_HEADERS:
            at, length = _FRONT_HEADERS[self.format]
            order = ">" if self.encoding & MQENC_INTEGER_MASK == MQENC_INTEGER_NORMAL else "<"
            if length == 0:
                (length,) = struct.unpack_from(order + "i", data, self.offset + 8)
                if length < 32:
                    raise struct.error("MQRFH StrucLength")
            if self.offset + length > len(data):
                raise struct.error("the header is cut short")
            self._at, self._order = self.offset + at, order
            self.encoding, next_ccsid, next_format = struct.unpack_from(order + "ii8s", data, self._at)
            self.ccsid = next_ccsid if next_ccsid > 0 else self.ccsid
            self.format = next_format.decode("latin-1").rstrip(" \0")
            self.offset += length
        self._bytes = data[: self.offset]

    def rebuild(
        self, headers: list[Rfh2], body: bytes, data_format: str, ccsid: int, encoding: int
    ) -> tuple[bytes, str, int, int]:
        """VerbCalls, headers and body put together, with every description of what follows set right."""
        parts = [body]
        for header in reversed(headers):
            # Never MQCCSI_INHERIT: the header's own text is ASCII, whatever the body is written in.
            header.format, header.ccsid, header.encoding = data_format.rstrip(" \0"), ccsid, encoding
            if encoding & MQENC_INTEGER_MASK not in (MQENC_INTEGER_NORMAL, MQENC_INTEGER_REVERSED):
                encoding = MQENC_NATIVE
            parts.append(header.build(encoding))
            data_format, ccsid = FORMAT_RFH2, 1208
        front = bytearray(self._bytes)
        if self._at >= 0:
            struct.pack_into(
                self._order + "ii8s", front, self._at, encoding, ccsid, data_format.ljust(8).encode("latin-1")
            )
            data_format, ccsid, encoding = self._outer
        parts.append(bytes(front))
        return b"".join(reversed(parts)), data_format, ccsid, encoding
