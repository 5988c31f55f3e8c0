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


def _table(name: str, rows: Sequence[Attribute]) -> AttributeTable:
    return AttributeTable(name, [replace(row, source=Source.LIVE, types=()) for row in rows])


STATUS_TABLES: dict[str, AttributeTable] = {
    name: _table(name, rows)
    for name, rows in (
        ("QSTATUS", queue.QSTATUS),
        ("QSTATUS.HANDLE", queue.QSTATUS_HANDLE),
        ("QSTATS", queue.QSTATS),
        ("CHSTATUS", channel.CHSTATUS),
        ("CHSTATUS.SAVED", [row for row in channel.CHSTATUS if row.keyword in channel.SAVED]),
        ("CONN", queue.CONN),
        ("CONN.HANDLE", queue.CONN_HANDLE),
        ("QMSTATUS", qmgr.QMSTATUS),
        ("LSSTATUS", channel.LSSTATUS),
        ("SVSTATUS", channel.SVSTATUS),
        ("PUBSUB", pubsub.PUBSUB),
        ("TPSTATUS", pubsub.TPSTATUS),
        ("TPSTATUS.SUB", pubsub.TPSTATUS_SUB),
        ("TPSTATUS.PUB", pubsub.TPSTATUS_PUB),
        ("SBSTATUS", pubsub.SBSTATUS),
        ("ENTAUTH", qmgr.ENTAUTH),
        ("AUTHSERV", qmgr.AUTHSERV),
        ("APSTATUS", qmgr.APSTATUS),
        ("APSTATUS.QMGR", qmgr.APSTATUS_QMGR),
        ("APSTATUS.LOCAL", qmgr.APSTATUS_LOCAL),
        ("CLUSQMGR", channel.CLUSQMGR),
    )
}

# The fields of CHSTATUS that a channel of a type has
CHSTATUS_BY_TYPE: dict[str, AttributeTable] = {
    kind: _table(kind, [row for row in channel.CHSTATUS if not row.types or kind in row.types])
    for kind in ("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLUSSDR", "CLUSRCVR")
}
