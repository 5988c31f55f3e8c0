"""Distinguished names of certificates, and the patterns of SSLPEER and SSLCERTI that they are compared with.

A name is text such as `SERIALNUMBER=4C:D0,CN=alice,OU=Trade,O=Example,C=DE`: the serial number of the certificate, then
the parts of the subject in the order of `TYPES`, which is also how much a part says about its owner. Parts of one type
stay in the order of the certificate, from the top of the hierarchy down. In a name an asterisk is a character; in a
pattern it stands for any text, first or last in a value. Pure functions: what is wrong is a `DistinguishedNameError`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

TYPES = (
    "SERIALNUMBER",
    "MAIL",
    "UID",
    "CN",
    "T",
    "OU",
    "DC",
    "O",
    "STREET",
    "L",
    "ST",
    "PC",
    "C",
    "UNSTRUCTUREDNAME",
    "UNSTRUCTUREDADDRESS",
    "DNQ",
)
"""Every attribute type, the most telling first: that order decides which of two patterns is the more specific."""
_SYNONYMS = {
    "E": "MAIL",
    "EMAIL": "MAIL",
    "EMAILADDRESS": "MAIL",
    "USERID": "UID",
    "SP": "ST",
    "S": "ST",
}
_OPENSSL_NAMES = {
    "emailAddress": "MAIL",
    "userId": "UID",
    "commonName": "CN",
    "title": "T",
    "organizationalUnitName": "OU",
    "domainComponent": "DC",
    "organizationName": "O",
    "streetAddress": "STREET",
    "localityName": "L",
    "stateOrProvinceName": "ST",
    "postalCode": "PC",
    "countryName": "C",
    "unstructuredName": "UNSTRUCTUREDNAME",
    "unstructuredAddress": "UNSTRUCTUREDADDRESS",
    "dnQualifier": "DNQ",
}
_RANK = {kind: rank for rank, kind in enumerate(TYPES)}
_SEPARATORS = ",;"
_SPECIAL = frozenset(',;"\\')
_PATTERN_MAX = 1024


class DistinguishedNameError(ValueError):
    """Text that is no distinguished name, or no pattern for one; it says what is wrong, and where."""


class Part(NamedTuple):
    """One attribute of a name. In a pattern, `leading` and `trailing` say where an asterisk was."""

    kind: str
    value: str
    leading: bool = False
    trailing: bool = False


def parse(dn: str) -> tuple[Part, ...]:
    """The parts of a name. Types that MQ does not know are kept: no pattern can ask for them."""
    return tuple(Part(kind, _plain(value)) for kind, value in _scan(dn))


@functools.lru_cache(maxsize=1024)
def parse_pattern(pattern: str) -> tuple[Part, ...]:
    """The parts of a pattern such as `CN=QM*, O=Example`."""
    if len(pattern) > _PATTERN_MAX:
        raise DistinguishedNameError(f"a pattern of {len(pattern)} characters; {_PATTERN_MAX} are the most")
    parts = []
    for kind, value in _scan(pattern):
        if not value:
            raise DistinguishedNameError(f"{kind[:40]} has no value in {pattern[:200]!r}; write {kind[:40]}=* for any")
        if kind not in _RANK:
            raise DistinguishedNameError(f"{kind[:40]!r} is no part of a name: use one of {', '.join(TYPES)}")
        parts.append(_pattern_part(kind, value))
    if not parts:
        raise DistinguishedNameError("an empty pattern matches nothing: leave it out")
    return tuple(parts)


def matches(pattern: str, dn: str) -> bool:
    """Is the name like the pattern? Each part of the pattern must be found in it; case does not count.

    Several values of one type must be there in the order of the pattern. OUs are compared place by place: the first of
    the pattern with the first (topmost) of the name; `OU=*` passes over one.
    """
    wanted: dict[str, list[Part]] = {}
    for part in parse_pattern(pattern):
        wanted.setdefault(part.kind, []).append(part)
    found: dict[str, list[str]] = {}
    for part in parse(dn):
        found.setdefault(part.kind, []).append(part.value)
    return all(_all_found(parts, found.get(kind, []), in_place=kind == "OU") for kind, parts in wanted.items())


Specificity = tuple[tuple[tuple[int, int], ...], ...]


@functools.lru_cache(maxsize=1024)
def specificity(pattern: str) -> Specificity:
    """A key to compare patterns by: the greater one is the more specific, and wins if both match.

    The first type of `TYPES` in which two patterns differ decides: a pattern that has it over one that does not, a
    whole value over one with an asterisk, an asterisk at the end over one at the beginning, more text over less, more
    OUs over fewer.
    """
    parts = parse_pattern(pattern)
    return tuple(tuple(_weight(part) for part in parts if part.kind == kind) for kind in TYPES)


def text_of(parts: Iterable[tuple[str, str]], *, serial_number: str = "") -> str:
    """The name as text, from types and values in the order of the certificate. `serial_number` is in hexadecimal."""
    ordered = sorted(parts, key=lambda part: _RANK.get(part[0], len(TYPES)))
    if serial_number:
        digits = serial_number.lower().removeprefix("0x").upper()
        digits = digits.zfill(len(digits) + len(digits) % 2)
        pairs = ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))
        ordered.insert(0, ("SERIALNUMBER", pairs))
    return ",".join(f"{kind}={_quoted(value)}" for kind, value in ordered)


class CertificateNames(NamedTuple):
    """Whose a certificate is, and who says so. The texts of a peer without a certificate are empty."""

    subject: str = ""
    issuer: str = ""
    serial_number: str = ""


def of_certificate(certificate: Mapping[str, Any] | None) -> CertificateNames:
    """The names in a certificate that was verified, from what `getpeercert()` returns for it."""
    if not certificate:
        return CertificateNames()
    serial_number = str(certificate.get("serialNumber", ""))
    return CertificateNames(
        text_of(_attributes(certificate.get("subject", ())), serial_number=serial_number),
        text_of(_attributes(certificate.get("issuer", ()))),
        serial_number,
    )


def _attributes(name: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    found = []
    for relative in name:
        for long_name, value in relative:
            kind = _OPENSSL_NAMES.get(long_name) or "".join(char for char in long_name if char.isalnum()).upper()
            # A serial number in the subject is not that of the certificate, and must not pass for it
            found.append(("OID.2.5.4.5" if kind == "SERIALNUMBER" else kind or "UNKNOWN", value))
    return found


def canonical_type(name: str) -> str:
    """The one name of a type that has several: ST for SP and S, MAIL for E, UID for USERID."""
    upper = name.upper()
    return _SYNONYMS.get(upper, upper)


# Reading


def _scan(text: str) -> list[tuple[str, str]]:
    """Types and values. Escapes and asterisks are still in the values, quotation marks have become escapes."""
    found = []
    at, end = 0, len(text)
    while at < end:
        if text[at].isspace():
            at += 1
            continue
        equals = text.find("=", at)
        kind = text[at:equals].strip() if equals > 0 else ""
        if not kind or not all(char.isalnum() or char in ".-" for char in kind):
            shown = text[at : at + 40]
            raise DistinguishedNameError(f"at {at + 1}: {shown!r} is no TYPE=value; write for example CN=QM1,O=Example")
        value, at = _value(text, equals + 1)
        found.append((canonical_type(kind), value))
    return found


def _value(text: str, at: int) -> tuple[str, int]:
    """The value that begins here, and where the next part does."""
    out: list[str] = []
    kept = 0  # up to here blanks are part of the value
    quoted_from = -1
    while at < len(text):
        char = text[at]
        if char == "\\":
            if at + 1 == len(text):
                raise DistinguishedNameError(f"at {at + 1}: nothing follows the backslash")
            out.append(text[at : at + 2])
            kept = len(out)
            at += 1
        elif char == '"':
            if quoted_from < 0 and "".join(out).strip():
                raise DistinguishedNameError(f'at {at + 1}: a quotation mark inside a value; write \\" for it')
            if quoted_from < 0:
                out.clear()
                quoted_from = at
            else:
                at += 1
                rest = next((place for place in range(at, len(text)) if text[place] in _SEPARATORS), len(text))
                if text[at:rest].strip():
                    raise DistinguishedNameError(f"at {at + 1}: a separator must follow the quotation mark")
                return "".join(out), rest + 1
        elif quoted_from >= 0:
            out.append(char)
        elif char in _SEPARATORS:
            break
        else:
            out.append(char)
            kept = len(out) if not char.isspace() else kept
        at += 1
    if quoted_from >= 0:
        raise DistinguishedNameError(f"at {quoted_from + 1}: the quotation mark is not closed")
    return "".join(out[:kept]).lstrip(), at + 1


def _plain(value: str) -> str:
    if "\\" not in value:
        return value
    out = []
    escaped = False
    for char in value:
        if char == "\\" and not escaped:
            escaped = True
            continue
        out.append(char)
        escaped = False
    return "".join(out)


def _pattern_part(kind: str, value: str) -> Part:
    text = value.lstrip("*")
    leading = text != value
    bare = text.rstrip("*")
    # An asterisk after an odd number of backslashes is meant as it is
    if len(bare) < len(text) and (len(bare) - len(bare.rstrip("\\"))) % 2:
        bare = text[: len(bare) + 1]
    trailing = bare != text or (leading and not text)
    inside = bare.replace("\\\\", "").replace("\\*", "")
    if "*" in inside:
        raise DistinguishedNameError(
            f"{kind}={value[:200]}: an asterisk may be first or last in a value; write \\* for the character"
        )
    return Part(kind, _plain(bare), leading, trailing)


# Comparing


def _all_found(wanted: list[Part], values: list[str], *, in_place: bool) -> bool:
    if len(wanted) > len(values):
        return False
    if in_place:
        return all(_alike(part, value) for part, value in zip(wanted, values))
    rest = iter(values)
    return all(any(_alike(part, value) for value in rest) for part in wanted)


def _alike(part: Part, value: str) -> bool:
    text, value = _comparable(part.kind, part.value), _comparable(part.kind, value)
    if part.leading:
        return text in value if part.trailing else value.endswith(text)
    return value.startswith(text) if part.trailing else value == text


def _comparable(kind: str, value: str) -> str:
    # Colons in a serial number are for the eye
    return value.replace(":", "").casefold() if kind == "SERIALNUMBER" else value.casefold()


def _weight(part: Part) -> tuple[int, int]:
    if not part.leading:
        return (2 if part.trailing else 3), len(part.value)
    return (0 if part.trailing else 1), len(part.value)


def _quoted(value: str) -> str:
    text = "".join(f"\\{char}" if char in _SPECIAL else char for char in value)
    return f'"{text}"' if text != text.strip() else text
