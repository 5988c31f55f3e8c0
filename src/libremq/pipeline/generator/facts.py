"""What the people of the simulated site know of it and no record tells: `site.json`, to be given to the rules.

The format is that of `rules.site`. The values fit the estate and follow the advice of the performance guide, so that no
rule has anything to say about a site that is well; a sickness may change some of them for its queue manager.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from libremq.pipeline.generator.estate import (
    DEAD_LETTERS,
    LEDGER_INPUT,
    ORDERS_REPLY,
    ORDERS_REQUEST,
    SENDER,
    SERVER_CONNECTION,
    SHARED_EVENTS,
    SHARED_REPLY,
    STOCK_REQUEST,
    QueueManager,
)

Facts = dict[str, Any]

CIPHER: Final = "TLS_AES_256_GCM_SHA384"

_LOG: Final[Facts] = {
    "active_logs": 40,
    "log_dataset_mb": 4096,
    "log_copies_defined": 2,
    "bsds_copies": 2,
    "archive_copies": 2,
    "log_stripes": 1,
    "log_volumes": 80,
    "log_mb_per_second_max": 112,
    "log_read_rate_mb_per_second": 70,
    "log_mb_per_hour_typical": 2500,
    "log_bytes_per_message_typical": 4000,
    "log_writes_per_transaction_typical": 12,
    "archive_mb_per_second": 40,
    "archive_stripes": 1,
    "archive_primary_cylinders": 5825,
    "tape_mount_seconds": 30,
    "recall_space_mb": 50_000,
    "outbuff_kb": 4000,
    "logload": 4_000_000,
    "maxarch": 500,
    "maxumsgs": 10_000,
    "rba_bytes": 8,
    "dasd_write_mb_per_second_max": 400,
    "zhyperlink_cable_m": 20,
    "zhyperlink_links": 4,
    "zhyperlink_response_ms": 0.02,
    "zedc_busy_pct": 12,
    "csqj160i_count": 0,
    "csqw133e_count": 0,
    "redundant_dasd": True,
    "pav": True,
    "adjacent_logs_share_volume": False,
    "log_copies_same_unit": False,
    "logs_preformatted": True,
    "archive_extended_format": True,
    "archive_compression": False,
    "tape_compression": False,
    "mirrored": False,
    "zhpf": True,
    "zhyperlink_enabled": False,
    "zhyperwrite_enabled": False,
    "ordered_replication": False,
    "global_trace": False,
    "chinit_trace": False,
    "statistics_trace": True,
    "accounting_class_3": True,
    "archive_to": "tape",
    "smf_target": "logstream",
}

_RECOVERY: Final[Facts] = {
    "page_set_backup_hours": 4,
    "structure_backup_hours": 1,
    "structure_backup_mb_total": 120,
    "structure_backups_parallel": 1,
    "image_copies": 2,
    "restart_seconds_wanted": 2400,
    "recovery_seconds_wanted": 14_400,
    "reaction_seconds": 1200,
    "replay_seconds": 900,
    "recovery_mb": 10_000,
    "page_set_gb_largest": 1,
    "page_set_write_mb_per_second": 300,
    "indexed_messages": 4_500,
    "indexed_messages_deepest": 4_500,
    "indexed_queues": 1,
    "utility_messages": 5_000,
    "resetpage_force": False,
    "qindxbld": "NOWAIT",
}

_STORAGE: Final[Facts] = {
    "volume_ios_per_second_max": 3000,
    "objects_defined": 20_000,
    "users": 2_000,
    "queues_per_user": 4,
    "security_timeout_minutes": 54,
    "security_interval_minutes": 12,
    "connections": 120,
    "open_handles": 500,
    "csa_free_mb": 120,
    "cluster_configuration_mb": 1,
    "cluster_cache_mb_now": 8,
    "expryint_seconds": 300,
    "shared_messages": 22_000,
    "shared_messages_expired": 0,
    "reply_model_pool": 3,
    "syncq_pool": 1,
    "acctq_off_queues": 0,
    "real_storage_ample": True,
    "storage_constrained": False,
    "pools_isolated": False,
    "mixed_lifetimes": False,
    "maxshortmsgs_0": False,
    "capacity_matters": False,
    "page_set_redefined": False,
    "expiry_used": True,
    "cluster_cache": "DYNAMIC",
    "model_queue_stgclass": "TEMPDYN",
    "dead_letter_queue": DEAD_LETTERS,
}

_CHANNELS: Final[Facts] = {
    "sslrkeyc": 0,
    "chinit_region_mb": 1600,
    "channel_initiators": 1,
    "maxprocuser": 200,
    "channels_in_syncq": 60,
    "channel_restart_seconds_wanted": 300,
    "channel_messages_per_second_max": 3000,
    "csqx068i_per_day": 0,
    "csqx112e_count": 0,
    "sharecnv_typical": 1,
    "conversations_typical": 1,
    "large_message_channels": 0,
    "retransmitted_segments": 40,
    "sent_segments": 9_000_000,
    "memlimit_nolimit": False,
    "tls13_only": True,
    "crypto_hardware": True,
    "at_tls": True,
    "zos_to_zos": True,
    "network_chpids_shared": False,
    "tls_cipher_name": CIPHER,
    "compression": "NONE",
    "compression_hardware": True,
    "compressible_pct": 20,
    "network": "near",
    "monchl": "LOW",
    "npmspeed": "FAST",
    "order_across_persistence": False,
}

_WORKLOAD: Final[Facts] = {
    "environment": "production",
    "machine": "z16",
    "processors": 4,
    "lpar_busy_pct": 55,
    "cost_ms_per_second": 900,
    "persistent_share": 0.6,
    "message_bytes_typical": 1500,
    "message_bytes_longest": 64_000,
    "transactions_per_second_typical": 100,
    "transaction_us": 2_500,
    "calls_per_transaction": 4,
    "queues_per_transaction": 2,
    "response_critical": True,
    "frequent_connects": False,
    "lla_libraries": True,
    "lla_freeze": True,
    "units_across_structures": False,
    "db2_large_messages": False,
    "db2_lob_pool_dedicated": True,
    "ims_bridge_shared_queues": 0,
    "ims_regions_idle": True,
}

_STRUCTURES: Final[Mapping[str, Facts]] = {
    "CSQ_ADMIN": {
        "structure_initsize_kb": 30_000,
        "structure_size_kb": 60_000,
        "structure_queues": 0,
        "puts_per_second_peak": 0,
    },
    "APPL1": {"structure_initsize_kb": 600_000, "structure_size_kb": 1_200_000, "structure_queues": 2},
    "CSQSYSAPPL": {"structure_initsize_kb": 100_000, "structure_size_kb": 200_000, "structure_queues": 8},
}

_EVERY_STRUCTURE: Final[Facts] = {
    "structure_initsize_kb_before": 10_000,
    "cflevel": 5,
    "cfcc_level": 25,
    "cfcc_level_before": 24,
    "puts_per_second_peak": 500,
    "put_mb_per_second": 1,
    "outage_seconds": 60,
    "live_message_bytes": 40_000_000,
    "interested_queue_managers": 2,
    "duplex_km": 0,
    "scm_max_mb": 0,
    "scm_delayed_faults": 0,
    "scm_requests": 1_000_000,
    "scm_read_mb": 0,
    "scm_written_mb": 0,
    "lob_partition_kb_defined": 0,
    "messages_max": 40_000,
    "allow_auto_alter": True,
    "recover": True,
    "duplexed": False,
    "admin_duplexed": False,
    "offload_tier_3_disabled": False,
    "gets_in_priority_order": True,
    "structure_mixes_deep_and_critical": False,
    "structure_shrink_planned": False,
    "key_notify_delay": True,
    "persistent_allowed": True,
    "offload": "SMDS",
}

_FACILITY: Final[Facts] = {
    "name": "CF01",
    "scm_max_mb_total": 0,
    "scm_assigned_mb": 0,
    "cf_engines": 2,
    "cf_busy_pct": 22,
    "cf_free_mb": 20_000,
    "persistent_messages_per_second_peak": 500,
    "cf_engines_shared": False,
    "cf_link": "ICP",
}

_CONTROL_UNIT: Final[Facts] = {
    "name": "CU01",
    "zhyperlink_sessions": 8,
    "cache_bypass_writes_per_second": 0,
    "control_unit_ios_per_second": 9_000,
    "channel_paths": 8,
}

_BUSINESS: Final[Facts] = {
    "log_write_time_us": 300,
    "forces_per_transaction": 1,
    "group_size": 0,
    "same_key_messages": 1,
    "get_wait_seconds": 30,
    "waiters": 4,
    "getter_importance": 2,
    "putter_importance": 2,
    "strict_order": False,
    "common_key": False,
    "get_in_syncpoint": True,
    "selector_used": False,
    "hold_open_helper": False,
    "persistence_for_availability": False,
    "client_puts": True,
    "client_gets_only": False,
    "read_ahead": False,
    "trigger_type": "NONE",
    "conversion": "NONE",
    "put_response": "ASYNC",
}

_IMS: Final[Facts] = {
    "name": "IMS1",
    "trace_seconds": 900,
    "ims_checkpoints": 1,
    "ims_regions": 8,
    "ims_buffer_waits": 0,
    "qbuf": 40,
    "parlim": 0,
    "bridge_queue_depth_high": 3,
    "requesters": 20,
    "commit_mode": 1,
    "wfi": True,
    "schdtyp": "PARALLEL",
    "inquiry": "YES,NORECOV",
    "sqqmname": "IGNORE",
    "reply_index": "CORRELID",
    "persistent_allowed": False,
    "queue_shared": False,
}

_ROLES: Final = {0: "system", 1: "long", 2: "short", 3: "other"}


def site_facts(owners: Sequence[QueueManager], changes: Iterable[tuple[str, Mapping[str, Any]]] = ()) -> Facts:
    """The facts of a site of these queue managers; `changes` are facts of single queue managers that differ."""
    own = {owner.name: _queue_manager(owner, owners) for owner in owners}
    for name, values in changes:
        own[name].update(values)
    return {
        "site": {**_LOG, **_RECOVERY, **_STORAGE, **_CHANNELS, **_WORKLOAD},
        "queue_managers": own,
        "objects": {
            "pool": _pools(owners[0]),
            "page_set": _page_sets(owners[0]),
            "structure": _structures(owners),
            "channel": [facts for owner in owners for facts in _channels(owner)],
            "queue": [{"name": ORDERS_REPLY, "indexed": True}],
            "cf": [dict(_FACILITY)],
            "control_unit": [dict(_CONTROL_UNIT)],
            "application": _applications(owners),
            "ims": [dict(_IMS)],
            "ims_region": [{"name": "MPP1", "trace_seconds": 900, "wait_for_input_us": 500_000_000}],
        },
    }


def _queue_manager(owner: QueueManager, owners: Sequence[QueueManager]) -> Facts:
    initiator = owner.initiator
    members = sum(1 for each in owners if each.sharing_group == owner.sharing_group) if owner.sharing_group else 0
    return {
        "chiadaps": initiator.adapters,
        "chidisps": initiator.dispatchers,
        "ssltasks": initiator.tls_tasks,
        "chinit_memlimit_mb": initiator.storage_limit_mb,
        "client_channels": sum(1 for each in owner.channels if each.kind == SERVER_CONNECTION),
        "tls_channels": sum(1 for each in owner.channels if each.tls),
        "qsg_queue_managers": members,
        "application_structures": sum(1 for each in owner.structures if each.messages),
    }


def _pools(owner: QueueManager) -> list[Facts]:
    return [
        {
            "name": str(pool.number),
            "pool_role": _ROLES[pool.number],
            "pool_page_sets": sum(1 for each in owner.page_sets if each.pool == pool.number),
        }
        for pool in owner.pools
    ]


def _page_sets(owner: QueueManager) -> list[Facts]:
    listed = []
    for each in owner.page_sets:
        queues = [queue for queue in owner.queues if queue.page_set == each.number]
        listed.append(
            {
                "name": str(each.number),
                "pool_page_sets": sum(1 for other in owner.page_sets if other.pool == each.pool),
                "page_set_gb": each.pages * 4096 / 2**30,
                "messages_max": sum(queue.depth for queue in queues),
                "queue_depth_highest": max((queue.depth for queue in queues), default=0),
                "message_bytes_typical": max((queue.message_bytes for queue in queues), default=1),
            }
        )
    return listed


def _structures(owners: Sequence[QueueManager]) -> list[Facts]:
    sharing = next((owner for owner in owners if owner.structures), None)
    if sharing is None:
        return []
    members = sum(1 for owner in owners if owner.structures)
    return [
        {
            "name": each.name,
            "structure_entries_max": each.entries,
            "structure_elements_max": 6 * each.entries,
            "structure_minsize_kb": _STRUCTURES[each.name]["structure_initsize_kb"],
            "qsg_queue_managers": members,
            **_EVERY_STRUCTURE,
            **_STRUCTURES[each.name],
        }
        for each in sharing.structures
    ]


def _channels(owner: QueueManager) -> Iterable[Facts]:
    for channel in {each.name: each for each in owner.channels}.values():
        facts: Facts = {"qmgr": owner.name, "name": channel.name, "heartbeat_seconds": 300, "disconnect_seconds": 6000}
        if channel.kind == SERVER_CONNECTION:
            facts |= {
                "sharecnv": 1,
                "client_features_needed": True,
                "client_multithreaded": False,
                "three_tier": False,
                "messages_per_connect": 5_000,
                "persistent_allowed": False,
            }
        else:
            facts |= {
                "channel_scenario": "bulk",
                "batchsz": channel.batch_size,
                "batchsz_partner": channel.batch_size,
                "maxumsgs_partner": 10_000,
                "batchint_ms": 0,
                "persistent_allowed": True,
            }
        if channel.kind == SENDER:
            facts |= {"starts_per_day": 4}
        yield facts


def _applications(owners: Sequence[QueueManager]) -> list[Facts]:
    """One entry per kind of work, the same on every queue manager."""
    works = {
        "ORDERS": (ORDERS_REQUEST, 2),
        "LEDGER": (LEDGER_INPUT, 40),
        "STOCK": (STOCK_REQUEST, 2),
        "EVENTS": (SHARED_EVENTS, 5),
        "REPLIES": (SHARED_REPLY, 5),
    }
    queues = {queue.name: queue for owner in owners for queue in owner.queues}
    return [
        {
            "name": name,
            **_BUSINESS,
            "message_bytes_typical": queues[queue].message_bytes,
            "messages_per_second_peak": round(queues[queue].messages_per_second),
            "messages_per_commit": each_commit,
            "queue_depth_highest": queues[queue].depth,
            "persistent_allowed": queues[queue].persistent,
            "queue_shared": queues[queue].shared,
        }
        for name, (queue, each_commit) in works.items()
        if queue in queues
    ]
