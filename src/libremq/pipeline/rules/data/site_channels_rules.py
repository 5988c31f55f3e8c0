"""Rules about facts of the site: channel definitions, channel initiator settings, TLS, network."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="chinit-scavenger-frequent", subject="site", severity="warning", derived=True,
        when="value > threshold", value="csqx068i_per_day", threshold=24,
        advice="The channel initiator scavenged storage {value:.0f} times a day. Now and then is healthy; this often"
        " it is too small: another channel initiator or queue manager.",
        fact="R-41, R-34", lines="L3566-L3571, L3914-L3916",
        fires={"csqx068i_per_day": 100}, quiet={"csqx068i_per_day": 1},
    ),
    Rule(
        id="chinit-dispatcher-failed", subject="site", severity="severe",
        when="value > threshold", value="csqx112e_count", threshold=0,
        advice="{value:.0f} messages CSQX112E: a dispatcher failed for want of storage. Restart its channels and give"
        " the channel initiator more room.",
        fact="R-41", lines="L3912",
        fires={"csqx112e_count": 1}, quiet={"csqx112e_count": 0},
    ),
    Rule(
        id="chiadaps-few", subject="site", severity="info",
        when="value < threshold and persistent_share > 0.5", value="chiadaps",
        threshold="adapters_recommended(processors)", derived=True,
        advice="CHIADAPS is {value:.0f}; for much persistent work on {processors:.0f} processors {threshold:.0f} are"
        " advised, and 120 does no harm.",
        fact="R-55", lines="L3938, L4370",
        fires={"chiadaps": 8, "processors": 8, "persistent_share": 0.9},
        quiet={"chiadaps": 62, "processors": 8, "persistent_share": 0.9},
    ),
    Rule(
        id="ssltasks-few", subject="site", severity="info",
        when="tls_channels > 0 and value < threshold", value="ssltasks",
        threshold="ssltasks_recommended(chidisps, processors)",
        advice="SSLTASKS is {value:.0f}; {threshold:.0f} are advised for {chidisps:.0f} dispatchers and"
        " {processors:.0f} processors.",
        fact="R-62", lines="L4569-L4575", derived=True,
        fires={"tls_channels": 50, "ssltasks": 2, "chidisps": 10, "processors": 4},
        quiet={"tls_channels": 50, "ssltasks": 11, "chidisps": 10, "processors": 4},
    ),
    Rule(
        id="chinit-task-storage", subject="site", severity="info",
        when="value > threshold", value="chinit_task_kb(chiadaps, chidisps, ssltasks) / 1024",
        threshold="0.1 * chinit_region_mb", derived=True,
        advice="Adapters, dispatchers and TLS tasks take {value:,.0f} MB of the {chinit_region_mb:,.0f} MB region"
        " before the first channel starts.",
        fact="R-42", lines="L3688-L3692",
        fires={"chiadaps": 120, "chidisps": 50, "ssltasks": 100, "chinit_region_mb": 1501},
        quiet={"chiadaps": 30, "chidisps": 5, "ssltasks": 6, "chinit_region_mb": 1501},
    ),
    Rule(
        id="omvs-processes-short", subject="site", severity="warning",
        when="value > threshold", value="omvs_threads(chidisps, ssltasks, channel_initiators)", threshold="maxprocuser",
        advice="{channel_initiators:.0f} channel initiators under one user need {value:.0f} threads, MAXPROCUSER is"
        " {threshold:.0f}. Raise it (SETOMVS) before CHIDISPS; watch for BPXI039I and BPXI040I.",
        fact="R-61", lines="L3999-L4034",
        fires={"chidisps": 10, "ssltasks": 0, "channel_initiators": 10, "maxprocuser": 100},
        quiet={"chidisps": 10, "ssltasks": 0, "channel_initiators": 10, "maxprocuser": 200},
    ),
    Rule(
        id="memlimit-too-small", subject="site", severity="warning",
        when="value < threshold", value="chinit_memlimit_mb", threshold=2048,
        advice="MEMLIMIT of the channel initiator is {value:,.0f} MB; have at least 2 GB.",
        fact="R-49", lines="L3796-L3804",
        fires={"chinit_memlimit_mb": 1000}, quiet={"chinit_memlimit_mb": 4096},
    ),
    Rule(
        id="memlimit-below-need", subject="site", severity="warning",
        when="value < threshold", value="chinit_memlimit_mb",
        threshold="memlimit_mb_min(client_channels * svrconn_above_bar_kb(message_bytes_typical, sharecnv_typical,"
        " conversations_typical) / 1024)",
        advice="{client_channels:,.0f} clients with messages of {message_bytes_typical:,.0f} bytes need a MEMLIMIT of"
        " {threshold:,.0f} MB; it is {value:,.0f}.",
        fact="R-48, R-49", lines="L3781-L3815", derived=True,
        fires={
            "chinit_memlimit_mb": 2048, "client_channels": 9999, "message_bytes_typical": 1000000,
            "sharecnv_typical": 1,
            "conversations_typical": 1,
        },
        quiet={
            "chinit_memlimit_mb": 4096, "client_channels": 100, "message_bytes_typical": 1000, "sharecnv_typical": 1,
            "conversations_typical": 1,
        },
    ),
    Rule(
        id="memlimit-nolimit", subject="site", severity="warning",
        when="environment == 'production' and memlimit_nolimit",
        advice="MEMLIMIT(NOLIMIT) in production: clients with large messages can make the whole system page.",
        fact="R-49", lines="L3796-L3804, L3815",
        fires={"environment": "production", "memlimit_nolimit": True},
        quiet={"environment": "production", "memlimit_nolimit": False},
    ),
    Rule(
        id="chinit-large-free-buffers", subject="site", severity="info",
        when="value > threshold", value="large_free_buffers_mb_max(message_bytes_longest / 1048576)", threshold=200,
        derived=True,
        advice="Channels with messages of up to {message_bytes_longest / 1048576:,.0f} MB may leave {value:,.0f} MB in"
        " free buffers, which CSQX004I counts as used.",
        fact="R-52", lines="L3888, L3902-L3904",
        fires={"message_bytes_longest": 104857600}, quiet={"message_bytes_longest": 1048576},
    ),
    Rule(
        id="channels-known-many", subject="site", severity="info", derived=True,
        when="value > threshold", value="channels_in_syncq", threshold=4000,
        advice="The queue manager knows {value:,.0f} channels, and each start gets dearer with them (about"
        " {channel_starts_per_second(value):,.0f} a second now). Delete definitions nobody uses.",
        fact="R-86", lines="L4307-L4321",
        fires={"channels_in_syncq": 20000}, quiet={"channels_in_syncq": 500},
    ),
    Rule(
        id="channels-restart-long", subject="site", severity="warning", derived=True,
        when="value > threshold", value="channels_start_seconds(tls_channels, tls_starts_per_second(tls_cipher_name))",
        threshold="channel_restart_seconds_wanted",
        advice="Starting {tls_channels:,.0f} TLS channels after a failure takes about {value:.0f} s, more than the"
        " {threshold:.0f} s wanted.",
        fact="R-87, R-88", lines="L4325-L4351, L4803-L4804",
        fires={"tls_channels": 4000, "tls_cipher_name": "TLS_AES_256_GCM_SHA384", "channel_restart_seconds_wanted": 10},
        quiet={"tls_channels": 400, "tls_cipher_name": "TLS_AES_256_GCM_SHA384", "channel_restart_seconds_wanted": 10},
    ),
    Rule(
        id="tls-rekey-with-tls13", subject="site", severity="info",
        when="tls13_only and sslrkeyc > 0",
        advice="All channels use TLS 1.3, which changes keys by itself; SSLRKEYC({sslrkeyc:,.0f}) costs processor"
        " time for nothing. Set it to 0.",
        fact="R-92", lines="L4384, L4511-L4513",
        fires={"tls13_only": True, "sslrkeyc": 1048576}, quiet={"tls13_only": True, "sslrkeyc": 0},
    ),
    Rule(
        id="tls-rekey-mixed", subject="site", severity="info",
        when="not tls13_only and tls_channels > 0 and sslrkeyc == 0",
        advice="SSLRKEYC is 0 for all channels, those with TLS 1.2 included: their keys never change.",
        fact="R-92", lines="L4384, L4513",
        fires={"tls13_only": False, "tls_channels": 20, "sslrkeyc": 0},
        quiet={"tls13_only": True, "tls_channels": 20, "sslrkeyc": 0},
    ),
    Rule(
        id="tls-rekey-small", subject="site", severity="info", derived=True,
        when="tls_channels > 0 and 0 < value < threshold", value="sslrkeyc", threshold=1048576,
        advice="Keys are negotiated every {value:,.0f} bytes. Each takes 2 to 7 ms with a crypto card, 70 to 133"
        " without; raise SSLRKEYC where policy allows.",
        fact="R-90, R-91, R-94", lines="L4389-L4428, L4521-L4528",
        fires={"tls_channels": 20, "sslrkeyc": 40000}, quiet={"tls_channels": 20, "sslrkeyc": 10485760},
    ),
    Rule(
        id="tls-software-cipher", subject="site_channel", severity="warning",
        when="tls_cipher_name == 'TLS_CHACHA20_POLY1305_SHA256' or tls_cipher_name in ('ANY_TLS13',"
        " 'ANY_TLS13_OR_HIGHER', 'ANY_TLS12_OR_HIGHER', 'ANY')",
        advice="Channel {object} uses or may negotiate CHACHA20 ({tls_cipher_name}), which no hardware supports."
        " Exclude it with AllowedCipherSpecs and use AES-GCM.",
        fact="R-93", lines="L4489-L4499, L4532, L4546-L4565",
        fires={"tls_cipher_name": "ANY_TLS13_OR_HIGHER"}, quiet={"tls_cipher_name": "TLS_AES_256_GCM_SHA384"},
    ),
    Rule(
        id="tls-ecdhe-start-cost", subject="site_channel", severity="info", derived=True,
        when="matches(tls_cipher_name, '*ECDHE*') and value > threshold", value="starts_per_day", threshold=1000,
        advice="Channel {object} starts {value:,.0f} times a day with an ECDHE cipher: twice the processor time and"
        " 0.6 of the rate of RSA key exchange (which gives up forward secrecy). Keep it running longer instead.",
        fact="R-93, T-14", lines="L4325-L4351",
        fires={"tls_cipher_name": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "starts_per_day": 5000},
        quiet={"tls_cipher_name": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "starts_per_day": 1},
    ),
    Rule(
        id="tls-without-crypto-hardware", subject="site", severity="warning",
        when="tls_channels > 0 and not crypto_hardware",
        advice="{tls_channels:,.0f} channels use TLS without a crypto card: each handshake takes 70 to 133 ms of"
        " processor instead of 2 to 7.",
        fact="R-91, R-94", lines="L4417-L4428",
        fires={"tls_channels": 20, "crypto_hardware": False}, quiet={"tls_channels": 20, "crypto_hardware": True},
    ),
    Rule(
        id="at-tls-would-save", subject="site", severity="info",
        when="tls_channels > 0 and zos_to_zos and not at_tls and tls_cipher_name in ('TLS_AES_256_GCM_SHA384',"
        " 'TLS_AES_128_GCM_SHA256')",
        advice="Between z/OS systems AT-TLS took 25 to 47 % less processor time with a TLS 1.3 hardware cipher. It"
        " lacks some of MQ's controls: ciphers by channel, rekey by bytes, CHLAUTH by certificate.",
        fact="R-97, R-98", lines="L4633-L4653, L4731-L4735, L4847",
        fires={"tls_channels": 20, "zos_to_zos": True, "at_tls": False, "tls_cipher_name": "TLS_AES_256_GCM_SHA384"},
        quiet={"tls_channels": 20, "zos_to_zos": False, "at_tls": False, "tls_cipher_name": "TLS_AES_256_GCM_SHA384"},
    ),
    Rule(
        id="at-tls-software-cipher", subject="site", severity="info",
        when="at_tls and tls_cipher_name == 'TLS_CHACHA20_POLY1305_SHA256'",
        advice="AT-TLS with a software cipher saves 3 to 7 % at most, and large messages become slower.",
        fact="R-97", lines="L4731-L4748",
        fires={"at_tls": True, "tls_cipher_name": "TLS_CHACHA20_POLY1305_SHA256"},
        quiet={"at_tls": True, "tls_cipher_name": "TLS_AES_256_GCM_SHA384"},
    ),
    Rule(
        id="channel-heartbeat-longer-than-disconnect", subject="site_channel", severity="warning",
        when="disconnect_seconds > 0 and value >= threshold", value="heartbeat_seconds", threshold="disconnect_seconds",
        advice="HBINT {value:.0f} s of channel {object} is not below DISCINT {threshold:.0f} s, so it never beats.",
        fact="R-82", lines="L4132-L4134",
        fires={"heartbeat_seconds": 300, "disconnect_seconds": 300},
        quiet={"heartbeat_seconds": 300, "disconnect_seconds": 6000},
    ),
    Rule(
        id="channel-batch-limited-by-maxumsgs", subject="site_channel", severity="info",
        when="value < threshold", value="batch_messages_max(batchsz, batchsz_partner, maxumsgs, maxumsgs_partner)",
        threshold="batchsz",
        advice="Channel {object} is defined with BATCHSZ {threshold:.0f} but batches are limited to {value:.0f} by"
        " the partner or by MAXUMSGS.",
        fact="R-70", lines="L4058-L4067",
        fires={"batchsz": 50, "batchsz_partner": 10, "maxumsgs": 10000, "maxumsgs_partner": 10000},
        quiet={"batchsz": 50, "batchsz_partner": 50, "maxumsgs": 10000, "maxumsgs_partner": 10000},
    ),
    Rule(
        id="channel-npmspeed-normal", subject="site_channel", severity="info",
        when="npmspeed == 'NORMAL' and not order_across_persistence",
        advice="Channel {object} sends nonpersistent messages inside batches. NPMSPEED(FAST) at both ends is faster,"
        " unless applications depend on the order of persistent and nonpersistent messages together.",
        fact="R-72, R-79", lines="L4144-L4167, L4220",
        fires={"npmspeed": "NORMAL", "order_across_persistence": False},
        quiet={"npmspeed": "NORMAL", "order_across_persistence": True},
    ),
    Rule(
        id="channel-npmspeed-breaks-order", subject="site_channel", severity="warning",
        when="npmspeed == 'FAST' and order_across_persistence",
        advice="Applications on channel {object} depend on the order of persistent and nonpersistent messages;"
        " NPMSPEED(FAST) does not keep it. Use NORMAL.",
        fact="R-79", lines="L4205-L4206, L4220",
        fires={"npmspeed": "FAST", "order_across_persistence": True},
        quiet={"npmspeed": "NORMAL", "order_across_persistence": True},
    ),
    Rule(
        id="channel-bulk-batches", subject="site_channel", severity="info",
        when="channel_scenario == 'bulk' and (batchsz > 100 or batchsz < 50 or batchint_ms > 0) and"
        " message_bytes_typical < 100000",
        advice="Channel {object} moves preloaded queues: BATCHSZ 50 (at most 100) with BATCHINT 0 suits that, not"
        " {batchsz:.0f} and {batchint_ms:.0f}.",
        fact="R-72, R-78", lines="L4164, L4257-L4259",
        fires={"channel_scenario": "bulk", "batchsz": 1, "batchint_ms": 0, "message_bytes_typical": 1000},
        quiet={"channel_scenario": "bulk", "batchsz": 50, "batchint_ms": 0, "message_bytes_typical": 1000},
    ),
    Rule(
        id="channel-trickle-batches", subject="site_channel", severity="info",
        when="channel_scenario == 'trickle' and (batchint_ms < 1000 or batchint_ms >= 300000)", derived=True,
        advice="Channel {object} carries a deferred trickle: BATCHSZ 50 and a BATCHINT of about 5000 ms gather it;"
        " {batchint_ms:.0f} ms does not suit.",
        fact="R-72, R-78", lines="L4165-L4166, L4259-L4271",
        fires={"channel_scenario": "trickle", "batchint_ms": 0},
        quiet={"channel_scenario": "trickle", "batchint_ms": 5000},
    ),
    Rule(
        id="channel-request-reply-batches", subject="site_channel", severity="info",
        when="channel_scenario == 'request' and persistent_allowed and (batchint_ms > 100 or (batchsz > 1 and"
        " batchint_ms == 0))",
        advice="Channel {object} serves requests with a wait for the reply, maybe persistent: BATCHSZ 1 and BATCHINT"
        " 0, or BATCHSZ 50 and BATCHINT 100 if 100 ms may be added. It has {batchsz:.0f} and {batchint_ms:.0f}.",
        fact="R-72, R-75, R-103", lines="L4161-L4163, L4244, L4936",
        fires={"channel_scenario": "request", "persistent_allowed": True, "batchsz": 50, "batchint_ms": 1000},
        quiet={"channel_scenario": "request", "persistent_allowed": True, "batchsz": 1, "batchint_ms": 0},
    ),
    Rule(
        id="channel-nonpersistent-request-batches", subject="site_channel", severity="info",
        when="channel_scenario == 'request' and not persistent_allowed and npmspeed == 'FAST' and (batchsz < 50 or"
        " batchint_ms < 1000)",
        advice="Channel {object} carries only nonpersistent requests with NPMSPEED(FAST): a BATCHSZ of 50 and a"
        " BATCHINT of 10000 ms or more are safe and save flows.",
        fact="R-72, R-73, R-104", lines="L4162, L4169, L4247-L4250, L4875", derived=True,
        fires={
            "channel_scenario": "request", "persistent_allowed": False, "npmspeed": "FAST", "batchsz": 1,
            "batchint_ms": 0,
        },
        quiet={
            "channel_scenario": "request", "persistent_allowed": False, "npmspeed": "FAST", "batchsz": 50,
            "batchint_ms": 10000,
        },
    ),
    Rule(
        id="channel-compression-in-software", subject="site_channel", severity="warning",
        when="compression == 'ZLIBHIGH' or (compression == 'ZLIBFAST' and not compression_hardware)",
        advice="Channel {object} compresses in software ({compression}), 105 us a message of 32 KB against 12 in"
        " hardware. It also changes how many dispatchers you need.",
        fact="R-64", lines="L3988-L3995, L4078-L4094",
        fires={"compression": "ZLIBFAST", "compression_hardware": False},
        quiet={"compression": "ZLIBFAST", "compression_hardware": True},
    ),
    Rule(
        id="channel-compression-would-help", subject="site_channel", severity="info",
        when="compression == 'NONE' and compression_hardware and network in ('slow', 'far') and compressible_pct >= 40",
        advice="Channel {object} crosses a slow or long line with messages that shrink by {compressible_pct:.0f} %:"
        " COMPMSG(ZLIBFAST) with hardware pays.",
        fact="R-64, R-65, R-125", lines="L4084-L4124, L5066-L5068",
        fires={"compression": "NONE", "compression_hardware": True, "network": "far", "compressible_pct": 60},
        quiet={"compression": "NONE", "compression_hardware": True, "network": "near", "compressible_pct": 60},
    ),
    Rule(
        id="channel-far-small-batches", subject="site_channel", severity="info", derived=True,
        when="network == 'far' and (batchsz < 50 or batchint_ms == 0)",
        advice="Channel {object} crosses a long line with small batches. Large batches, several channels, and no"
        " request and reply across it help most.",
        fact="R-125", lines="L5066",
        fires={"network": "far", "batchsz": 1, "batchint_ms": 0},
        quiet={"network": "near", "batchsz": 1, "batchint_ms": 0},
    ),
    Rule(
        id="network-retransmissions", subject="site", severity="warning", derived=True,
        when="value > threshold", value="retransmitted_pct(retransmitted_segments, sent_segments)", threshold=0.1,
        advice="{value:.2f} % of the segments were sent again. Suspect cable or adapter; try the other direction and"
        " other pairs, one change at a time.",
        fact="R-127", lines="L5072-L5088",
        fires={"retransmitted_segments": 5000, "sent_segments": 1000000},
        quiet={"retransmitted_segments": 5, "sent_segments": 1000000},
    ),
    Rule(
        id="network-paths-shared", subject="site", severity="info",
        when="network_chpids_shared and response_critical",
        advice="Network adapters are shared between systems; dedicated ones respond better.",
        fact="R-126", lines="L5058-L5060",
        fires={"network_chpids_shared": True, "response_critical": True},
        quiet={"network_chpids_shared": False, "response_critical": True},
    ),
    Rule(
        id="client-sharecnv-not-needed", subject="site_channel", severity="info",
        when="sharecnv > 0 and not client_features_needed",
        advice="SHARECNV({sharecnv:.0f}) on channel {object} without need for read-ahead, asynchronous consumption or"
        " heartbeats. SHARECNV(0) takes half the storage and less processor.",
        fact="R-51, F-CH-3", lines="L3757-L3759, L4294-L4301, L8141",
        fires={"sharecnv": 10, "client_features_needed": False}, quiet={"sharecnv": 0, "client_features_needed": False},
    ),
    Rule(
        id="client-sharecnv-for-threads", subject="site_channel", severity="info",
        when="client_multithreaded and sharecnv < 10",
        advice="Clients on channel {object} have many threads; SHARECNV(10) on a channel of their own saves storage"
        " (22 KB a conversation).",
        fact="R-51, R-45", lines="L3747-L3759",
        fires={"client_multithreaded": True, "sharecnv": 1}, quiet={"client_multithreaded": True, "sharecnv": 10},
    ),
    Rule(
        id="three-tier-persistent", subject="site_channel", severity="info",
        when="three_tier and persistent_allowed",
        advice="Persistent messages of channel {object} pass another queue manager first: they are logged twice, and"
        " one channel serves them in turn. Direct clients drive the log better.",
        fact="R-TIER-4, F-CH-4", lines="L8081-L8093",
        fires={"three_tier": True, "persistent_allowed": True}, quiet={"three_tier": True, "persistent_allowed": False},
    ),
    Rule(
        id="client-connects-short", subject="site_channel", severity="info", derived=True,
        when="value < threshold and not three_tier", value="messages_per_connect", threshold=5,
        advice="Clients on channel {object} connect for {value:.0f} messages: {client_us_per_message(value):.0f} us"
        " each instead of some 165 when they stay. Pool connections or gather clients at a queue manager near them.",
        fact="R-TIER-1, R-TIER-2", lines="L8056-L8069, L8155",
        fires={"messages_per_connect": 1, "three_tier": False}, quiet={"messages_per_connect": 50, "three_tier": False},
    ),
    Rule(
        id="channel-monitoring-off", subject="site_channel", severity="info",
        when="monchl == 'OFF'",
        advice="MONCHL is off for channel {object}, so the batch size achieved (XBATCHSZ) and network time cannot be"
        " seen. A change counts from the next start.",
        fact="R-83", lines="L4140-L4142, L4226-L4234",
        fires={"monchl": "OFF"}, quiet={"monchl": "MEDIUM"},
    ),
)
