"""What was measured to be fastest, kept on disk: for one model of GPU, one driver and one state of the kernel's source."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ptxlab.abi import cache
from ptxlab.diag.boundary import public
from ptxlab.launch.devices import Device

_KIND = "tuned"


class TuningCache:
    """Measurements of a kernel, kept in the cache directory: `PTXLAB_CACHE_DIR`, else `~/.cache/ptxlab`.

    They hold for GPUs of one name and number of SMs, one version of the driver, and the content of the source files. Any other sees
    none of them.

    Example:
        import pathlib

        cache = px.TuningCache([pathlib.Path(px.__file__)])  # files of your kernel
        device = px.device_of(px.empty(1024, np.float32))
        cache.write(device, {"4096x4096": "128x256"})
        print(cache.read(device))  # {'4096x4096': '128x256'}
    """

    @public
    def __init__(self, files: Iterable[Path]) -> None:
        """A cache for what these source files determine; they are read now.

        Args:
            files: the sources of the kernel, and of what it is made from.
        """
        self._source = cache.key(*(file.read_bytes() for file in sorted(files)))

    @public
    def read(self, device: Device) -> Any:
        """What `write` kept for such a device; None where that is nothing.

        Args:
            device: which is asked for.
        """
        raw = cache.read(_KIND, self._key(device))
        return None if raw is None else json.loads(raw)

    @public
    def write(self, device: Device, value: Any) -> None:
        """Keep a value in the place of an earlier one. Where no directory can be written, it lives as long as the process.

        Args:
            device: what it was measured on. value: what JSON can hold.
        """
        cache.write(_KIND, self._key(device), json.dumps(value).encode())

    def __repr__(self) -> str:
        return f"<a cache of measurements: {self._source[:12]}…>"

    def _key(self, device: Device) -> str:
        return cache.key(device.name, str(device.sm_count), ".".join(map(str, device.driver)), self._source)
