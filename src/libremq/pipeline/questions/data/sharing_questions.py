"""Questions about queue sharing: structures, coupling facilities, duplexing, what members of a group cost."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import (
    CALLS,
    GETS,
    INITIATORS,
    LOG_PEAKS,
    STRUCTURE_CALLS,
    STRUCTURES,
)
from libremq.pipeline.questions.question import Figure, Question, Rows

_MEASURED_OPENS = "measured for 1 to 3 queue managers only"

QUESTIONS = (
    Question(
        id="how-many-structures",
        source="1/Q-43",
        lines="L2472-L2488",
        text="How many structures: one or several?",
        figures=(
            Figure("nonpersistent transaction over two structures", "two_structure_cpu_us(transaction_us)"),
            Figure("persistent transaction over two structures", "two_structure_cpu_us(transaction_us, 0.12)"),
            Figure(
                "nonpersistent rate over two structures",
                "two_structure_transactions_per_second(transactions_per_second_typical)",
            ),
        ),
        rules=(
            "structures-many",
            "structures-over-limit",
            "one-structure-for-both-persistences",
            "units-of-work-across-structures",
            "structure-queues-over-limit",
            "structure-mixes-deep-and-critical",
        ),
        rows=(STRUCTURES,),
        known=(
            "As few as possible; keep queues that may grow deep away from critical ones. Outside syncpoint it costs"
            " nothing.",
        ),
    ),
    Question(
        id="admin-structure-size",
        source="1/Q-44",
        lines="L2502-L2518",
        text="How large must CSQ_ADMIN be?",
        figures=(
            Figure("INITSIZE", "admin_structure_initsize_kb(cfcc_level)"),
            Figure("entries needed to start", "admin_entries_needed(qsg_queue_managers)"),
        ),
        rules=("admin-structure-small", "admin-structure-entries-short", "admin-structure-large-units"),
        rows=(
            Rows(
                "cf_structure",
                (
                    "entries_used_high = highest(entries_used_high)",
                    "elements_used_high = highest(elements_used_high)",
                    "structure_full_events",
                ),
                "highest(entries_used_high)",
                by=("qmgr", "cf_structure"),
                where="matches(cf_structure, '*CSQ_ADMIN')",
            ),
        ),
        known=(
            "Check ENTSMAX again after each upgrade of the coupling facility: it falls. The smallest structure holds"
            " units of work of about 40,000 messages.",
        ),
    ),
    Question(
        id="application-structure-size",
        source="1/Q-45",
        lines="L2520-L2546",
        text="How large must an application structure be?",
        figures=(
            Figure("messages of the outage", "outage_messages(puts_per_second_peak, outage_seconds)"),
            Figure(
                "INITSIZE",
                "structure_initsize_bytes_for_one_size(message_bytes_typical, outage_messages(puts_per_second_peak,"
                " outage_seconds), cfcc_level) / 1024",
                "KB",
            ),
            Figure(
                "SIZE",
                "structure_size_kb_max(structure_initsize_bytes_for_one_size(message_bytes_typical,"
                " outage_messages(puts_per_second_peak, outage_seconds), cfcc_level) / 1024)",
            ),
        ),
        rules=(
            "structure-too-small-for-outage",
            "structure-size-over-twice-initial",
            "structure-minsize-below-initial",
            "structure-needs-growth-for-cfcc",
        ),
        rows=(STRUCTURES,),
        known=("Add up queues of different lengths one by one; messages above 63 KB count 2 KB each.",),
    ),
    Question(
        id="messages-in-structure",
        source="1/Q-46",
        lines="L2563-L2626",
        text="How many messages does this structure hold?",
        figures=(
            Figure("elements of a message", "elements_per_message(message_bytes_typical)"),
            Figure(
                "by the sizing rule",
                "messages_by_sizing_rule(structure_initsize_kb * 1024, message_bytes_typical, cfcc_level)",
            ),
            Figure(
                "by its entries, 6 elements each",
                "messages_at_fixed_ratio(message_bytes_typical, structure_entries_max)",
            ),
            Figure(
                "before offloading begins", "messages_before_offload(structure_elements_max, message_bytes_typical)"
            ),
            Figure("with offloading at 80 %", "messages_with_offload(structure_elements_max, message_bytes_typical)"),
        ),
        rules=("structure-entries-high", "structure-elements-high", "structure-growing"),
        rows=(STRUCTURES,),
        known=("D XCF,STR tells how many entries and elements there are; SMF tells the most in use.",),
    ),
    Question(
        id="entries-or-elements-first",
        source="1/Q-47",
        lines="L2628-L2660",
        text="Which runs out first, entries or elements?",
        figures=(
            Figure("elements of a message", "elements_per_message(message_bytes_typical)"),
            Figure(
                "elements for each entry there are",
                "structure_elements_max / structure_entries_max",
                "elements",
            ),
            Figure(
                "first to run out",
                "scm_exhausted_first(structure_entries_used, structure_elements_used, structure_entries_max,"
                " structure_elements_max)",
            ),
            Figure(
                "elements that cannot be used", "unusable_elements(structure_elements_used, structure_entries_used)"
            ),
        ),
        rules=(
            "structure-elements-run-out-first",
            "structure-entries-run-out-first",
            "structure-entries-high",
            "structure-elements-high",
        ),
        rows=(STRUCTURES,),
        known=(
            "Structures begin with 6 elements an entry: messages up to 1164 bytes run out of entries, longer ones of"
            " elements.",
        ),
    ),
    Question(
        id="auto-alter-helps",
        source="1/Q-48",
        lines="L2670-L2692",
        text="Does automatic alter help?",
        figures=(
            Figure("elements of a message", "elements_per_message(message_bytes_typical)"),
            Figure("it helps most messages below", "element_poor_message_bytes()"),
        ),
        rules=(
            "structure-auto-alter-would-help",
            "structure-elements-run-out-first",
            "structure-entries-run-out-first",
            "structure-minsize-below-initial",
            "structure-shrunk-on-old-cf",
        ),
        rows=(STRUCTURES,),
        known=(
            "It helps where most messages are below that or above 63 KB. It takes minutes: what fills fast gives 2192"
            " first.",
        ),
    ),
    Question(
        id="duplex",
        source="1/Q-49",
        lines="L2770-L2867",
        text="Should structures be duplexed, and at what cost?",
        figures=(
            Figure("added to each update by distance", "duplex_distance_us(duplex_km)"),
            Figure("primary coupling facility", "duplexed_primary_cf_us(cf_us)"),
            Figure(
                "nonpersistent rate left, small messages",
                "duplexed_transactions_per_second(transactions_per_second_typical)",
            ),
            Figure("transaction, nonpersistent, at worst", "duplexed_cpu_us(transaction_us)"),
            Figure("transaction, persistent", "duplexed_cpu_us(transaction_us, 0.15)"),
        ),
        rules=("structure-duplexed-without-admin", "structure-duplex-distance", "structure-nonpersistent-duplexed"),
        rows=(STRUCTURE_CALLS,),
        known=(
            "The secondary does nearly as much work as the primary. Persistent messages come back from backup and log"
            " anyway; duplex where even that outage is too long, and CSQ_ADMIN with it.",
        ),
    ),
    Question(
        id="cf-short-of-processor",
        source="1/Q-50",
        lines="L2879-L2902",
        text="Is the coupling facility short of processor?",
        rules=(
            "cf-one-engine-busy",
            "cf-engines-busy",
            "cf-engines-shared",
            "structure-calls-asynchronous",
            "structure-calls-slower",
            "queue-cf-requests-asynchronous",
        ),
        rows=(
            STRUCTURE_CALLS,
            Rows(
                "cf_structure",
                ("qmgr", "interval_start", "cf_structure", "calls_per_second", "single_call_average_us"),
                "single_call_average_us",
            ),
        ),
        known=(
            "RMF tells how busy it is: above 30 % of one engine, or 60 % of several, add engines. In SMF calls grow"
            " slower: about 4 us when quiet, 10 us synchronous and 600 us asynchronous at 70 %.",
        ),
    ),
    Question(
        id="many-redrives",
        source="1/Q-51",
        lines="L2914-L2991",
        text="Why are so many coupling facility calls made again?",
        figures=(
            Figure("buffer after a message of this length", "get_buffer_bytes(message_bytes_typical)"),
            Figure("transaction with a call made again", "redriven_transaction_us(transaction_us)"),
        ),
        rules=("structure-redrives", "structure-common-key", "task-cf-retries"),
        rows=(
            Rows(
                "cf_structure",
                (
                    "single_calls",
                    "single_redrives",
                    "multiple_calls",
                    "multiple_redrives",
                    "redrive_pct = 100 * sum(redrives) / sum(calls)",
                ),
                "sum(redrives)",
                by=("qmgr", "cf_structure"),
            ),
        ),
        known=(
            "A message was longer than the buffer the last one left: lengths that lie on both sides of a multiple of"
            " 4 KB. Or many messages on a deep queue share one key.",
        ),
    ),
    Question(
        id="structure-full-at-low-depth",
        source="1/Q-52",
        lines="L2993-L3005",
        text="Why 2192 when few messages are live?",
        figures=(
            Figure(
                "got messages that still take space", "dead_message_mb_max(message_bytes_typical, qsg_queue_managers)"
            ),
            Figure(
                "structure for live and got messages",
                "structure_bytes_with_already_got(live_message_bytes, qsg_queue_managers, message_bytes_typical)"
                " / 1048576",
                "MB",
            ),
        ),
        rules=("structure-dead-messages", "dead-messages-do-not-fit", "structure-full"),
        rows=(STRUCTURES,),
        known=("Up to CFLEVEL 4 each member deletes messages it got in bulk, some 340 at a time; CFLEVEL 5 at once.",),
    ),
    Question(
        id="persistence-needed",
        source="1/Q-53",
        lines="L2108, L2869-L2877",
        text="Do I need persistence at all?",
        figures=(
            Figure("persistent part of the messages", "persistent_share", "fraction"),
            Figure("log of a persistent message", "put_get_log_bytes(message_bytes_typical)"),
        ),
        rules=("calls-persistence-questioned", "persistence-for-availability"),
        rows=(CALLS,),
        known=(
            "Nonpersistent messages on shared queues survive any queue manager and are lost only with their structure;"
            " duplexed, hardly ever. They cost no log.",
        ),
    ),
    Question(
        id="messages-lost-when",
        source="1/Q-61",
        lines="L2776-L2787, L2869-L2873",
        text="When does a queue-sharing group lose messages?",
        rules=("structure-cflevel-low", "structure-persistent-without-recover"),
        known=(
            "CSQ_ADMIN fails: queue managers stay up and build it anew from their logs; nothing is lost.",
            "A structure with CFLEVEL 1 or 2 fails: queue managers connected to it fail, its messages are lost.",
            "A structure with CFLEVEL 3 or more fails: nobody fails; persistent messages come back from backup and"
            " logs with RECOVER(YES), nonpersistent ones are lost.",
            "A duplexed structure loses one copy: nothing is lost.",
            "A queue manager stops: its private nonpersistent messages are lost, shared ones are not.",
        ),
    ),
    Question(
        id="which-cflevel",
        source="2/11",
        lines="L3524-L3540, L3586-L3606",
        text="Which CFLEVEL?",
        rules=(
            "structure-cflevel-low",
            "structure-persistent-without-recover",
            "structure-large-messages-without-offload",
            "structure-offload-tier-disabled",
            "structure-offload-with-tiny-messages",
        ),
        known=(
            "1 and 2: nonpersistent up to 63 KB. 3: persistent too, with RECOVER(YES). 4: up to 100 MB, by Db2. 5: as"
            " 4,"
            " with tiers of offloading and shared message data sets. A higher level costs nothing measurable.",
        ),
    ),
    Question(
        id="structure-layout",
        source="2/12",
        lines="L3554-L3606",
        text="Which layout of structures?",
        figures=(Figure("persistent transaction over two structures", "two_structure_cpu_us(transaction_us, 0.12)"),),
        rules=(
            "one-structure-for-both-persistences",
            "structures-many",
            "units-of-work-across-structures",
            "structure-duplexed-without-admin",
            "structure-nonpersistent-duplexed",
            "structure-queues-over-limit",
        ),
        rows=(STRUCTURES,),
        known=(
            "Two to begin with: one for nonpersistent messages, RECOVER(NO), not duplexed; one for persistent ones,"
            " RECOVER(YES). More for isolation, for limits of space, or above 512 queues; never for speed.",
        ),
    ),
    Question(
        id="idle-queue-managers",
        source="2/13",
        lines="L3573-L3584",
        text="Do idle queue managers of the group cost anything?",
        figures=(
            Figure(
                "rate left with idle members",
                "transactions_per_second_with_idle_members(transactions_per_second_typical)",
            ),
        ),
        rules=("ims-bridge-idle-members",),
        rows=(
            Rows(
                "queue_manager_interval",
                ("messages_put", "cf_calls", "mqi_calls"),
                "0 - sum(mqi_calls)",
                by=("qmgr",),
            ),
        ),
        known=("Less than 1 % of the rate and no processor time; only shared IMS bridge queues make idle ones work.",),
    ),
    Question(
        id="notify-delay",
        source="2/14",
        lines="L3543-L3550, L3624-L3646",
        text="Would KEYRNOTIFYDELAY help?",
        figures=(
            Figure("woken for nothing by a message", "wasted_notifications_per_message(interested_queue_managers)"),
        ),
        rules=("notifications-wasted", "queue-many-empty-gets"),
        rows=(GETS,),
        known=(
            "Yes, where messages come rarely and many queue managers wait for them, or load leans to some systems.",
        ),
    ),
    Question(
        id="another-queue-manager",
        source="2/15",
        lines="L3566-L3571",
        text="Is it time for another queue manager?",
        figures=(
            Figure(
                "log: peak against the most",
                "100 * log_mb_per_second_peak / log_mb_per_second_max",
                "percent",
            ),
        ),
        rules=(
            "log-add-queue-manager",
            "log-rate-at-limit",
            "log-writer-saturated",
            "chinit-storage-31-high",
            "chinit-scavenger-frequent",
            "chinit-channels-near-maximum",
            "chinit-channels-practical-ceiling",
            "queue-managers-over-limit",
        ),
        rows=(LOG_PEAKS, INITIATORS),
        known=(
            "Yes, when the log is at its limit or no more channels fit: persistent throughput is the sum of all logs.",
        ),
    ),
    Question(
        id="shared-opens-hurt",
        source="3/14",
        lines="L7269-L7415",
        text="Do opens of shared queues hurt?",
        figures=(
            Figure(
                "open for input", "shared_input_open_elapsed_us(interested_queue_managers)", otherwise=_MEASURED_OPENS
            ),
            Figure(
                "open for output", "shared_output_open_elapsed_us(interested_queue_managers)", otherwise=_MEASURED_OPENS
            ),
            Figure(
                "open for input, processor",
                "shared_input_open_cpu_us(interested_queue_managers)",
                otherwise=_MEASURED_OPENS,
            ),
            Figure(
                "open for output, processor",
                "shared_output_open_cpu_us(interested_queue_managers)",
                otherwise=_MEASURED_OPENS,
            ),
        ),
        rules=(
            "queue-open-close-churn",
            "calls-open-for-each-message",
            "queue-first-open-last-close",
            "queue-open-contention",
            "queue-cf-open-retries",
            "task-shared-open-latch",
            "helper-breaks-trigger-first",
        ),
        rows=(
            Rows(
                "queue_accounting",
                (
                    "open_calls",
                    "without_cf_pct = 100 * sum(opens_without_cf) / sum(open_calls)",
                    "open_us = sum(open_elapsed_us) / sum(open_calls)",
                    "open_cpu_us = sum(open_cpu_us) / sum(open_calls)",
                    "cf_requests_per_open = sum(open_cf_requests) / sum(open_calls)",
                ),
                "sum(open_elapsed_us)",
                by=("qmgr", "queue", "task_name"),
                where="shared",
            ),
        ),
        known=(
            "The first open and the last close on a queue manager go to the coupling facility. A program that keeps"
            " the queue open in the same way takes that from all others; with TRIGTYPE(FIRST) it may stop triggers.",
        ),
    ),
    Question(
        id="undefined-queues-opened",
        source="3/15",
        lines="L7229-L7257",
        text="Do applications open queues that do not exist?",
        figures=(
            Figure("such an open, at least", "undefined_open_us_min(open_us)"),
            Figure("such an open, at most", "undefined_open_us_max(open_us)"),
        ),
        rules=("db2-undefined-queue-opens", "task-db2-for-undefined-queues"),
        rows=(
            Rows(
                "task_accounting",
                ("db2_requests", "db2_us = sum(db2_thread_us) / sum(db2_requests)", "records = count()"),
                "sum(db2_requests)",
                by=("qmgr", "task_name"),
            ),
        ),
        known=(
            "In a group each open of an unknown name goes to Db2. Tasks with Db2 requests and no shared queue do it.",
        ),
    ),
    Question(
        id="cf-large-enough",
        source="3/16",
        lines="L7918-L7922",
        text="Is my coupling facility large enough?",
        figures=(
            Figure(
                "engines needed",
                "cf_engines_needed(persistent_messages_per_second_peak,"
                " cf_us_per_persistent_message(message_bytes_typical))",
            ),
            Figure(
                "rate of one engine",
                "messages_per_second_per_cf_engine(cf_us_per_persistent_message(message_bytes_typical))",
            ),
            Figure("time of a persistent message", "cf_us_per_persistent_message(message_bytes_typical)"),
        ),
        rules=("cf-too-small-for-rate", "cf-one-engine-busy", "cf-engines-busy", "cf-link-slow"),
        rows=(STRUCTURE_CALLS,),
        known=(
            "Engines up to 60 % busy, on fast links. What is measured on one machine carries over less than for"
            " private queues.",
        ),
    ),
    Question(
        id="shared-or-private",
        source="3/17",
        lines="L7902-L7905",
        text="What do shared queues cost against private ones?",
        figures=(
            Figure("shared, at least", "shared_persistent_us_min(private_us, message_bytes_typical)"),
            Figure("shared, at most", "shared_persistent_us_max(private_us, message_bytes_typical)"),
        ),
        rows=(
            Rows(
                "queue_accounting",
                (
                    "calls = sum(get_calls) + sum(put_calls)",
                    "get_cpu_us = sum(get_cpu_us) / sum(get_calls)",
                    "put_cpu_us = sum(put_cpu_us) / sum(put_calls)",
                    "get_us = sum(get_elapsed_us) / sum(get_calls)",
                    "put_us = sum(put_elapsed_us) / sum(put_calls)",
                ),
                "sum(get_calls) + sum(put_calls)",
                by=("qmgr", "shared"),
            ),
        ),
        known=(
            "For persistent messages; the wording of the source leaves a range. The coupling facility's own time comes"
            " on top.",
        ),
    ),
)
