"""Makes `src/libremq/common/ebcdic_pages.dat` from what the iconv of glibc knows. Run it as a program.

The file holds facts, which byte stands for which character, and none of iconv's files. It is written once and kept with
the source: this is for the next code page, and for a test that compares both.
"""

from __future__ import annotations

import json
import lzma
import subprocess
from pathlib import Path

from libremq.common import ebcdic_pages
from libremq.common.ebcdic_pages import DOUBLE_BYTE, FIRST, LAST, SHIFT_IN, SHIFT_OUT, UNDEFINED

_NL = b"\x25"
# Single-byte pages: their CCSIDs, and the page of iconv that has their characters
SINGLE_BYTE = {
    274: "IBM274", 275: "IBM275", 281: "IBM281", 290: "IBM930", 423: "IBM423", 833: "IBM933", 836: "IBM935",
    838: "IBM9030", 880: "IBM880", 905: "IBM905", 918: "IBM918", 1027: "IBM939", 1097: "IBM1097", 1130: "IBM1130",
    1132: "IBM1132", 1137: "IBM1137", 1160: "IBM1160", 1164: "IBM1164", 1166: "IBM1166",
    4971: "IBM4971", 5123: "IBM1399", 8482: "IBM1390", 9030: "IBM9030", 12712: "IBM12712", 16804: "IBM16804",
    28709: "IBM937",
}  # fmt: skip


def iconv(data: bytes, source: str, target: str) -> bytes:
    """Converted; what cannot be is left out."""
    return subprocess.run(["iconv", "-c", "-f", source, "-t", target], input=data, capture_output=True).stdout


def single_byte(page: str) -> str:
    """The 256 characters of a page, or of the part of it that has one byte."""
    shifts = (SHIFT_OUT[0], SHIFT_IN[0]) if page.removeprefix("IBM") in map(str, DOUBLE_BYTE) else ()
    found = []
    for byte in range(256):
        text = chr(byte) if byte in shifts else iconv(bytes([byte]), page, "UTF-32LE").decode("utf-32-le")
        found.append(text if len(text) == 1 else UNDEFINED)
    return "".join(found)


def double_byte(page: str) -> list[str]:
    """The characters of all codes, in order; some are two characters of Unicode."""
    codes = [bytes((high, low)) for high in range(FIRST, LAST + 1) for low in range(FIRST, LAST + 1)]
    data = b"".join(SHIFT_OUT + code + SHIFT_IN + _NL for code in codes)
    return [text or UNDEFINED for text in iconv(data, page, "UTF-32LE").decode("utf-32-le").split("\n")[: len(codes)]]


def encoded(page: str, texts: list[str]) -> dict[str, bytes]:
    """What a page has for each text, without shifts; nothing for those it lacks."""
    data = "".join(text + "\n" for text in texts).encode("utf-32-le")
    lines = iconv(data, "UTF-32LE", page).split(_NL)
    return {text: line.strip(SHIFT_OUT + SHIFT_IN) for text, line in zip(texts, lines)}


def content() -> dict[str, object]:
    planes: dict[str, list[str]] = {}
    which: dict[str, str] = {}
    singles = {str(ccsid): single_byte(page) for ccsid, page in SINGLE_BYTE.items()}
    extra: dict[str, dict[str, str]] = {}
    everything = [chr(code) for code in range(0x80, 0x30000) if not 0xD800 <= code < 0xE000]
    for ccsid in DOUBLE_BYTE:
        page = f"IBM{ccsid}"
        singles[str(ccsid)] = single_byte(page)
        plane = double_byte(page)
        same = next((name for name, other in planes.items() if other == plane), None)
        which[str(ccsid)] = same or str(ccsid)
        if same is None:
            planes[str(ccsid)] = plane
        known = ebcdic_pages.inverse(singles[str(ccsid)], plane)
        texts = [*everything, *(text for text in plane if len(text) == 2)]
        extra[str(ccsid)] = {
            text: code.hex() for text, code in encoded(page, texts).items() if code and known.get(text) != code
        }
    pairs = sorted({text for plane in planes.values() for text in plane if len(text) == 2})
    return {
        "pairs": pairs,
        "single": singles,
        "plane of": which,
        "planes": {name: "".join(_one(text, pairs) for text in plane) for name, plane in planes.items()},
        "one way": extra,
    }


def _one(text: str, pairs: list[str]) -> str:
    return text if len(text) == 1 else chr(ebcdic_pages.PAIRS_FROM + pairs.index(text))


def write(path: Path) -> None:
    data = json.dumps(content(), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    path.write_bytes(ebcdic_pages.MAGIC + lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    write(Path(ebcdic_pages.__file__).with_name(ebcdic_pages.FILE))
