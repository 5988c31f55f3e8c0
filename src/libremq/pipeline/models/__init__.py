"""The sizing formulas, one function each; `registry.MODELS` has them all once they are loaded."""
