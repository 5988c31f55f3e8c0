"""Performance events: queues that become too deep, too empty, full, or are served too slowly.

Each event turns itself off and others on, in the definition of the queue, so that a queue that swings around a limit
makes one event for each swing: depth high turns on low and full, depth low turns on high and full, full turns on low;
service interval high and OK turn each other on. Depths are those of MQINQ: uncommitted puts count, uncommitted gets do
not. Every event carries what happened on the queue since the one before (or RESET QSTATS, or the start), and the
count begins anew with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from libremq.kernel.events.event_messages import PERFM_EVENT, note_loss, number, put_event, text
from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.objects.object_types import LocalQueue, MQObject, QueueManagerObject
from libremq.kernel.state import object_changes
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES
from libremq.kernel.state.queue_state import QueueState, QueueStatistics
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.pcf import PCFParameter

_ON, _OFF = C.MQEVR_ENABLED, C.MQEVR_DISABLED
# What each event changes in the definition of its queue
_SWITCHES: dict[int, Mapping[str, int]] = {
    C.MQRC_Q_FULL: {"qdpmaxev": _OFF, "qdploev": _ON},
    C.MQRC_Q_DEPTH_HIGH: {"qdphiev": _OFF, "qdploev": _ON, "qdpmaxev": _ON},
    C.MQRC_Q_DEPTH_LOW: {"qdploev": _OFF, "qdphiev": _ON, "qdpmaxev": _ON},
    C.MQRC_Q_SERVICE_INTERVAL_HIGH: {"qsvciev": C.MQQSIE_OK},
    C.MQRC_Q_SERVICE_INTERVAL_OK: {"qsvciev": C.MQQSIE_HIGH},
}
_CONCERNS = frozenset({"PERFMEV", "QSVCIEV", "QSVCINT"})


# What happens on queues. The caller has seen that PERFMEV is on


def message_put(core: Core, queue: QueueState) -> None:
    """The depth has gone up by a put."""
    definition = queue.definition
    depth = queue.store.depth
    if definition.qsvciev:
        statistics = queue.statistics
        if depth <= 1:
            statistics.service_since = core.clock.monotonic()
        elif definition.qsvciev == C.MQQSIE_HIGH and _service_time_ms(core, statistics) > definition.qsvcint:
            _event(core, queue, C.MQRC_Q_SERVICE_INTERVAL_HIGH)
    if definition.qdphiev and depth * 100 >= definition.maxdepth * definition.qdepthhi:
        _event(core, queue, C.MQRC_Q_DEPTH_HIGH)


def message_got(core: Core, queue: QueueState) -> None:
    """The depth has gone down by a get, or by a CLEAR that took all."""
    definition = queue.definition
    depth = queue.store.depth
    if definition.qsvciev:
        statistics = queue.statistics
        late = _service_time_ms(core, statistics) > definition.qsvcint
        statistics.service_since = core.clock.monotonic() if depth else None
        if late and definition.qsvciev == C.MQQSIE_HIGH:
            _event(core, queue, C.MQRC_Q_SERVICE_INTERVAL_HIGH)
        elif not late and definition.qsvciev == C.MQQSIE_OK:
            _event(core, queue, C.MQRC_Q_SERVICE_INTERVAL_OK)
    if definition.qdploev and depth * 100 <= definition.maxdepth * definition.qdepthlo:
        _event(core, queue, C.MQRC_Q_DEPTH_LOW)


def message_handed_over(core: Core, queue: QueueState) -> None:
    """A put that met a waiting get: the message was never on the queue, but it was served at once."""
    if queue.definition.qsvciev and not queue.store.depth:
        queue.statistics.service_since = core.clock.monotonic()
    message_got(core, queue)


def queue_full(core: Core, queue: QueueState) -> None:
    """A put failed because the queue holds MAXDEPTH messages."""
    if queue.definition.qdpmaxev:
        _event(core, queue, C.MQRC_Q_FULL)


def definition_changed(core: Core, obj: MQObject | None, attributes: Iterable[str]) -> None:
    """A service interval that begins to be watched begins now, whatever has been on the queue until then."""
    if _CONCERNS.isdisjoint(keyword.upper() for keyword in attributes):
        return
    now = core.clock.monotonic()
    if isinstance(obj, QueueManagerObject):
        core.events.service_base = now
    elif isinstance(obj, LocalQueue) and obj.qsvciev:
        _statistics(core, obj).service_since = now


def _service_time_ms(core: Core, statistics: QueueStatistics) -> float:
    """How long the queue has had messages and no get. The timer is started if it does not run: a get was backed out."""
    now = core.clock.monotonic()
    since = statistics.service_since
    if since is None:
        since = statistics.service_since = now
    return 1000 * (now - max(since, core.events.service_base))


# The statistics


class QueueFigures(NamedTuple):
    """What happened on a queue since its statistics were reset."""

    time_since_reset_s: int
    high_depth: int
    enqueued: int
    dequeued: int


def queue_figures(core: Core, queue: QueueState) -> QueueFigures:
    statistics = queue.statistics
    since = max(statistics.since, core.started)
    return QueueFigures(
        int(core.clock.monotonic() - since),
        max(statistics.high_depth, queue.store.depth),
        statistics.enqueued,
        statistics.dequeued,
    )


def reset_queue_statistics(core: Core, queue: str) -> QueueFigures:
    """RESET QSTATS: the figures of a local queue until now; they begin anew."""
    definition = core.catalogue.find("QLOCAL", queue)
    if not isinstance(definition, LocalQueue):
        raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, queue, "no local queue of this name is defined")
    return _reset(core, core.local_queue(definition))


def _reset(core: Core, queue: QueueState) -> QueueFigures:
    figures = queue_figures(core, queue)
    queue.statistics.reset(core.clock.monotonic(), queue.store.depth)
    return figures


def _statistics(core: Core, definition: LocalQueue) -> QueueStatistics:
    """Also of a queue that is not loaded at the moment."""
    queue = core.queues.get(definition.name)
    if queue is not None:
        return queue.statistics
    return core.resting_statistics.setdefault(core.queue_files[definition.name][0], QueueStatistics())


# The event


def _event(core: Core, queue: QueueState, reason: int) -> None:
    if core.events.level > 1:
        return  # the queue of these events itself, while one is put on it
    try:
        _switch(core, queue.definition, _SWITCHES[reason])
    except FAILURES as error:
        core.events.made += 1
        note_loss(core, error)
        return
    figures = _reset(core, queue)
    parameters: list[PCFParameter] = [
        text(C.MQCA_Q_MGR_NAME, core.qmgr_name),
        text(C.MQCA_BASE_OBJECT_NAME, queue.name),
        number(C.MQIA_TIME_SINCE_RESET, figures.time_since_reset_s),
        number(C.MQIA_HIGH_Q_DEPTH, figures.high_depth),
        number(C.MQIA_MSG_ENQ_COUNT, figures.enqueued),
        number(C.MQIA_MSG_DEQ_COUNT, figures.dequeued),
    ]
    put_event(core, PERFM_EVENT, reason, parameters)


def _switch(core: Core, definition: LocalQueue, values: Mapping[str, int]) -> None:
    """Change the definition as an event does: logged, but no alteration that anybody has made."""
    if all(definition.__dict__[slot] == value for slot, value in values.items()):
        return
    old = to_record(definition)
    definition.__dict__.update(values)
    if definition.is_temporary:
        core.definitions_version += 1
    else:
        object_changes.log_object(core, definition, old)
