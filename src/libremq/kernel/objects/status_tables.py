"""All status tables: what the DISPLAY commands show that have no object behind them.

The rows are attributes like those of objects, all counted at run time. A key is the word after DISPLAY, and after a dot
the TYPE where a command has more than one form. Fields that only other platforms have are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from libremq.kernel.objects import status_tables_channel as channel
from libremq.kernel.objects import status_tables_pubsub as pubsub
from libremq.kernel.objects import status_tables_qmgr as qmgr
from libremq.kernel.objects import status_tables_queue as queue
from libremq.kernel.objects.attributes import Attribute, AttributeTable, Source


def _live(rows: Sequence[Attribute]) -> list[Attribute]:
    return [replace(row, source=Source.LIVE, types=()) for row in rows]


_CHSTATUS = _live(channel.CHSTATUS)  # for nine tables


STATUS_TABLES: dict[str, AttributeTable] = {
    name: AttributeTable(name, rows)
    for name, rows in (
        ("QSTATUS", _live(queue.QSTATUS)),
        ("QSTATUS.HANDLE", _live(queue.QSTATUS_HANDLE)),
        ("QSTATS", _live(queue.QSTATS)),
        ("CHSTATUS", _CHSTATUS),
        ("CHSTATUS.SAVED", [row for row in _CHSTATUS if row.keyword in channel.SAVED]),
        ("CONN", _live(queue.CONN)),
        ("CONN.HANDLE", _live(queue.CONN_HANDLE)),
        ("QMSTATUS", _live(qmgr.QMSTATUS)),
        ("LSSTATUS", _live(channel.LSSTATUS)),
        ("SVSTATUS", _live(channel.SVSTATUS)),
        ("PUBSUB", _live(pubsub.PUBSUB)),
        ("TPSTATUS", _live(pubsub.TPSTATUS)),
        ("TPSTATUS.SUB", _live(pubsub.TPSTATUS_SUB)),
        ("TPSTATUS.PUB", _live(pubsub.TPSTATUS_PUB)),
        ("SBSTATUS", _live(pubsub.SBSTATUS)),
        ("ENTAUTH", _live(qmgr.ENTAUTH)),
        ("AUTHSERV", _live(qmgr.AUTHSERV)),
        ("APSTATUS", _live(qmgr.APSTATUS)),
        ("APSTATUS.QMGR", _live(qmgr.APSTATUS_QMGR)),
        ("APSTATUS.LOCAL", _live(qmgr.APSTATUS_LOCAL)),
        ("CLUSQMGR", _live(channel.CLUSQMGR)),
    )
}

# The fields of CHSTATUS that a channel of a type has
CHSTATUS_BY_TYPE: dict[str, AttributeTable] = {
    kind: AttributeTable(
        kind,
        [live for live, row in zip(_CHSTATUS, channel.CHSTATUS, strict=True) if not row.types or kind in row.types],
    )
    for kind in ("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR")
}
