"""The branches of transaction managers by their XIDs: those that are unfinished, and news of some that are gone.

A branch that is ended and not prepared belongs to no connection, so nothing but a limit keeps a program from beginning
them without end. Limits are by user: what one has begun takes nothing from another.
"""

from __future__ import annotations

from libremq.kernel.state.unit_of_work import UnitOfWork

UNFINISHED_MAX = 10_000
"""Branches of one user that are not decided."""
ROLLED_BACK_MAX = 1_000
"""Of one user, of which is known that the queue manager rolled them back: of older ones is said that there is none."""


class KnownBranches:
    """Batches of message channels have XIDs of their own kind, and are not among them."""

    def __init__(self) -> None:
        self._unfinished: dict[bytes, UnitOfWork] = {}
        self._counts: dict[str, int] = {}
        self._rolled_back: dict[str, dict[bytes, None]] = {}

    # Unfinished ones

    def find(self, xid: bytes) -> UnitOfWork | None:
        return self._unfinished.get(xid)

    def has_room(self, owner: str) -> bool:
        """May this user begin one more?"""
        return self._counts.get(owner, 0) < UNFINISHED_MAX

    def add(self, unit: UnitOfWork) -> None:
        self._unfinished[unit.xid] = unit
        self._counts[unit.owner] = self._counts.get(unit.owner, 0) + 1

    def remove(self, unit: UnitOfWork) -> None:
        """It is decided, if it was a branch at all."""
        if self._unfinished.get(unit.xid) is not unit:
            return
        del self._unfinished[unit.xid]
        left = self._counts[unit.owner] = self._counts[unit.owner] - 1
        if not left:
            del self._counts[unit.owner]

    # Those that the queue manager has rolled back while nobody was in them: their transaction manager must hear it

    def note_rolled_back(self, unit: UnitOfWork) -> None:
        of_owner = self._rolled_back.setdefault(unit.owner, {})
        of_owner[unit.xid] = None
        while len(of_owner) > ROLLED_BACK_MAX:
            del of_owner[next(iter(of_owner))]

    def who_was_rolled_back(self, xid: bytes) -> str | None:
        """Whose branch it was; None if it was not rolled back, as far as that is known."""
        for owner, xids in self._rolled_back.items():
            if xid in xids:
                return owner
        return None

    def forget_rolled_back(self, xid: bytes, owner: str) -> None:
        """It was told."""
        xids = self._rolled_back[owner]
        del xids[xid]
        if not xids:
            del self._rolled_back[owner]
