"""The rows a healthy queue manager writes about itself: its managers, pools, page sets, log, structures, queues."""

from __future__ import annotations

import random

from libremq.pipeline.generator.estate import Pool, Structure
from libremq.pipeline.generator.interval import Row
from libremq.pipeline.generator.structures import clock, clock_units
from libremq.pipeline.generator.traffic import PAGE_BYTES, QueueTraffic, Traffic

CF_CALL_US = 6.0
LOG_WRITE_US = 150.0
LOG_WRITE_MULTI_US = 420.0
PAGES_PER_WRITE = 16
SMDS_BLOCK_BYTES = 262_144
SMDS_BUFFERS = 100
OBJECT_PAGES = 27_000


def message_manager(traffic: Traffic) -> Row:
    puts, gets = traffic.puts, traffic.gets
    put1 = puts // 50
    opens = 40 + (puts + gets) // 60
    return {
        "qmstopen": opens,
        "qmstclos": opens - 8,
        "qmstget": gets + gets // 50,
        "qmstput": puts - put1,
        "qmstput1": put1,
        "qmstinq": 30,
        "qmstset": 4,
        "qmstcalh": 12,
        "qmstcb": 3,
        "qmstctl": 3,
        "qmststus": 2,
        "qmstspp": traffic.persistent_puts,
        "qmstsnp": puts - traffic.persistent_puts,
        "qmstpbp": traffic.persistent_bytes,
        "qmstnbp": traffic.transient_bytes,
    }


def data_manager(traffic: Traffic) -> Row:
    private = [each for each in traffic.queues.values() if not each.queue.shared]
    gets = sum(each.gets for each in private)
    created = 10 + int(20 * traffic.load)
    return {
        "qistmget": gets,
        "qistmput": sum(each.puts for each in private),
        "qistdcre": created,
        "qistddel": created,
        "qistdput": 6,
        "qistdget": 120,
        "qistdloc": 60,
        "qistenum": 14,
        "qistgetb": gets,
    }


def locks(traffic: Traffic) -> Row:
    requests = 2 * (traffic.puts + traffic.gets)
    return {"qlstgetl": requests, "qlsthldl": requests // 40, "qlstrell": requests}


def topics(traffic: Traffic) -> Row:
    published = int(2 * traffic.load * traffic.seconds)
    return {
        "qtststot": 24,
        "qtstsdur": 12,
        "qtstshig": [12, 10, 2],
        "qtstslow": [12, 10, 2],
        "qtsttmsg": published,
        "qtstsphw": 4,
        "qtstptot": [published, 0, 0],
        "qtstphig": 3,
        "qtstplow": 1,
        "qtstethw": clock_units(900),
        "qtstetto": clock_units(55 * published),
    }


def storage_counters(traffic: Traffic) -> Row:
    calls = 200 + int(400 * traffic.load)
    return {
        "qsstgplf": 4,
        "qsstfplf": 4,
        "qsstexpf": 9,
        "qsstconf": 7,
        "qsstgplv": 30,
        "qsstfplv": 30,
        "qsstexpv": 16,
        "qsstconv": 14,
        "qsstgetm": calls,
        "qsstfrem": calls - 6,
    }


def pools(traffic: Traffic) -> list[Row]:
    return [_pool(traffic, pool) for pool in traffic.queue_manager.pools]


def _pool(traffic: Traffic, pool: Pool) -> Row:
    used = int(pool.buffers * min(0.82, pool.floor + pool.swing * traffic.load))
    page_sets = [each.number for each in traffic.queue_manager.page_sets if each.pool == pool.number]
    queues = [each for number in page_sets for each in traffic.on_page_set(number)]
    new = sum(each.puts * each.pages_each for each in queues) + 5
    read = sum(each.gets * each.pages_each for each in queues) + 5
    written = _pages_written(traffic, queues)
    return {
        "qpstpool": pool.number,
        "qpstnbuf": pool.buffers,
        "qpstcbsl": pool.buffers - used,
        "qpstcbs": pool.buffers - int(used * 0.96),
        "qpstgetp": 2 * (new + read),
        "qpstgetn": new,
        "qpststw": new + read,
        "qpsttpw": written,
        "qpstwio": -(-written // PAGES_PER_WRITE),
        "qpstbits": 0xC0000000,
    }


def _pages_written(traffic: Traffic, queues: list[QueueTraffic]) -> int:
    """A checkpoint writes what has been changed for two checkpoints; short-lived messages are gone by then."""
    if not traffic.new_logs:
        return 0
    return PAGES_PER_WRITE * (2 + sum(each.depth * each.pages_each // 40 for each in queues) // PAGES_PER_WRITE)


def page_sets(traffic: Traffic) -> list[Row]:
    rows = []
    for page_set in traffic.queue_manager.page_sets:
        queues = traffic.on_page_set(page_set.number)
        own = OBJECT_PAGES if page_set.number == 0 else len(queues)
        persistent = own + sum(each.depth * each.pages_each for each in queues if each.queue.persistent)
        transient = sum(each.depth * each.pages_each for each in queues if not each.queue.persistent)
        written = _pages_written(traffic, queues)
        rows.append(
            {
                "qis1psno": page_set.number,
                "qis1bpno": page_set.pool,
                "qis1topg": page_set.pages,
                "qis1unpg": page_set.pages - persistent - transient,
                "qis1ppg": persistent,
                "qis1nppg": transient,
                "qis1pchi": persistent + transient,
                "qis1dwpn": written // PAGES_PER_WRITE,
                "qis1dwpp": written,
                "qis1dwpt": clock_units(written // PAGES_PER_WRITE * 900),
                "qis1ckpp": written,
                "qis1strn": 1,
                "qis1expm": 1,
            }
        )
    return rows


def log(traffic: Traffic, chance: random.Random) -> Row:
    pages = -(-traffic.log_bytes // PAGE_BYTES)
    forces = max(1, traffic.commits)
    # Commits that arrive together share a force: the more there are, the more pages one write carries.
    writes = max(1, min(int(forces / (1 + 0.3 * traffic.load)), pages * 7 // 10))
    multi = writes // 4
    single = writes - multi
    multi_pages = max(pages - single, 2 * multi) if multi else 0
    busy = single * LOG_WRITE_US + multi * LOG_WRITE_MULTI_US
    copies = traffic.queue_manager.log_copies
    longest = traffic.start.replace(microsecond=chance.randrange(1_000_000))
    row: Row = {
        "qjstwrw": forces,
        "qjstwrnw": 3 * (traffic.persistent_puts + forces),
        "qjstwrf": 2 + traffic.new_logs,
        "qjstbsds": 6 + 40 * traffic.new_logs,
        "qjstbffl": pages,
        "qjstbfwr": writes,
        "qjstalw": 2 * traffic.new_logs,
        "qjstciof": traffic.new_logs * (traffic.queue_manager.log_bytes // PAGE_BYTES),
        "qjstllcp": traffic.new_logs,
        "qjstlogw": writes * copies,
        "qjstciwr": (single + multi_pages) * copies,
        "qjstserw": single // 40,
        "qjstthrw": multi // 20,
        "qjstcmpreq": 0,
        "qjstslptu": max(0, int(traffic.microseconds - busy * 1.05)),
        "qjstcp1n": traffic.new_logs,
        "qjstcp2n": traffic.new_logs if copies == 2 else 0,
    }
    row.update(log_io(traffic, (single, multi), (single, multi_pages), clock(longest), chance))
    return row


def log_io(
    traffic: Traffic, requests: tuple[int, int], pages: tuple[int, int], longest: int, chance: random.Random
) -> Row:
    """The I/O table of the log: per copy, writes of one page and of more."""
    copies = traffic.queue_manager.log_copies
    counts, cis, times, waits, most, mark, name = [], [], [], [], [], [], []
    for copy in range(2):
        here = copy < copies
        for kind, each_us in enumerate((LOG_WRITE_US, LOG_WRITE_MULTI_US)):
            each_us *= 1 + 0.02 * chance.random() + 0.01 * copy
            number = requests[kind] if here else 0
            counts.append(number)
            cis.append(pages[kind] if here else 0)
            times.append(clock_units(number * each_us))
            waits.append(clock_units(number * each_us * 1.08))
            most.append(clock_units(9 * each_us) if number else 0)
            mark.append(longest if number else 0)
            name.append(f"DS{copy + 1:02d}" if number else bytes(8))
    squares = int(requests[0] * LOG_WRITE_US**2 + requests[1] * LOG_WRITE_MULTI_US**2)
    return {
        "qjstiocount": counts,
        "qjstioci": cis,
        "qjstiototio": times,
        "qjstiototsus": waits,
        "qjstiomaxio": most,
        "qjstiomaxiot": mark,
        "qjstiomaxiol": name,
        "qjstiomaxsus": [value * 11 // 10 for value in most],
        "qjstiomaxsust": mark,
        "qjstiomaxsusl": name,
        "qjstiosqu": [squares >> 64, squares & 0xFFFFFFFFFFFFFFFF],
    }


def structures(traffic: Traffic) -> list[Row]:
    return [_structure(traffic, each) for each in traffic.queue_manager.structures]


def _structure(traffic: Traffic, structure: Structure) -> Row:
    queues = traffic.in_structure(structure.name)
    single = 3 * sum(each.puts + each.gets for each in queues)
    multiple = sum(each.gets for each in queues) // 10 + (traffic.commits // 20 if not structure.messages else 12)
    entries = sum(each.depth_high for each in queues) + 47
    elements = sum(each.depth_high * -(-(each.queue.message_bytes + 372) // 256) for each in queues) + 94
    return {
        "qeststr": structure.name,
        "qeststrn": structure.number,
        "qestcsec": single,
        "qestcmec": multiple,
        "qestsstc": clock_units(single * CF_CALL_US),
        "qestmstc": clock_units(multiple * CF_CALL_US * 2),
        "qestmnus": entries,
        "qestmlus": elements,
    }


def shared_message_sets(traffic: Traffic) -> list[Row]:
    rows = []
    for structure in traffic.queue_manager.structures:
        if structure.name != "APPL1":
            continue
        # One message in two hundred is too long for the structure and goes to the data set.
        stored = sum(each.puts for each in traffic.in_structure(structure.name)) // 200
        taken = sum(each.gets for each in traffic.in_structure(structure.name)) // 200
        pages = 20
        used = 60 + int(120 * traffic.load)
        rows.append(
            {
                "qesdstr": structure.name,
                "qesdstrn": structure.number,
                "qesdsmbt": 4002,
                "qesdsmbs": 2,
                "qesdsmbd": 4000,
                "qesdsmbu": used,
                "qesdsmbf": 4000 - used,
                "qesdsmmc": used * 3,
                "qesdsmar": stored,
                "qesdsmfr": taken,
                "qesdsmap": stored * pages,
                "qesdsmfp": taken * pages,
                "qesdsmmm": used * 3 + 9,
                "qesdsmmu": used + 3,
                "qesdsmmf": 4000 - used - 3,
                "qesdbfsz": SMDS_BLOCK_BYTES,
                "qesdbfto": SMDS_BUFFERS,
                "qesdbffs": 50,
                "qesdbffe": 45,
                "qesdbfgb": stored + taken,
                "qesdbfgv": taken * 4 // 5,
                "qesdbfgm": stored,
                "qesdbfgf": taken - taken * 4 // 5,
                "qesdbfrr": taken,
                "qesdbfrs": taken * 4 // 5,
                "qesdbfwr": stored,
                "qesdbfmu": 5 + int(30 * traffic.load),
                "qesdbfmf": max(0, 95 - int(30 * traffic.load)),
                "qesdioha": 258_000,
                "qesdiohu": 20_000,
                "qesdioci": PAGE_BYTES,
                "qesdioca": 737_280,
                "qesdiowr": stored,
                "qesdiowp": stored * pages,
                "qesdiowt": clock_units(stored * 420),
                "qesdioww": clock_units(stored * 440),
                "qesdiorr": taken - taken * 4 // 5,
                "qesdiorp": (taken - taken * 4 // 5) * pages,
                "qesdiort": clock_units((taken - taken * 4 // 5) * 380),
                "qesdiorw": clock_units((taken - taken * 4 // 5) * 400),
            }
        )
    return rows


def db2(traffic: Traffic) -> Row:
    if not traffic.queue_manager.structures:
        return {}
    reads, lists = 20 + int(20 * traffic.load), 14
    return {
        "numtask": 8,
        "acttask": 8,
        "conncnt": 1,
        "dhigmax": 1,
        "listcnt": lists,
        "readcnt": reads,
        "listtcuw": clock_units(lists * 900),
        "listtmxw": clock_units(1400),
        "listscuw": clock_units(lists * 800),
        "listsmxw": clock_units(1300),
        "readtcuw": clock_units(reads * 700),
        "readtmxw": clock_units(1200),
        "readscuw": clock_units(reads * 600),
        "readsmxw": clock_units(1100),
    }


def queues(traffic: Traffic) -> list[Row]:
    return [_queue(traffic, each) for each in traffic.queues.values()]


def _queue(traffic: Traffic, each: QueueTraffic) -> Row:
    queue, puts, gets = each.queue, each.puts, each.gets
    pool = next((p.pool for p in traffic.queue_manager.page_sets if p.number == queue.page_set), -1)
    size = queue.message_bytes
    persistent = int(queue.persistent)
    empty = gets // 50
    return {
        "qqstqnam": queue.name,
        "qqstflag": 0x80000000 if queue.shared else 0,
        "qqstpsid": queue.page_set,
        "qqstbpid": pool,
        "qqstqsgn": traffic.queue_manager.sharing_group if queue.shared else "",
        "qqstcfst": queue.structure,
        "qqstdpth": each.depth,
        "qqstopct": 3,
        "qqstipct": 3,
        "qqstmage": 30 if each.depth else 0,
        "qqstqtst": 2_000_000,
        "qqstqtlt": 2_000_000,
        "qqstlput": clock(traffic.end) if puts else 0,
        "qqstlget": clock(traffic.end) if gets else 0,
        "qqstdphi": each.depth_high,
        "qqstdplo": each.depth_low,
        "qqstputs": puts,
        "qqstnppt": puts * (1 - persistent),
        "qqstppt": puts * persistent,
        "qqstputb": puts * size,
        "qqstnppb": puts * size * (1 - persistent),
        "qqstppb": puts * size * persistent,
        "qqstmsmi": size if puts else 0,
        "qqstmsma": size if puts else 0,
        "qqstmsav": size if puts else 0,
        "qqstgets": gets,
        "qqstnpdg": gets * (1 - persistent),
        "qqstpdg": gets * persistent,
        "qqstgetb": gets * size,
        "qqstnpdb": gets * size * (1 - persistent),
        "qqstpdb": gets * size * persistent,
        "qqstflgt": empty,
        "qqstnmag": empty,
        "qqstiphi": 3,
        "qqstiplo": 3,
        "qqstophi": 3,
        "qqstoplo": 3,
        "qqstopen": 3 + puts // 60,
        "qqstclos": 2 + puts // 60,
        "qqstinqr": 1,
    }


def storage_pools(traffic: Traffic) -> list[Row]:
    return [
        {
            "qsphstor": size,
            "qsphostor": size,
            "qsphbsize": 256,
            "qsphbcnt": 64,
            "qsphcount": 1,
            "qsphname": name,
            "qsphflags": 0x80,
        }
        for name, size in (("CSQMBLOCKS", 811_008), ("CSQILOCKS", 602_112), ("CSQRUNITS", 204_800))
    ]


def storage_requests(traffic: Traffic) -> list[Row]:
    return [
        {
            "qsgmlvtot": 40_960 * number,
            "qsgmlvnew": 1,
            "qsgmlvmax": 8192,
            "qsgmlvmin": 256,
            "qsgmcount": 10 * number,
            "qsgmscls": number,
            "qsgmcsect": f"CSQGEN{number:02d}",
            "qsgmoffset": 0x120 * number,
        }
        for number in (1, 2, 3)
    ]


def storage_regions(traffic: Traffic) -> list[Row]:
    used = 320 + int(4 * traffic.load)
    region = 1500
    return [
        {
            "qsrsstrta": 0x6000,
            "qsrssiza": 8 * 2**20,
            "qsrslimit": 8 * 2**20,
            "qsrsloal": 180_224,
            "qsrshial": 290_816,
            "qsrsestra": 0x22000000,
            "qsrsesiza": region * 2**20,
            "qsrselim": region * 2**20,
            "qsrseloal": used * 2**20,
            "qsrsoeloal": used * 2**20,
            "qsrsehial": 60 * 2**20,
            "qsrsoehial": 60 * 2**20,
            "qsrsmemlim": 8 * 2**10,
            "qsrsabytes": 3 * 2**30,
            "qsrsgbytes": 2 * 2**30,
            "qsrsnmomb": 14,
            "qsrsmemlims": 1,
            "qsrsaval": (region - used - 60) * 2**20,
            "qsrsmvs": 131_072,
            "qsrscrit": 262_144,
            "qsrssos": 524_288,
            "qsrsaval64": 5 * 2**30,
            "qsrscush64": 2**20,
        }
    ]
