"""Lets tests import the helpers that several of them use: the ptxas oracle and the CUDA compiler."""

import sys
from pathlib import Path

for _folder in ("corpus", "conformance/ptxas"):
    sys.path.insert(0, str(Path(__file__).parent / _folder))
