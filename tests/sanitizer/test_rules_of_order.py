"""The memory model, the sanitizer's judge and its native filter, held to the rules of order.

`order_programs` makes programs of all rows; each is asked of the three, and all of them have to say what the rows say.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.isa.form import FORMS
from ptxlab.isa.order import CARRIERS, GIVES, HANDED, MEMORIES, NO_ORDER, PROXY_FENCES, TAKES, signature
from ptxlab.litmus import kernel
from ptxlab.sim.order.shadow import Region
from ptxlab.sim.order.sites import NO_COPIES
from tools.agreement import RACES, SCHEDULES, to_the_letter

from .order_programs import BETWEEN_THREADS, OF_THREADS, Case, between_proxies, between_threads, from_operations

ROOT = Path(__file__).parents[2]
CASES = [*between_threads(), *from_operations(), *between_proxies()]
PARTS = 16
