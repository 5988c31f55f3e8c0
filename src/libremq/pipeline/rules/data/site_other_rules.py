"""Rules about facts of the site: storage, security, queues and applications, utilities, IMS bridge, machine."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="security-cache-large", subject="site", severity="info", derived=True,
        when="value > threshold", value="security_cache_kb(users, queues_per_user) / 1024", threshold=1024,
        advice="{users:,.0f} users of {queues_per_user:.0f} queues each keep about {value:,.0f} MB of 64-bit storage"
        " for their authorities; it is only returned when the queue manager ends.",
        fact="R-VST-01", lines="L2317-L2323, L2389-L2392",
        fires={"users": 100000, "queues_per_user": 50}, quiet={"users": 100, "queues_per_user": 5},
    ),
    Rule(
        id="security-users-discarded-early", subject="site", severity="info", derived=True,
        when="value < threshold", value="security_timeout_minutes", threshold="security_interval_minutes",
        advice="Users time out after {value:.0f} minutes while the sweep runs every {threshold:.0f}. They stay up to"
        " {user_discard_minutes_max(value, threshold):.0f} minutes.",
        fact="R-VST-02", lines="L2284-L2298",
        fires={"security_timeout_minutes": 5, "security_interval_minutes": 12},
        quiet={"security_timeout_minutes": 54, "security_interval_minutes": 12},
    ),
    Rule(
        id="csa-high", subject="site", severity="warning", derived=True,
        when="value > threshold", value="csa_kb(connections) / 1024", threshold="0.8 * csa_free_mb",
        advice="{connections:,.0f} connections take about {value:,.0f} MB of common storage, of {csa_free_mb:,.0f} MB"
        " free. SHARECNV(1) doubles it for clients.",
        fact="R-VST-03", lines="L2362-L2373",
        fires={"connections": 100000, "csa_free_mb": 200}, quiet={"connections": 1000, "csa_free_mb": 200},
    ),
    Rule(
        id="handle-storage-high", subject="site", severity="info", derived=True,
        when="value > threshold", value="handle_storage_kb(open_handles) / 1024", threshold=200,
        advice="{open_handles:,.0f} open handles take about {value:,.0f} MB. A channel may hold 30 queues open.",
        fact="R-VST-04", lines="L2414-L2418",
        fires={"open_handles": 80000}, quiet={"open_handles": 2000},
    ),
    Rule(
        id="sharing-group-storage", subject="site", severity="info", derived=True,
        when="qsg_queue_managers > 0 and value > threshold",
        value="sharing_group_private_kb(application_structures, structure_backups_parallel) / 1024", threshold=200,
        advice="Membership in the queue-sharing group takes about {value:,.0f} MB of private storage, backups of"
        " structures included (65 MB each).",
        fact="R-VST-06", lines="L2431-L2437",
        fires={"qsg_queue_managers": 3, "application_structures": 20, "structure_backups_parallel": 4},
        quiet={"qsg_queue_managers": 3, "application_structures": 3, "structure_backups_parallel": 1},
    ),
    Rule(
        id="cluster-cache-static-full", subject="site", severity="warning",
        when="cluster_cache == 'STATIC' and value > threshold", value="cluster_cache_mb(cluster_configuration_mb)",
        threshold="2 * cluster_cache_mb_now",
        advice="The cluster cache is static and its contents have grown to need {value:.0f} MB. It only grows at a"
        " restart; use a dynamic one.",
        fact="R-VST-07, F-CLU-01", lines="L2439-L2443", derived=True,
        fires={"cluster_cache": "STATIC", "cluster_configuration_mb": 20, "cluster_cache_mb_now": 2},
        quiet={"cluster_cache": "STATIC", "cluster_configuration_mb": 1, "cluster_cache_mb_now": 2},
    ),
    Rule(
        id="class-3-storage", subject="site", severity="info", derived=True,
        when="accounting_class_3 and value > threshold", value="class_3_storage_kb(connections) / 1024", threshold=200,
        advice="Class 3 accounting keeps 4 to 8 KB for each of {connections:,.0f} connections, about {value:,.0f} MB.",
        fact="R-VST-09", lines="L1995",
        fires={"accounting_class_3": True, "connections": 100000},
        quiet={"accounting_class_3": True, "connections": 1000},
    ),
    Rule(
        id="reply-model-beside-sync-queue", subject="site", severity="warning",
        when="reply_model_pool == syncq_pool",
        advice="SYSTEM.COMMAND.REPLY.MODEL and SYSTEM.CHANNEL.SYNCQ share pool {reply_model_pool:.0f}. A large"
        " command reply can then slow all channels a hundredfold; separate them.",
        fact="R-BP-11", lines="L6832, L6864-L6876",
        fires={"reply_model_pool": 0, "syncq_pool": 0}, quiet={"reply_model_pool": 3, "syncq_pool": 0},
    ),
    Rule(
        id="model-queues-in-system-storage-class", subject="site", severity="warning",
        when="model_queue_stgclass == 'SYSTEM'",
        advice="Model queues use storage class SYSTEM, so dynamic queues fill the pool of the object definitions.",
        fact="R-BP-02, P-21", lines="L1047",
        fires={"model_queue_stgclass": "SYSTEM"}, quiet={"model_queue_stgclass": "TEMP"},
    ),
    Rule(
        id="getters-run-behind-putters", subject="site_application", severity="warning",
        when="getter_importance > putter_importance",
        advice="Those who get from {object} run at importance {getter_importance:.0f}, those who put at"
        " {putter_importance:.0f} (lower is better). Getters should run at least as well, or the queue grows into"
        " page set I/O.",
        fact="R-BP-12", lines="L7754",
        fires={"getter_importance": 3, "putter_importance": 1}, quiet={"getter_importance": 1, "putter_importance": 3},
    ),
    Rule(
        id="strict-order-single-consumer", subject="site_application", severity="warning",
        when="strict_order and value > threshold", value="messages_per_second_peak",
        threshold="log_bound_transactions_per_second(forces_per_transaction, log_write_time_us / 1000000)",
        derived=True,
        advice="{object} needs strict order, so one consumer only, and {value:,.0f} messages a second arrive. With"
        " {forces_per_transaction:.0f} log waits of {log_write_time_us:,.0f} us each it does {threshold:,.0f} at most.",
        fact="R-LF-04, R-APP-4", lines="L2137-L2138, L7149-L7152",
        fires={
            "strict_order": True, "messages_per_second_peak": 5000, "forces_per_transaction": 2,
            "log_write_time_us": 200,
        },
        quiet={
            "strict_order": True, "messages_per_second_peak": 500, "forces_per_transaction": 2,
            "log_write_time_us": 200,
        },
    ),
    Rule(
        id="units-of-work-over-100", subject="site_application", severity="warning",
        when="value > threshold", value="messages_per_commit", threshold=100,
        advice="{object} commits every {value:,.0f} messages. Past {threshold:.0f} puts cost grows faster than the"
        " number; 200 is the usual limit.",
        fact="R-UOW-01, R-UOW-1", lines="L1863, L7142-L7143",
        fires={"messages_per_commit": 500}, quiet={"messages_per_commit": 10},
    ),
    Rule(
        id="units-of-work-with-common-key", subject="site_application", severity="warning",
        when="common_key and value > threshold", value="messages_per_commit", threshold=1000,
        advice="{object} puts {value:,.0f} messages with one key a unit of work; gets from an indexed queue get"
        " dearer past {threshold:,.0f}.",
        fact="R-UOW-2", lines="L7126",
        fires={"common_key": True, "messages_per_commit": 5000},
        quiet={"common_key": False, "messages_per_commit": 5000},
    ),
    Rule(
        id="units-of-work-uncommitted-scan", subject="site_application", severity="info", derived=True,
        when="value > threshold", value="stepping_over_uncommitted_us(messages_per_commit) / 1000", threshold=10,
        advice="A get from the queue of {object} may have to step over {messages_per_commit:,.0f} uncommitted"
        " messages: {value:.0f} ms each time.",
        fact="R-UOW-4", lines="L7127",
        fires={"messages_per_commit": 100000}, quiet={"messages_per_commit": 100},
    ),
    Rule(
        id="unit-of-work-near-maxumsgs", subject="site_application", severity="warning",
        when="value > threshold", value="messages_per_commit", threshold="0.8 * maxumsgs", derived=True,
        advice="{object} has {value:,.0f} messages a unit of work, near MAXUMSGS {maxumsgs:,.0f}, where calls fail.",
        fact="R-UOW-3, F-UR-05", lines="L2510, L7118",
        fires={"messages_per_commit": 9500, "maxumsgs": 10000}, quiet={"messages_per_commit": 50, "maxumsgs": 10000},
    ),
    Rule(
        id="small-messages-single", subject="site_application", severity="info", derived=True,
        when="message_bytes_typical < 5000 and messages_per_second_peak > 100 and messages_per_commit == 1",
        advice="{object} commits each small message ({message_bytes_typical:,.0f} bytes). Five a unit of work log as"
        " much as one of 10 KB, with one wait instead of five; gathering to about 30 KB is better still.",
        fact="R-LV-08, R-APP-1, R-UOW-1", lines="L2140-L2144, L7142-L7144",
        fires={"message_bytes_typical": 1000, "messages_per_second_peak": 1000, "messages_per_commit": 1},
        quiet={"message_bytes_typical": 1000, "messages_per_second_peak": 1000, "messages_per_commit": 10},
    ),
    Rule(
        id="groups-of-small-messages", subject="site_application", severity="info", derived=True,
        when="group_size > 100 and value < threshold", value="message_bytes_typical", threshold=16384,
        advice="{object} uses groups of {group_size:,.0f} messages of {value:,.0f} bytes. Few large ones are far"
        " faster (5 MB as 5 x 1 MB: 11.5 a second; as 5000 x 1 KB: 0.3).",
        fact="R-GRP-1", lines="L7957-L7980",
        fires={"group_size": 5000, "message_bytes_typical": 1024},
        quiet={"group_size": 5, "message_bytes_typical": 1048576},
    ),
    Rule(
        id="groups-of-one-on-shared-queue", subject="site_application", severity="info",
        when="group_size == 1 and queue_shared",
        advice="{object} gets by group identifier with groups of one on a shared queue. Use the correlation or"
        " message identifier.",
        fact="R-GRP-2", lines="L7423, L7439-L7441",
        fires={"group_size": 1, "queue_shared": True}, quiet={"group_size": 1, "queue_shared": False},
    ),
    Rule(
        id="waits-inside-syncpoint", subject="site_application", severity="warning", derived=True,
        when="get_in_syncpoint and value > threshold", value="get_wait_seconds", threshold=300,
        advice="{object} waits up to {value:,.0f} s for a message inside a unit of work, which can then span log data"
        " sets and lengthen a restart.",
        fact="R-PS-09", lines="L912",
        fires={"get_in_syncpoint": True, "get_wait_seconds": 3600},
        quiet={"get_in_syncpoint": True, "get_wait_seconds": 30},
    ),
    Rule(
        id="trigger-every-at-high-rate", subject="site_application", severity="warning", derived=True,
        when="trigger_type == 'EVERY' and value > threshold", value="messages_per_second_peak", threshold=10,
        advice="{object} is triggered for every message at {value:,.0f} a second. Let long-running programs drain the"
        " queue.",
        fact="R-TRG-1, F-TRG-1", lines="L8018-L8028",
        fires={"trigger_type": "EVERY", "messages_per_second_peak": 500},
        quiet={"trigger_type": "FIRST", "messages_per_second_peak": 500},
    ),
    Rule(
        id="many-waiters", subject="site_application", severity="info", derived=True,
        when="value > threshold", value="waiters", threshold=20,
        advice="{value:.0f} getters wait on the queue of {object}. Each message wakes them all, about 1 us each, and"
        " one wins.",
        fact="R-WAIT-1", lines="L8000-L8002",
        fires={"waiters": 200}, quiet={"waiters": 5},
    ),
    Rule(
        id="conversion-at-get", subject="site_application", severity="info",
        when="conversion in ('SBCS', 'DBCS')",
        advice="{object} converts code pages at the get ({conversion}): about one more get for single-byte, four for"
        " double-byte text.",
        fact="R-CNV-1", lines="L8008-L8010",
        fires={"conversion": "DBCS"}, quiet={"conversion": "NONE"},
    ),
    Rule(
        id="selectors-on-deep-queue", subject="site_application", severity="warning", derived=True,
        when="selector_used and value > threshold", value="queue_depth_highest", threshold=1000,
        advice="{object} selects by properties on a queue of up to {value:,.0f} messages: at most"
        " {gets_per_second_max(selecting_get_us(value)):,.0f} gets a second for a thread, and more threads may make"
        " it worse.",
        fact="R-SEL-1, R-SEL-4, R-GETMAX-1", lines="L7494-L7498, L7582-L7584, L7634",
        fires={"selector_used": True, "queue_depth_highest": 50000},
        quiet={"selector_used": True, "queue_depth_highest": 10},
    ),
    Rule(
        id="common-key-many", subject="site_application", severity="warning",
        when="queue_shared and value > threshold", value="same_key_messages", threshold=50,
        advice="Up to {value:,.0f} messages with one key on the shared queue of {object}. Past {threshold:.0f} each"
        " get is driven again ({common_key_redrives(value):.0f} times here); past 6,000 it costs nine times as much.",
        fact="R-SQ-1, R-SQ-2", lines="L7160-L7193",
        fires={"queue_shared": True, "same_key_messages": 6000}, quiet={"queue_shared": True, "same_key_messages": 10},
    ),
    Rule(
        id="helper-breaks-trigger-first", subject="site_application", severity="warning",
        when="hold_open_helper and trigger_type == 'FIRST'",
        advice="A program keeps the queue of {object} open, which can stop TRIGTYPE(FIRST) from firing.",
        fact="R-SQ-4, F-OPEN-5", lines="L7411-L7415",
        fires={"hold_open_helper": True, "trigger_type": "FIRST"},
        quiet={"hold_open_helper": True, "trigger_type": "EVERY"},
    ),
    Rule(
        id="persistence-for-availability", subject="site_application", severity="info",
        when="persistent_allowed and not queue_shared and persistence_for_availability",
        advice="{object} is persistent only so that messages survive a queue manager. Nonpersistent messages on"
        " shared queues do that with less processor time and more throughput.",
        fact="R-CF-19, R-LF-05", lines="L2108, L2869-L2877",
        fires={"persistent_allowed": True, "queue_shared": False, "persistence_for_availability": True},
        quiet={"persistent_allowed": True, "queue_shared": False, "persistence_for_availability": False},
    ),
    Rule(
        id="client-put-synchronous", subject="site_application", severity="info",
        when="client_puts and put_response == 'SYNC' and not persistent_allowed",
        advice="Clients of {object} put nonpersistent messages and wait for each answer. Asynchronous put took 18 to"
        " 55 % off the cost.",
        fact="F-QA-2", lines="L7694-L7698",
        fires={"client_puts": True, "put_response": "SYNC", "persistent_allowed": False},
        quiet={"client_puts": True, "put_response": "ASYNC", "persistent_allowed": False},
    ),
    Rule(
        id="client-read-ahead-off", subject="site_application", severity="info",
        when="client_gets_only and not read_ahead and not persistent_allowed",
        advice="Clients of {object} only get nonpersistent messages. Read-ahead gave up to four times the rate and 12"
        " to 55 % less cost; it does nothing for request and reply.",
        fact="F-QA-3", lines="L7700-L7704",
        fires={"client_gets_only": True, "read_ahead": False, "persistent_allowed": False},
        quiet={"client_gets_only": True, "read_ahead": True, "persistent_allowed": False},
    ),
    Rule(
        id="connects-without-lla", subject="site", severity="info",
        when="frequent_connects and not (lla_libraries and lla_freeze)",
        advice="Programs connect often and MQ's libraries are not both in LLA's LIBRARIES and FREEZE lists: 17"
        " connects a second without, 65 with the first, 300 with both.",
        fact="R-LLA-1, T-6", lines="L7076-L7088, L7102",
        fires={"frequent_connects": True, "lla_libraries": True, "lla_freeze": False},
        quiet={"frequent_connects": True, "lla_libraries": True, "lla_freeze": True},
    ),
    Rule(
        id="utility-job-too-large", subject="site", severity="info", derived=True,
        when="value > threshold", value="utility_messages", threshold="maxumsgs",
        advice="COPY, EMPTY or LOAD of {value:,.0f} messages commits {utility_commits(value, maxumsgs):,.0f} times on"
        " the way; repeated after a failure it may double messages. Load to a temporary queue and MOVE instead.",
        fact="R-UOW-01, INV-21", lines="L1863-L1884",
        fires={"utility_messages": 50000, "maxumsgs": 10000}, quiet={"utility_messages": 500, "maxumsgs": 10000},
    ),
    Rule(
        id="resetpage-force", subject="site", severity="info",
        when="resetpage_force and value > threshold", value="resetpage_force_seconds(page_set_gb_largest)",
        threshold="resetpage_seconds(page_set_gb_largest)",
        advice="RESETPAGE FORCE of {page_set_gb_largest:.0f} GB takes about {value:.0f} s against {threshold:.0f} s"
        " into a second page set. Use FORCE only without space, and run page sets in parallel.",
        fact="R-UT-03, R-UT-04, R-UT-05", lines="L1931-L1957",
        fires={"resetpage_force": True, "page_set_gb_largest": 4},
        quiet={"resetpage_force": False, "page_set_gb_largest": 4},
    ),
    Rule(
        id="packing-for-capacity", subject="site_page_set", severity="info", derived=True,
        when="capacity_matters and not maxshortmsgs_0 and value > threshold",
        value="packing_gain(message_bytes_typical)", threshold=2,
        advice="Page set {object} is to hold many messages of {message_bytes_typical:,.0f} bytes. MAXSHORTMSGS 0"
        " packs {value:.0f} on a page, at the price of throughput.",
        fact="R-PS-10", lines="L996-L998",
        fires={"capacity_matters": True, "maxshortmsgs_0": False, "message_bytes_typical": 100},
        quiet={"capacity_matters": True, "maxshortmsgs_0": False, "message_bytes_typical": 3000},
    ),
    Rule(
        id="page-set-too-small-for-peak", subject="site_page_set", severity="warning",
        when="value < threshold", value="messages_in_page_set(page_set_gb, message_bytes_typical)",
        threshold="messages_max",
        advice="Page set {object} of {page_set_gb:.0f} GB holds {value:,.0f} messages of {message_bytes_typical:,.0f}"
        " bytes; {threshold:,.0f} are expected at the peak.",
        fact="R-PS-01, R-PS-03, R-PS-04", lines="L862-L881, L889", derived=True,
        fires={"page_set_gb": 4, "message_bytes_typical": 5000, "messages_max": 2000000},
        quiet={"page_set_gb": 4, "message_bytes_typical": 5000, "messages_max": 20000},
    ),
    Rule(
        id="page-set-redefined-empty", subject="site_page_set", severity="severe",
        when="page_set_redefined",
        advice="Page set {object} was defined anew and is empty: at the next restart the log is read from its very"
        " beginning, which may take hours. Restore a backup instead.",
        fact="R-RST-10, F-PS-07", lines="L1424-L1426",
        fires={"page_set_redefined": True}, quiet={"page_set_redefined": False},
    ),
    Rule(
        id="large-messages-many-senders", subject="site", severity="warning",
        when="message_bytes_longest >= 50000000 and value > threshold", value="large_message_channels", threshold=15,
        advice="{value:.0f} channels may send very large messages at once; about {threshold:.0f} is the most that"
        " leaves room for others.",
        fact="R-LM-01", lines="L1741-L1749", derived=True,
        fires={"message_bytes_longest": 100000000, "large_message_channels": 40},
        quiet={"message_bytes_longest": 1000, "large_message_channels": 40},
    ),
    Rule(
        id="ims-regions-saturated", subject="site_ims_region", severity="warning",
        when="value > threshold", value="region_occupied_pct(wait_for_input_us, trace_seconds)", threshold=98,
        derived=True,
        advice="IMS region {object} was occupied {value:.1f} % of the time. Add a region; at 63 % more would not help.",
        fact="R-IMS-1, R-IMS-2", lines="L8453-L8459, L8542-L8579",
        fires={"wait_for_input_us": 166333, "trace_seconds": 60},
        quiet={"wait_for_input_us": 21753542, "trace_seconds": 60},
    ),
    Rule(
        id="ims-add-tpipe", subject="site_ims", severity="info", derived=True,
        when="ims_regions_idle and lpar_busy_pct < 90 and value >= threshold", value="bridge_queue_depth_high",
        threshold="requesters",
        advice="IMS regions and processors are idle while the bridge queue of {object} holds {value:.0f} requests, as"
        " many as there are requesters. One task serves a bridge queue: add another queue (tpipe).",
        fact="R-IMS-3", lines="L8587, L8645-L8655",
        fires={"ims_regions_idle": True, "lpar_busy_pct": 82.5, "bridge_queue_depth_high": 6, "requesters": 6},
        quiet={"ims_regions_idle": True, "lpar_busy_pct": 82.5, "bridge_queue_depth_high": 1, "requesters": 6},
    ),
    Rule(
        id="ims-checkpoints-often", subject="site_ims", severity="warning",
        when="value < threshold", value="ims_checkpoint_seconds(trace_seconds, ims_checkpoints) / 60", threshold=10,
        advice="IMS {object} takes a checkpoint every {value:.1f} minutes; 10 to 20 are right. Raise CPLOG.",
        fact="R-IMS-6", lines="L8219, L8458",
        fires={"trace_seconds": 60, "ims_checkpoints": 6}, quiet={"trace_seconds": 3600, "ims_checkpoints": 4},
    ),
    Rule(
        id="ims-qbuf-small", subject="site_ims", severity="warning",
        when="ims_buffer_waits > 0 or qbuf < ims_regions",
        advice="IMS {object} has {qbuf:.0f} queue buffers for {ims_regions:.0f} regions and waited"
        " {ims_buffer_waits:.0f} times. Have at least one a region.",
        fact="R-IMS-6", lines="L8220, L8223",
        fires={"ims_buffer_waits": 5, "qbuf": 5, "ims_regions": 16},
        quiet={"ims_buffer_waits": 0, "qbuf": 256, "ims_regions": 16},
    ),
    Rule(
        id="ims-scheduling", subject="site_ims", severity="info",
        when="schdtyp != 'PARALLEL' or parlim != 0",
        advice="Transactions of IMS {object} are not scheduled freely (SCHDTYP {schdtyp}, PARLIM {parlim:.0f})."
        " PARALLEL and PARLIM 0 let several regions serve the bridge.",
        fact="R-IMS-7", lines="L8231-L8257",
        fires={"schdtyp": "SERIAL", "parlim": 0}, quiet={"schdtyp": "PARALLEL", "parlim": 0},
    ),
    Rule(
        id="ims-wait-for-input-off", subject="site_ims", severity="info", derived=True,
        when="not wfi and value < threshold", value="transactions_per_second_typical", threshold=100,
        advice="IMS {object} runs {value:.0f} transactions a second without WFI, loading the program each time. With"
        " it 880 instead of 75 a second were measured.",
        fact="R-IMS-7, R-APP-5", lines="L7150, L8231-L8257",
        fires={"wfi": False, "transactions_per_second_typical": 75},
        quiet={"wfi": True, "transactions_per_second_typical": 75},
    ),
    Rule(
        id="ims-inquiry-recovery", subject="site_ims", severity="info",
        when="not persistent_allowed and inquiry != 'YES,NORECOV'",
        advice="Nonpersistent transactions of IMS {object} should be defined INQUIRY(YES,NORECOV), persistent ones"
        " INQUIRY(NO,RECOVER).",
        fact="R-IMS-8", lines="L8228-L8229",
        fires={"persistent_allowed": False, "inquiry": "NO,RECOVER"},
        quiet={"persistent_allowed": False, "inquiry": "YES,NORECOV"},
    ),
    Rule(
        id="ims-commit-mode-1-regions", subject="site_ims", severity="info",
        when="commit_mode == 1 and not ims_regions_idle",
        advice="With commit mode 1 a region of IMS {object} is held until the reply is sent: regions run out sooner"
        " and cost 13 % more. Mode 0 frees them first.",
        fact="R-IMS-5", lines="L8269-L8300, L8609-L8614",
        fires={"commit_mode": 1, "ims_regions_idle": False}, quiet={"commit_mode": 0, "ims_regions_idle": False},
    ),
    Rule(
        id="ims-reply-routing", subject="site_ims", severity="info",
        when="queue_shared and sqqmname != 'IGNORE'",
        advice="Replies of IMS {object} to shared queues travel by the queue manager that sent the request."
        " SQQMNAME(IGNORE) puts them straight to the shared queue.",
        fact="F-IMS-5", lines="L8209-L8213",
        fires={"queue_shared": True, "sqqmname": "USE"}, quiet={"queue_shared": True, "sqqmname": "IGNORE"},
    ),
    Rule(
        id="ims-reply-queue-index", subject="site_ims", severity="info",
        when="reply_index != 'CORRELID'",
        advice="The reply queue of IMS {object} is not indexed by CORRELID, which is where the bridge puts the"
        " request's message identifier.",
        fact="F-IMS-4, R-IDX-01", lines="L2150, L8188",
        fires={"reply_index": "NONE"}, quiet={"reply_index": "CORRELID"},
    ),
    Rule(
        id="machine-processor-short", subject="site", severity="warning", derived=True,
        when="value > threshold", value="cpu_busy_pct(cost_ms_per_second, processors)", threshold=90,
        advice="The planned work needs {value:.0f} % of {processors:.0f} processors.",
        fact="R-HW-2", lines="L8719-L8721",
        fires={"cost_ms_per_second": 4800, "processors": 5}, quiet={"cost_ms_per_second": 640, "processors": 5},
    ),
    Rule(
        id="machine-lpar-spans-chips", subject="site", severity="info",
        when="machine == 'z16' and value > threshold", value="processors", threshold=6,
        advice="An LPAR of {value:.0f} processors spans chips on z16 (six cores each) and a transaction costs more.",
        fact="R-TP-3", lines="L7802",
        fires={"machine": "z16", "processors": 8}, quiet={"machine": "z16", "processors": 6},
    ),
)
