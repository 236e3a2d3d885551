"""The target and version that a module is held to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ptxlab.diag import Diagnostic
from ptxlab.isa import releases
from ptxlab.isa.shape import Shape
from ptxlab.isa.targets import Release, Target, Version, since
from ptxlab.ptx.tree import Header, Module, Section

_TEXTURES = ("texmode_unified", "texmode_independent")
_OPTIONS = (*_TEXTURES, "debug")
_NO_DOUBLES = "map_f64_to_f32"  # an option of targets that have none
_DOUBLES = 13  # the first target that has
_BITS = 64  # of an address


@dataclass(frozen=True, slots=True)
class ModuleTarget:
    """What is checked against; None where the module does not say, and nothing is checked.

    release: of ptxas; None: the newest. clean: shapes of instructions that were found to have nothing wrong here.
    """

    target: Target | None
    version: Version | None
    release: Release | None = None
    clean: set[Shape] = field(default_factory=set[Shape], compare=False)


def check_target(
    module: Module, wanted: str | None, release: Release | None = None
) -> tuple[ModuleTarget, list[Diagnostic]]:
    """The module's target (or the one wanted instead) and version, and whether they go together, and with the release of ptxas."""
    against, found = _named(module, wanted)
    found += [d.at(h.span, h.origin) for h in (module.header(".target"),) if h for d in _options(h, module, against)]
    found += _headers(module)
    if wanted is not None and module.target not in (None, wanted):  # which the version has to know, not the one wanted
        found = [d for d in found if d.code != "PTX1004"] + _named(module, None)[1]
    named = module.header(".target")
    if wanted is None and named is not None:
        against = _last(named, against)
    if release is None:
        return against, found
    newest, version = releases.READS[release], against.version
    if version is not None and version > newest and releases.exists(version):
        header = module.header(".version")
        readers = releases.readers(version)
        found.append(
            Diagnostic(
                "PTX1007",
                f"ptxas {releases.name(release)} reads PTX up to {newest[0]}.{newest[1]}, not {version[0]}.{version[1]}",
                help=f"{readers} read it" if readers else "no ptxas that ptxlab knows reads it",
                span=header.span if header is not None else None,
            )
        )
    return replace(against, release=release), found


def _headers(module: Module) -> Iterator[Diagnostic]:
    """What is wrong with the version and the size of addresses."""
    header = module.header(".version")
    if header is not None and module.version is not None and not releases.exists(module.version):
        yield Diagnostic(
            "PTX1007",
            f"there is no PTX {header.words[0]}",
            help="write e.g. `.version 8.0`",
            span=header.span,
            origin=header.origin,
        )
    header = module.header(".address_size")
    if header is not None and module.address_size != _BITS:
        yield Diagnostic(
            "PTX1003",
            f"addresses of {module.address_size} bits are no longer supported by ptxas",
            help=f"write `.address_size {_BITS}`",
            span=header.span,
            origin=header.origin,
        )


def _options(header: Header, module: Module, against: ModuleTarget) -> Iterator[Diagnostic]:
    """What stands behind the name of the target."""
    words = [w for w in header.words[1:] if w != ","]
    if against.target is not None and against.target.number < _DOUBLES:
        words = [w for w in words if w != _NO_DOUBLES]
    first = [h.words[0] for h in module.items if isinstance(h, Header) and h.name == ".target" and h.words]
    newest = max((_read(name).number for name in first if not _not_a_target(name)), default=0)
    for word in words:
        if word not in _OPTIONS and _not_a_target(word):
            yield Diagnostic(
                "PTX1003", f"`{word}` is no option of a target", help=f"the options are {', '.join(_OPTIONS)}"
            )
        elif (
            word not in _OPTIONS
            and against.target is not None
            and _read(word).number > max(newest, against.target.number)
        ):
            yield Diagnostic(
                "PTX1003",
                f"the module is for {word} too, which is newer than {against.target}",
                help="name the newest first",
            )
    if "debug" in words and not any(isinstance(item, Section) for item in module.items):
        yield Diagnostic(
            "PTX1003",
            "the module is marked `debug`, and has no debug data",
            help="leave `debug` out, or write a .section",
        )
    if set(_TEXTURES) <= set(words):
        yield Diagnostic("PTX1003", f"{' and '.join(_TEXTURES)} exclude each other", help="name one of the two")


def check_again(name: str, against: ModuleTarget) -> Iterator[Diagnostic]:
    """A .target in a function."""
    first = None if _not_a_target(name) else since(_read(name))
    other = first is not None and bool(_read(name).suffix) and _read(name) != against.target
    newer = first is not None and against.target is not None and _read(name).number > against.target.number
    if first is None or newer or other or (against.version is not None and against.version < first):
        yield Diagnostic("PTX1003", f"`{name}` is no target that the module is made for", help="leave it out")


def _read(name: str) -> Target:
    """A target as ptxas reads it: it skips what stands behind the number, but for the suffixes that it knows.

    Raises ValueError.
    """
    try:
        return Target.parse(name)
    except ValueError:
        found = re.fullmatch(r"((?:sm|compute)_\d+)[A-Za-z_$][\w$]*", name, re.ASCII)
        if found is None:
            raise
        return Target.parse(found[1])


def _is_empty(module: Module) -> bool:
    """Whether it has nothing but its header: then ptxas does not hold version and target together."""
    return all(isinstance(item, Header) for item in module.items)


def _last(header: Header, against: ModuleTarget) -> ModuleTarget:
    """The target that instructions are held to: of several, ptxas takes the last."""
    more = [w for w in header.words[1:] if w not in (",", *_OPTIONS) and not _not_a_target(w)]
    return replace(against, target=_read(more[-1])) if more and against.target is not None else against


def _not_a_target(word: str) -> bool:
    try:
        return since(_read(word)) is None
    except ValueError:
        return True


def _named(module: Module, wanted: str | None) -> tuple[ModuleTarget, list[Diagnostic]]:
    name = wanted or module.target
    header = module.header(".target")
    span = header.span if header is not None else None
    version = module.version
    if name is None:
        return ModuleTarget(None, version), []
    try:
        target = _read(name) if wanted is None else Target.parse(name)
    except ValueError:
        found = Diagnostic("PTX1003", f"`{name}` is no target that ptxlab knows", span=span)
        return ModuleTarget(None, version), [found]
    first = since(target)
    if first is None:
        return ModuleTarget(target, version), [
            Diagnostic("PTX1003", f"there is no GPU with target `{name}`", span=span)
        ]
    if version is not None and version < first and not _is_empty(module):
        found = Diagnostic(
            "PTX1004",
            f"PTX {version[0]}.{version[1]} does not know the target {name}",
            help=f"write `.version {first[0]}.{first[1]}` or newer",
            span=span,
        )
        return ModuleTarget(target, version), [found]
    return ModuleTarget(target, version), []
