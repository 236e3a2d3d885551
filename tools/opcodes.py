"""`python -m tools.opcodes NVDISASM`: names of the instructions of sm_90, as NVIDIA's disassembler has them.

The conformance programs have every row of the instruction set; ptxas makes machine code of them, and the disassembler names what
stands there. `ptxlab.timing.machine_code` reads what this writes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from ptxlab.bench.calibrate.experiments import experiments
from ptxlab.conformance.micro.kernel import micro_batches
from ptxlab.conformance.micro.run import micros
from ptxlab.conformance.rows.emit import batches
from ptxlab.conformance.rows.moves import move_batch, moves
from ptxlab.conformance.rows.probes import probes
from ptxlab.conformance.rows.products import product_batches, products
from ptxlab.cuda.ptxas import assemble, find
from ptxlab.diag import Diagnostic

OUT = Path(__file__).resolve().parents[1] / "src" / "ptxlab" / "timing" / "opcodes.json"
_LINE = re.compile(r"/\*[0-9a-f]{4,5}\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?(\w+)[^;]*;?[^/]*/\* 0x([0-9a-f]{16}) \*/")


_TENSORS = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 there)
{ .reg .b64 %m, %g; .reg .b32 %x, %s, %b; .shared .align 128 .b8 tile[4096]; .shared .align 8 .b64 bar;
mov.b64 %m, map; ld.param.u64 %g, [there]; mov.u32 %x, %tid.x; mov.u32 %s, tile; mov.u32 %b, bar;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%m, {%x, %x}], [%b];
cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%m, {%x, %x}], [%s];
cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%m, {%x, %x}], [%s];
cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%m, {%x, %x}];
cp.async.bulk.prefetch.L2.global [%g], 1024;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%g], [%s], 1024;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; prefetch.tensormap [%m];
fence.proxy.tensormap::generic.acquire.gpu [%g], 128;
ret; }
"""
"""Copies by tensor maps, which no row of the conformance programs has."""


def texts() -> Iterator[str]:
    """PTX with every row."""
    yield _TENSORS
    yield from (one.text for one in experiments())
    yield from (b.text for b in micro_batches(micros().values()))
    yield from (b.text for b in batches(probes()))
    yield from (b.text for b in product_batches(products()))
    yield move_batch(moves()).text


def named(nvdisasm: str, cubin: bytes) -> dict[str, str]:
    """Names of the instructions of a cubin, by their twelve bits."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        listing = subprocess.run([nvdisasm, "-hex", "-c", file.name], capture_output=True, text=True, check=True).stdout
    return {f"{int(word, 16) & 0xFFF:#05x}": name for name, word in _LINE.findall(listing)}


def main(nvdisasm: str) -> None:
    """Write the table."""
    found: dict[str, str] = {}
    for text in texts():
        try:
            cubin = assemble(text, "sm_90a").cubin
        except Diagnostic as wrong:  # rows of newer releases
            print(wrong.code, wrong.message[:100], file=sys.stderr)
            continue
        for bits, name in named(nvdisasm, cubin).items():
            if found.setdefault(bits, name) != name:
                raise SystemExit(f"{bits} is {name} and {found[bits]}")
    version = subprocess.run([nvdisasm, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    tool = find()
    facts = {
        "nvdisasm": version,
        "ptxas": tool.release if tool is not None else None,
        "date": datetime.now(UTC).date().isoformat(),
    }
    OUT.write_text(json.dumps(facts | {"opcodes": dict(sorted(found.items()))}, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} opcodes in {OUT}")


if __name__ == "__main__":
    main(sys.argv[1])
