"""What we are measured against: `queue.Queue` of the standard library, and persist-queue."""

from __future__ import annotations

import queue
import time
from typing import Any

import persistqueue


def _pairs(peer: Any, count: int, data: bytes) -> float:
    put, get = peer.put, peer.get
    started = time.perf_counter()
    for _ in range(count):
        put(data)
        get()
    return time.perf_counter() - started


class StandardQueue:
    """In memory, one process, no durability, no transactions: the floor of what Python queues cost."""

    name = "queue.Queue"

    def __init__(self, folder: str) -> None:
        self._queue: queue.Queue[bytes] = queue.Queue()

    def pairs(self, count: int, data: bytes) -> float:
        return _pairs(self._queue, count, data)


class FileQueue:
    """persist-queue on plain files: survives an orderly end."""

    name = "persist-queue Queue (files)"

    def __init__(self, folder: str) -> None:
        self._queue = persistqueue.Queue(f"{folder}/persist-queue-files")

    def pairs(self, count: int, data: bytes) -> float:
        return _pairs(self._queue, count, data)


class SQLiteQueue:
    """persist-queue on SQLite with a commit for each call: durable, as our persistent messages are."""

    name = "persist-queue SQLiteQueue"

    def __init__(self, folder: str) -> None:
        self._queue = persistqueue.SQLiteQueue(f"{folder}/persist-queue-sqlite", auto_commit=True)

    def pairs(self, count: int, data: bytes) -> float:
        return _pairs(self._queue, count, data)

    def puts(self, count: int, data: bytes) -> float:
        put = self._queue.put
        started = time.perf_counter()
        for _ in range(count):
            put(data)
        seconds = time.perf_counter() - started
        for _ in range(count):
            self._queue.get()
        return seconds
