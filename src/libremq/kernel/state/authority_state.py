"""What the queue manager remembers for its authority checks: records by entity, and the decisions made from them.

Everything here follows from the authority records of the catalogue and is made anew when one of them has changed
(`Catalogue.authrecs_version`) or security was refreshed. A decision is the set of all that a user may do with an
object, so one entry answers every check of that user on it, and a check that was made before costs one look into a
dictionary.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from libremq.common.configuration import SecuritySettings
from libremq.kernel.objects.security_records import QMGR_PROFILE, AuthorityRecord
from libremq.mqi import constants as C
from libremq.security import profiles
from libremq.security.authorities import APPLICABLE, CREATE, mask_of
from libremq.security.entities import ADMINISTRATORS, Entities

if TYPE_CHECKING:
    from libremq.kernel.state.core import Core

CLASS = "@class"
"""The profile of a type as a whole: who may create objects of it."""
_DECISIONS_MAX = 50_000

EntityKey = tuple[int, str]
"""MQZAET_*, name"""


class _Held(NamedTuple):
    """The records of one entity for one type of object."""

    plain: dict[str, int]
    generic: dict[str, int]

    def on(self, name: str) -> int:
        found = self.plain.get(name)
        if found is not None:
            return found
        profile = profiles.most_specific(self.generic, name)
        return 0 if profile is None else self.generic[profile]


class AuthorityState:
    """One for each queue manager."""

    def __init__(self, entities: Entities) -> None:
        self.entities = entities
        self.external_users = False  # SecurityPolicy=UserExternal: users that nobody knows may have records
        self.by_remote_name = False  # ClusterQueueAccessControl=RQMName: not the transmission queue is checked
        self.administrators: frozenset[str] = frozenset()  # users who may do everything, beside the group mqm
        self.trusting = True  # inside an application: a sender whom no connection knows is that application
        self._version = -1
        self._held: dict[tuple[EntityKey, int], _Held] = {}
        self._decisions: dict[tuple[str, frozenset[str], int, str], int] = {}

    def configure(self, settings: SecuritySettings) -> None:
        """What the stanza Security of qm.ini says."""
        self.administrators = settings.administrators
        self.external_users = settings.policy == "UserExternal"
        self.by_remote_name = settings.remote_queues == "RQMName"

    def refresh(self) -> None:
        """REFRESH SECURITY: forget all that was asked and decided."""
        self.entities.refresh()
        self._version = -1

    def is_administrator(self, user: str, groups: Iterable[str]) -> bool:
        """The user mqm is a member of its group wherever MQ is installed, and scripts rely on it."""
        return ADMINISTRATORS in groups or user == ADMINISTRATORS or user in self.administrators

    def rights(self, core: Core, user: str, groups: frozenset[str], object_type: int, name: str) -> int:
        """All that a user, alone and in its groups, may do with an object."""
        if core.catalogue.authrecs_version != self._version:
            self._index(core)
        key = (user, groups, object_type, name)
        found = self._decisions.get(key)
        if found is None:
            if len(self._decisions) >= _DECISIONS_MAX:
                self._decisions.clear()
            entities = [(C.MQZAET_PRINCIPAL, user), *((C.MQZAET_GROUP, group) for group in groups)]
            found = self._decisions[key] = self._decide(entities, object_type, name)
        return found

    def group_rights(self, core: Core, group: str, object_type: int, name: str) -> int:
        """What a group alone may do."""
        if core.catalogue.authrecs_version != self._version:
            self._index(core)
        return self._decide([(C.MQZAET_GROUP, group)], object_type, name)

    def _decide(self, entities: Iterable[EntityKey], object_type: int, name: str) -> int:
        """Each entity counts with its own most specific profile; what they may do together is the answer."""
        mask = 0
        if object_type == C.MQOT_Q_MGR:
            name = QMGR_PROFILE
        for entity in entities:
            held = self._held.get((entity, object_type))
            if held is not None:
                mask |= held.on(name) | (held.plain.get(CLASS, 0) & CREATE)
            itself = self._held.get((entity, C.MQOT_Q_MGR))
            if itself is not None:
                mask |= itself.plain.get(QMGR_PROFILE, 0) & CREATE
        return mask & APPLICABLE[object_type]

    def _index(self, core: Core) -> None:
        self._decisions.clear()
        held: dict[tuple[EntityKey, int], _Held] = {}
        for record in core.catalogue.authrecs.values():
            assert isinstance(record, AuthorityRecord)
            key = (record.enttype, record.entity), record.objtype
            held_by_it = held.setdefault(key, _Held({}, {}))
            rows = held_by_it.generic if profiles.is_generic(record.profile) else held_by_it.plain
            rows[record.profile] = mask_of(record.authlist)
        self._held = held
        self._version = core.catalogue.authrecs_version
