"""Shutting a worker in, by what Linux has for processes without privileges: rlimits, Landlock, seccomp.

- rlimits bound address space, processor time, files and descriptors.
- Landlock leaves to the process its own folder, ptxlab's cache, and for reading Python and its libraries. Where requests execute
  Python, the cache can be read alone, for it holds machine code that other processes will run.
- seccomp takes away what reaches other processes, the network, and rarer parts of the kernel. Threads may be made, processes not.

Both hold for the thread that asks for them and all that it makes, so they come before the first other thread. What the kernel
lacks is named in what `keep_to` and `refuse_calls` return; the server then does not execute Python unless it is told to.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from ptxlab.mcp.limits import FILE, Limits

NONE: Final = "none"
_libc: Final[Any] = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38

# --- Landlock: linux/landlock.h ---
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG, _PATH_BENEATH = 1, 1
_EXECUTE, _READ_FILE, _READ_DIR = 1, 4, 8
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_RIGHTS = 1 | 2 | 4 | 1 << 14 | 1 << 15
_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 5: 16}
"""Rights that a version of the interface knows, as the number of their bits."""
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6

# --- seccomp: linux/seccomp.h, linux/filter.h, asm/unistd_64.h ---
_ARCHITECTURE: Final = 0xC000003E
_ALLOW, _DENY, _ABSENT = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_CLONE, _CLONE3, _PRLIMIT, _CLONE_THREAD = 56, 435, 302, 0x10000
_X32: Final = 0x40000000
_FORBIDDEN: Final = {
    # the network
    "socket": 41, "connect": 42, "accept": 43, "sendto": 44, "sendmsg": 46, "bind": 49, "listen": 50, "socketpair": 53,
    "accept4": 288, "sendmmsg": 307,
    # other processes; clone may make threads
    "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129,
    "rt_tgsigqueueinfo": 297, "pidfd_send_signal": 424, "pidfd_open": 434, "pidfd_getfd": 438, "ptrace": 101,
    "process_vm_readv": 310, "process_vm_writev": 311, "setpgid": 109, "setsid": 112,
    # memory that RLIMIT_AS does not count, or that stays behind
    "shmget": 29, "shmat": 30, "semget": 64, "msgget": 68, "mq_open": 240, "memfd_create": 319,
    # the system
    "mknod": 133, "mknodat": 259, "personality": 135, "pivot_root": 155, "chroot": 161, "acct": 163, "settimeofday": 164,
    "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169, "sethostname": 170, "init_module": 175, "finit_module": 313,
    "clock_settime": 227, "unshare": 272, "setns": 308, "open_by_handle_at": 304, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "mount_setattr": 442,
    # what few programs need, and many holes were found in
    "add_key": 248, "request_key": 249, "keyctl": 250, "perf_event_open": 298, "bpf": 321, "userfaultfd": 323,
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
}  # fmt: skip
"""System calls of x86-64 that are refused (EPERM)."""
_METADATA: Final = {
    "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94, "utime": 132, "setxattr": 188, "lsetxattr": 189,
    "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199, "utimes": 235, "fchownat": 260,
    "futimesat": 261, "fchmodat": 268, "utimensat": 280, "fchmodat2": 452, "setxattrat": 463, "removexattrat": 466,
}  # fmt: skip
"""What changes modes, owners and dates of files, which Landlock leaves to everybody. ptxlab needs it to write its cache."""
_CAPSET, _CAPABILITIES_3 = 126, 0x20080522


def die_with(parent: int) -> None:
    """Let the kernel end this process when the server ends, whatever ends that."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(0)


def bound(limits: Limits) -> None:
    """Set the limits of resources, but for processor time: see `allow_cpu`."""
    for what, most in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, FILE),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def allow_cpu(seconds: int, *, once: bool) -> None:
    """Let the process use so much more processor time; `once`: it cannot allow itself more than a second beyond that."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1 if once else resource.RLIM_INFINITY))


def libraries() -> list[Path]:
    """What Python reads: its own files, packages, the system's libraries, ptxlab's pages."""
    package = Path(__file__).resolve().parents[1]
    own = [package, package.parents[1] / "docs" / "findings", package.parents[1] / "examples" / "litmus"]
    system = map(
        Path, ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom", sys.prefix, sys.base_prefix)
    )
    return [p for p in (*own, *system, *map(Path, filter(None, sys.path))) if p.exists()]


def keep_to(writable: Iterable[Path], readable: Iterable[Path]) -> str:
    """Leave the process these folders. Cannot be taken back. Returns: by what; "none" where the system has nothing."""
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    version = _libc.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    if version < 1:
        return NONE
    every = (1 << _RIGHTS[max(v for v in _RIGHTS if v <= version)]) - 1
    network, scopes = 3 * (version >= _NETWORK_SINCE), 3 * (version >= _SCOPES_SINCE)
    attributes = struct.pack("QQQ", every, network, scopes)
    size = 24 if version >= _SCOPES_SINCE else 16 if version >= _NETWORK_SINCE else 8
    rules = _libc.syscall(_CREATE_RULESET, attributes, size, 0)
    if rules < 0:
        return NONE
    try:
        for path, rights in (*((p, _READ) for p in readable), *((p, every & ~_EXECUTE) for p in writable)):
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            taken = rights if path.is_dir() else rights & _FILE_RIGHTS
            failed = _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", taken, handle), 0)
            os.close(handle)
            if failed:
                return NONE
        return NONE if _libc.syscall(_RESTRICT_SELF, rules, 0) else f"landlock {version}"
    finally:
        os.close(rules)


def refuse_calls(*, metadata: bool) -> str:
    """Take from the process the privileges of root, network, other processes and rare system calls. Cannot be taken back.

    Args:
        metadata: take from it modes, owners and dates of files, too.

    Returns: as `keep_to`.
    """
    _libc.syscall(_CAPSET, struct.pack("Ii", _CAPABILITIES_3, 0), bytes(24))
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.uname().machine != "x86_64":
        return NONE
    forbidden = [*_FORBIDDEN.values(), *(_METADATA.values() if metadata else ())]
    program = b"".join(struct.pack("HBBI", *step) for step in _filter(forbidden))
    held = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(held))
    return NONE if _libc.prctl(_PR_SET_SECCOMP, 2, header, 0, 0) else "seccomp"


def _filter(forbidden: Iterable[int]) -> Iterator[tuple[int, int, int, int]]:
    """The program that looks at each system call: operation, steps to skip where it holds and where not, operand."""
    number, architecture, argument = 0, 4, 16
    yield _LOAD, 0, 0, architecture
    yield _EQUAL, 1, 0, _ARCHITECTURE
    yield _RETURN, 0, 0, _DENY
    yield _LOAD, 0, 0, number
    yield _AT_LEAST, 0, 1, _X32
    yield _RETURN, 0, 0, _DENY
    for call in forbidden:
        yield _EQUAL, 0, 1, call
        yield _RETURN, 0, 0, _DENY
    # The flags of clone3 lie in memory, where no filter looks. Libraries take clone where there is none.
    yield _EQUAL, 0, 1, _CLONE3
    yield _RETURN, 0, 0, _ABSENT
    yield _EQUAL, 0, 4, _CLONE
    yield _LOAD, 0, 0, argument
    yield _ANY_BIT, 1, 0, _CLONE_THREAD
    yield _RETURN, 0, 0, _DENY
    yield _RETURN, 0, 0, _ALLOW
    yield _EQUAL, 0, 3, _PRLIMIT  # of this process alone
    yield _LOAD, 0, 0, argument
    yield _EQUAL, 1, 0, 0
    yield _RETURN, 0, 0, _DENY
    yield _RETURN, 0, 0, _ALLOW
