"""Every plan is sound data, its example works, and its figures are those that the source works out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from helper_rows import over_rows
from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.planner.formula import formula_of
from libremq.pipeline.planner.plan import Plan, Step, problems
from libremq.pipeline.planner.plan_catalogue import PLANS
from libremq.pipeline.planner.plan_inputs import INPUTS, assume, may, need
from libremq.pipeline.planner.planner_page import example_of
from libremq.pipeline.planner.reading import PlanError
from libremq.pipeline.planner.showing import as_dict, as_text, told
from libremq.pipeline.planner.working import Source, Worked, not_asked, work_out

KB = 1024.0
MB = 1024 * KB
TB_IN_MB = 1024.0 * 1024.0

each_plan = over_rows("plan", PLANS.values(), ids=list(PLANS))


def worked(name: str, **values: Any) -> Worked:
    return work_out(PLANS[name], Source("command line", values))


@each_plan
def test_the_data_of_a_plan_is_sound(plan: Plan) -> None:
    assert problems(plan) == []


@each_plan
def test_the_example_of_a_plan_is_answered_in_words_and_in_json(plan: Plan) -> None:
    answer = work_out(plan, Source("command line", example_of(plan)))
    text = as_text(answer)
    assert "{" not in text.partition("Inputs")[0]
    assert "unknown" not in text.partition("Inputs")[0]
    assert all(line == line.rstrip() and "None" not in line.split(" = ")[0] for line in text.splitlines())
    told_so = json.loads(json.dumps(as_dict(answer), allow_nan=False))
    assert told_so["answer"]["value"] is not None
    assert all(step["models"] or step["expression"] for step in told_so["steps"])


@each_plan
def test_the_inputs_of_a_plan_are_those_of_the_catalogue(plan: Plan) -> None:
    """A name means the same in every plan, so that plans can share a file."""
    for each in plan.inputs:
        known = INPUTS[each.name]
        changed = replace(each, default=None, optional=False, meaning=known.meaning, measured=known.measured)
        assert changed == known


def test_every_input_of_the_catalogue_is_of_use() -> None:
    assert {each.name for plan in PLANS.values() for each in plan.inputs} == set(INPUTS)


# Plan, inputs, and the figures that the source prints or that follow from it by hand; the share they may differ by.
FIGURES: list[tuple[str, dict[str, Any], dict[str, Any], float]] = [
    ("log", {"message_bytes": 10_000, "messages_per_second": 200}, {"log_bytes": 11_750}, 0),  # L806-L819
    (
        "log",
        {"message_bytes": 1024, "messages_per_second": 1000, "queue_shared": True},
        {"log_bytes": 2276 + 650, "log_rate": 2926 * 1000 / MB},  # L747-L759
        1e-9,
    ),
    (
        "log",
        {"log_mb_per_second_peak": 1, "log_mb_per_hour": 800, "log_dataset_mb": 2048},
        {"logs": 10, "held_hours": 25.6, "log_mb_wanted": 1800},  # L1186-L1188
        1e-9,
    ),
    (
        "log",
        {
            "message_bytes": 1024,
            "messages_per_second": 1,
            "log_device": "DS8900F RAID 5, 4 stripes, zHPF",
            "archive_mb_per_second": 64,
        },
        {"device_peak": 112, "device_planned": 56, "logs": 4},  # L4983-L5003, L615
        0,
    ),
    (
        "logdevice",
        {"message_bytes": 1000, "log_device": "DS8800 RAID 5", "log_mb_per_second_max": 112},
        {"messages_max": 51_061, "messages_planned": 51_061 / 2},
        1e-4,
    ),  # L811
    ("logdevice", {"message_bytes": 5120, "log_device": "DS8900F RAID 5, 4 stripes"}, {"peak": 193}, 0),
    (
        "archive",
        {"log_dataset_mb": 4096, "log_mb_per_hour": 1024, "archive_primary": 5600, "archive_stripes": 4},
        {
            "archives_per_day": 6,
            "striped_primary": 1400,
            "read_active_seconds": 11,
            "read_seconds": 68,
            "read_compressed_seconds": 228,
            "recorded_gb": 4000,
            "day_gb": 48,
        },
        0.01,
    ),  # L657, L5140, L2753
    (
        "logbuffer",
        {"log_pages_per_message": 25.5, "log_multi_page_ms": 20, "log_current_page_ms": 4, "log_pages_per_write": 15},
        {"writes": 164, "busy_ms": 4880, "rate": 20.5},
        0.001,
    ),  # L7047-L7062
    (
        "checkpoint",
        {
            "logload": 450_000,
            "log_dataset_mb": 4096,
            "log_mb_per_second_peak": 1,
            "transactions_per_second": 100,
            "log_writes_per_transaction": 31,
            "log_bytes_per_message": 1057,
        },
        {"transactions": 14_516, "restart": 92.4, "between": 145.16, "page_bytes": 12 * 1024 * MB},
        0.001,
    ),  # L1722, L1140
    (
        "checkpoint",
        {
            "logload": 450_000,
            "log_dataset_mb": 4096,
            "log_mb_per_second_peak": 1,
            "transactions_per_second": 100,
            "log_writes_per_transaction": 31,
            "restart_seconds_wanted": 92.39,
        },
        {"logload_for_restart": 450_000},
        0.001,
    ),
    (
        "restart",
        {
            "log_dataset_mb": 4096,
            "oldest_unit_of_work_mb": 896,
            "log_read_back_mb_per_second": 56,
            "indexed_messages": 8_000_000,
        },
        {"phase_4": 16, "phase_2": 5.12, "pages": 3 * 2**20, "pages_most": 440.4, "indexes": 250},
        0.001,
    ),  # L1434, L2156
    (
        "progress",
        {"earlier_rba": 0x3E022000, "later_rba": 0x2E39A11D, "seconds_between": 120, "end_rba": 0x8561B58},
        {"left": 288.07, "rate_mb": 2.104},
        0.001,
    ),  # L1600-L1612: from 09.40.43 to 09.45.31.07
    ("backup", {"restart_seconds_wanted": 3600, "log_mb_per_hour": 800}, {"interval": 270, "log_gb": 210.9}, 0.001),
    (
        "backup",
        {
            "restart_seconds_wanted": 3600,
            "log_mb_per_hour": 800,
            "active_logs": 10,
            "log_dataset_mb": 2048,
            "application_hours_per_day": 12,
        },
        {"interval": 25.6, "days": 2},
        1e-9,
    ),  # L1184-L1194
    (
        "backup",
        {"restart_seconds_wanted": 3600, "messages_per_second": 100, "message_bytes": 1024},
        {"volume": 800},
        0.02,
    ),  # L1168-L1176
    (
        "cfbackup",
        {
            "replay_seconds_wanted": 1740,
            "busiest_log_mb_per_second": 112,
            "structure_messages": 200_000,
            "message_bytes": 1024,
        },
        {"interval": 1.94, "replayed": 764.6, "restore_seconds": 2, "backup_cpu": 0.5},
        0.002,
    ),  # L2716, L2731-L2741
    (
        "recovery",
        {"page_set_gb": 4, "hours_since_backup": 24, "log_mb_per_hour": 800},
        {"restore": 30, "log_gb": 18.75, "replay": 39.36, "total": 900 + 30 + 39.36 + 60},
        1e-6,
    ),  # L925, L1421
    ("index", {"indexed_messages": 8_000_000}, {"storage": 8e6 * 136 + 48_128, "rebuild": 250}, 0),  # L2154-L2156
    ("index", {"indexed_messages": 8_000_000, "zhpf": True}, {"expected": 167.5}, 1e-9),  # L2222
    (
        "utility",
        {"page_set_gb": 4, "messages_in_all": 25_000},
        {
            "format_time": 60,
            "format_cpu": 1.4,
            "copypage_time": 45.2,
            "copypage_cpu": 3.64,
            "resetpage_time": 92,
            "resetpage_cpu": 5,
            "force_time": 150,
            "force_cpu": 4.64,
            "commits": 3,
        },
        1e-9,
    ),  # L1898-L1951
    (
        "pageset",
        {"message_bytes": 27_924, "messages_at_once": 1, "page_set_gb": 4},
        {"pages_each": 8, "capacity": 131_072},
        0,
    ),  # L862
    (
        "pageset",
        {"message_bytes": 46, "messages_at_once": 8_388_608, "maxshortmsgs_0": True},
        {"per_page": 8, "size_gb": 4, "gain": 8},
        0,
    ),  # L881
    (
        "pageset",
        {"message_bytes": 3635, "messages_per_second": 100, "outage_seconds": 60, "spare_fraction": 0.5},
        {"messages": 6000, "pages": 9000},
        1e-9,
    ),
    (
        "bufferpool",
        {"messages_at_once": 20_000, "message_bytes": 5000, "objects_defined": 14_484},
        {"buffers": 47_059, "starting": 50_000, "objects_half": 7242, "objects_least": 1230},
        1e-3,
    ),  # L6725, L1735
    (
        "bufferpool",
        {"pool": 1, "production": False, "high_water_pages": 850, "page_set_gb": 4},
        {"buffers": 1000, "starting": 1050, "whole_page_set": 1.05 * 2**20},
        1e-6,
    ),  # L1010, L1120
    (
        "storage",
        {"connections": 10_000, "open_handles": 20_000, "application_structures": 3},
        {"csa": 24_700 + 6 * 1024, "handles": 80_000, "sharing": 27 * 1024 + 2400},
        1e-9,
    ),  # L2362-L2437
    ("security", {"users": 1000, "queues_per_user": 50}, {"storage": 28_200, "stay": 66}, 0.001),  # L2319, L2284
    (
        "expiry",
        {"shared_messages": 100_000, "shared_messages_expired": 1000},
        {"cpu": 505_000, "calls": 101_000, "cf": 353_500},
        1e-9,
    ),  # L2238-L2242
    (
        "trace",
        {"transactions_per_second": 1e6 / 86_400, "puts_and_gets": 1},
        {"class_1": 5, "class_1_pct": 0.5, "class_3": 33, "class_3_pct": 3.3, "class_1_mb": 415.8, "class_3_mb": 7938},
        0.001,
    ),  # L2011-L2064
    ("trace", {"transactions_per_second": 1, "queues_per_transaction": 20}, {"records": 3}, 0),  # L1969
    (
        "cfstruct",
        {"message_bytes": 4096, "messages_per_second": 500, "outage_seconds": 600},
        {"bytes_each": 4864, "initsize_bytes": 300_000 * 4864 * 1.32 + 8 * MB, "elements": 18},
        1e-9,
    ),  # L2524-L2546
    (
        "cfstruct",
        {"message_bytes": 100_000, "messages_at_once": 1000, "cfcc_level": 24},
        {"initsize_bytes": 2_048_000, "initsize": 2000, "size": 4000},
        0,
    ),  # L2544
    (
        "cfstruct",
        {"message_bytes": 16_384, "messages_at_once": 1, "structure_elements": 1_410_796},
        {"elements": 66, "whole": 17_101, "offloaded": 158_166},
        0,
    ),  # L2614-L2626
    ("cfadmin", {"qsg_queue_managers": 7, "cfcc_level": 24}, {"initsize": 20_000, "entries": 7000}, 0),  # L2506
    (
        "cfcpu",
        {"messages_per_second": 30_000, "message_bytes": 1000, "duplex_km": 10},
        {"us_each": 28, "per_engine": 21_429, "engines": 2, "busy": 84, "distance_us": 225},
        1e-4,
    ),  # L7918, L2813
    (
        "smds",
        {"message_bytes": 100 * KB, "dsblock_kb": 8},
        {"buffers_each": 13, "overlap": 10, "block_class": "C", "sets": 2, "preferred": 128},
        0,
    ),  # L3035-L3125
    (
        "smds",
        {"message_bytes": 100 * KB, "messages_at_once": 1000, "lowest_free_buffers": -20},
        {"storage": 30, "buffers": 120, "cf_elements": 2000},
        0,
    ),  # L3025, L3033, L3506
    (
        "db2lob",
        {"message_bytes": 100 * KB, "messages_at_once": 10_000},
        {"pages_each": 4, "space": 1_280_000, "partition": 352_000, "shared_pct": 50},
        1e-9,
    ),  # L3187-L3196, L3258
    (
        "scm",
        {"scm_mb": TB_IN_MB, "message_bytes": 63_000, "cf_free_mb": 77_000},
        {"augmented": 77_455, "missing": 455, "elements": 248},
        1e-6,
    ),  # L3412
    ("chinit", {"mca_channels": 1000}, {"mca": 90_000, "tasks": 30 * 150 + 20 * 102, "guide": 1200}, 0),  # L3688-L3723
    (
        "chinit",
        {"client_channels": 10, "message_bytes": 32 * KB, "sharecnv": 0, "vrm": 930},
        {"client_each": 159, "above_bar": 10 * 64 / KB},
        0,
    ),  # L3729, L3781
    ("adapters", {"processors": 8}, {"adapters": 62}, 0),
    ("adapters", {"processors": 16}, {"adapters": 120}, 0),  # L3938
    (
        "dispatchers",
        {"channels": 150, "chidisps": 3, "maxchl": 150},
        {"first": 50, "last": 50, "in_use": 3},
        0,
    ),  # L3980
    ("dispatchers", {"channels": 1500, "chidisps": 5, "channel_initiators": 2}, {"dispatchers": 20, "more": 30}, 0),
    ("dispatchers", {"channels": 100, "chidisps": 10, "channel_initiators": 10}, {"threads": 130}, 0),  # L4024
    ("ssltasks", {"processors": 4, "chidisps": 5}, {"tasks": 6}, 0),  # L4569
    ("chstart", {"channels": 4000}, {"plain": 428, "seconds": 9.35}, 0.002),  # L4313-L4321
    ("chstart", {"channels": 4000, "channel_security": "sslciph"}, {"rate": 171}, 0.01),  # L4803
    (
        "client",
        {"clients": 9999, "messages_per_connect": 50, "middle_queue_managers": 1},
        {"us_each": 165.1, "direct_mb": 810.5, "middle_mb": 180 / 1024},
        0.001,
    ),  # L8097-L8155
    (
        "channel",
        {"message_bytes": 1000, "messages_per_second": 30, "batchint_ms": 2000, "persistent": False},
        {"reached": 50, "by_limit": 5120},
        0,
    ),  # L4247
    (
        "channel",
        {"message_bytes": 10 * KB, "messages_per_second": 20 / 60, "batchint_ms": 60_000},
        {"reached": 20, "us_each": 253.7},
        1e-3,
    ),  # L4267, L4940
    (
        "channel",
        {"message_bytes": 1000, "messages_per_second": 1, "messages_per_batch": 50},
        {"sent_log": 2450, "received_log": 2000},
        0.02,
    ),  # L797
    (
        "network",
        {
            "message_bytes": 32 * KB,
            "messages_per_second": 500,
            "compression": "ZLIBFAST",
            "compressible_pct": 40,
            "network_mbit_per_second": 1000,
        },
        {"plain": 15.625, "rate": 9.375, "used": 7.8643, "dispatcher_us": 12},
        1e-4,
    ),  # L3990
    (
        "cpu",
        {"message_bytes": 10 * KB, "messages_per_second": 1000, "processors": 3},
        {"us_each": 45.7, "sender": 22.85, "used": 0.0457},
        1e-3,
    ),  # L4894-L4904
    ("cpu", {"message_bytes": 10 * KB, "messages_per_second": 1000, "messages_per_batch": 50}, {"us_each": 28.1}, 1e-3),
    ("tls", {"channels": 4000}, {"seconds": 22.6, "start_cpu": 3.24, "negotiation_most": 7}, 2e-3),  # L4325-L4351
    ("tls", {"channels": 4000, "cipher": "ANY"}, {"starts": 168.6, "start_ms": 0.89}, 0),  # L4489
    (
        "encryption",
        {"log_mb_per_second_peak": 1024},
        {"active": 552_960, "archive": 315_392, "processors": 0.868},
        1e-3,
    ),
    (
        "encryption",
        {
            "log_mb_per_second_peak": 0,
            "pages_read_per_second": 0,
            "pages_written_now_per_second": 10_177,
            "pages_written_per_second": 0,
        },
        {"page_sets": 7124},
        1e-4,
    ),  # L5331-L5392
    (
        "zhyperwrite",
        {"pprc_mb_per_second": 40, "message_bytes": 16 * KB, "pprc_commit_us": 1000, "mstr_us_per_second": 100},
        {"rate": 80, "best": 96, "commit": 400, "mstr": 114},
        1e-9,
    ),  # L5550
    (
        "zhyperlink",
        {"log_ios_per_second": 13_567.3, "zhyperlink_response_ms": 0.115, "log_stripes": 4},
        {"all_links": 156, "link": 19.5, "own": 8, "page_us": 28, "sixteen_us": 105},
        1e-3,
    ),  # L6282, L6343
    ("uow", {"message_bytes": 1000, "messages_per_commit": 5}, {"logged": 11_500}, 1e-9),  # L2144
    (
        "response",
        {"get_us": 425, "put_us": 10, "commit_us": 7, "requests_per_second": 2216},
        {"bound": 2262, "reached": 98, "forces": 4},
        1e-3,
    ),  # L7853-L7857, L2131
    (
        "response",
        {
            "get_us": 1,
            "put_us": 1,
            "commit_us": 1,
            "requests_per_second": 1000,
            "request_bytes": 1024,
            "reply_bytes": 5120,
        },
        {"log_bytes": 9550, "log_rate": 9.11},
        0.01,
    ),  # L763-L774
    ("get", {"skipped_messages": 2500, "waiters": 10}, {"get": 500, "one_thread": 2000, "with_waiters": 510}, 1e-9),
    (
        "ims",
        {
            "busy_pct": 82.5,
            "processors": 3,
            "transactions_per_second": 2700,
            "wait_for_input_us": 41_191_904,
            "trace_seconds": 60,
            "ims_checkpoints": 6,
        },
        {"cost": 917, "occupied": 31.35, "checkpoint": 10, "commit_mode_1": 949},
        1e-3,
    ),  # L8598, L8459
    (
        "hardware",
        {
            "measured_us": 55,
            "measured_itr": 21.91,
            "measured_processors": 8,
            "target_itr": 24.97,
            "target_processors": 8,
        },
        {"cost": 48.3},
        1e-3,
    ),  # L8781-L8802
]


@pytest.mark.parametrize(("name", "given", "expected", "share"), FIGURES, ids=[figure[0] for figure in FIGURES])
def test_a_plan_gives_the_figures_worked_out_by_hand(
    name: str, given: dict[str, Any], expected: dict[str, Any], share: float
) -> None:
    values = worked(name, **given).values
    found = {step: values[step] for step in expected}
    assert found == {
        step: value if isinstance(value, str) else pytest.approx(value, rel=share or 1e-12)
        for step, value in expected.items()
    }


def test_every_plan_has_a_figure_worked_out_by_hand() -> None:
    assert {name for name, *_ in FIGURES} == set(PLANS)


def test_most_models_serve_a_plan() -> None:
    used = {model for plan in PLANS.values() for model in plan.models}
    assert used <= set(known_models())
    assert len(used) > 250


def test_watches_appear_when_they_hold() -> None:
    tight = worked("log", log_mb_per_second_peak=100.0, archive_mb_per_second=10.0, log_mb_per_second_max=120.0)
    said = " ".join(each.text for each in tight.watch)
    assert "above what the disks should be planned with" in said
    assert "Archiving a log takes longer" in said
    easy = worked("log", log_mb_per_second_peak=0.5, archive_mb_per_second=100.0, log_mb_per_second_max=120.0)
    assert "Archiving a log takes longer" not in " ".join(each.text for each in easy.watch)


def test_a_step_without_its_input_says_what_to_give() -> None:
    text = as_text(worked("log", message_bytes=1000, messages_per_second=10))
    assert "- Time to archive one log: give --archive-mb-per-second" in text
    assert "give --log-mb-per-second-max or --log-device" in text


def test_only_the_models_that_were_used_are_printed() -> None:
    private = worked("log", message_bytes=1000, messages_per_second=10)
    shared = worked("log", message_bytes=1000, messages_per_second=10, queue_shared=True)
    measured = worked("log", log_mb_per_second_peak=3)
    models = [{figure.step.name: figure.models for figure in each.figures} for each in (private, shared, measured)]
    assert models[0]["log_bytes"] == ("put_get_log_bytes",)
    assert models[1]["log_bytes"] == ("shared_put_committed_log_bytes", "shared_get_committed_log_bytes")
    assert models[0]["log_rate"] == ("log_mb_per_second",)
    assert models[2]["log_rate"] == ()


def test_earlier_sources_go_first_and_defaults_last() -> None:
    answer = work_out(
        PLANS["pageset"],
        Source("command line", {"message_bytes": 100.0}),
        Source("file w.yaml", {"message_bytes": 200.0, "messages_at_once": 5.0}),
        Source("measured", {"messages_at_once": 7.0, "used_pages": 3.0}),
    )
    assert [(each.input.name, each.value, each.origin) for each in answer.known] == [
        ("message_bytes", 100.0, "command line"),
        ("messages_at_once", 5.0, "file w.yaml"),
        ("maxshortmsgs_0", False, "default"),
        ("spare_fraction", 0, "default"),
        ("used_pages", 3.0, "measured"),
    ]


def test_a_group_that_was_given_keeps_out_the_other() -> None:
    assert not_asked(PLANS["log"], {"message_bytes"}) == set()
    assert not_asked(PLANS["log"], {"message_bytes", "messages_per_second"}) == {"log_mb_per_second_peak"}
    mine = {"message_bytes": 1000.0, "messages_per_second": 1.0}
    answer = work_out(PLANS["log"], Source("command line", mine), Source("measured", {"log_mb_per_second_peak": 77.0}))
    assert answer.values["log_rate"] == pytest.approx(2300 / MB)


def test_what_is_missing_is_told_with_meaning_and_unit() -> None:
    with pytest.raises(PlanError) as told_so:
        worked("restart")
    assert str(told_so.value) == "plan restart needs --log-dataset-mb (size of an active log, MB)"
    with pytest.raises(PlanError, match="--message-bytes and --messages-per-second, or --log-mb-per-second-peak"):
        worked("log", message_bytes=5)


def test_an_answer_that_does_not_exist_says_why() -> None:
    with pytest.raises(PlanError, match="plan progress has no answer: the two messages have the same address"):
        worked("progress", earlier_rba=4096.0, later_rba=4096.0, seconds_between=60.0, end_rba=0.0)


def test_bad_data_of_a_plan_is_found() -> None:
    step = Step("pages", "Pages", "pages_per_message(message_bytes) + nowhere", "pages")
    plan = Plan(
        name="bad",
        title="Bad",
        inputs=(need("message_bytes"), may("page_set_gb"), assume("compression", "GZIP")),
        steps=(step,),
        answer="size",
        words=("{pages} and {size}",),
        needs=(("message_bytes",),),
    )
    assert problems(plan) == [
        "step pages uses nowhere, which is no input or earlier step",
        "no step size",
        "words use size, which is not known",
        "input page_set_gb is not used",
        "input compression is not used",
        "needs message_bytes, which is no optional input",
        "compression: the default is no choice",
    ]


def test_formulas_are_those_of_the_models() -> None:
    assert formula_of("log_fill_seconds").as_text() == (
        "log_fill_seconds(log_mb, log_mb_per_second) = log_mb / log_mb_per_second"
    )
    assert formula_of("pages_per_message").as_text() == (
        "pages_per_message(message_bytes) = 1 + ceil(max(0, message_bytes - FIRST_PAGE_BYTES) / NEXT_PAGE_BYTES), where"
        " NEXT_PAGE_BYTES = 4048; FIRST_PAGE_BYTES = 3635"
    )
    nested = formula_of("put_get_log_bytes").as_text()
    assert "pages_per_message(message_bytes) = 1 + ceil(" in nested
    assert "header_bytes=300" in nested


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1, "pages", "1 page"),
        (1, "copies", "1 copy"),
        (1, "processes", "1 process"),
        (1, "us", "1 us"),
        (1, "messages/s", "1 messages/s"),
        (2.5, "MB/s", "2.5 MB/s"),
        (940, "release", "940"),
        (7200, "seconds", "7,200 seconds (2 hours)"),
        (150, "seconds", "150 seconds (2.5 minutes)"),
        (20_480, "MB", "20,480 MB (20 GB)"),
        (3_500_000, "us", "3,500,000 us (3.5 seconds)"),
        (True, "", "yes"),
        ("dual", "", "dual"),
    ],
)
def test_values_are_told_as_people_say_them(value: Any, unit: str, text: str) -> None:
    assert told(value, unit) == text
