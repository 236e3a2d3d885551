"""Lets tests import the helpers that several of them use: the ptxas oracle, the compilers, and PTX in odd layouts."""

import sys
from pathlib import Path

for _folder in ("corpus", "conformance/ptxas", "unit/ptx"):
    sys.path.insert(0, str(Path(__file__).parent / _folder))
