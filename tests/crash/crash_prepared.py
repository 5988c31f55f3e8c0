"""A queue manager at rest, ended or killed, for tests that damage its files; and what such damage may come to.

Never wrong data: the start is refused with the file's name and what can be done, or one queue is and the others are
whole, or everything is as it was. With one exception, which no log with a single copy can avoid: damage to what was
forced last before a crash looks like a write that never finished, because nothing came after it that could tell.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field

import crash_driver as driver
from crash_driver import FOLDER, NOW, Life, Operation
from crash_matrix import PAGE, SECOND, Configuration
from crash_model import Model

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles

PREPARATION: tuple[Operation, ...] = (
    driver.put, driver.put_nonpersistent, driver.put_large, driver.define, driver.put_to_new, driver.unit_put,
    driver.commit, driver.get, driver.prepare_branch, driver.checkpoint, driver.put_large, driver.unit_get,
    driver.commit, driver.alter, driver.put, driver.put_to_new, driver.get,
)  # fmt: skip

HARMLESS, RECOVERED, REFUSED = "harmless", "recovered", "refused"
QUEUE_REFUSED, LAST_FORCE = "one queue refused", "last force lost"

_TO_DO = re.compile("Restore|restore|Put back|put back|Open it|Use a|orrect|Check|rcrmqobj")


@dataclass
class Prepared:
    """The files, and what they hold."""

    configuration: Configuration
    files: FaultyFiles
    model: Model
    now: float
    earlier: list[Model] = field(default_factory=list)
    """What may be shown instead if the last force is lost."""
    last_pages: list[tuple[str, int]] = field(default_factory=list)
    """Where the last operation wrote: path and offset of each page of the log."""

    def paths(self) -> list[str]:
        """All files of the queue manager, but for its lock."""
        folders = (f"{FOLDER}/", f"{SECOND}/")
        return sorted(path for path in self.files._names if path.startswith(folders) and not path.endswith(".lock"))


def _changed_pages(before: FaultyFiles, after: FaultyFiles) -> list[tuple[str, int]]:
    changed = []
    for path in sorted(after._names):
        if path.endswith((".LOG", "amqhlshd.lfh")):
            old, new = (files.content(path) if files.exists(path) else b"" for files in (before, after))
            changed += [(path, at) for at in range(0, len(new), PAGE) if old[at : at + PAGE] != new[at : at + PAGE]]
    return changed


def _prepare(configuration: Configuration, seed: int) -> tuple[Life, list[Model], FaultyFiles]:
    """The life, what may be seen if its last force is lost, and the files before its last operation."""
    files, model = configuration.template()
    life = Life(files.copy(), model, NOW + seed)
    for number in range(seed):
        driver._put(life, "B", size=700 + number)
    before: list[tuple[int, Model]] = []
    for operation in PREPARATION:
        before.append((life.qm.core.log.tail, life.model))
        files = life.files.copy()
        operation(life, None)
    # In place of the last page, SingleWrite has no earlier version of it; TripleWrite has the one before the last force
    last_page = (life.qm.core.log.tail - 1) // PAGE * PAGE
    rewritten = [model for tail, model in before if tail >= last_page]
    first = len(before) - len(rewritten) - 1 if configuration.log.rewrites_in_place else len(before) - 1
    return life, [model.crashed() for _, model in before[max(0, first) :]], files


def killed(configuration: Configuration, seed: int = 0) -> Prepared:
    life, earlier, before = _prepare(configuration, seed)
    life.qm.abandon()
    earlier = [] if configuration.log.second_folder else earlier
    pages = _changed_pages(before, life.files)
    return Prepared(configuration, life.files, life.model.crashed(), life.now, earlier, pages)


def ended(configuration: Configuration, seed: int = 0) -> Prepared:
    life, _, _ = _prepare(configuration, seed)
    model = life.model.ended()
    life.qm.end()
    return Prepared(configuration, life.files, model, life.now)


def check_refusal(error: MQError, named: str) -> None:
    """It names the file, and says what can be done."""
    assert error.reason in (C.MQRC_OBJECT_DAMAGED, C.MQRC_Q_MGR_NOT_AVAILABLE), error
    assert named in str(error), f"{named} is not named: {error}"
    assert _TO_DO.search(error.detail), f"nothing to do: {error}"


def outcome_of(
    files: FaultyFiles, prepared: Prepared, path: str, named: str, at: slice = slice(None)
) -> tuple[str, Life | None]:
    """Start and look at everything; what the damage came to, and the queue manager if it is whole.

    `at`: where the file is damaged, to tell what was put right, or replaced, from what nobody cares about.
    """
    damaged = files.content(path)[at] if files.exists(path) else None
    try:
        life = Life(files, prepared.model, prepared.now)
    except MQError as error:
        check_refusal(error, named)
        return REFUSED, None
    try:
        observed = life.observe()
    except MQError as error:
        check_refusal(error, named)
        for queue in prepared.model.high:
            if f"/{queue}/" not in path:
                seen = [one.number for one in life._browse(queue)]
                assert seen == [held.number for held in prepared.model.visible(queue, prepared.now)], queue
        life.qm.abandon()
        return QUEUE_REFUSED, None
    wrong = prepared.model.mismatch(observed, prepared.now)
    without = prepared.model.without_nonpersistent(posixpath.basename(posixpath.dirname(path)))
    if wrong and prepared.configuration.log.linear and not without.mismatch(observed, prepared.now):
        # The queue was made anew from the log, which knows persistent messages only
        life.check([without])
        return RECOVERED, life
    if not wrong:
        life.check([prepared.model])
        now = files.content(path)[at] if files.exists(path) else None
        return HARMLESS if now == damaged else RECOVERED, life
    assert path.endswith((".LOG", "amqhlshd.lfh")), wrong
    assert any(not model.mismatch(observed, prepared.now) for model in prepared.earlier), wrong
    life.qm.abandon()
    return LAST_FORCE, None
