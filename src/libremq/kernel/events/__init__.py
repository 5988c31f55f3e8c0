"""Event messages: one module for each kind of event, `event_messages` for how any of them is made and put.

May touch: messages, state, objects. An event that cannot be put never makes the call fail that it tells of.
"""
