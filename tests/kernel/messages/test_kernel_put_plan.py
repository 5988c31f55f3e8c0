"""Who may put when: every way to put, under everything that can speak against it.

Each way has put a message already, so that whatever it keeps from one put to the next is kept; then something changes,
and the next put must notice. The table says what it is told; 0 means that it goes well, by design (see `put_plan`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import pytest
from helper_delivery import Receiving, framed

from libremq.channels.undelivered import Undeliverable
from libremq.kernel.messages import name_resolution, own_messages
from libremq.kernel.state.failure_reasons import as_mq_error
from libremq.kernel.state.unit_of_work import UNDOING, UnitOfWork
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQOR, MQPMO, MQSTS
from libremq.store.store_errors import StoreDamaged, damaged_queue
from libremq.store.stored_message import Message

DATA = b"x" * 100
_IDS = b"R" * 24 + bytes(24)
OPTIONS = C.MQPMO_SYNCPOINT | C.MQPMO_FAIL_IF_QUIESCING
NOT_PERSISTENT = C.MQPER_NOT_PERSISTENT
XID = b"branch"
DEPTH = 10


class Put(Protocol):
    """One more put; the reason that it is told."""

    def __call__(self, data: bytes = DATA) -> int: ...


class Site(Receiving):
    """QM1, which has TARGET, an alias of it, an application, and a channel; the last put of each was in its unit."""

    def __init__(self) -> None:
        super().__init__()
        self.qm.alter("QLOCAL", "TARGET", {"MAXDEPTH": str(DEPTH)})
        self.queue("ALIAS", "QALIAS", target="TARGET")
        self.application = self.qm.connect("alice", "teller")

    # The ways to put. Each returns what the next puts do, and what they are told

    def verb(self) -> Put:
        hobj = self.qm.open(self.application, MQOD(ObjectName="ALIAS"), C.MQOO_OUTPUT)
        return lambda data=DATA: _reason(
            lambda: self.qm.put(self.application, hobj, _md(), MQPMO(Options=OPTIONS), data)
        )

    def put1(self) -> Put:
        return lambda data=DATA: _reason(
            lambda: self.qm.put1(self.application, MQOD(ObjectName="ALIAS"), _md(), MQPMO(Options=OPTIONS), data)
        )

    def distribution(self) -> Put:
        records = [MQOR(ObjectName="ALIAS"), MQOR(ObjectName="ALIAS")]
        hobj = self.qm.open(self.application, MQOD(Version=2), C.MQOO_OUTPUT, records)
        return lambda data=DATA: _reason(
            lambda: self.qm.put(self.application, hobj, _md(), MQPMO(Options=OPTIONS), data)
        )

    def repeated(self) -> Put:
        """As the server does it: by the form of the one before, or else anew, and MQSTAT tells."""
        hobj = self.qm.open(self.application, MQOD(ObjectName="ALIAS"), C.MQOO_OUTPUT)
        pmo = MQPMO(Version=3, Options=OPTIONS | C.MQPMO_ASYNC_RESPONSE)
        md = _md()
        self.qm.put(self.application, hobj, md, pmo, DATA)
        form = self.qm.form_of(self.application, hobj, md, pmo)
        assert form is not None
        assert self.qm.put_like(form, _IDS, DATA)

        def put(data: bytes = DATA) -> int:
            self.qm.status(self.application, C.MQSTAT_TYPE_ASYNC_ERROR, MQSTS())
            try:
                if self.qm.put_like(form, _IDS, data) is None:
                    self.qm.put(self.application, hobj, _md(), pmo.copy(), data)
            except MQError as error:
                return error.reason
            status = MQSTS()
            self.qm.status(self.application, C.MQSTAT_TYPE_ASYNC_ERROR, status)
            assert status.PutSuccessCount + status.PutFailureCount == 1
            return status.Reason

        return put

    def repeated_put1(self) -> Put:
        """The same of MQPUT1."""
        pmo = MQPMO(Version=3, Options=OPTIONS)
        _, form = self.qm.put1_and_form(self.application, MQOD(ObjectName="ALIAS"), _md(), pmo, DATA)
        assert form is not None
        assert self.qm.put_like(form, _IDS, DATA)

        def put(data: bytes = DATA) -> int:
            try:
                if self.qm.put_like(form, _IDS, data) is None:
                    self.qm.put1(self.application, MQOD(ObjectName="ALIAS"), _md(), pmo.copy(), data)
            except MQError as error:
                return error.reason
            return C.MQRC_NONE

        return put

    def channel(self, *, plain: bool = True) -> Put:
        """What is not plain takes the ordinary way of channels."""
        fields: dict[str, Any] = {} if plain else {"MsgType": C.MQMT_APPL_FIRST}

        def put(data: bytes = DATA) -> int:
            try:
                return self.put(framed(data, queue="ALIAS", Persistence=NOT_PERSISTENT, **fields)).reason
            except Undeliverable as error:
                return error.reason

        return put

    def channel_the_ordinary_way(self) -> Put:
        return self.channel(plain=False)

    def own(self) -> Put:
        """A message of the queue manager's, in the unit of work of the application."""
        destination = name_resolution.destination_of(self.core, "ALIAS", "")

        def put(data: bytes = DATA) -> int:
            md = _md(MsgId=b"O" * 24, Priority=0)
            unit = self.qm.connection(self.application).unit
            now = self.clock.now()
            return _reason(lambda: self.core.deliver(destination, Message(md, b"", data), unit, now))

        return put

    @property
    def units(self) -> list[UnitOfWork]:
        return list(self.core.units.values())


def _md(**fields: Any) -> MQMD:
    return MQMD(**({"Version": 2, "Persistence": NOT_PERSISTENT} | fields))


def _reason(put: Callable[[], object]) -> int:
    try:
        put()
    except MQError as error:
        return error.reason
    except StoreDamaged as error:  # as every verb tells it
        return as_mq_error(error, "QM1").reason
    return C.MQRC_NONE


# What can change between two puts


def quiesces(site: Site) -> None:
    site.core.quiescing = True


def queue_disabled(site: Site) -> None:
    site.qm.alter("QLOCAL", "TARGET", {"PUT": "DISABLED"})


def alias_disabled(site: Site) -> None:
    site.qm.alter("QALIAS", "ALIAS", {"PUT": "DISABLED"})


def disabled_by_mqset(site: Site) -> None:
    hobj = site.qm.open(site.reader, MQOD(ObjectName="TARGET"), C.MQOO_SET)
    site.qm.set(site.reader, hobj, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_INHIBITED})


def unit_lost(site: Site) -> None:
    """The log was full, and the oldest unit of work had to give way."""
    for hconn in (site.application, site.hconn):
        connection = site.qm.connection(hconn)
        connection.backed_out = True
        if connection.unit is not None:
            site.core.backout(connection.unit)
            connection.unit = None


def unit_lost_and_another_begun(site: Site) -> None:
    """A get that waited has brought a message since."""
    for hconn in (site.application, site.hconn):
        site.qm.connection(hconn).backed_out = True


def unit_half_undone(site: Site) -> None:
    """A backout came to a stop, as the log had no room for all of it."""
    assert len(site.units) == 1
    for unit in site.units:
        unit.state = UNDOING


def unit_full(site: Site) -> None:
    site.qm.alter("QMGR", "", {"MAXUMSGS": "1"})
    for unit in site.units:
        assert unit.message_count >= 1


def queue_takes_less(site: Site) -> None:
    site.qm.alter("QLOCAL", "TARGET", {"MAXMSGL": str(len(DATA) - 1)})


def queue_manager_takes_less(site: Site) -> None:
    site.core.catalogue.qmgr.maxmsgl = len(DATA) - 1  # less than a command allows
    site.core.definitions_version += 1


def queue_fills(site: Site) -> None:
    while site.depth() < DEPTH:
        site.qm.put1(site.reader, MQOD(ObjectName="TARGET"), _md(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), DATA)


def queue_shrinks(site: Site) -> None:
    site.qm.alter("QLOCAL", "TARGET", {"MAXDEPTH": "1"})


def queue_damaged(site: Site) -> None:
    queue = site.core.queues["TARGET"]
    site.core.note_damage(queue, damaged_queue("TARGET", "folder", "of the test"))


def nothing(site: Site) -> None:
    pass


APPLICATIONS = ("verb", "put1", "distribution", "repeated", "repeated_put1")
CHANNELS = ("channel", "channel_the_ordinary_way")
WAYS = (*APPLICATIONS, *CHANNELS, "own")
ALL = frozenset(WAYS)
BUT_OWN = ALL - {"own"}

CONDITIONS: list[tuple[Callable[[Site], None], int, frozenset[str]]] = [
    (nothing, C.MQRC_NONE, ALL),
    (quiesces, C.MQRC_Q_MGR_QUIESCING, frozenset(APPLICATIONS)),
    (queue_disabled, C.MQRC_PUT_INHIBITED, ALL),
    (alias_disabled, C.MQRC_PUT_INHIBITED, ALL),
    (disabled_by_mqset, C.MQRC_PUT_INHIBITED, ALL),
    (unit_lost, C.MQRC_BACKED_OUT, BUT_OWN),
    (unit_lost_and_another_begun, C.MQRC_BACKED_OUT, BUT_OWN),
    (unit_half_undone, C.MQRC_BACKED_OUT, ALL),
    (unit_full, C.MQRC_SYNCPOINT_LIMIT_REACHED, frozenset(APPLICATIONS)),
    (queue_takes_less, C.MQRC_MSG_TOO_BIG_FOR_Q, ALL),
    (queue_manager_takes_less, C.MQRC_MSG_TOO_BIG_FOR_Q_MGR, ALL),
    (queue_fills, C.MQRC_Q_FULL, ALL),
    (queue_shrinks, C.MQRC_Q_FULL, ALL),
    (queue_damaged, C.MQRC_OBJECT_DAMAGED, ALL),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("happens", "reason", "refused"), CONDITIONS, ids=[row[0].__name__ for row in CONDITIONS])
def test_every_way_to_put_is_refused_for_the_same_reasons(
    way: str, happens: Callable[[Site], None], reason: int, refused: frozenset[str]
) -> None:
    site = Site()
    if way == "own":  # it is in the unit of work of a verb
        site.put1()()
    put = getattr(site, way)()
    assert put() == C.MQRC_NONE
    assert put() == C.MQRC_NONE
    happens(site)
    depth = site.core.queues["TARGET"].store.depth
    before = [len(unit.operations) for unit in site.units]
    assert put() == (reason if way in refused else C.MQRC_NONE)
    if reason and way in refused and happens is not queue_damaged:
        assert site.depth() <= depth
        assert all(len(unit.operations) <= count for unit, count in zip(site.units, before, strict=False))


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_put_goes_on_when_nothing_speaks_against_it_any_more(way: str) -> None:
    site = Site()
    put = getattr(site, way)()
    assert put() == C.MQRC_NONE
    queue_disabled(site)
    assert put() == C.MQRC_PUT_INHIBITED
    site.qm.alter("QLOCAL", "TARGET", {"PUT": "ENABLED"})
    assert put() == C.MQRC_NONE


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_put_looks_at_the_length_of_each_message(way: str) -> None:
    site = Site()
    site.qm.alter("QLOCAL", "TARGET", {"MAXMSGL": str(len(DATA))})
    put = getattr(site, way)()
    assert put() == C.MQRC_NONE
    assert put(DATA + b"x") == C.MQRC_MSG_TOO_BIG_FOR_Q
    assert put() == C.MQRC_NONE


@pytest.mark.parametrize("way", ("verb", "repeated"))
def test_a_branch_that_is_half_undone_takes_no_more_puts(way: str) -> None:
    site = Site()
    site.qm.xa_start(site.application, XID)
    put = getattr(site, way)()
    assert put() == C.MQRC_NONE
    unit_half_undone(site)
    (unit,) = site.units
    before = len(unit.operations)
    assert put() == C.MQRC_BACKED_OUT
    assert len(unit.operations) == before


def test_an_application_hears_of_its_lost_unit_of_work_with_any_put_and_begins_anew() -> None:
    site = Site()
    assert site.put1()() == C.MQRC_NONE
    unit_half_undone(site)
    outside = MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
    od = MQOD(ObjectName="TARGET")
    assert _reason(lambda: site.qm.put1(site.application, od, _md(), outside, DATA)) == C.MQRC_BACKED_OUT
    assert site.units == []
    assert site.put1()() == C.MQRC_NONE


def test_a_put1_like_one_before_goes_to_no_queue_that_was_deleted_meanwhile() -> None:
    site = Site()
    site.queue("MODEL", "QMODEL")
    od = MQOD(ObjectName="MODEL", DynamicQName="DYNAMIC")
    made = site.qm.open(site.reader, od, C.MQOO_INPUT_SHARED)
    pmo = MQPMO(Version=3, Options=C.MQPMO_NO_SYNCPOINT)
    _, form = site.qm.put1_and_form(site.application, MQOD(ObjectName="DYNAMIC"), _md(), pmo, DATA)
    assert form is not None and site.qm.put_like(form, _IDS, DATA)
    version = site.core.definitions_version
    site.qm.close(site.reader, made)
    site.core.definitions_version = version  # it is as if it had never been defined
    assert site.qm.put_like(form, _IDS, DATA) is None
    od = MQOD(ObjectName="MODEL", DynamicQName="DYNAMIC")
    site.qm.open(site.reader, od, C.MQOO_INPUT_SHARED)
    assert site.qm.put_like(form, _IDS, DATA) is None


@pytest.mark.parametrize("way", ("verb", "distribution", "repeated"))
def test_a_queue_that_was_deleted_meanwhile_takes_no_puts(way: str) -> None:
    site = Site()
    site.queue("MODEL", "QMODEL", deftype="PERMDYN")
    od = MQOD(ObjectName="MODEL", DynamicQName="DYNAMIC")
    made = site.qm.open(site.reader, od, C.MQOO_INPUT_SHARED)
    site.qm.alter("QALIAS", "ALIAS", {"TARGET": "DYNAMIC"})
    put = getattr(site, way)()
    assert put() == C.MQRC_NONE
    site.qm.commit(site.application)
    version = site.core.definitions_version
    site.qm.close(site.reader, made, C.MQCO_DELETE_PURGE)
    site.core.definitions_version = version  # a temporary queue is deleted without a change of definitions that last
    assert put() == C.MQRC_Q_DELETED


@pytest.mark.parametrize("way", (*APPLICATIONS, *CHANNELS))
def test_every_way_to_put_follows_an_altered_definition(way: str) -> None:
    """A short way that goes by what was true before would leave the messages without the new limit."""
    site = Site()
    put = getattr(site, way)()
    assert put() == C.MQRC_NONE
    site.qm.commit(site.application)
    site.commit()
    site.qm.alter("QLOCAL", "TARGET", {"CAPEXPRY": "50"})
    before = site.depth()
    assert put() == C.MQRC_NONE
    site.qm.commit(site.application)
    site.commit()
    for _ in range(before):
        assert site.get("TARGET")[0].Expiry == C.MQEI_UNLIMITED
    assert site.get("TARGET")[0].Expiry == 50


def test_of_two_limits_to_the_time_to_live_the_lower_one_counts() -> None:
    site = Site()
    site.qm.alter("QLOCAL", "TARGET", {"CAPEXPRY": "70"})
    site.qm.alter("QALIAS", "ALIAS", {"CAPEXPRY": "50"})
    site.put1()()
    site.qm.alter("QLOCAL", "TARGET", {"CAPEXPRY": "30"})
    site.put1()()
    site.qm.commit(site.application)
    assert [site.get("TARGET")[0].Expiry for _ in range(2)] == [50, 30]


@pytest.mark.parametrize("way", APPLICATIONS)
def test_defaults_are_those_of_the_moment_of_the_put(way: str) -> None:
    site = Site()
    put = getattr(site, way)()
    put()
    site.qm.commit(site.application)
    site.qm.alter("QALIAS", "ALIAS", {"DEFPRTY": "7"})
    put()
    site.qm.commit(site.application)
    hobj = site.qm.open(site.reader, MQOD(ObjectName="TARGET"), C.MQOO_INPUT_SHARED)
    md = MQMD(Version=2)
    assert isinstance(site.qm.get(site.reader, hobj, md, MQGMO(Options=C.MQGMO_NO_SYNCPOINT)), Got)
    assert md.Priority == 7


def test_a_temporary_queue_takes_no_persistent_message_of_anybody() -> None:
    site = Site()
    site.queue("MODEL", "QMODEL")
    hobj = site.qm.open(
        site.application, MQOD(ObjectName="MODEL", DynamicQName="TEMPORARY"), C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED
    )
    persistent = {"Persistence": C.MQPER_PERSISTENT}
    told = [
        _reason(lambda: site.qm.put(site.application, hobj, _md(**persistent), MQPMO(Options=OPTIONS), DATA)),
        _reason(
            lambda: site.qm.put1(
                site.application, MQOD(ObjectName="TEMPORARY"), _md(**persistent), MQPMO(Options=OPTIONS), DATA
            )
        ),
    ]
    for _ in range(2):
        with pytest.raises(Undeliverable) as refused:
            site.put(framed(DATA, queue="TEMPORARY"))
        told.append(refused.value.reason)
    destination = name_resolution.destination_of(site.core, "TEMPORARY", "")
    own = Message(_md(MsgId=b"O" * 24, Priority=0, **persistent), b"", DATA)
    told.append(_reason(lambda: site.core.deliver(destination, own, None, site.clock.now())))
    assert told == [C.MQRC_PERSISTENT_NOT_ALLOWED] * 5


def test_what_cannot_be_put_of_the_queue_managers_own_goes_to_the_dead_letter_queue() -> None:
    site = Site()
    site.with_dead_letter_queue()
    queue_disabled(site)
    message = Message(_md(MsgId=b"O" * 24, Priority=0), b"", DATA)
    assert own_messages.put(site.core, message, "ALIAS", "", None, site.clock.now())
    assert (site.depth("TARGET"), site.depth("DLQ")) == (0, 1)
    assert own_messages.bury(site.core, message, "ALIAS", "", C.MQRC_PUT_INHIBITED, None, site.clock.now()) is None
    site.qm.alter("QLOCAL", "DLQ", {"PUT": "DISABLED"})
    assert not own_messages.put(site.core, message, "ALIAS", "", None, site.clock.now())
    assert site.depth("DLQ") == 2


def test_properties_count_for_the_queue_manager_and_not_for_the_queue() -> None:
    site = Site()
    site.qm.alter("QLOCAL", "TARGET", {"MAXMSGL": str(len(DATA))})
    destination = name_resolution.destination_of(site.core, "TARGET", "")
    message = Message(_md(MsgId=b"O" * 24, Priority=0), b"p" * 50, DATA)
    assert _reason(lambda: site.core.deliver(destination, message, None, site.clock.now())) == C.MQRC_NONE
    site.core.catalogue.qmgr.maxmsgl = len(DATA) + 49
    site.core.definitions_version += 1
    told = _reason(lambda: site.core.deliver(destination, message, None, site.clock.now()))
    assert told == C.MQRC_MSG_TOO_BIG_FOR_Q_MGR
