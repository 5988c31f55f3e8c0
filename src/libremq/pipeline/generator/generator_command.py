"""The command behind `libremq pipeline generate`: dumps of a simulated site, and a file that says what is wrong."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, Final

from libremq.pipeline.generator.dump_writer import bare, framed, marker
from libremq.pipeline.generator.estate import QueueManager, estate
from libremq.pipeline.generator.facts import site_facts
from libremq.pipeline.generator.generated_site import STARTED, Site
from libremq.pipeline.generator.shapes import NEWEST
from libremq.pipeline.generator.sickness import Case, Sickness, sicknesses
from libremq.pipeline.generator.timeline import usual_events

DUMPS_FOLDER: Final = "dumps"
SITE_FILE: Final = "site.json"
EXPECTED_FILE: Final = "expected.json"
_SPANNED_BYTES_MIN: Final = 200


@dataclass(slots=True)
class Generated:
    """What was written: files, records by type and subtype, and the sickness in them."""

    files: list[Path] = field(default_factory=list)
    bytes: int = 0
    records: Counter[tuple[int, int]] = field(default_factory=Counter)
    cases: Sequence[Case] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "files": [path.name for path in self.files],
            "bytes": self.bytes,
            "records": {f"{kind}/{subtype}": count for (kind, subtype), count in sorted(self.records.items())},
            "cases": [
                {
                    "sickness": case.sickness.name,
                    "title": case.sickness.title,
                    "queue_manager": case.queue_manager,
                    "begins": case.begins.isoformat(),
                    "ends": case.ends.isoformat() if case.ends else None,
                    "rules": sorted(case.sickness.rules),
                    "facts": sorted(case.sickness.raises),
                }
                for case in self.cases
            ],
        }


def generate(
    target: Path,
    *,
    days: float = 7,
    queue_managers: int = 4,
    interval_minutes: int = 30,
    sick: Sequence[str] = (),
    seed: int = 1,
    start: datetime = STARTED,
    growth_per_week: float = 0.01,
    accounting_every: int = 8,
    releases: Sequence[str] = (NEWEST,),
    spanned: float = 0.05,
    rdw: bool = True,
    events: bool = False,
) -> Generated:
    """Write a simulated site into a folder: `dumps/`, `site.json` with its facts and `expected.json` with its findings.

    `sick` names sicknesses (`all` for every one): each begins in the middle of the time, on a queue manager of its own
    as far as there are enough. With `events` there are restarts, short intervals, idle and overloaded times and a
    change of the clock. The rest is as in `write`.
    """
    owners = estate(queue_managers, seed, tuple(releases))
    cases = place(chosen(sick), owners, start, middle(start, days))
    happened = usual_events([owner.name for owner in owners], start, days) if events else ()
    site = Site(owners, start, days, interval_minutes, seed, growth_per_week, cases, happened)
    return write(site, target, accounting_every=accounting_every, spanned=spanned, rdw=rdw)


def middle(start: datetime, days: float) -> datetime:
    """When sickness begins: half-way, and in the middle of a day too if there is more than one.

    Rules that compare the hours of a day then see both health and sickness in it.
    """
    return start + (timedelta(days=int(days / 2), hours=12) if days >= 2 else timedelta(days=days) / 2)


def write(site: Site, target: Path, *, accounting_every: int = 8, spanned: float = 0.05, rdw: bool = True) -> Generated:
    """Write the dumps of a site, one file per system and day, its facts, and what is wrong with it.

    Accounting is written in every `accounting_every`-th interval, for size; `spanned` is the share of records that are
    cut into segments; without `rdw` records have no descriptor word.
    """
    if accounting_every < 1:
        raise ValueError("accounting is written every interval (1) or every so many")
    if not 0 <= spanned <= 1:
        raise ValueError(f"a share of {spanned} spanned records is not between 0 and 1")
    dumps = target / DUMPS_FOLDER
    dumps.mkdir(parents=True, exist_ok=True)
    result = Generated(cases=site.cases)
    chance = random.Random(f"cuts/{site.seed}")
    with ExitStack() as stack:
        files: dict[tuple[str, str], _File] = {}
        for owner, local, whole in _selected(site, accounting_every):
            key = owner.system, f"{local:%Y-%m-%d}"
            if key not in files:
                _finish(files, owner.system)
                path = dumps / f"SMF.{owner.system}.{key[1]}.dat"
                files[key] = _File(path, stack.enter_context(path.open("wb")), owner.system, rdw)
                files[key].write(marker(2, owner.system, local))
                result.files.append(path)
            files[key].last = local
            files[key].write(whole, _cuts(whole, spanned, chance) if rdw else ())
            result.records[whole[5], int.from_bytes(whole[22:24], "big")] += 1
        for system in {owner.system for owner in site.queue_managers}:
            _finish(files, system)
    result.bytes = sum(path.stat().st_size for path in result.files)
    facts = site_facts(site.queue_managers, [(case.queue_manager, case.sickness.facts) for case in site.cases])
    for name, content in ((SITE_FILE, facts), (EXPECTED_FILE, result.as_json())):
        (target / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return result


@dataclass(slots=True)
class _File:
    path: Path
    stream: BinaryIO
    system: str
    rdw: bool
    last: datetime | None = None

    def write(self, whole: bytes, cuts: Sequence[int] = ()) -> None:
        self.stream.write(framed(whole, cuts) if self.rdw else bare(whole))


def _finish(files: dict[tuple[str, str], _File], system: str) -> None:
    """Close the day of a system: the marker that ends a dump."""
    for key in [key for key in files if key[0] == system]:
        done = files[key]
        if not done.stream.closed and done.last is not None:
            done.write(marker(3, system, done.last))
            done.stream.close()


def _selected(site: Site, accounting_every: int) -> Iterator[tuple[QueueManager, datetime, bytes]]:
    for owner, interval, whole in site.records():
        if whole[5] == 116 and whole[23] != 10 and interval.traffic.number % accounting_every:
            continue
        yield owner, interval.traffic.end + owner.local_offset + interval.traffic.clock, whole


def _cuts(whole: bytes, spanned: float, chance: random.Random) -> Sequence[int]:
    """Cuts at even places, as SMF makes them: one mostly, two now and then."""
    if len(whole) < _SPANNED_BYTES_MIN or chance.random() >= spanned:
        return ()
    count = 2 if chance.random() < 0.2 else 1
    return sorted(chance.sample(range(112, len(whole) - 40, 2), count))


def chosen(names: Sequence[str]) -> list[Sickness]:
    """The sicknesses of these names; `all` is every one."""
    known = sicknesses()
    if "all" in names:
        return list(known.values())
    strangers = sorted(set(names) - set(known))
    if strangers:
        raise ValueError(f"no sickness {', '.join(strangers)}; there are {', '.join(known)}")
    return [known[name] for name in names]


def place(wanted: Sequence[Sickness], owners: Sequence[QueueManager], start: datetime, begins: datetime) -> list[Case]:
    """Give each sickness a queue manager, none two before all have one; those of shared queues choose first."""
    cases: dict[str, Case] = {}
    burden = dict.fromkeys((owner.name for owner in owners), 0)
    for each in sorted(wanted, key=lambda one: not one.shared_only):
        fit = [owner.name for owner in owners if owner.structures or not each.shared_only]
        if not fit:
            raise ValueError(f"{each.name} needs a queue manager of a queue-sharing group")
        name = min(fit, key=lambda one: burden[one])
        burden[name] += 1
        cases[each.name] = Case(each, name, start if each.from_start else begins)
    return [cases[each.name] for each in wanted]
