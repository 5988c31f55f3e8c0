"""The sizing formulas, one function each; `registry.MODELS` has them all once they are loaded.

The rooms are subjects: logs, storage, channels, sharing, applications; `published` has the figures of the source. What
every model uses lies beside them: arithmetic on numbers and columns, units, the registry. A new model is one function
in a module of its subject, and its published figures in `published`.
"""
