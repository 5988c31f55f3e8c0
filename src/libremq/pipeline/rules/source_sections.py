"""The document that rules and models cite, with its sections: where a line number that we cite can be looked up.

Our line numbers are those of a text made from the document; what anybody can look up is the section and its page.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

DOCUMENT = "MP16: Capacity Planning and Tuning for IBM MQ for z/OS"
EDITION = "fourteenth edition, September 2024, for version 9.4"

SHORT = "MP16 (14th edition, September 2024)"


@dataclass(frozen=True, slots=True)
class Section:
    first_line: int
    page: int
    title: str


@dataclass(frozen=True, slots=True)
class Citation:
    """One place in the document."""

    section: Section
    lines: str

    def __str__(self) -> str:
        return f'"{self.section.title}", page {self.section.page} ({self.lines})'


@cache
def sections() -> tuple[Section, ...]:
    parts = (line.split(" ", 2) for line in _SECTIONS.strip().splitlines())
    return tuple(Section(int(line), int(page), title) for line, page, title in parts)


def section_of(line: int) -> Section | None:
    """The section that the line is in; None for what stands before the first.

    >>> section_of(1071).title
    'Buffer pool usage'
    """
    place = bisect_right([section.first_line for section in sections()], line)
    return sections()[place - 1] if place else None


def citations(lines: str) -> tuple[Citation, ...]:
    """The places that a list such as `L1035-L1047, L1071` means, lines of one section together.

    >>> [str(each) for each in citations("L1071")]
    ['"Buffer pool usage", page 19 (L1071)']
    """
    found: dict[Section, list[str]] = {}
    for part in lines.split(", "):
        match = re.match(r"L(\d+)", part)
        section = section_of(int(match[1])) if match else None
        if section is not None:
            found.setdefault(section, []).append(part)
    return tuple(Citation(section, ", ".join(parts)) for section, parts in found.items())


def cited(lines: str) -> str:
    """Where to look a list of lines up, in one text; the text itself where it names no lines.

    >>> cited("L1071")
    'MP16 (14th edition, September 2024) "Buffer pool usage", page 19 (L1071)'
    """
    found = citations(lines)
    return f"{SHORT} {'; '.join(map(str, found))}" if found else lines


_SECTIONS = """
546 1 Queue Manager
563 1 Queue manager attributes
567 1 Log data set definition
571 1 Should your archive logs reside on tape or DASD?
580 2 How to minimize recovery time
596 2 Should your installation use single or dual logging?
617 3 How large can your active logs be?
647 4 Striped logs
651 4 Striped archive logs
679 5 8-byte log RBA
687 5 Should I use zHyperLink to write to MQ active logs?
703 6 How much log space does my message use?
761 8 What is my logging rate?
776 9 How much log space do I need when backing up a CF structure?
793 9 How can we estimate the required log data rate for a system?
840 11 Page sets
844 11 Page set usage
852 11 Size of page sets for a given number of messages
897 13 Number of page sets
908 13 Recovering page sets
916 13 How often should a page set be backed up?
946 15 Why WebSphere MQ for z/OS changed how it manages small messages in V7.0.1
1000 19 Buffer pools
1006 19 Buffer pool default sizes
1017 19 Buffer pool usage
1077 21 Using buffers allocated in 64-bit storage
1081 21 Page fixed buffers
1085 21 Why not page fix by default?
1089 21 The effect of buffer pool size on restart time
1097 21 Deferred Write Process
1116 22 Oversized buffer pools
1126 22 How many DWP tasks are there?
1132 22 How much data could DWP write at checkpoint?
1148 23 What impact is there when DWP writes large amounts of data?
1158 24 Recovery
1221 25 Restart
1223 25 How long will my system take to restart after a failure?
1265 27 What happens during a checkpoint
1276 28 What happens during the recovery phase of restart
1370 30 How long will each phase of the recovery take?
1639 39 What happens during the recovery phase of restart when in a QSG
1697 40 Worked example of restart times
1737 42 Tuning
1739 42 Performance implications of very large messages
1751 42 Queue Manager attribute LOGLOAD
1753 42 What is LOGLOAD?
1763 42 What settings are valid for LOGLOAD?
1772 42 What is an appropriate value for LOGLOAD?
1776 42 When might a lower LOGLOAD be appropriate?
1785 43 What happens at checkpoint
1796 43 Impact of LOGLOAD on workload
1832 45 Impact of LOGLOAD on log shunting
1840 45 Impact of LOGLOAD on restart
1861 46 Use of MQ Utilities
1886 48 IBM MQ Utilities: CSQUTIL
1959 50 Queue Manager Trace
1965 50 Accounting Trace Costs
1989 51 Storage Usage
1997 51 Who pays for data collection?
2003 51 Who pays for writing to SMF?
2009 51 How much data is written?
2073 53 Statistics Trace Costs
2079 54 Global Trace Costs
2104 56 Performance / Scalability
2106 56 Maximum throughput using persistent messages
2112 56 What factors affect persistent message throughput ?
2125 56 Application syncpoint specifics
2140 57 Message size and number of messages per commit
2146 58 Indexed Queues
2148 58 Indexed queue considerations
2160 58 Private indexed queue rebuild at restart
2170 58 How long will it take to restart a queue manager with deep indexed local queues
2196 59 The effect of a single deep indexed queue upon Queue Manager restart
2210 60 The effect of a multiple deep indexed queues upon Queue Manager restart
2224 60 Queue manager initiated expiry processing
2246 62 Queue manager security
2248 62 How much storage is used?
2254 62 The environment being measured
2302 64 The data
2317 64 What can we gather from the chart?
2325 65 Virtual storage usage
2344 66 Object sizes
2350 66 Page set 0 usage
2354 67 Virtual storage usage by object type
2362 68 Initial CSA (and ECSA) usage
2366 68 CSA usage per connection
2375 68 Buffer Pool Usage
2387 68 Storage for security information
2400 69 Impact of number of objects defined
2408 69 Use of indexed queues
2414 69 Object handles
2420 69 Number of pages in use for internal locks
2429 70 Shared queue
2435 70 Using BACKUP CFSTRUCT command
2439 70 Clustering
2447 71 Coupling Facility
2449 71 CF link type and shared queue performance
2472 72 How many CF structures should be defined?
2490 72 What size CF structures should be defined?
2502 73 CSQ_ADMIN
2514 74 How large does my admin structure need to be?
2520 75 Application structures
2563 76 How many messages fit in a particular CF application structure size?
2582 77 CF at CFCC levels 17 and later
2600 77 Sizing structures at CFLEVEL(5)
2628 79 Increasing the maximum number of messages within a structure
2670 80 Use of system initiated alter processing
2694 80 User initiated alter processing
2706 80 How often should CF structures be backed up?
2764 83 Administration only queue manager
2770 84 When should CF list structure duplexing be used?
2789 85 How does use of duplexed CF structures affect performance of MQ?
2795 85 CPU costs
2803 85 Throughput
2815 85 CF Utilization (CF CPU)
2824 86 Environment used for comparing Simplex versus Duplex CF structures
2839 86 Duplexing the CSQ_ADMIN structure
2858 87 Duplexing an application structure
2869 87 Non persistent shared queue message availability
2879 88 Coupling Facility
2881 88 What is the impact of having insufficient CPU in the Coupling Facility?
2892 88 When do I need to add more engines to my Coupling Facility?
2896 88 What type of engine should be used in my Coupling Facility?
2904 88 CF Level 19 - Thin Interrupts
2910 88 CF Level 25 - Thin Interrupts
2914 89 Why do I see many re-drives in the statistics report?
2916 89 What is a re-drive?
2927 89 Why do I see many re-drives in the statistics report?
2962 90 Effect of re-drives on performance
2993 91 Batch delete of messages with small structures - CFLEVEL(4) and lower
3013 91 Shared Message Data Sets - CFLEVEL(5)
3021 91 Tuning SMDS
3027 91 DSBUFS
3089 94 DSBLOCK
3152 96 CFLEVEL(5) and small messages
3158 96 Who pays for messages stored on Shared Message Data Sets?
3183 97 Db2
3198 97 Db2 universal table space support
3215 98 Is Db2 tuning important?
3226 98 Why does IBM MQ produce more Db2 rollbacks than I expect?
3230 98 Shared queue messages > 63KB
3270 101 Shared queue persistent message throughput after 63KB transition
3302 104 Shared queue persistent message request/reply CPU costs
3318 104 Shared queue persistent message request/reply CF costs
3348 106 Storage Class Memory (SCM)
3361 106 Using SCM with IBM MQ
3367 106 Impact of SCM on Coupling Facility capacity
3388 108 How much SCM is available?
3397 108 How do I know I am using SCM and how much?
3414 108 ALLOWAUTOALT(YES) usage with SCM
3422 108 Useful guidelines:
3427 109 Impact of SCM on Application performance
3441 110 Non-Sequential gets from deep shared queue
3468 110 RMF data
3489 111 Example use cases for IBM MQ with SCM
3498 112 Capacity – CFLEVEL(4 and less) – no offload available - “Improved Performance”
3504 112 Capacity – CFLEVEL(5) Offload - “Emergency Storage”
3512 112 Capacity – CFLEVEL(5) – no offload - “Improved Performance”
3520 113 Performance / Scalability
3522 113 Does the CF Structure attribute “CFLEVEL” affect performance?
3542 113 The impact on MQ requests of the CURDEPTH 0 to 1 transition
3552 114 When would I need to use more than one structure?
3566 114 When do I need to add more Queue Managers to my QSG?
3573 114 What is the impact of having Queue Managers active in a QSG but doing no work?
3586 114 What is a good configuration for my shared queues?
3608 115 Shared queue persistent messages
3612 115 Shared queue performance affecting factors
3652 117 Channel Initiator
3654 117 What is the capacity of my channel initiator task?
3686 118 Channel initiator task storage usage
3694 118 What limits the maximum number of channels?
3707 119 How many channels can a channel initiator support?
3725 120 How many SVRCONN channels can a channel initiator support?
3761 121 MQ 9.4: 64-bit private storage usage for SVRCONN channels
3768 122 MQ 9.4: 64-bit storage usage for SVRCONN channels
3796 123 MQ 9.4: Limiting 64-bit memory usage
3855 126 Does SSL make a difference to the number of channels I can run?
3859 127 Channel initiator buffer pools
3906 128 What happens when the channel initiator runs out of storage?
3918 128 Channel Initiator Scavenger Task
3930 129 Defining channel initiator - CHINIT parameters
3934 129 CHIADAPS
3960 130 CHIDISPS and MAXCHL
3997 131 Checking the OMVS Environment
4009 132 Effect of Changing CHIDISPS
4036 133 Tuning Channels
4040 133 Channel option BATCHHB
4044 133 Channel option BATCHINT
4052 133 Channel option BATCLIM
4058 133 Channel option BATCHSZ
4069 133 Channel option COMPHDR
4126 136 Channel option DISCINT
4132 136 Channel option HBINT
4140 137 Channel option MONCHL
4144 137 Channel option NPMSPEED
4153 137 SVRCONN channel option SHARECNV
4157 138 Tuning channels - BATCHSZ, BATCHINT, and NPMSPEED
4173 138 How batching is implemented
4216 139 Setting NPMSPEED
4224 140 Determine achieved batch size using MONCHL attribute
4236 141 Setting BATCHSZ and BATCHINT
4273 143 Channel Initiator Trace
4283 144 Why would I use channels with shared conversations?
4303 145 Performance / Scalability
4305 145 Channel start/stop rates and costs
4323 146 TLS channel start costs
4355 147 Factors affecting channel throughput and cost
4372 148 SSL and TLS
4378 148 When do you pay for encryption?
4389 149 How can I reduce the cost?
4424 150 Will using cryptographic co-processors reduce cost?
4434 150 TLS 1.3 cipher support
4452 151 Why use TLS 1.3?
4473 151 Deprecated CipherSpecs
4481 152 Starting TLS channels using aliases
4501 152 Stopping TLS channels
4567 156 SSLTASKS
4573 156 How many do I need?
4577 156 Why not have too many?
4585 156 Why not have too few?
4589 156 SSLTASK statistics
4611 157 SSL channel footprint
4615 157 SSL over cluster channels
4623 157 SSL over shared channels
4629 158 Using AT-TLS to encrypt data flowing over IBM MQ channels
4637 158 Who pays for AT-TLS
4643 158 Limitations
4655 158 Performance comparison
4725 162 Is the reduced cost reflected in a throughput improvement?
4752 163 Why is there no improvement to transfer rate despite the transport cost being reduced?
4762 164 Starting and stopping MQ channels protected by AT-TLS
4794 165 AT-TLS start channel performance
4827 166 AT-TLS stop channel performance
4839 166 Should I use AT-TLS to provide encryption of my MQ channels?
4849 167 Costs of Moving Messages To and From zOS Images
4892 169 Non-persistent messages - NPMSPEED(FAST)
4919 170 Persistent messages
4963 172 System
4965 172 Hardware
4967 172 DASD
4975 172 Maximum request/reply throughput (DS8900F)
4983 173 Upper bound on persistent message capacity - DASD log data rate
5005 174 What is the effect of dual versus single logging on throughput?
5009 174 Will striped logs improve performance?
5019 174 Should MQ for z/OS use log striping?
5025 174 Will striped logs affect the time taken to restart after a failure?
5029 175 Benefits of using zHPF with IBM MQ
5037 175 When can it help with IBM MQ work?
5049 176 Network
5090 178 IBM MQ and zEnterprise Data Compression (zEDC)
5109 178 Reducing storage occupancy with zEDC
5111 178 Can I use zEDC with MQ data sets?
5117 178 What benefits might I see?
5126 179 What impact might I see?
5154 179 How we set up for testing
5164 180 What to watch out for
5174 180 Measurements
5238 183 IBM MQ and zEnterprise Data Compression (zEDC) with SMF
5256 184 Data set encryption
5278 185 Why use data set encryption
5294 186 Data set encryption with the MQ queue manager
5312 187 Active and Archive log encryption
5359 189 Page set encryption
5394 190 Shared message data set encryption
5408 191 MQPUT to SMDS
5427 192 MQGET - When the messages are read from SMDS buffers
5433 192 MQGET - When the messages are read from local SMDS
5439 192 MQGET - When the messages are read from remote SMDS
5451 193 Comparing the cost of MQGETs from shared queue
5483 195 Why are unencrypted gets more expensive than encrypted?
5500 196 Summary of data set encryption costs with the MQ queue manager
5540 198 zHyperWrite support for active logs
5563 199 What is zHyperWrite?
5582 200 Why does my log performance matter?
5618 201 zHyperWrite test configuration
5650 202 Reduced I/O time
5667 203 Reduced elapsed time for MQ commit
5687 204 Improved sustainable log rate
5715 205 Impact to MQ queue manager costs
5751 207 Impact of I/O limitations on dual active and dual archive logs on older hardware
5807 210 Summary of zHyperWrite benefits
5824 211 zHyperLink support for MQ active logs
5872 214 What is zHyperLink?
5880 214 Asynchronous (Traditional) I/O:
5893 214 Synchronous (zHyperLink) I/O:
5911 215 zHyperLink and striped active logs
5921 216 Single Page I/O Response Times
5938 216 Why might you use zHyperLink?
5950 217 Requirements
5985 218 Monitoring your environment
5987 218 System commands
6105 221 RMF
6172 223 MQ Statistics
6254 226 Getting best performance out of your zHyperLink environment
6264 227 Do I have enough write sessions?
6315 228 What is the impact of zHyperLink cable length?
6337 229 Are there sufficient zHyperLink paths to the DASD?
6381 231 Performance Measurements
6406 232 Measurements in performance environment
6514 240 Measurements in “real-world” environment
6592 245 Cost of zHyperLink
6615 246 Cost of zHyperLink is all relative
6669 248 Checklist
6684 249 How It Works
6686 249 Tuning buffer pools
6690 249 Introduction to the buffer manager and data manager
6721 250 The effect of message lifespan
6741 251 Understanding buffer pool statistics
6778 253 Definition of buffer pool statistics
6810 254 Interpretation of MQ statistics
6852 255 Observations on the problem interval
6862 256 What was happening
6874 256 Actions taken to fix the problem
6879 257 Log manager
6887 257 Description of log manager concepts and terms
6912 258 Illustration of logging
6918 258 When does a write to the log data set occur?
6929 258 How data is written to the active log data sets
6933 258 Single logging
6939 258 Dual logging
6947 259 Interpretation of key log manager statistics
6960 259 Detailed example of when data is written to log data sets
7014 261 MQPUT example
7025 262 MQGET example
7037 262 Interpretation of total time for requests
7045 262 What is the maximum message rate for 100 000-byte messages?
7068 264 Advice
7070 264 Use of LLA to minimize program load caused throughput effects
7080 264 Frequent use of MQCONN/MQDISC - for example WLM Stored Procedures
7090 265 Frequent loading of message conversion tables
7094 265 Frequent loading of exits - for example, channel start or restart after failure
7100 265 Frequent loading of CSQQDEFV
7104 265 System resources which can significantly affect IBM MQ performance
7116 266 Large Units of Work
7137 267 Application level performance considerations
7154 268 Common MSGID or CORRELID with deep shared queues
7191 270 Why is cost of MQGET higher when more than 5,200 messages have common identifier?
7227 271 Frequent opening of un-defined queues
7267 272 Frequent opening of shared queues
7359 276 How can I tell if I am seeing first-open or last-close effects?
7382 276 Can I reduce the impact from locking on my shared queues?
7409 277 Is using an application to hold the queue open always appropriate?
7417 278 Using GROUPID with shared queues
7421 278 Comparing performance of GROUPID with CORRELID
7443 279 Comparing performance of GMO options
7471 280 Avoiding Get-Next when specifying GroupID
7492 281 Using Message Selectors
7500 281 Who pays for the cost of message selection?
7506 281 Is there a good message selector to use?
7518 281 How do I know if I am using a good message selector?
7537 282 Message selector performance
7558 283 Message selector performance with private queues
7588 285 Message selector performance with shared queues
7619 287 Checklist: Using client-based selectors
7637 288 Temporary Dynamic (TEMPDYN) Queues
7651 288 TEMPDYN queues - MQOPEN
7663 288 TEMPDYN queues - MQCLOSE
7684 290 Queue Information
7686 290 Tuning queues
7690 290 Queue option ACCTQ
7700 290 Queue option DEFREADA
7706 290 Queue option MONQ
7712 291 Queue option PROPCTL
7716 292 Maximum throughput using non-persistent messages
7718 292 What factors affect non persistent throughput
7736 293 Private queue
7756 294 Throughput for request/reply pairs of private queues
7804 296 Shared queue
7825 297 Maximum persistent message throughput - private queue examples
7838 297 Strict ordering - single reply application
7859 298 Increasing number of reply applications
7864 299 Maximum persistent message throughput - shared queue examples
7894 300 Shared queue persistent message - CPU costs
7911 301 Shared queue persistent message - CF usage
7930 303 Message ordering - logical groups
7947 303 Does size of group matter?
7955 303 Large groups of small messages OR small groups of large messages?
7996 306 Application tuning
7998 306 How much extra does each waiting MQGET cost?
8006 306 How much extra does code page conversion cost on an MQGET?
8012 306 Event messages
8016 306 Triggering
8024 306 What is the cost of creating a trigger or event message?
8032 307 Two / Three Tier configurations
8042 308 Why choose one configuration over the other?
8052 308 Cost on the z/OS platform
8073 309 Achievable Rate
8095 310 Number of connecting tasks
8107 310 Measurements
8159 313 IMS Bridge: Achieving best throughput
8174 314 Initial configuration
8190 314 How does the IMS bridge work?
8197 314 Putting messages from IBM MQ into IMS
8205 314 IMS putting reply messages to IBM MQ
8215 315 Tuning the IMS subsystem
8263 317 Use of commit mode
8269 317 Commit Mode 0 (Commit-Then-Send)
8280 317 Commit Mode 1 (Send-Then-Commit)
8306 319 Understanding limitations of the IMS bridge
8356 321 When do I need more message processing regions?
8395 322 Understanding the trace reports - run profile
8419 323 Understanding the trace reports – call summary
8434 324 Understanding the trace reports – region summary report
8461 325 IMS Control Region issuing checkpoints whilst monitoring running
8492 326 Understanding the Trace reports – Region IWAIT Report
8520 327 Understanding the trace reports – Program Summary Report
8530 328 Understanding the trace reports – Program I/O Report
8581 331 When do I need more TPIPEs?
8701 335 Hardware Considerations
8733 336 Example: LSPR compared to actual results
8747 336 Overview of Environment: Workload
8758 337 Batch Applications
8776 337 LSPR tables
8784 338 Non-persistent in-syncpoint messages
8806 340 MQ Performance Blogs
"""
