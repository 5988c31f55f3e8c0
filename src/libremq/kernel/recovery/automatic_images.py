"""Media images by the clock: IMGSCHED(AUTO), IMGINTVL and IMGLOGLN.

Every few seconds all objects are looked at. One whose image is so many minutes old, or lies so many megabytes back in
the log, is due for another, unless the one that it has is in the current extent: a new one would set nothing free. All
of it is done in turns: so many objects looked at, or one part of an image logged, then others have theirs. A pass that
has recorded anything ends with a checkpoint, and with that MEDIALOG moves on. Where the log fills, images wait: they
leave a part of it to applications, and no unit of work is rolled back for them.

A queue that has become recoverable (IMGRCOVQ) is recorded as soon as possible, whatever the schedule says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.kernel.recovery import log_room
from libremq.kernel.state.core import Core
from libremq.kernel.state.image_in_parts import PART_BYTES, ImageGivenUp, ImageInParts
from libremq.kernel.state.media_image import is_old
from libremq.kernel.state.wait_clock import Deadline
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.store.store_errors import StoreDamaged

LOOK_S = 10.0
"""So often all objects are looked at."""
ROOM_S = 1.0
"""So long an image waits for room in the log, then looks again."""
_LOOKED_AT_MAX = 1000  # objects in one turn

Key = tuple[str, str]


class AutomaticImages:
    """The images of one queue manager that nobody asks for. It works in the turns that it is given."""

    def __init__(self, core: Core, checkpoint_due: Callable[[], None]) -> None:
        self._core = core
        self._checkpoint_due = checkpoint_due
        self._to_look_at: deque[Key] = deque()
        self._due: deque[Key] = deque()
        self._image: ImageInParts | None = None
        self._recorded = False
        self._take_turn: Callable[[], None] = self.turn
        self._planned: Deadline | None = None
        self._no_room = False  # the last turn found too little in the log

    def begin(self, take_turn: Callable[[], None]) -> None:
        """From now on work by the clock, if the log is linear. `take_turn` calls `turn`, as verbs are called."""
        self._take_turn = take_turn
        if self._core.log.config.linear:
            self._plan_look()

    def _plan_look(self) -> None:
        self._core.wait_clock.add(self._core.clock.monotonic() + LOOK_S, self._look)

    def _look(self) -> None:
        """Begin a pass over all objects, if images are wanted and none is under way."""
        self._plan_look()
        under_way = self._to_look_at or self._due or self._image is not None
        if self._core.catalogue.qmgr.imgsched == C.MQMEDIMGSCHED_AUTO and not under_way:
            self._to_look_at.extend(self._core.media)
        self._plan_turn()

    def _plan_turn(self) -> None:
        if self._planned is None and (self._to_look_at or self._due or self._image is not None or self._recorded):
            wait = ROOM_S if self._no_room else 0.0
            self._planned = self._core.wait_clock.add(self._core.clock.monotonic() + wait, self._next_turn)

    def _next_turn(self) -> None:
        self._planned = None
        try:
            self._take_turn()
        except MQError:
            return  # the next look tries again
        self._plan_turn()

    def want(self, objects: Iterable[MQObject]) -> None:
        """Have images of these soon."""
        self._due.extend((obj.kind, obj.name) for obj in objects)
        self._plan_turn()

    def turn(self) -> None:
        """Do a little of it, or wait for a checkpoint to make room in the log."""
        self._look_at_some()
        logged = self._core.log.tail
        try:
            self._no_room = not log_room.leaves_room(self._core)
            while not self._no_room and self._core.log.tail - logged < PART_BYTES and self._record():
                self._no_room = not log_room.leaves_room(self._core)
        except LogFull as error:
            self._no_room = True
            if error.hopeless:
                self._image = None  # it keeps the one that it has, and others have their turn
        if self._no_room and (self._due or self._image is not None):
            self._make_room()
        if self._recorded and not (self._to_look_at or self._due or self._image is not None):
            self._recorded = False
            self._checkpoint_due()

    def _make_room(self) -> None:
        """As far as a checkpoint does: it is asked for, and the next turn sees."""
        core = self._core
        if core.checkpoint is None:
            try:
                log_room.pull_up(core)
            except LogFull:
                return
            if log_room.frees_log(core):
                self._checkpoint_due()

    def _look_at_some(self) -> None:
        for _ in range(min(_LOOKED_AT_MAX, len(self._to_look_at))):
            key = self._to_look_at.popleft()
            if self._is_due(key):
                self._due.append(key)

    def _is_due(self, key: Key) -> bool:
        core, qmgr = self._core, self._core.catalogue.qmgr
        if key not in core.media or not is_old(core, *key):
            return False
        if qmgr.imgintvl != C.MQMEDIMGINTVL_OFF:
            age = core.clock.monotonic() - core.imaged.get(key, core.started)
            if age >= 60 * qmgr.imgintvl:
                return True
        return qmgr.imglogln != C.MQMEDIMGLOGLN_OFF and core.log.tail - core.media[key] >= qmgr.imglogln << 20

    def _record(self) -> bool:
        """Log one part; False if there is nothing to do."""
        if self._image is None:
            if not self._due:
                return False
            obj = self._core.catalogue.find(*self._due.popleft())
            if obj is None or (isinstance(obj, LocalQueue) and obj.is_temporary):
                return True
            self._image = self._begun(obj)
            if self._image is None:
                return True
        try:
            if self._image.log_part():
                self._image = None
                self._recorded = True
        except (ImageGivenUp, StoreDamaged, OSError):
            self._image = None  # it has a newer one, or keeps the one that it has
        return True

    def _begun(self, obj: MQObject) -> ImageInParts | None:
        try:
            return ImageInParts(self._core, obj)
        except (StoreDamaged, OSError):
            return None
