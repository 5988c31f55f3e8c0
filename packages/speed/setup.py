"""The one extension module; all else is in pyproject.toml."""

from setuptools import Extension, setup

setup(ext_modules=[Extension("libremq_speed", ["libremq_speed.c"], extra_compile_args=["-O2"])])
