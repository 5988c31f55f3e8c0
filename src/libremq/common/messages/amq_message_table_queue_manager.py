"""Messages AMQ5000 to AMQ7999: processes and services of a queue manager, the common parts, the log and the kernel.

A row: severity, text with {0}, {1}, ... for the inserts, what it means, what to do. `amq_messages` reads it.
"""

from __future__ import annotations

_NOTHING = "None is needed."
_LOG_SAYS = "The error log of the queue manager says what came before. Correct that, then repeat the command."
_START_AGAIN = "Correct the cause and start the queue manager again with strmqm."

QUEUE_MANAGER_ROWS: dict[int, tuple[str, str, str, str]] = {
    5005: (
        "E", "The queue manager '{0}' is ending{1}.",
        "The command needs a queue manager that runs, and this one is on its way down.",
        "Wait until dspmq shows that it has ended, or end it faster with endmqm -i or -p; then repeat the command.",
    ),
    5008: (
        "S", "The process {0} of queue manager '{1}' {2}, which nobody had asked for. Nothing that was acknowledged is "
        "lost: start it again with strmqm.{3}",
        "The controller of the queue manager found that its process is gone. Somebody may have killed it, or the "
        "system did so for lack of memory.",
        "Look into the report that is named and into the log of the system, then start the queue manager again.",
    ),
    5009: (
        "S", "The process {0} of queue manager '{1}' ended because the queue manager failed; its entries above, and "
        "the report it wrote, say why. Start it again with strmqm.",
        "The queue manager met an error after which it could not go on.", _START_AGAIN,
    ),
    5026: (
        "I", "The listener on {0} has started.",
        "Applications and channels can connect to this address from now on.", _NOTHING,
    ),
    5027: (
        "I", "The listener on {0} has ended.",
        "Nobody can connect to this address any more. Those who are connected stay.",
        "Start the listener again if that was not intended.",
    ),
    5037: (
        "I", "The queue manager task '{0}' has started.", "A part of the queue manager works from now on.", _NOTHING,
    ),
    5041: (
        "I", "The queue manager task '{0}' has ended.", "A part of the queue manager has stopped as it was told to.",
        _NOTHING,
    ),
    5050: (
        "S", "Queue manager '{0}' ends because '{1}' failed: {2}. What was acknowledged is safe: correct the cause and "
        "start it again with strmqm.",
        "A part without which the queue manager cannot keep its promises has failed.", _START_AGAIN,
    ),
    5052: (
        "W", "{0} It is started again{1}.",
        "A part of the queue manager failed that can be started again without harm.",
        "Correct the cause if it goes on failing.",
    ),
    5053: (
        "E", "{0} It failed {1} times within a minute and is not started again. Correct the cause, then end and start "
        "the queue manager.",
        "Starting a failing part again and again helps nobody, so that was given up.",
        "The messages before this one say why it failed.",
    ),
    5070: (
        "W", "The controller {0} of queue manager '{1}' is gone. The queue manager goes on; endmqm ends it as usual.",
        "The process that watched over the queue manager was killed. Should the queue manager's process die, nobody "
        "writes a report of it.",
        "End and start the queue manager when it suits you.",
    ),
    5071: (
        "W", "The process {0} of queue manager '{1}' {2}: it was ended preemptively. The next start recovers what it "
        "left.",
        "A preemptive end does not wait for anything. Units of work that were not committed are backed out by the "
        "next start.", _NOTHING,
    ),
    5072: (
        "I", "Queue manager '{0}' was told to end while it started, and has ended.",
        "The request to end came before the start was complete.", "Start it again when you want it.",
    ),
    5073: (
        "E", "The process of queue manager '{0}' {1}.",
        "The queue manager ran in the foreground and its process did not end by itself.", _LOG_SAYS,
    ),
    5074: (
        "W", "The state of queue manager '{0}' could not be written to run.json or end.json: {1}",
        "These files tell dspmq in which state the queue manager is; what dspmq shows may be out of date.",
        "Make room on the disk, or restore the rights on the folder.",
    ),
    5075: (
        "I", "Queue manager '{0}' takes {1} connections in {2} sockets ({3} open files).",
        "This follows from the memory of the machine and the limit of open files. How many of the sockets may be "
        "channels is said by MaxChannels and MaxActiveChannels in qm.ini.", _NOTHING,
    ),
    5076: (
        "W", "Connections of queue manager '{0}' were dropped: {1}",
        "They could not be ended in good order because the queue manager had failed.", _START_AGAIN,
    ),
    5077: (
        "I", "LibreMQ queue manager '{0}' is ending: {1}.", "Somebody asked for the end of the queue manager.",
        _NOTHING,
    ),
    5078: (
        "W", "A consumer could not be served: {0}",
        "A message that was due to an application could not be taken to it; the application is told.",
        "Correct the cause that is named. The message stays on its queue.",
    ),
    5079: (
        "W", "A lost connection could not be ended in good order: {0}",
        "An application went away, and its unit of work could not be backed out as usual.",
        "The message names the cause. The next start of the queue manager backs out what is left.",
    ),
    5080: (
        "E", "A command failed unexpectedly: {0}",
        "The queue manager met an error in a call that it did not foresee; the caller got a reason code, others are "
        "not concerned.",
        "Report it with the report file of that time.",
    ),
    5089: (
        "W", "The trace has ended: {0}",
        "The file of the trace that strmqtrc began cannot be written. The queue manager works on without a trace.",
        "Make room on the disk, or correct the access to the folder; then use strmqtrc again.",
    ),
    5534: (
        "E", "User '{0}' failed authentication: {1}.",
        "The user id and the password of a connection were checked, and they do not fit.",
        "Check the user id and the password that the application uses; setmqusr sets a password.",
    ),
    5540: (
        "E", "Application '{0}' did not give a user id and a password.",
        "Connection authentication requires both from this application.",
        "Have the application give them, or change CHCKLOCL or CHCKCLNT of the AUTHINFO object that CONNAUTH names.",
    ),
    5541: (
        "E", "The failed authentication check was made because of CHCKCLNT({0}) of AUTHINFO '{1}'.",
        "The connection came over a client channel, and this attribute says what is checked there.",
        "Change the attribute if it asks for too much, then REFRESH SECURITY TYPE(CONNAUTH).",
    ),
    5542: (
        "I", "The failed authentication check was made because of CONNAUTH '{0}' with CHCKLOCL({1}) and CHCKCLNT({2}).",
        "It names the configuration that applies to the message before this one.",
        "Change the AUTHINFO object if it asks for too much, then REFRESH SECURITY TYPE(CONNAUTH).",
    ),
    5543: (
        "I", "The failed authentication check was made because of {0}.",
        "It names the definition that applies to the message before this one.",
        "Change it if it asks for too much; an AUTHINFO counts after REFRESH SECURITY TYPE(CONNAUTH).",
    ),
    6090: (
        "S", "LibreMQ has no text for message {0}.",
        "A part of the product used a number that its tables do not have.", "Report it.",
    ),
    6109: (
        "E", "The queue manager '{0}' did not end as asked: {1}",
        "The queue manager's process failed, or does not answer.",
        "Look into its error log. If its process hangs, endmqm -p ends it.",
    ),
    6119: (
        "S", "An internal error has occurred ({0}: {1}). {2}",
        "The queue manager met an error that it did not foresee. Unless a message says that it ends, it goes on.",
        "Report it, with the report file that is named.",
    ),
    6125: (
        "E", "Commands cannot reach queue manager '{0}': {1}. Signals can.",
        "The socket for commands could not be made, so endmqm and others cannot talk to the queue manager.",
        "Correct what is named, then end the queue manager with the signal SIGTERM and start it again.",
    ),
    6206: (
        "I", "Command {0} was issued.", "A control command was started.", _NOTHING,
    ),
    6290: (
        "I", "The message {0} came {1} more times within {2} seconds.",
        "A message that repeats itself is counted instead of written.",
        "SuppressMessage and SuppressInterval in qm.ini say which messages, and for how long.",
    ),
    7005: (
        "E", "The queue manager '{0}' is running: {1}",
        "The command needs a queue manager that nobody has open.", "End the queue manager, then repeat the command.",
    ),
    7008: (
        "E", "The queue manager '{0}' exists already, in {1}.", "Two queue managers cannot have one name there.",
        "Choose another name or folder, or delete the old one with dltmqm.",
    ),
    7023: (
        "E", "The queue manager '{0}' was running already.", "It was to be started, and it runs.", _NOTHING,
    ),
    7027: (
        "E", "An argument of the command is not valid: {0}", "An argument cannot have this value here.",
        "Correct it; the command with --help tells its arguments.",
    ),
    7028: (
        "E", "The queue manager '{0}' is not available for use.", "It is in a state in which it takes no work.",
        "Look with dspmq and in its error log.",
    ),
    7044: (
        "E", "Queue manager '{0}': the log is circular and overwrites what {1} would need. Create the queue manager "
        "with a linear log (LogType=LINEAR), or rely on backups of its folder",
        "Media images, and copies for a backup, need a log that keeps everything.",
        "Create a queue manager with crtmqm -ll and move the messages.",
    ),
    7048: (
        "E", "There is no queue manager '{0}' in {1}.", "The name was given, or it is the default.",
        "dspmq without a name shows those that exist.",
    ),
    7049: (
        "I", "{0} log records of backup queue manager '{1}' replayed.",
        "The backup has been brought up to the extents that were shipped to it.", _NOTHING,
    ),
    7077: (
        "E", "You are not authorized to do this: {0}",
        "The user of this process may not use the files or the queue manager.",
        "Run the command as the owner of the queue manager, or have its administrator give you the right.",
    ),
    7085: (
        "E", "Object {0}, type {1}, does not exist.",
        "The command names an object that the queue manager does not have.",
        "Correct the name or create the object first; a generic profile may be given before there is one.",
    ),
    7229: (
        "I", "{0} log records accessed on queue manager '{1}' during the log replay phase{2}.",
        "The start repeats what the log holds and the queue files may lack.", _NOTHING,
    ),
    7230: (
        "I", "Log replay for queue manager '{0}' complete.",
        "The objects and messages are as they were at the end of the log.", _NOTHING,
    ),
    7231: (
        "I", "{0} units of work backed out on queue manager '{1}' during the recovery phase, {2} left in doubt.",
        "What was not committed before the end is taken back; what was prepared waits for its transaction manager.",
        "dspmqtrn shows units of work in doubt, rsvmqtrn resolves them if their transaction manager never will.",
    ),
    7232: (
        "I", "Transaction manager state recovered for queue manager '{0}'.",
        "The state of all units of work is known again.", _NOTHING,
    ),
    7233: (
        "W", "The checkpoint of queue manager '{0}' is postponed: {1}",
        "A checkpoint could not be completed now and is tried again. Nothing is lost, but the log is freed later.",
        "Make room on the disk if that is what is lacking.",
    ),
    7234: (
        "I", "{0} messages from queue '{1}' loaded on queue manager '{2}'.",
        "The start reads queues that have many messages.", _NOTHING,
    ),
    7463: (
        "E", "The log of queue manager '{0}' is full.",
        "Nothing more can be logged until units of work end or extents are released.",
        "Have applications commit sooner, or enlarge the log in qm.ini.",
    ),
    7465: (
        "E", "{0}",
        "The log has no room for a record, also after the oldest unit of work was asked to give way.",
        "Have applications commit sooner, or raise LogPrimaryFiles or LogSecondaryFiles in qm.ini.",
    ),
    7467: (
        "I", "The oldest log file required to start queue manager '{0}' is {1}.",
        "Older extents are not needed for a restart.",
        "Extents older than this and than the one of AMQ7468 may be archived or removed.",
    ),
    7468: (
        "I", "The oldest log file required to perform media recovery of queue manager '{0}' is {1}.",
        "Older extents are not needed to recover a damaged object.", "rcdmqimg moves this forward.",
    ),
    7469: (
        "W", "Transaction {0} of queue manager '{1}' {2}",
        "The log was nearly full, and its oldest unit of work kept it from being freed.",
        "Have the application commit sooner, or enlarge the log in qm.ini.",
    ),
    7472: (
        "E", "Object {0}, type {1} damaged. {2}",
        "The file of the object does not hold what it should. Calls on this object fail until it is recovered.",
        "With a linear log: rcrmqobj. Otherwise restore the queue manager from a backup, or delete the object.",
    ),
    7473: (
        "W", "Queue {0} stays damaged, as media recovery failed: {1}",
        "The start tried to recreate a damaged queue from the log.", "Correct the cause, then use rcrmqobj.",
    ),
    7474: (
        "I", "Queue {0} was damaged and is recreated from the log.", "Media recovery succeeded.",
        "Look at the disk that the file was on.",
    ),
    7475: (
        "W", "The object catalogue of queue manager '{0}' was damaged and is made anew from the log: {1}",
        "All definitions are in the log, too, and were read from there.", "Look at the disk that the file was on.",
    ),
    7476: (
        "W", "Queue manager '{0}' did not end in good order: {1}",
        "The last checkpoint could not be written. The next start recovers from the log.",
        "Correct the cause that is named.",
    ),
    7477: (
        "W", "No log space could be released on queue manager '{0}': {1}",
        "Extents that are not needed could not be made free.", "Correct the cause that is named.",
    ),
    7478: (
        "W", "Files of queue manager '{0}' that are not needed could not be removed: {1}",
        "They only take room.", "Correct the rights on the folder; the next checkpoint tries again.",
    ),
    7479: (
        "W", "System object '{0}' cannot be defined: a {1} has its name.",
        "This release has a system object whose name is taken.", "Rename your object, and start again.",
    ),
    7480: (
        "W", "System objects that this release adds are left to the next start: {0}",
        "They could not be defined now.", "Correct the cause that is named.",
    ),
    7481: (
        "I", "LibreMQ queue manager '{0}' has new system objects: {1}.",
        "This release has more system objects than the one that created the queue manager.", _NOTHING,
    ),
    7482: (
        "W", "No trigger message could be put for queue '{0}': {1}",
        "The queue fulfils its trigger conditions, and the initiation queue did not take the message.",
        "Look at the initiation queue: is it there, full, or put-inhibited?",
    ),
    7483: (
        "W", "No extent could be formatted ahead for '{0}': {1}",
        "The log prepares its next extent before it is needed. It will be prepared when it is.",
        "Make room on the disk of the log.",
    ),
    7484: (
        "W", "Work of the clock of queue manager '{0}' was put off: {1}",
        "Expiry, trigger intervals and the like are looked after again in a moment.",
        "Correct the cause that is named.",
    ),
    7485: (
        "W", "The file system {0} of queue manager '{1}' is full. Its reserve of {2} bytes is let go, so that a "
        "checkpoint can give space back. Persistent messages are refused with MQRC_STORAGE_MEDIUM_FULL until there is "
        "room.",
        "A checkpoint gives back the space of messages that are gone, and needs a little itself. The reserve was kept "
        "for that. What was acknowledged is safe, and gets, commits and backouts go on.",
        "Have messages got from the queues, remove other files from the file system, or enlarge it. Nothing else is "
        "needed: the queue manager looks for room by itself, and makes the reserve again.",
    ),
    7486: (
        "I", "Queue manager '{0}' has a reserve of {1} bytes again on the file system {2}. Messages are taken.",
        "There is room on the file system that was full.", _NOTHING,
    ),
    7487: (
        "W", "Queue manager '{0}' ended without its last checkpoint: {1}. Nothing that was acknowledged is lost: the "
        "next start reads it from the log.",
        "The file system has no room for a checkpoint, also with what was reserved for it. Persistent messages and "
        "definitions are in the log. Non-persistent messages of queues with NPMCLASS(HIGH), which an end in good order "
        "would keep, are gone.",
        "Make room on the file system before the next start, or start it and have messages got.",
    ),
    7488: (
        "W", "Queue manager '{0}' has no reserve for checkpoints on a full disk: {1}.",
        "The queue manager works without it. But should the disk become full, a checkpoint may not be able to give "
        "space back.",
        "Make room on the file system; the reserve is made at the next start, or once a checkpoint finds room.",
    ),
    7493: (
        "W", "What follows a call of queue manager '{0}' could not be done: {1}",
        "The call itself was done and is answered. After it come a checkpoint if one is due, commands that wait, and "
        "those that the call has woken.",
        "Correct the cause that is named. What was not done now is done after a later call.",
    ),
    7494: (
        "S", "Queue manager '{0}' ends at once, and writes nothing more: its file {1} was removed, or another one was "
        "put in its place.",
        "The queue manager locks its lock file, its checkpoint file and the control files of its log, and looks before "
        "each checkpoint whether they are still the ones that it has locked. If they are not, somebody has changed the "
        "folder under it, and another process may have the queue manager open.",
        "Find out who has removed or replaced the file. If nothing else was changed, start the queue manager again: "
        "what was acknowledged is in its log. If folders were replaced, put back log and data of one and the same "
        "moment first.",
    ),
    7701: (
        "I", "Log file header.", "dmpmqlog shows what the log's control file says.", _NOTHING,
    ),
    7702: (
        "I", "Log record {0}.", "dmpmqlog shows a record of the log.", _NOTHING,
    ),
}  # fmt: skip
