"""Messages on their way: to whom (name resolution), from whom (context), in what (transmission header, MQMDE),
and those that the queue manager makes itself.

May touch: state, properties, objects.
"""
