"""What holds for the models of the guide's first part beyond single figures: their entries, limits and directions."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helper_rows import over_rows
from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.models.logs import log_measured, log_volume
from libremq.pipeline.models.published.fixtures_part1 import FIXTURES_PART_1, MODULES
from libremq.pipeline.models.registry import Model
from libremq.pipeline.models.sharing import cf_requests, cf_structures
from libremq.pipeline.models.storage import page_set_space, restart_times
from libremq.pipeline.models.units import GB, KB

_HOMES = {module.__name__ for module in MODULES}
PART_1 = [entry for entry in known_models().values() if entry.function.__module__ in _HOMES]
SIZES = st.integers(0, 100_000)


@over_rows("entry", PART_1, ids=lambda entry: entry.name)
def test_entry_says_where_it_comes_from(entry: Model) -> None:
    assert entry.subject
    assert re.fullmatch(r"[RF]-[A-Z]+-\d\d", entry.fact)
    assert re.fullmatch(r"L\d+(-L\d+)?", entry.lines)
    assert entry.unit
    text = inspect.getdoc(entry.function) or ""
    assert re.search(r"\[L\d+", text), "the docstring names its line"
    assert entry.fact in text


@over_rows("entry", PART_1, ids=lambda entry: entry.name)
def test_line_lies_in_part_1(entry: Model) -> None:
    assert all(1 <= int(number) <= 3011 for number in re.findall(r"\d+", entry.lines))


def test_fixtures_name_known_models_inputs_and_lines() -> None:
    for fixture in FIXTURES_PART_1:
        assert set(fixture.inputs) <= set(known_models()[fixture.model].inputs), fixture
        assert re.fullmatch(r"L\d+(-L\d+)?", fixture.lines), fixture
        assert 0 <= fixture.tolerance <= 0.1, fixture


def test_figures_the_source_got_wrong_are_not_encoded() -> None:
    """X-01 (855 MB), X-10 (112 MB/s by the crude rule), X-12 (12 hours), X-14 (21.25 MB for 63 KB)."""
    assert round(log_volume.structure_backup_mb(200_000, 4096)) == 885
    assert 38_000 * log_volume.shared_put_get_crude_log_bytes(1024) / 2**20 < 90
    measured = log_measured.shared_put_committed_log_bytes(1024) + log_measured.shared_get_committed_log_bytes(1024)
    assert round(38_000 * measured / 2**20) == 106
    assert round(cf_structures.dead_message_mb_max(63 * KB, 1), 1) == 20.9


def test_models_run_without_pyspark() -> None:
    program = (
        "import sys; sys.modules['pyspark'] = None\n"
        "from libremq.pipeline.models.published.fixtures_part1 import FIXTURES_PART_1\n"
        "assert all(fixture.agrees(fixture.ours) for fixture in FIXTURES_PART_1)\n"
        "print(len(FIXTURES_PART_1))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(FIXTURES_PART_1)


def test_redrives_follow_the_sizes_as_the_source_tells() -> None:
    """T-31: the buffer grows when it must; V6 shrinks it at once, V7 and later after ten gets in a row."""
    growing = [5 * KB, 6 * KB, 8 * KB, 10 * KB, 1 * KB]
    assert cf_requests.redriven_gets(growing) == [1, 4]
    assert cf_requests.redriven_gets(growing, cf_requests.SHRINK_AFTER_V6) == [1, 4]
    mixed = [1 * KB, KB // 2, 1 * KB, 4 * KB]
    assert cf_requests.redriven_gets(mixed, cf_requests.SHRINK_AFTER_V6) == [3, 4]
    assert cf_requests.redriven_gets(mixed) == []


def test_buffer_shrinks_after_ten_small_gets_in_a_row() -> None:
    nine, ten = [KB] * 9, [KB] * 10
    assert cf_requests.redriven_gets([*nine, 4 * KB]) == []
    assert cf_requests.redriven_gets([*ten, 4 * KB]) == [11]
    assert cf_requests.redriven_gets([*nine, 4 * KB, *nine, 4 * KB]) == []


@given(size=SIZES, other=SIZES)
def test_larger_messages_never_take_less(size: int, other: int) -> None:
    small, large = sorted((size, other))
    for grows in (
        page_set_space.pages_per_message,
        log_volume.put_get_log_bytes,
        log_volume.get_share_log_bytes,
        log_measured.local_put_log_bytes,
        log_measured.local_put_committed_log_bytes,
        log_volume.channel_send_log_bytes,
        log_volume.structure_backup_bytes_per_message,
    ):
        assert grows(small) <= grows(large) + 1e-6
    assert page_set_space.messages_per_page_packed(small) >= page_set_space.messages_per_page_packed(large)


@given(size=SIZES, per_commit=st.integers(1, 10_000))
def test_more_messages_a_commit_never_log_more_each(size: int, per_commit: int) -> None:
    for committed in (
        log_measured.local_put_committed_log_bytes,
        log_measured.shared_put_committed_log_bytes,
        log_measured.shared_get_committed_log_bytes,
        log_volume.channel_send_log_bytes,
        log_volume.channel_receive_log_bytes,
    ):
        assert 0 < committed(size, per_commit + 1) <= committed(size, per_commit) + 1e-6


@given(size=st.integers(0, 64_512), elements=st.integers(10_000, 10_000_000))
def test_offload_never_needs_more_elements_than_there_are(size: int, elements: int) -> None:
    whole = cf_structures.messages_before_offload(elements, size)
    total = cf_structures.messages_with_offload(elements, size)
    used = whole * cf_structures.elements_per_message(size) + (total - whole) * cf_structures.OFFLOADED_ELEMENTS
    assert used <= elements


@given(size=st.integers(0, 64_512), messages=st.integers(10_000, 1_000_000))
def test_sizing_rule_and_its_inverse_agree(size: int, messages: int) -> None:
    structure_bytes = cf_structures.structure_initsize_bytes_for_one_size(size, messages)
    assert abs(cf_structures.messages_by_sizing_rule(structure_bytes, size) - messages) <= 1


@given(messages=st.integers(1, 1_000_000), size=st.integers(0, 30_000))
def test_a_page_set_of_the_planned_size_holds_the_messages(messages: int, size: int) -> None:
    gigabytes = page_set_space.page_set_gb_for_messages(messages, size)
    assert abs(page_set_space.messages_in_page_set(gigabytes, size) - messages) <= 1


def test_restart_range_spans_the_observed_shares_of_pages() -> None:
    """A restart is told as a range: ten to one between the least and the largest share of pages read."""
    pages = restart_times.forward_recovery_pages_max(0, 7 * GB)
    least = restart_times.forward_recovery_seconds(pages, restart_times.PAGES_READ_FRACTION_MIN)
    most = restart_times.forward_recovery_seconds(pages)
    assert most == pytest.approx(10 * least)
