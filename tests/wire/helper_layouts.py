"""The layouts of the channel protocol as tables, and an encoder and decoder that know nothing but these tables.

A second opinion: nothing here comes from `libremq.wire`. A line is a field: name, type and length (c text, b bytes,
i and u integers; > always big-endian, else as the segment's header says), and the name that Wireshark has for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Values = dict[str, Any]


@dataclass(frozen=True)
class Field:
    name: str
    offset: int
    length: int
    kind: str
    always_big: bool
    shown: str  # by tshark; "-" if it is not


_TABLES = {
    "TSH": """
        StrucId c4 mq.tsh.structid
        SegmentLength u4> mq.tsh.seglength
        ByteOrder u1 mq.tsh.byteorder
        SegmentType u1 mq.tsh.type
        ControlFlags1 u1 mq.tsh.cflags1
        ControlFlags2 u1 mq.tsh.cflags2
        LUWID b8 mq.tsh.luwid
        Encoding u4 mq.tsh.encoding
        CCSID u2 mq.tsh.ccsid
        Reserved u2 mq.tsh.reserved
    """,
    "TSHM": """
        StrucId c4 mq.tsh.structid
        SegmentLength u4> mq.tsh.seglength
        ConversationId u4> mq.tsh.convid
        RequestId u4> mq.tsh.requestid
        ByteOrder u1 mq.tsh.byteorder
        SegmentType u1 mq.tsh.type
        ControlFlags1 u1 mq.tsh.cflags1
        ControlFlags2 u1 mq.tsh.cflags2
        LUWID b8 mq.tsh.luwid
        Encoding u4 mq.tsh.encoding
        CCSID u2 mq.tsh.ccsid
        Reserved u2 mq.tsh.reserved
    """,
    "API": """
        ReplyLength u4> mq.api.replylength
        CompCode u4 mq.api.completioncode
        Reason u4 mq.api.reasoncode
        Hobj u4 mq.api.hobj
    """,
    "ID": """
        StrucId c4 mq.id.structid
        FapLevel u1 mq.id.faplevel
        CapFlags1 u1 mq.id.cflags
        ECapFlags1 u1 mq.id.ecflags
        ErrFlags1 u1 mq.id.inierrflg1
        Reserved u2 mq.id.reserved
        MaxMsgsPerBatch u2 mq.id.maxmsgbatch
        MaxTransmissionSize u4 mq.id.maxtrsize
        MaxMsgSize u4 mq.id.maxmsgsize
        SeqWrapValue u4 mq.id.seqwrap
        ChannelName c20 mq.id.channelname
        CapFlags2 u1 mq.id.cflags2
        ECapFlags2 u1 mq.id.ecflags2
        CCSID u2 mq.id.ccsid
        QMgrName c48 mq.id.qm
        HeartbeatInterval u4 mq.id.hbint
        EFLLength u2 mq.id.efllength
        ErrFlags2 u1 mq.id.inierrflg2
        Reserved1 u1 mq.id.reserved1
        HdrCompList b2 mq.id.hdrcprslst
        MsgCompList b16 mq.id.msgcprslst
        Reserved2 u2 mq.id.reserved2
        SSLKeyReset u4 mq.id.sslkeyrst
        ConversationsPerSocket i4 mq.id.convbyskt
        CapFlags3 u1 mq.id.cflags3
        ECapFlags3 u1 mq.id.ecflags3
        Reserved3 u2 mq.id.reserved3
        ProcessId u4 mq.id.processid
        ThreadId u4 mq.id.threadid
        TraceId u4 mq.id.traceid
        ProductId c12 mq.id.prodid
        QMgrId c48 mq.id.mqmid
        PasswordAlgorithms b20 mq.id.pal
        PasswordNonce b12 mq.id.r
    """,
    "UID": """
        StrucId c4 mq.uid.structid
        UserId c12 mq.uid.userid
        Password c12 mq.uid.password
        LongUserId c64 mq.uid.longuserid
        SidLength u1 mq.uid.sidlen
        SidType u1 -
        SecurityId b38 -
    """,
    "CAUT": """
        StrucId c4 mq.caut.structid
        AuthType u4 mq.caut.authtype
        UserIdMaxLength u4 mq.caut.usrmaxlen
        PasswordMaxLength u4 mq.caut.pwdmaxlen
        UserIdLength u4 mq.caut.usrlength
        PasswordLength u4 mq.caut.pswlength
    """,
    "CONN": """
        QMgrName c48 mq.conn.qm
        ApplName c28 mq.conn.appname
        ApplType i4 mq.conn.apptype
        AccountingToken b32 mq.conn.acttoken
        Options u4 mq.conn.options
        XOptions u4 mq.conn.xoptions
    """,
    "FCNO": """
        StrucId c4 mq.fcno.structid
        Version u4 mq.fcno.version
        CapFlags u4 mq.fcno.capflag
        ConnTag b128 mq.fcno.conntag
    """,
    "FCNO_TAIL": """
        ProductArea b24 mq.fcno.prodid
        QMgrId c48 mq.fcno.mqmid
    """,
    "OPENOPT": """
        Options u4 mq.open.options
    """,
    "CLOSEOPT": """
        Options u4 mq.close.options
    """,
    "DATALEN": """
        DataLength u4 mq.put.length
    """,
    "FOPA": """
        StrucId c4 mq.fopa.structid
        Version u4 mq.fopa.version
        Length u4 mq.fopa.length
        DefPersistence i4 mq.fopa.defpersistence
        DefPutResponseType i4 mq.fopa.defputresponsetype
        DefReadAhead i4 mq.fopa.defreadahaed
        PropertyControl i4 mq.fopa.propertycontrol
    """,
    "INQ": """
        SelectorCount u4 mq.inq.nbsel
        IntAttrCount u4 mq.inq.nbint
        CharAttrLength u4 mq.inq.charlen
    """,
    "REQUEST_MSGS": """
        Version u4 mq.msgreq.version
        Hobj u4 mq.msgreq.handle
        ReceivedBytes u4 mq.msgreq.unknown1
        RequestedBytes u4 mq.msgreq.rqstbytes
        MaxMsgLength u4 mq.msgreq.maxmsglen
        GetMsgOptions u4 mq.gmo.getmsgopt
        WaitInterval u4 mq.msgreq.waitintrv
        QueueStatus u4 mq.msgreq.questatus
        RequestFlags u4 mq.msgreq.rqstflags
        GlobalMsgIndex u4 mq.msgreq.glbmsgidx
    """,
    "REQUEST_MSGS_SELECTION": """
        SelectionIndex u2 mq.msgreq.selectIdx
        MDVersion u2 mq.msgreq.mqmdvers
        CCSID i4 mq.msgreq.ccsid
        Encoding u4 mq.msgreq.encoding
        MsgSeqNumber u4 mq.msgreq.msgseqnum
        Offset u4 mq.msgreq.offset
        MatchOptions u4 mq.gmo.matchopt
    """,
    "ASYNC_MESSAGE": """
        Version u4 mq.msgasy.version
        Hobj u4 mq.msgasy.handle
        MsgIndex u4 mq.msgasy.msgindex
        GlobalMsgIndex u4 mq.msgasy.glbmsgidx
        SegmentLength u4 mq.msgasy.seglength
        SegmentIndex u2 mq.msgasy.segmindex
        SelectionIndex u2 mq.msgasy.seleindex
    """,
    "ASYNC_MESSAGE_FIRST": """
        Reason u4 mq.msgasy.reasoncod
        TotalMsgLength u4 mq.msgasy.totmsglen
        ActualMsgLength u4 mq.msgasy.actmsglen
        MsgToken b16 mq.msgasy.msgtoken
        Status u2 mq.msgasy.status
        ResolvedQNameLength u1 mq.msgasy.resolqnln
    """,
    "NOTIFICATION": """
        Version u4 mq.notif.vers
        Hobj u4 mq.notif.handle
        Code u4 mq.notif.code
        Value u4 mq.notif.value
    """,
    "SOCKET_ACTION": """
        ConversationId u4 mq.socket.conversid
        RequestId u4 mq.socket.requestid
        Type u4 mq.socket.type
        Parm1 u4 mq.socket.parm1
        Parm2 u4 mq.socket.parm2
    """,
    "STATUS": """
        Length u4 mq.status.length
        Code u4 mq.status.code
    """,
    "STATUS_VALUE": """
        Value u4 mq.status.value
    """,
    "MSH": """
        StrucId c4 mq.msh.structid
        SeqNumber u4 mq.msh.seqnum
        BufferLength u4 mq.msh.buflength
        Unknown1 u4 mq.msh.unknown1
        MsgLength u4 mq.msh.msglength
    """,
    "XQH": """
        StrucId c4 mq.xqh.structid
        Version u4 mq.xqh.version
        RemoteQName c48 mq.xqh.remoteq
        RemoteQMgrName c48 mq.xqh.remoteqmgr
    """,
    "RESET": """
        Length u4 mq.reset.length
        SeqNumber u4 mq.reset.seqnum
    """,
    "RESYNC": """
        Length u4 -
        SeqNumber u4 -
        LUWID b8 -
        InDoubtSeqNumber u4 -
        InDoubtLUWID b8 -
    """,
    "PING": """
        Length u4 mq.ping.length
    """,
    "MD": """
        StrucId c4 mq.md.structid
        Version u4 mq.md.version
        Report u4 mq.md.report
        MsgType u4 mq.md.msgtype
        Expiry i4 mq.md.expiry
        Feedback u4 mq.md.feedback
        Encoding u4 mq.md.encoding
        CCSID i4 mq.md.ccsid
        Format c8 mq.md.format
        Priority i4 mq.md.priority
        Persistence u4 mq.md.persistence
        MsgId b24 mq.md.msgid
        CorrelId b24 mq.md.correlid
        BackoutCount u4 mq.md.backount
        ReplyToQ c48 mq.md.replytoq
        ReplyToQMgr c48 mq.md.replytoqmgr
        UserIdentifier c12 mq.md.userid
        AccountingToken b32 mq.md.acttoken
        ApplIdentityData c32 mq.md.appldata
        PutApplType i4 mq.md.appltype
        PutApplName c28 mq.md.applname
        PutDate c8 mq.md.date
        PutTime c8 mq.md.time
        ApplOriginData c4 mq.md.origdata
        GroupId b24 mq.md.groupid
        MsgSeqNumber u4 mq.md.msgseqnumber
        Offset u4 mq.md.offset
        MsgFlags u4 mq.md.msgflags
        OriginalLength i4 mq.md.origlength
    """,
    "OD": """
        StrucId c4 mq.od.structid
        Version u4 mq.od.version
        ObjectType u4 mq.od.objtype
        ObjectName c48 mq.od.objname
        ObjectQMgrName c48 mq.od.objqmgrname
        DynamicQName c48 mq.od.dynqname
        AlternateUserId c12 mq.od.altuserid
        RecsPresent u4 mq.od.nbrrec
        KnownDestCount u4 mq.od.kdestcount
        UnknownDestCount u4 mq.od.udestcount
        InvalidDestCount u4 mq.od.idestcount
        ObjectRecOffset u4 mq.od.offsetor
        ResponseRecOffset u4 mq.od.offsetrr
        ObjectRecPtr u4 mq.od.addror
        ResponseRecPtr u4 mq.od.addrrr
        AlternateSecurityId b40 mq.od.altsecid
        ResolvedQName c48 mq.od.resolvq
        ResolvedQMgrName c48 mq.od.resolvqmgr
        ObjectStringPtr u4 mq.charv.vsptr
        ObjectStringOffset u4 mq.charv.vsoffset
        ObjectStringBufSize u4 mq.charv.vsbufsize
        ObjectStringLength u4 mq.charv.vslength
        ObjectStringCCSID i4 mq.charv.vsccsid
        SelectionStringPtr u4 mq.charv.vsptr
        SelectionStringOffset u4 mq.charv.vsoffset
        SelectionStringBufSize u4 mq.charv.vsbufsize
        SelectionStringLength u4 mq.charv.vslength
        SelectionStringCCSID i4 mq.charv.vsccsid
        ResObjectStringPtr u4 mq.charv.vsptr
        ResObjectStringOffset u4 mq.charv.vsoffset
        ResObjectStringBufSize u4 mq.charv.vsbufsize
        ResObjectStringLength u4 mq.charv.vslength
        ResObjectStringCCSID i4 mq.charv.vsccsid
        ResolvedType u4 mq.od.resolvedobjtype
    """,
    "PMO": """
        StrucId c4 mq.pmo.structid
        Version u4 mq.pmo.version
        Options u4 mq.pmo.options
        Timeout i4 mq.pmo.timeout
        Context u4 mq.pmo.context
        KnownDestCount u4 mq.pmo.kdstcount
        UnknownDestCount u4 mq.pmo.udestcount
        InvalidDestCount u4 mq.pmo.idestcount
        ResolvedQName c48 mq.pmo.resolvq
        ResolvedQMgrName c48 mq.pmo.resolvqmgr
        RecsPresent u4 mq.pmo.nbrrec
        PutMsgRecFields u4 mq.pmo.flagspmr
        PutMsgRecOffset u4 mq.pmo.offsetpmr
        ResponseRecOffset u4 mq.pmo.offsetrr
        PutMsgRecPtr u4 mq.pmo.addrrec
        ResponseRecPtr u4 mq.pmo.addrres
        OriginalMsgHandle u8 mq.pmo.originalmsghandle
        NewMsgHandle u8 mq.pmo.newmsghandle
        Action u4 mq.pmo.action
        PubLevel u4 mq.pmo.publevel
    """,
    "GMO": """
        StrucId c4 mq.gmo.structid
        Version u4 mq.gmo.version
        Options u4 mq.gmo.getmsgopt
        WaitInterval i4 mq.gmo.waitint
        Signal1 u4 mq.gmo.signal1
        Signal2 u4 mq.gmo.signal2
        ResolvedQName c48 mq.gmo.resolvq
        MatchOptions u4 mq.gmo.matchopt
        GroupStatus u1 mq.gmo.grpstat
        SegmentStatus u1 mq.gmo.sgmtstat
        Segmentation u1 mq.gmo.segmentation
        Reserved1 u1 mq.gmo.reserved
        MsgToken b16 mq.gmo.msgtoken
        ReturnedLength i4 mq.gmo.retlen
        Reserved2 i4 mq.gmo.reserved2
        MsgHandle u8 mq.gmo.msghandle
    """,
    "XA": """
        Length u4> mq.xa.length
        ReturnValue i4 mq.xa.returnvalue
        TMFlags u4 mq.xa.tmflags
        RMId u4 mq.xa.rmid
    """,
    "XID": """
        FormatId b4 mq.xa.xid.formatid
        GlobalIdLength u1 mq.xa.xid.gxidl
        BranchLength u1 mq.xa.xid.bql
    """,
    "XARECOVER": """
        XidCount u4 mq.xa.nbxid
    """,
}
VERSIONS = {
    "MD": {1: 324, 2: 364},
    "OD": {1: 168, 2: 200, 3: 336, 4: 400},
    "PMO": {1: 128, 2: 152, 3: 176},
    "GMO": {1: 72, 2: 80, 3: 100, 4: 112},
}
ID_LENGTHS = {fap: 102 if fap < 9 else 208 if fap < 11 else 240 for fap in range(4, 18)}


def _parsed(table: str) -> list[Field]:
    fields: list[Field] = []
    offset = 0
    for line in table.split("\n"):
        if line.strip():
            name, kind, shown = line.split()
            length = int(kind[1:].rstrip(">"))
            fields.append(Field(name, offset, length, kind[0], kind.endswith(">"), shown))
            offset += length
    return fields


LAYOUTS = {name: _parsed(table) for name, table in _TABLES.items()}


def size(name: str, version: int | None = None) -> int:
    if version is not None and name in VERSIONS:
        return VERSIONS[name].get(version, max(VERSIONS[name].values()))
    last = LAYOUTS[name][-1]
    return last.offset + last.length


def decode(
    name: str, raw: bytes, offset: int = 0, *, big: bool = False, charset: str = "latin-1", length: int | None = None
) -> Values:
    """The fields that end within `length`. Text without trailing blanks and what follows a NUL."""
    if length is None and name in VERSIONS:
        length = size(name, int.from_bytes(raw[offset + 4 : offset + 8], "big" if big else "little"))
    found: Values = {}
    for field in LAYOUTS[name]:
        if length is not None and field.offset + field.length > length:
            break
        part = raw[offset + field.offset : offset + field.offset + field.length]
        assert len(part) == field.length, f"{name}.{field.name} is cut short"
        if field.kind == "c":
            found[field.name] = part.decode(charset).split("\0")[0].rstrip(" ")
        elif field.kind == "b":
            found[field.name] = part
        else:
            order = "big" if big or field.always_big else "little"
            found[field.name] = int.from_bytes(part, order, signed=field.kind == "i")  # type: ignore[arg-type]
    return found


def encode(
    name: str,
    values: Mapping[str, Any],
    *,
    big: bool = False,
    charset: str = "latin-1",
    length: int | None = None,
) -> bytes:
    """The fields that end within `length`; zeros and blanks where no value is given."""
    if length is None and name in VERSIONS:
        length = size(name, values["Version"])
    unknown = set(values) - {field.name for field in LAYOUTS[name]}
    assert not unknown, unknown
    parts = []
    for field in LAYOUTS[name]:
        if length is not None and field.offset + field.length > length:
            break
        if field.kind == "c":
            part = values.get(field.name, "").encode(charset).ljust(field.length, " ".encode(charset))
        elif field.kind == "b":
            part = values.get(field.name, b"").ljust(field.length, b"\0")
        else:
            number = values.get(field.name, 0)
            order = "big" if big or field.always_big else "little"
            part = (number & (1 << 8 * field.length) - 1).to_bytes(field.length, order)  # type: ignore[arg-type]
        assert len(part) == field.length, f"{name}.{field.name}"
        parts.append(part)
    return b"".join(parts)


@dataclass(frozen=True)
class Segment:
    """One segment, with the offset of its body in it."""

    raw: bytes
    header: Values
    body_at: int
    shared: bool
    big: bool
    charset: str

    @property
    def kind(self) -> int:
        return int(self.header["SegmentType"])

    @property
    def flags(self) -> int:
        return int(self.header["ControlFlags1"])

    @property
    def body(self) -> bytes:
        return self.raw[self.body_at :]

    @property
    def conversation(self) -> int:
        return int(self.header.get("ConversationId", 0))


def segment(
    kind: int, body: bytes, *, flags: int = 0x30, conversation: int | None = None, request: int = 0, big: bool = False,
    ebcdic: bool = False, letter: str = " ", luwid: bytes = b"", flags2: int = 0,
) -> bytes:  # fmt: skip
    """With conversation ids if a conversation is given."""
    charset, name = "cp500" if ebcdic else "latin-1", "TSH" if conversation is None else "TSHM"
    values = {
        "StrucId": "TSH" + letter if conversation is None else "TSHM", "SegmentLength": size(name) + len(body),
        "ByteOrder": 1 if big else 2, "SegmentType": kind, "ControlFlags1": flags, "Encoding": 273 if big else 546,
        "CCSID": 500 if ebcdic else 819, "LUWID": luwid, "ControlFlags2": flags2,
    }  # fmt: skip
    if conversation is not None:
        values |= {"ConversationId": conversation, "RequestId": request}
    return encode(name, values, big=big, charset=charset) + body


def read_segments(stream: bytes) -> Iterator[Segment]:
    """All segments of one direction; it must end with one."""
    at = 0
    while at < len(stream):
        length = int.from_bytes(stream[at + 4 : at + 8], "big")
        assert 28 <= length <= len(stream) - at, f"a segment of {length} bytes at {at} of {len(stream)}"
        yield read_segment(stream[at : at + length])
        at += length


def read_segment(raw: bytes) -> Segment:
    ebcdic = raw[:3] == b"\xe3\xe2\xc8"
    charset = "cp500" if ebcdic else "latin-1"
    shared = raw[3:4] == "M".encode(charset)
    name = "TSHM" if shared else "TSH"
    big = raw[16 if shared else 8] == 1
    header = decode(name, raw, big=big, charset=charset)
    return Segment(raw, header, size(name), shared, big, charset)


Part = tuple[str, int, Values]
"""A structure in a segment: its name, where it is, its values."""


def parts_of(segment: Segment) -> list[Part]:
    """The structures in a segment, header and all; what the tables do not say is left out."""
    found: list[Part] = [("TSHM" if segment.shared else "TSH", 0, segment.header)]
    at = segment.body_at
    raw, kind = segment.raw, segment.kind

    def take(name: str, length: int | None = None) -> Values:
        nonlocal at
        values = decode(name, raw, at, big=segment.big, charset=segment.charset, length=length)
        found.append((name, at, values))
        at += length if length is not None else size(name, values.get("Version"))
        return values

    def fits(name: str) -> bool:
        return len(raw) - at >= size(name)

    if at == len(raw) or not (segment.flags & 0x10 or kind < 0x80):
        return found
    call = kind & ~0x10 if kind >= 0x80 else kind
    if 0x81 <= call <= 0x8F:
        take("API")
        if at == len(raw):
            return found
    if kind == 0x01:
        take("ID", len(raw) - at)
    elif kind == 0x02:
        take("RESYNC")
    elif kind == 0x03:
        take("RESET")
    elif kind == 0x04:
        take("MSH")
        if segment.flags & 0x10 and raw[at : at + 4] == "XQH ".encode(segment.charset):
            take("XQH")
            take("MD")
    elif kind == 0x05:
        if take("STATUS")["Length"] == 12:
            take("STATUS_VALUE")
    elif kind == 0x07:
        take("PING")
    elif kind == 0x08:
        take("UID")
    elif kind == 0x0A:
        take("CAUT")
    elif kind == 0x0C:
        take("SOCKET_ACTION")
    elif kind == 0x0D:
        take("ASYNC_MESSAGE")
        if segment.flags & 0x10:
            name_length = take("ASYNC_MESSAGE_FIRST")["ResolvedQNameLength"]
            at += name_length + -(3 + name_length) % 4
            take("MD")
    elif kind == 0x0E:
        if take("REQUEST_MSGS")["RequestFlags"] & 0x10:
            take("REQUEST_MSGS_SELECTION")
    elif kind == 0x0F:
        take("NOTIFICATION")
    elif call == 0x81:
        take("CONN")
        if fits("FCNO"):
            take("FCNO")
    elif call == 0x83:
        take("OD")
        take("OPENOPT")
        if fits("FOPA"):
            take("FOPA")
    elif call == 0x84:
        take("CLOSEOPT")
    elif call == 0x85:
        take("MD")
        take("GMO")
        take("DATALEN")
    elif call in (0x86, 0x87):
        if call == 0x87:
            take("OD")
        take("MD")
        take("PMO")
        take("DATALEN")
    elif call in (0x88, 0x89):
        take("INQ")
    elif 0xA1 <= call <= 0xAA:
        take("XA")
    return found
