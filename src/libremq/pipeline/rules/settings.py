"""Facts that rules use and no SMF record carries, each with its kind, unit and meaning.

A site gives what it knows (see `site`); a rule that needs a fact nobody gave is reported as not evaluated. Facts may be
settings of the queue manager, definitions, figures of other monitors (RMF, NETSTAT, console messages), or what the
people of the site want.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SITE_SUBJECTS: dict[str, str | None] = {
    "site": None,
    "site_structure": "structure",
    "site_channel": "channel",
    "site_page_set": "page_set",
    "site_cf": "cf",
    "site_control_unit": "control_unit",
    "site_application": "application",
    "site_ims": "ims",
    "site_ims_region": "ims_region",
}
"""Subjects whose rows come from the site's facts alone: the kind of object, or none for one row per queue manager."""

OBJECT_KINDS = (
    "pool",
    "page_set",
    "structure",
    "channel",
    "queue",
    "cf",
    "control_unit",
    "application",
    "ims",
    "ims_region",
)
"""What the site's facts may describe besides queue managers."""


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    kind: Literal["number", "flag", "word"]
    unit: str
    meaning: str


def _numbers(*entries: tuple[str, str, str]) -> list[Setting]:
    return [Setting(name, "number", unit, meaning) for name, unit, meaning in entries]


def _flags(*entries: tuple[str, str]) -> list[Setting]:
    return [Setting(name, "flag", "", meaning) for name, meaning in entries]


def _words(*entries: tuple[str, str, str]) -> list[Setting]:
    return [Setting(name, "word", choices, meaning) for name, choices, meaning in entries]


_LOG = (
    *_numbers(
        ("active_logs", "data sets", "active logs in the ring, one copy"),
        ("log_dataset_mb", "MB", "size of an active log"),
        ("log_copies_defined", "copies", "active log copies"),
        ("bsds_copies", "copies", "bootstrap data sets"),
        ("archive_copies", "copies", "archive log copies"),
        ("log_stripes", "stripes", "stripes of an active log; 1 is unstriped"),
        ("log_volumes", "volumes", "volumes that hold the active logs"),
        ("log_mb_per_second_max", "MB/s", "most the log devices take"),
        ("log_read_rate_mb_per_second", "MB/s", "speed at which recovery reads the log"),
        ("log_mb_per_hour_typical", "MB/h", "usual log rate"),
        ("log_bytes_per_message_typical", "bytes", "log data of one message"),
        ("log_writes_per_transaction_typical", "log writes", "log records of one transaction"),
        ("log_write_time_us", "us", "time of one log write"),
        ("archive_mb_per_second", "MB/s", "speed of archiving"),
        ("archive_stripes", "stripes", "stripes of an archive log"),
        ("archive_primary_cylinders", "cylinders", "primary quantity of an archive (PRIQTY)"),
        ("tape_mount_seconds", "seconds", "time to mount a tape; 0 without tape"),
        ("recall_space_mb", "MB", "disk free for recalled archives"),
        ("outbuff_kb", "KB", "OUTBUFF"),
        ("logload", "log records", "LOGLOAD"),
        ("maxarch", "archives", "MAXARCH"),
        ("maxumsgs", "messages", "MAXUMSGS"),
        ("rba_bytes", "bytes", "length of log addresses, 6 or 8"),
        ("dasd_write_mb_per_second_max", "MB/s", "most the storage takes in writes"),
        ("zhyperlink_cable_m", "m", "length of the zHyperLink cable"),
        ("zhyperlink_links", "paths", "zHyperLink paths (PFIDs) in use"),
        ("zhyperlink_response_ms", "ms", "mean time of a synchronous write, from RMF"),
        ("zhyperlink_sessions", "sessions", "zHyperLink write sessions wanted on the control unit"),
        ("zedc_busy_pct", "percent", "use of the compression hardware, from RMF"),
        ("cache_bypass_writes_per_second", "writes/s", "writes that bypassed the cache (DFWBP), from RMF"),
        ("control_unit_ios_per_second", "I/Os/s", "I/O rate of the control unit, from RMF"),
        ("channel_paths", "paths", "channel paths to the control unit"),
        ("csqj160i_count", "messages", "CSQJ160I seen: units of work beyond the active logs"),
        ("csqw133e_count", "messages", "CSQW133E seen: SMF data lost"),
    ),
    *_flags(
        ("redundant_dasd", "disks survive a failure, as RAID does"),
        ("pav", "volumes have parallel access (PAV)"),
        ("adjacent_logs_share_volume", "neighbours in the log ring share a volume"),
        ("log_copies_same_unit", "both log copies are on one physical unit"),
        ("logs_preformatted", "new logs are formatted before use"),
        ("archive_extended_format", "archives are extended format data sets"),
        ("archive_compression", "archives are to be compressed by zEDC"),
        ("tape_compression", "archive tapes are compressed by the drive"),
        ("mirrored", "log volumes are mirrored (PPRC)"),
        ("zhpf", "zHPF is on"),
        ("zhyperlink_enabled", "ZHYLINK(YES)"),
        ("zhyperwrite_enabled", "ZHYWRITE(YES)"),
        ("ordered_replication", "data is replicated over several ordered channels"),
        ("global_trace", "global trace is on"),
        ("chinit_trace", "channel initiator trace is on"),
        ("statistics_trace", "statistics trace is on"),
        ("accounting_class_3", "accounting class 3 is on"),
    ),
    *_words(
        ("archive_to", "tape, dasd", "where archives go"),
        ("smf_target", "dataset, logstream, compressed", "where SMF writes"),
    ),
)

_RECOVERY = (
    *_numbers(
        ("page_set_backup_hours", "hours", "time between page set backups"),
        ("structure_backup_hours", "hours", "time between structure backups"),
        ("structure_backup_mb_total", "MB", "log written by one round of structure backups"),
        ("structure_backups_parallel", "backups", "structure backups at one time"),
        ("image_copies", "copies", "image copies of a page set"),
        ("restart_seconds_wanted", "seconds", "longest restart that is acceptable"),
        ("recovery_seconds_wanted", "seconds", "longest recovery from loss that is acceptable"),
        ("reaction_seconds", "seconds", "time until recovery begins"),
        ("replay_seconds", "seconds", "time to replay the log since the backup"),
        ("recovery_mb", "MB", "log that a recovery reads"),
        ("page_set_gb_largest", "GB", "largest page set"),
        ("page_set_write_mb_per_second", "MB/s", "speed of deferred writes"),
        ("indexed_messages", "messages", "messages on indexed private queues"),
        ("indexed_messages_deepest", "messages", "messages on the deepest of them"),
        ("indexed_queues", "queues", "indexed private queues"),
        ("utility_messages", "messages", "messages one utility job handles"),
    ),
    *_flags(("resetpage_force", "RESETPAGE FORCE is used")),
    *_words(("qindxbld", "WAIT, NOWAIT", "QINDXBLD")),
)

_STORAGE = (
    *_numbers(
        ("pool_page_sets", "page sets", "page sets that use the pool"),
        ("volume_ios_per_second_max", "I/Os/s", "most a volume takes"),
        ("objects_defined", "objects", "objects of the queue manager"),
        ("page_set_gb", "GB", "size of the page set"),
        ("messages_max", "messages", "most messages expected at once"),
        ("queue_depth_highest", "messages", "most messages on the queue or queues"),
        ("users", "users", "users known to the queue manager at once"),
        ("queues_per_user", "queues", "queues a user opens"),
        ("security_timeout_minutes", "minutes", "security timeout"),
        ("security_interval_minutes", "minutes", "security interval"),
        ("connections", "connections", "connections at once"),
        ("open_handles", "handles", "open handles at once"),
        ("csa_free_mb", "MB", "common storage free"),
        ("cluster_configuration_mb", "MB", "size of the cluster's configuration"),
        ("cluster_cache_mb_now", "MB", "cluster cache as allocated, one copy"),
        ("expryint_seconds", "seconds", "EXPRYINT"),
        ("shared_messages", "messages", "messages on shared queues"),
        ("shared_messages_expired", "messages", "of these, expired at each scan"),
        ("reply_model_pool", "pool", "pool of SYSTEM.COMMAND.REPLY.MODEL"),
        ("syncq_pool", "pool", "pool of SYSTEM.CHANNEL.SYNCQ"),
        ("acctq_off_queues", "queues", "queues with ACCTQ other than QMGR"),
    ),
    *_flags(
        ("real_storage_ample", "real storage is ample"),
        ("storage_constrained", "storage of the queue manager is short"),
        ("pools_isolated", "more pools are wanted for isolation or class of service"),
        ("mixed_lifetimes", "the page set holds short- and long-lived messages"),
        ("maxshortmsgs_0", "MAXSHORTMSGS is 0: small messages are packed"),
        ("capacity_matters", "capacity matters more than throughput"),
        ("page_set_redefined", "the page set was defined anew, without a backup"),
        ("expiry_used", "messages with expiry are put"),
        ("indexed", "the queue has an index"),
    ),
    *_words(
        ("pool_role", "system, short, long, other", "what the buffer pool is for"),
        ("cluster_cache", "STATIC, DYNAMIC", "CLCACHE"),
        ("model_queue_stgclass", "name", "storage class of model queues"),
        ("dead_letter_queue", "name", "dead-letter queue"),
    ),
)

_SHARING = (
    *_numbers(
        ("qsg_queue_managers", "queue managers", "members of the queue-sharing group"),
        ("application_structures", "structures", "application structures"),
        ("structure_entries_max", "entries", "entries of the structure (ENTSMAX)"),
        ("structure_elements_max", "elements", "elements of the structure"),
        ("structure_size_kb", "KB", "SIZE of the structure"),
        ("structure_initsize_kb", "KB", "INITSIZE of the structure"),
        ("structure_initsize_kb_before", "KB", "INITSIZE before the CF upgrade"),
        ("structure_minsize_kb", "KB", "MINSIZE of the structure"),
        ("structure_queues", "queues", "queues of the structure"),
        ("cflevel", "level", "CFLEVEL of the structure"),
        ("cfcc_level", "level", "level of the coupling facility's code"),
        ("cfcc_level_before", "level", "level before the upgrade"),
        ("puts_per_second_peak", "messages/s", "puts to the structure's queues at the peak"),
        ("put_mb_per_second", "MB/s", "data put to the structure"),
        ("outage_seconds", "seconds", "longest outage of the consumers to bridge"),
        ("live_message_bytes", "bytes", "messages not yet got at the peak"),
        ("interested_queue_managers", "queue managers", "queue managers with the queues open for input"),
        ("duplex_km", "km", "distance of the duplexed coupling facilities"),
        ("scm_max_mb", "MB", "SCMMAXSIZE of the structure; 0 without"),
        ("scm_max_mb_total", "MB", "SCMMAXSIZE of all structures of the coupling facility"),
        ("scm_assigned_mb", "MB", "storage class memory of the coupling facility"),
        ("scm_delayed_faults", "faults", "delayed faults, from RMF"),
        ("scm_requests", "requests", "requests to the structure in the same time"),
        ("scm_read_mb", "MB", "read from storage class memory, from RMF"),
        ("scm_written_mb", "MB", "written to it, from RMF"),
        ("cf_engines", "engines", "engines of the coupling facility"),
        ("cf_busy_pct", "percent", "use of the coupling facility, from RMF"),
        ("cf_free_mb", "MB", "free storage of the coupling facility"),
        ("persistent_messages_per_second_peak", "messages/s", "persistent shared messages at the peak"),
        ("lob_partition_kb_defined", "KB", "size of one Db2 partition of large messages"),
        ("ims_bridge_shared_queues", "queues", "shared IMS bridge queues"),
    ),
    *_flags(
        ("allow_auto_alter", "ALLOWAUTOALT(YES)"),
        ("recover", "RECOVER(YES)"),
        ("duplexed", "the structure is duplexed"),
        ("admin_duplexed", "CSQ_ADMIN is duplexed"),
        ("offload_tier_3_disabled", "the third offload rule is off (64K)"),
        ("gets_in_priority_order", "messages are got in order of priority and arrival"),
        ("structure_mixes_deep_and_critical", "critical queues share the structure with ones that may grow deep"),
        ("structure_shrink_planned", "the structure is to be made smaller"),
        ("key_notify_delay", "KEYRNOTIFYDELAY is set"),
        ("units_across_structures", "units of work touch several structures"),
        ("cf_engines_shared", "engines are shared"),
        ("response_critical", "response time is critical"),
        ("db2_large_messages", "large messages go to Db2"),
        ("db2_lob_pool_dedicated", "Db2 has a 32K pool for them alone"),
    ),
    *_words(
        ("offload", "SMDS, DB2, NONE", "where large messages of the structure go"),
        ("cf_link", "ICP, CS5, CL5, PSIFB, CFP, ISC-3", "links to the coupling facility"),
    ),
)

_CHANNELS = (
    *_numbers(
        ("chiadaps", "tasks", "CHIADAPS"),
        ("chidisps", "tasks", "CHIDISPS"),
        ("ssltasks", "tasks", "SSLTASKS"),
        ("sslrkeyc", "bytes", "SSLRKEYC"),
        ("chinit_region_mb", "MB", "31-bit storage of the channel initiator, used and free"),
        ("chinit_memlimit_mb", "MB", "MEMLIMIT of the channel initiator"),
        ("channel_initiators", "address spaces", "channel initiators under one user"),
        ("maxprocuser", "processes", "MAXPROCUSER"),
        ("channels_in_syncq", "channels", "channels ever started and still defined"),
        ("client_channels", "channels", "client channels at once"),
        ("tls_channels", "channels", "channels with TLS"),
        ("channel_restart_seconds_wanted", "seconds", "longest restart of all channels that is acceptable"),
        ("channel_messages_per_second_max", "messages/s", "most one channel moves here"),
        ("csqx068i_per_day", "messages", "CSQX068I a day: storage scavenged"),
        ("csqx112e_count", "messages", "CSQX112E seen: dispatcher failed"),
        ("sharecnv", "conversations", "SHARECNV of the channel"),
        ("sharecnv_typical", "conversations", "SHARECNV of most client channels"),
        ("conversations_typical", "conversations", "conversations in use on a client channel"),
        ("batchsz", "messages", "BATCHSZ"),
        ("batchsz_partner", "messages", "BATCHSZ at the other end"),
        ("maxumsgs_partner", "messages", "MAXUMSGS at the other end"),
        ("batchint_ms", "ms", "BATCHINT"),
        ("heartbeat_seconds", "seconds", "HBINT"),
        ("disconnect_seconds", "seconds", "DISCINT"),
        ("compressible_pct", "percent", "how much messages shrink"),
        ("starts_per_day", "starts", "channel starts a day"),
        ("messages_per_connect", "messages", "messages a client handles in one connection"),
        ("large_message_channels", "channels", "channels that may send very large messages at once"),
        ("retransmitted_segments", "segments", "TCP segments sent again, from NETSTAT"),
        ("sent_segments", "segments", "TCP segments sent, from NETSTAT"),
    ),
    *_flags(
        ("memlimit_nolimit", "MEMLIMIT is NOLIMIT"),
        ("tls13_only", "all TLS channels use TLS 1.3"),
        ("crypto_hardware", "there is a crypto card"),
        ("at_tls", "AT-TLS protects the channels"),
        ("zos_to_zos", "both ends are z/OS"),
        ("order_across_persistence", "applications need order over both persistences"),
        ("compression_hardware", "there is compression hardware"),
        ("client_features_needed", "clients use read-ahead, asynchronous consumption or heartbeats"),
        ("client_multithreaded", "clients have many threads"),
        ("three_tier", "clients come by another queue manager"),
        ("network_chpids_shared", "network adapters are shared between systems"),
    ),
    *_words(
        ("npmspeed", "FAST, NORMAL", "NPMSPEED"),
        ("channel_scenario", "request, bulk, trickle", "what the channel is for"),
        ("compression", "NONE, ZLIBFAST, ZLIBHIGH", "COMPMSG"),
        ("network", "near, slow, far", "the line: fast and near, of low bandwidth, or of high latency"),
        ("monchl", "OFF, LOW, MEDIUM, HIGH", "MONCHL"),
        ("tls_cipher_name", "name", "SSLCIPH"),
    ),
)

_WORKLOAD = (
    *_numbers(
        ("processors", "processors", "processors of the LPAR"),
        ("lpar_busy_pct", "percent", "use of the LPAR, from RMF"),
        ("cost_ms_per_second", "ms/s", "processor time of the planned work"),
        ("persistent_share", "fraction", "persistent work as part of the load"),
        ("message_bytes_typical", "bytes", "usual message"),
        ("message_bytes_longest", "bytes", "longest message"),
        ("messages_per_second_peak", "messages/s", "messages of the application at the peak"),
        ("messages_per_commit", "messages", "messages in a unit of work"),
        ("forces_per_transaction", "log forces", "log waits of one transaction"),
        ("transactions_per_second_typical", "transactions/s", "usual rate"),
        ("transaction_us", "us", "processor time of a transaction"),
        ("calls_per_transaction", "calls", "MQ calls of a transaction, commit included"),
        ("queues_per_transaction", "queues", "queues a transaction uses"),
        ("group_size", "messages", "messages in a group"),
        ("same_key_messages", "messages", "messages with one key at once"),
        ("get_wait_seconds", "seconds", "wait interval of gets"),
        ("waiters", "getters", "getters that wait on one queue"),
        ("getter_importance", "importance", "WLM importance of those who get; 1 is highest"),
        ("putter_importance", "importance", "WLM importance of those who put"),
    ),
    *_flags(
        ("persistent_allowed", "persistent messages may come"),
        ("queue_shared", "the queue is shared"),
        ("strict_order", "messages must be handled in order of arrival"),
        ("common_key", "many messages share one key"),
        ("get_in_syncpoint", "gets wait inside a unit of work"),
        ("selector_used", "messages are selected by properties"),
        ("hold_open_helper", "a program keeps the queue open"),
        ("persistence_for_availability", "messages are persistent only to survive a queue manager"),
        ("client_puts", "clients put"),
        ("client_gets_only", "clients get in one direction only"),
        ("read_ahead", "DEFREADA is on"),
        ("frequent_connects", "programs connect often"),
        ("lla_libraries", "MQ's libraries are in LLA's LIBRARIES list"),
        ("lla_freeze", "MQ's libraries are in LLA's FREEZE list"),
    ),
    *_words(
        ("environment", "production, test", "what the queue manager is for"),
        ("machine", "z13, z14, z15, z16", "processor generation"),
        ("trigger_type", "FIRST, EVERY, DEPTH, NONE", "TRIGTYPE"),
        ("conversion", "NONE, SBCS, DBCS", "code page conversion at the get"),
        ("put_response", "SYNC, ASYNC", "put response of clients"),
    ),
)

_IMS = (
    *_numbers(
        ("wait_for_input_us", "us", "time the region waited for input, from the IMS monitor"),
        ("trace_seconds", "seconds", "time the IMS monitor ran"),
        ("ims_checkpoints", "checkpoints", "IMS checkpoints in that time"),
        ("ims_regions", "regions", "message regions"),
        ("ims_buffer_waits", "waits", "waits because no queue buffer was free"),
        ("qbuf", "buffers", "QBUF"),
        ("parlim", "limit", "PARLIM"),
        ("bridge_queue_depth_high", "messages", "HIQDEPTH of the bridge queue"),
        ("requesters", "requesters", "requesters at once"),
        ("commit_mode", "mode", "commit mode, 0 or 1"),
    ),
    *_flags(
        ("ims_regions_idle", "message regions have idle time"),
        ("wfi", "WFI is on"),
    ),
    *_words(
        ("schdtyp", "PARALLEL, SERIAL", "SCHDTYP"),
        ("inquiry", "as defined", "INQUIRY"),
        ("sqqmname", "USE, IGNORE", "SQQMNAME"),
        ("reply_index", "NONE, MSGID, CORRELID", "INDXTYPE of the reply queue"),
    ),
)

SETTINGS: dict[str, Setting] = {
    setting.name: setting for setting in (*_LOG, *_RECOVERY, *_STORAGE, *_SHARING, *_CHANNELS, *_WORKLOAD, *_IMS)
}
"""Every fact a rule may ask for, by name."""
