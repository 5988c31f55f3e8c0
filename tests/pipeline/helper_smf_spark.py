"""Dumps to feed Spark with."""

from __future__ import annotations

import random
from datetime import timedelta

from helper_smf_encoder import MOMENT, Header, filled, marker, record, spanned


def dump(seed: int, records: int = 60) -> bytes:
    """A dump of several queue managers, days and structures, some records spanned. The same for the same seed."""
    source = random.Random(seed)
    parts = [marker(2)]
    for number in range(records):
        header = Header(
            qmgr=source.choice(["QM01", "QM02", "1234"]),
            moment=MOMENT + timedelta(hours=number, seconds=seed),
            release=source.choice(["800", "930"]),
        )
        match number % 5:
            case 0:
                whole = record(115, 215, {1: [filled("qpst", source)[0] for _ in range(4)]}, header)
            case 1:
                whole = record(115, 1, {9: [filled("qsst", source)[0]], 11: [filled("qjst", source)[0]]}, header)
            case 2:
                who, totals, queue = (filled(name, source)[0] for name in ("wtid", "wtas", "wq"))
                whole = record(116, 1, {1: [who], 2: [totals], 3: [queue] * 2}, header)
            case 3:
                whole = record(116, 10, {1: [filled("qcst", source)[0]] * 3}, header)
            case _:
                whole = record(115, 216, {1: [filled("qqst", source)[0]] * 2}, header)
        parts.append(spanned(whole, 100, 180) if source.random() < 0.3 else whole)
    return b"".join([*parts, marker(3)])
