"""Which queue managers the conformed tables know: as the documents of their days say, with no need of Spark to read."""

from __future__ import annotations

from libremq.pipeline.storage import Root
from libremq.pipeline.tables.conformed_store import Store


def queue_managers(root: Root) -> list[str]:
    """Names of all queue managers in the conformed tables under `root`, in order."""
    return sorted(Store(root).conformed.queue_managers())
