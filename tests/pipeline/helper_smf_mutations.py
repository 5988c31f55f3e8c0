"""The ways in which a dump gets hurt, one of them at a time, chosen by a seeded source."""

from __future__ import annotations

import random
import struct


def mutated(data: bytes, source: random.Random) -> bytes:
    """One of the ways in which a dump gets hurt."""
    content = bytearray(data if len(data) > 8 else data + bytes(8))
    match source.randrange(7):
        case 0:
            for _ in range(source.randrange(1, 40)):
                content[source.randrange(len(content))] = source.randrange(256)
        case 1:
            del content[source.randrange(len(content)) :]
        case 2:
            place = source.randrange(len(content))
            del content[place : place + source.randrange(1, 500)]
        case 3:
            place = source.randrange(len(content))
            content[place:place] = source.randbytes(source.randrange(1, 500))
        case 4:
            place = source.randrange(len(content))
            content[place : place + 200] = bytes([source.choice([0, 255])]) * 200
        case 5:
            # Lengths and counts that lie: large numbers where numbers are.
            for _ in range(20):
                place = source.randrange(len(content) - 2) & ~1
                content[place : place + 2] = source.choice([b"\xff\xff", b"\x00\x00", b"\x7f\xff", b"\x00\x01"])
        case _:
            place, other = sorted(source.randrange(len(content)) for _ in range(2))
            content = content[other:] + content[place:other] + content[:place]
    return bytes(content)


def segments(data: bytes) -> list[bytes]:
    """A dump with descriptor words, cut at them."""
    found = []
    while data:
        length = max(4, int.from_bytes(data[:2], "big"))
        found.append(data[:length])
        data = data[length:]
    return found


def mutated_by_segment(data: bytes, source: random.Random) -> bytes:
    """Damage that knows where the segments are: lost, repeated, out of order, or with words and triplets that lie."""
    parts = segments(data) or [bytes(4)]
    for _ in range(source.randrange(1, 5)):
        place = source.randrange(len(parts))
        part = bytearray(parts[place] or bytes(4))
        match source.randrange(8):
            case 0:
                parts.insert(source.randrange(len(parts)), bytes(part))
            case 1:
                del parts[place]
                parts = parts or [b""]
            case 2:
                source.shuffle(parts)
            case 3:
                part[0:2] = source.randrange(65536).to_bytes(2, "big")
                parts[place] = bytes(part)
            case 4:
                part[2:3] = bytes([source.choice([0, 1, 2, 3, 4, 255])])
                parts[place] = bytes(part)
            case 5:
                # A triplet that lies: far away, overlapping, endless or empty.
                at = 28 + 8 * source.randrange(5)
                offset = source.choice([0, 28, len(part) - 8, len(part), 1 << 31, source.randrange(1 << 32)])
                many = source.choice([0, 1, 7, 300, 65535])
                part[at : at + 8] = struct.pack(">IHH", max(0, offset), source.choice([0, 4, 104, 65535]), many)
                parts[place] = bytes(part)
            case 6:
                for _ in range(source.randrange(1, 9)):
                    part[source.randrange(len(part))] ^= 1 << source.randrange(8)
                parts[place] = bytes(part)
            case _:
                parts[place] = bytes(part[: source.randrange(len(part))])
    return b"".join(parts)
