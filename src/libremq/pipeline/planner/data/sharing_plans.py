"""Plans for queue-sharing groups: structures, their processors, data sets, Db2, storage class memory."""

from __future__ import annotations

from libremq.pipeline.planner.plan import Margin, Plan, Step, Watch
from libremq.pipeline.planner.plan_inputs import assume, may, need

PLANS = (
    Plan(
        name="cfstruct",
        title="Application structure: INITSIZE and SIZE for the messages it must hold",
        inputs=(
            need("message_bytes"),
            may("messages_at_once"),
            may("messages_per_second"),
            may("outage_seconds"),
            assume("message_groups", False),
            assume("cfcc_level", 25),
            assume("cflevel", 5),
            assume("qsg_queue_managers", 2),
            may("structure_mb"),
            may("structure_elements"),
        ),
        needs=(("messages_at_once",), ("messages_per_second", "outage_seconds")),
        steps=(
            Step(
                "messages",
                "Messages to hold: as given, or what comes while nobody gets",
                "either(messages_at_once, outage_messages(messages_per_second, outage_seconds))",
                "messages",
            ),
            Step(
                "bytes_each",
                "Storage of a message in the structure",
                "structure_bytes_per_message(message_bytes, 72 if message_groups else 0)",
                "bytes",
            ),
            Step(
                "initsize_bytes",
                "INITSIZE",
                "structure_initsize_bytes(messages * bytes_each if message_bytes <= 64512 else 0,"
                " messages if message_bytes > 64512 else 0, cfcc_level)",
                "bytes",
            ),
            Step("initsize", "INITSIZE as CFRM takes it", "ceil(initsize_bytes / 1024)", "KB"),
            Step("size", "SIZE", "structure_size_kb_max(initsize)", "KB"),
            Step("elements", "Elements of a message", "elements_per_message(message_bytes)", "elements"),
            Step(
                "with_got",
                "Usable storage if messages that were got are still there (CFLEVEL 4 and lower)",
                "structure_bytes_with_already_got(messages * bytes_each, qsg_queue_managers, message_bytes)"
                " if cflevel <= 4 else messages * bytes_each",
                "bytes",
            ),
            Step(
                "capacity",
                "Messages that the structure you have holds, by the same rule",
                "messages_by_sizing_rule(1048576 * structure_mb, message_bytes, cfcc_level)",
                "messages",
            ),
            Step(
                "whole",
                "Messages held whole before offloading starts at 80 percent",
                "messages_before_offload(structure_elements, message_bytes)",
                "messages",
            ),
            Step(
                "offloaded",
                "Messages held with offloading",
                "messages_with_offload(structure_elements, message_bytes)",
                "messages",
            ),
        ),
        answer="initsize",
        words=(
            "Define INITSIZE as {initsize}, MINSIZE the same and SIZE as {size}: it holds {messages} of"
            " {message_bytes}.",
            "The structure you have holds about {capacity}.",
        ),
        margin=Margin(
            "32 percent are in INITSIZE already, for the ratio of elements and the facility's own needs; SIZE is twice"
            " INITSIZE and no more.",
            "R-CF-03, R-CF-05",
            "L2494-L2500, L2539-L2550",
        ),
        watch=(
            Watch(
                "The rule read backward promises 5 to 12 percent more than was measured for 2 KB and more.",
                "R-CF-07 L2588-L2596",
                "known(capacity) and message_bytes >= 2048",
            ),
            Watch("Structures below 16 MB need much more than 32 percent.", "R-CF-05 L2546", "initsize < 16384"),
            Watch(
                "Messages over 63 KB go to SMDS or Db2: see libremq plan smds.", "R-14 L3209", "message_bytes > 64512"
            ),
            Watch(
                "Messages that were got may fill the structure at CFLEVEL 4: plan {with_got} of usable storage.",
                "R-01 L2997-L3005",
                "cflevel <= 4",
            ),
            Watch(
                "Mostly small or offloaded messages: ALLOWAUTOALT(YES) holds more in the same size.",
                "R-CF-09 L2688",
                "message_bytes < 908 or message_bytes > 64512",
            ),
        ),
        example="--message-bytes 4k --messages-per-second 500 --outage-seconds 600",
    ),
    Plan(
        name="cfadmin",
        title="CSQ_ADMIN: size for the members of the group",
        inputs=(need("qsg_queue_managers"), assume("cfcc_level", 25), may("structure_entries_max")),
        steps=(
            Step("initsize", "INITSIZE, good for seven members", "admin_structure_initsize_kb(cfcc_level)", "KB"),
            Step("size", "SIZE", "structure_size_kb_max(initsize)", "KB"),
            Step(
                "entries",
                "Entries (ENTSMAX) that all members need to start",
                "admin_entries_needed(qsg_queue_managers)",
                "entries",
            ),
            Step(
                "each",
                "Entries for each of them, by ENTSMAX",
                "admin_entries_per_queue_manager(structure_entries_max, qsg_queue_managers)",
                "entries",
            ),
        ),
        answer="initsize",
        words=(
            "Define CSQ_ADMIN with an INITSIZE of {initsize} and a SIZE of {size}, and see that ENTSMAX is"
            " {entries} or more.",
        ),
        margin=Margin(
            "The size serves seven queue managers; for more the source states none: go by ENTSMAX.",
            "R-CF-04",
            "L2506-L2508",
        ),
        watch=(
            Watch(
                "More than seven members: check ENTSMAX after the structure is allocated.",
                "R-CF-04 L2506-L2508",
                "qsg_queue_managers > 7",
            ),
            Watch("Check again at each new level of the coupling facility: entries get fewer.", "R-CF-04 L2508"),
        ),
        example="--qsg-queue-managers 5",
    ),
    Plan(
        name="cfcpu",
        title="Coupling facility: engines for the messages, and what duplexing costs",
        inputs=(
            need("messages_per_second"),
            assume("message_bytes", 1000),
            may("cf_us_per_message"),
            may("duplex_km"),
            may("transactions_per_second"),
            may("transaction_us"),
            may("cf_us"),
            may("same_key_messages"),
        ),
        steps=(
            Step(
                "us_each",
                "CF time of a persistent message: as given, or as measured over ICP links",
                "either(cf_us_per_message, cf_us_per_persistent_message(message_bytes))",
                "us",
            ),
            Step(
                "engines",
                "Engines that stay below 60 percent",
                "cf_engines_needed(messages_per_second, us_each)",
                "engines",
            ),
            Step(
                "per_engine",
                "Messages that one engine takes",
                "messages_per_second_per_cf_engine(us_each)",
                "messages/s",
            ),
            Step("busy", "How busy one engine would be", "messages_per_second * us_each / 10000", "percent"),
            Step(
                "distance_us", "Duplexing: what the distance adds to a request", "duplex_distance_us(duplex_km)", "us"
            ),
            Step(
                "duplex_primary",
                "Duplexing: CF time of an update on the primary",
                "duplexed_primary_cf_us(cf_us)",
                "us",
            ),
            Step(
                "duplex_rate",
                "Duplexing: transactions that are left",
                "duplexed_transactions_per_second(transactions_per_second)",
                "transactions/s",
            ),
            Step("duplex_cpu", "Duplexing: cost of a transaction", "duplexed_cpu_us(transaction_us)", "us"),
            Step(
                "redrives",
                "Further calls of a get with so many messages of its key",
                "common_key_redrives(same_key_messages)",
                "calls",
            ),
        ),
        answer="engines",
        words=(
            "{engines} are needed; one takes {per_engine} and would be {busy} busy with all.",
            "Duplexed over {duplex_km}, each request waits {distance_us} more.",
        ),
        margin=Margin(
            "Several engines stay below 60 percent, a single one below 30.", "R-SQ-7, R-CF-13", "L2894, L7113"
        ),
        watch=(
            Watch("A single engine over 30 percent: add one.", "R-CF-13 L2894", "busy > 30 and engines <= 1"),
            Watch(
                "Fewer than 50 messages of one key are best; with many, each get is driven again.",
                "R-SQ-1 L7160-L7170",
                "same_key_messages > 50",
            ),
            Watch(
                "Shared queues are harder to foresee than private ones: links and conversion to asynchronous requests"
                " decide.",
                "R-CF-18 L2462-L2468",
            ),
        ),
        example="--messages-per-second 30k --message-bytes 1000",
    ),
    Plan(
        name="smds",
        title="Shared message data sets: DSBLOCK, DSBUFS, storage, and what stays in the structure",
        inputs=(
            need("message_bytes"),
            assume("dsblock_kb", 256),
            assume("dsbufs", 100),
            may("lowest_free_buffers"),
            assume("application_structures", 1),
            may("messages_at_once"),
            may("messages_per_second"),
        ),
        steps=(
            Step(
                "preferred",
                "Smallest DSBLOCK that takes the message well",
                "dsblock_bytes_preferred(message_bytes) / 1024",
                "KB",
            ),
            Step(
                "buffers_each",
                "Buffers of a message",
                "smds_buffers_per_message(message_bytes, 1024 * dsblock_kb)",
                "buffers",
            ),
            Step(
                "overlap",
                "Buffers of a request read or written at once",
                "smds_overlapped_buffers_max(1024 * dsblock_kb)",
                "buffers",
            ),
            Step(
                "block_class",
                "Class: one buffer (A), one overlapped set (B), several sets (C)",
                "smds_block_class(message_bytes, 1024 * dsblock_kb)",
                "",
            ),
            Step(
                "sets",
                "Sets of I/O, one after another",
                "smds_serial_io_sets(message_bytes, 1024 * dsblock_kb)",
                "sets",
            ),
            Step(
                "buffers",
                "DSBUFS that would have met the need",
                "dsbufs_needed(dsbufs, lowest_free_buffers)",
                "buffers",
            ),
            Step(
                "storage",
                "Storage above the bar, each queue manager",
                "smds_buffer_mb(either(buffers, dsbufs), 1024 * dsblock_kb, application_structures)",
                "MB",
            ),
            Step(
                "data_gb",
                "Data of the messages in the data sets",
                "messages_at_once * smds_pages_per_message(message_bytes) * 4096 / 1073741824",
                "GB",
            ),
            Step("cf_mb", "What they leave in the structure", "offloaded_cf_mb(messages_at_once)", "MB"),
            Step("cf_elements", "Elements of it", "offloaded_cf_elements(messages_at_once)", "elements"),
            Step("cpu_each", "Processor time of a persistent message", "smds_cpu_us_per_message(message_bytes)", "us"),
            Step("db2_each", "The same with Db2", "db2_cpu_us_per_message(message_bytes)", "us"),
            Step(
                "saved",
                "Processors saved over Db2",
                "messages_per_second * smds_saving_cpu_us_per_message(message_bytes) / 1000000",
                "processors",
            ),
        ),
        answer="storage",
        words=(
            "DSBLOCK of {dsblock_kb} puts the message in class {block_class}, {buffers_each}; {preferred} is"
            " the smallest that"
            " suits. The buffers take {storage}.",
            "{messages_at_once} take {data_gb} in the data sets and {cf_mb} in the structure.",
        ),
        watch=(
            Watch(
                "Messages take several sets of I/O one after another: a larger DSBLOCK.", "R-06 L3121-L3125", "sets > 1"
            ),
            Watch("Buffers were short: raise DSBUFS to {buffers}.", "R-03 L3033", "lowest_free_buffers < 0"),
            Watch("Thousands of buffers cost more than they bring.", "R-07 L5431", "either(buffers, dsbufs) >= 1000"),
            Watch("Messages of up to 122 bytes stay in the structure.", "R-08 L3156", "message_bytes <= 122"),
        ),
        example="--message-bytes 100k --messages-at-once 10k --messages-per-second 100",
    ),
    Plan(
        name="db2lob",
        title="Large shared messages in Db2: table space and partitions",
        inputs=(
            need("message_bytes"),
            need("messages_at_once"),
            assume("lob_partitions", 4),
            assume("cloned_systems", 2),
            may("messages_per_second"),
        ),
        steps=(
            Step("pages_each", "Pages of a message", "lob_pages_per_message(message_bytes)", "pages of 32 KB"),
            Step("space", "Table space", "lob_space_kb(message_bytes, messages_at_once)", "KB"),
            Step("partition", "Each partition", "lob_partition_kb(space, lob_partitions)", "KB"),
            Step(
                "segments", "Rows that Db2 splits a message into", "lob_segments_per_message(message_bytes)", "segments"
            ),
            Step(
                "shared_pct", "Messages got on another system than put", "data_sharing_pct(cloned_systems)", "percent"
            ),
            Step("cpu_each", "Processor time of a persistent message", "db2_cpu_us_per_message(message_bytes)", "us"),
            Step("cf_each", "CF time of a persistent message", "db2_cf_us_per_message(message_bytes)", "us"),
            Step("processors", "Processors of the load", "messages_per_second * cpu_each / 1000000", "processors"),
            Step(
                "saved",
                "Processors that SMDS would save",
                "messages_per_second * smds_saving_cpu_us_per_message(message_bytes) / 1000000",
                "processors",
            ),
        ),
        answer="partition",
        words=("Each of {lob_partitions} needs {partition}; the table space holds {space}, {pages_each} a message.",),
        margin=Margin(
            "Each partition has 10 percent more than its share, for chance in how messages spread.",
            "R-11",
            "L3194-L3196",
        ),
        watch=(
            Watch("Over 63 KB, SMDS is cheaper than Db2.", "R-14 L3209, L3540"),
            Watch(
                "More than one row a message: throughput falls at each further 511 KB.",
                "R-12 L3244-L3247",
                "segments > 1",
            ),
        ),
        example="--message-bytes 100k --messages-at-once 10k",
    ),
    Plan(
        name="scm",
        title="Storage class memory behind a structure: messages it holds, and what it needs",
        inputs=(
            need("scm_mb"),
            need("message_bytes"),
            may("cf_free_mb"),
            may("scm_max_mb_total"),
            may("scm_assigned_mb"),
            may("put_mb_per_second"),
            may("get_mb_per_second"),
        ),
        steps=(
            Step("elements", "Elements of a message", "elements_per_message(message_bytes)", "elements"),
            Step("bytes_each", "Storage class memory of a message", "scm_bytes_per_message(elements)", "bytes"),
            Step("messages", "Messages that fit", "scm_messages_max(1048576 * scm_mb, elements)", "messages"),
            Step("augmented", "CF storage that it may take for itself", "scm_augmented_mb_max(scm_mb)", "MB"),
            Step(
                "missing", "CF storage that is missing for it", "scm_augmented_missing_mb(augmented, cf_free_mb)", "MB"
            ),
            Step(
                "over",
                "More than the facility was given",
                "scm_overcommitted_mb(scm_max_mb_total, scm_assigned_mb)",
                "MB",
            ),
            Step(
                "write_max",
                "Speed of one task that puts, unfelt",
                "scm_write_mb_per_second_max(message_bytes / 1024)",
                "MB/s",
            ),
            Step(
                "read_max",
                "Speed of one task that gets in order",
                "scm_read_mb_per_second_max(message_bytes / 1024)",
                "MB/s",
            ),
            Step(
                "keeps_up",
                "Does it keep up with puts and gets",
                "scm_keeps_up(put_mb_per_second, get_mb_per_second, message_bytes / 1024)",
                "",
            ),
        ),
        answer="messages",
        words=(
            "{scm_mb} hold {messages} of {message_bytes}, and may take {augmented} of the coupling facility.",
            "It keeps up with puts and gets: {keeps_up}.",
        ),
        watch=(
            Watch("{missing} of CF storage is missing.", "R-22 L3412, L3481", "missing > 0"),
            Watch(
                "Structures may ask for {over} more than there is: puts may fail with 2192.", "R-21 L3424", "over > 0"
            ),
            Watch(
                "Only for messages got in order of priority and arrival: others are fetched late.", "R-25 L3449, L3466"
            ),
        ),
        example="--scm-mb 1T --message-bytes 62k --cf-free-mb 100G",
    ),
)
