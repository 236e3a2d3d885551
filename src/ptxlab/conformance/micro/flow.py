"""Micro-kernels for control flow, barriers, lanes that look at each other, matrices in shared memory, addresses, clusters."""

from __future__ import annotations

from typing import Final

from ptxlab.conformance.micro.kernel import THREADS, Column, Micro, columns, listed
from ptxlab.conformance.micro.memory import table
from ptxlab.conformance.rows.probes import of_row
from ptxlab.isa.form import FORMS

_MANY: Final = 4096
"""Lanes of kernels whose cases are warps."""
_RESULT: Final = (Column("d", "b32"),)
_AB: Final = (Column("a", "b32"), Column("b", "b32"))
_TOGETHER: Final = "barrier.cluster.arrive; barrier.cluster.wait;"


def _opcodes(row: str) -> list[str]:
    return list(dict.fromkeys(p.opcode for p in of_row(FORMS[row], 48, 0)))


# --- control --------------------------------------------------------------------------------------------------------------
_FUNCTIONS: Final = """.func (.param .b32 r) rotated(.param .b32 x, .param .b32 by)
{ .reg .b32 %x, %n; ld.param.b32 %x, [x]; ld.param.b32 %n, [by]; shf.l.wrap.b32 %x, %x, %x, %n; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) mixed(.param .b32 x, .param .b32 by)
{ .reg .b32 %x, %n; ld.param.b32 %x, [x]; ld.param.b32 %n, [by]; mad.lo.u32 %x, %x, %n, 0x9e3779b9; st.param.b32 [r], %x; ret; }
.func (.param .b32 r) counted(.param .b32 x, .param .b32 by)
{ .reg .b32 %x, %n; .reg .pred %stop; .param .b32 q, y, z; ld.param.b32 %x, [x]; ld.param.b32 %n, [by];
  setp.eq.u32 %stop, %n, 0; @%stop bra done;
  add.u32 %x, %x, 0x85ebca6b; sub.u32 %n, %n, 1; st.param.b32 [y], %x; st.param.b32 [z], %n;
  call (q), counted, (y, z); ld.param.b32 %x, [q]; xor.b32 %x, %x, %n;
done: st.param.b32 [r], %x; ret; }
.func early(.param .b64 to, .param .b32 x)
{ .reg .b64 %to; .reg .b32 %x, %odd; .reg .pred %p; ld.param.b64 %to, [to]; ld.param.b32 %x, [x];
  and.b32 %odd, %x, 1; setp.eq.u32 %p, %odd, 0; @%p ret; st.b32 [%to], %x; ret; }
.global .u64 chosen[3] = {rotated, mixed, counted};
"""
_LOOP: Final = """.reg .b32 %n, %bit; .reg .pred %even, %on; mov.u32 %d, %a; and.b32 %n, %b, 31; setp.eq.u32 %on, %n, 0;
    @%on {bra} end;
again: and.b32 %bit, %d, 1; setp.eq.u32 %even, %bit, 0; @%even bra halve; mad.lo.u32 %d, %d, 3, 1; bra.uni next;
halve: shr.u32 %d, %d, 1; xor.b32 %d, %d, %n;
next: sub.u32 %n, %n, 1; setp.ne.u32 %on, %n, 0; @%on {bra} again;
end:"""
_CALL: Final = "{{ .param .b32 x, y, r; st.param.b32 [x], %a; st.param.b32 [y], %few; {call} ld.param.b32 %d, [r]; }}"


def control() -> list[Micro]:
    """Loops and branches that lanes take apart, calls of all kinds, barriers that count and reduce."""
    few = ".reg .b32 %few; and.b32 %few, %b, 7;"
    out = [_flow("bra", "bra", _LOOP.format(bra="bra"))]
    uniform = "mov.u32 %a, %ctaid.x; and.b32 %b, %a, 31;"
    out.append(_flow("bra", "bra.uni", f"mov.u32 %d, %ctaid.x; {uniform} " + _LOOP.format(bra="bra.uni")))
    arms = "\n".join(f"arm{i}: mad.lo.u32 %d, %a, {2 * i + 3}, {i}; bra met;" for i in range(8))
    targets = ", ".join(f"arm{i}" for i in range(8))
    branch = "{few} mov.u32 %d, 0; arms: .branchtargets {targets}; {opcode} {index}, arms;\n{arms}\nmet:"
    for opcode in _opcodes("brx.idx"):
        index = "%same" if "uni" in opcode else "%few"
        same = few + " .reg .b32 %same; mov.u32 %same, %ctaid.x; and.b32 %same, %same, 7;"
        out.append(
            _flow("brx.idx", opcode, branch.format(few=same, targets=targets, opcode=opcode, index=index, arms=arms))
        )
    for function in ("rotated", "mixed", "counted"):
        out.append(
            _flow("call.ret", f"call {function}", few + _CALL.format(call=f"call (r), {function}, (x, y);"), _FUNCTIONS)
        )
    pick = """.reg .b64 %f; .reg .b32 %which; rem.u32 %which, %b, 3; mov.u64 %f, chosen; mad.wide.u32 %f, %which, 8, %f;
    ld.global.u64 %f, [%f]; of: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);"""
    out.append(
        _flow("call.ret.indirect", "call", few + pick + _CALL.format(call="call (r), %f, (x, y), of;"), _FUNCTIONS)
    )
    given = "{ .param .b64 p; .param .b32 v; st.param.b64 [p], %slot; st.param.b32 [v], %a; call early, (p, v); }"
    start = "st.global.b32 [%slot], %b;"
    out.append(_flow("call.args", "call early", f"{start} {given} ld.global.b32 %d, [%slot];", _FUNCTIONS))
    leave = "setp.lt.u32 %go, %a, %b; mad.wide.u32 %at, %g, 4, %target;"
    out += [_leaving(op, leave) for op in ("exit", "ret", "ret.uni")]
    return [*out, *_uniform_calls(), *_reductions(), *_exchanges(), *_idle()]


_MORE_FUNCTIONS: Final = f"""
.global .align 4 .b32 words[512];
.func noted() {{ .reg .b64 %p; .reg .b32 %x, %g, %t; mov.u32 %t, %tid.x; mov.u32 %g, %ctaid.x; mad.lo.u32 %g, %g, {THREADS}, %t;
  mov.u64 %p, words; mad.wide.u32 %p, %g, 4, %p; ld.global.b32 %x, [%p]; mad.lo.u32 %x, %x, 0x85ebca6b, %t;
  st.global.b32 [%p], %x; ret; }}
.func left(.param .b64 to, .param .b32 x)
{{ .reg .b64 %to; .reg .b32 %x; ld.param.b64 %to, [to]; ld.param.b32 %x, [x]; not.b32 %x, %x; st.b32 [%to], %x; ret; }}
.func (.param .b32 r) crossed(.param .b32 x, .param .b32 by)
{{ .reg .b32 %x, %n; ld.param.b32 %x, [x]; ld.param.b32 %n, [by]; prmt.b32 %x, %x, %n, 0x2701; st.param.b32 [r], %x; ret; }}
"""
_NOTE: Final = ".reg .b64 %own; mov.u64 %own, words; mad.wide.u32 %own, %g, 4, %own; st.global.b32 [%own], %a;"


def _uniform_calls() -> list[Micro]:
    """Calls without parameters, by name and by address, and calls of all kinds that whole warps take."""
    note = _NOTE + " {call} ld.global.b32 %d, [%own];"
    give = "{{ .param .b64 p; .param .b32 v; st.param.b64 [p], %slot; st.param.b32 [v], %a; {call} }} ld.global.b32 %d, [%slot];"
    ask = "{{ .param .b32 x, y, r; st.param.b32 [x], %a; st.param.b32 [y], %b; {call} ld.param.b32 %d, [r]; }}"
    kinds = (
        ("call", note, "noted", "", "_ ()"),
        ("call.args", give, "left", ", (p, v)", "_ (.param .b64 _, .param .b32 _)"),
        ("call.ret", ask, "crossed", ", (x, y)", "(.param .b32 _) _ (.param .b32 _, .param .b32 _)"),
    )
    out: list[Micro] = []
    for row, frame, function, passed, prototype in kinds:
        returns = "(r), " if row == "call.ret" else ""
        pointer = f".reg .b64 %f; mov.u64 %f, {function}; of: .callprototype {prototype};"
        for uniform in ("", ".uni"):
            direct = frame.format(call=f"call{uniform} {returns}{function}{passed};")
            indirect = frame.format(call=f"call{uniform} {returns}%f{passed}, of;")
            out.append(_flow(row, f"call{uniform} {function}", direct, _MORE_FUNCTIONS))
            out.append(_flow(f"{row}.indirect", f"call{uniform} {function}", f"{pointer} {indirect}", _MORE_FUNCTIONS))
    return out


def _flow(row: str, text: str, body: str, module: str = "") -> Micro:
    return Micro("control", row, text, _AB, _RESULT, body, module=module)


def _leaving(opcode: str, leave: str) -> Micro:
    """Lanes that leave early keep what they wrote; the others go on. What is stored behind it is zero for those that left."""
    body = f".reg .pred %go; {leave} mov.u32 %d, %a; @%go {opcode}; xor.b32 %d, %a, %b;"
    if opcode == "ret.uni":
        body = ".reg .pred %go; .reg .b32 %half; mov.u32 %half, %ctaid.x; setp.eq.u32 %go, %half, 1; mov.u32 %d, %a; @%go ret.uni;"
    return Micro("control", opcode.partition(".")[0], opcode, _AB, _RESULT, body)


def _reductions() -> list[Micro]:
    """bar.red in all its spellings: over the CTA, and over the first and second half of it."""
    out: list[Micro] = []
    for path in ("bar", "bar.cta", "barrier", "barrier.cta"):
        for row in (f"{path}.red.popc", f"{path}.red"):
            for opcode in _opcodes(row):
                for counted in (False, True):
                    out.append(_reduction(row, opcode, counted=counted))
    return out


def _reduction(row: str, opcode: str, *, counted: bool) -> Micro:
    # one lane in `sparse` decides, so that both answers of and and or occur
    threads = ", 64" if counted else ""
    barrier = "%half" if counted else "1"
    popc = "popc" in opcode
    target = "%d" if popc else "%r"
    after = "" if popc else "selp.b32 %d, 1, 0, %r;"
    body = f""".reg .pred %p, %r; .reg .b32 %half, %rare; shr.u32 %half, %t, 6; add.u32 %half, %half, 2;
    and.b32 %rare, %a, 63; setp.ne.u32 %p, %rare, 0; .reg .pred %flip; setp.lt.u32 %flip, %g, 256; xor.pred %p, %p, %flip;
    {opcode} {target}, {barrier}{threads}, %p; {after} mov.u32 %n, %d; not.pred %p, %p;
    {opcode} {target}, {barrier}{threads}, !%p; {after}"""
    return Micro(
        *("control", row, f"{opcode}{threads}", (Column("a", "b32"),), (Column("d", "b32"), Column("n", "b32")), body)
    )


def _exchanges() -> list[Micro]:
    """What a barrier orders: each lane reads what another wrote."""
    out: list[Micro] = []
    pairs = [(f"{p}.sync", f"{p}.arrive") for p in ("bar", "bar.cta", "barrier", "barrier.cta")]
    put = ".reg .b32 %own, %other; mad.lo.u32 %own, %t, 4, %mem; st.shared.b32 [%own], %a;"
    get = "xor.b32 %other, %t, {mask}; mad.lo.u32 %other, %other, 4, %mem; ld.shared.b32 %d, [%other];"
    for sync, arrive in pairs:
        for opcode in _opcodes(sync):
            body = f"{put} {opcode} 0; {get.format(mask=127)}"
            out.append(Micro("control", sync, opcode, _AB, _RESULT, body, shared=4 * THREADS))
            for other in _opcodes(arrive):
                if ("aligned" in opcode) == ("aligned" in other):
                    body = f"""{put} .reg .pred %first; setp.lt.u32 %first, %t, 64; mov.u32 %d, %b;
                    @%first bra sends; {opcode} 3, {THREADS}; {get.format(mask=64)} bra.uni ends;
                    sends: {other} 3, {THREADS};
                    ends:"""
                    out.append(Micro("control", arrive, f"{other} {opcode}", _AB, _RESULT, body, shared=4 * THREADS))
    body = f"{put} bar.warp.sync -1; {get.format(mask=31)}"
    out.append(Micro("control", "bar.warp.sync", "bar.warp.sync", _AB, _RESULT, body, shared=4 * THREADS))
    for row in ("membar", "fence", "fence.oneway"):
        for opcode in _opcodes(row):
            body = f"{put} {opcode}; bar.sync 0; {opcode}; {get.format(mask=96)}"
            out.append(Micro("control", row, opcode, _AB, _RESULT, body, shared=4 * THREADS))
    return out


def _idle() -> list[Micro]:
    out: list[Micro] = []
    for row, text in (
        ("nanosleep", "nanosleep.u32 %few"),
        ("pmevent", "pmevent 3"),
        ("pmevent.mask", "pmevent.mask 5"),
    ):
        body = f".reg .b32 %few; and.b32 %few, %b, 255; {text}; xor.b32 %d, %a, %b;"
        out.append(Micro("control", row, text, _AB, _RESULT, body))
    return out


# --- warps: a case is a warp --------------------------------------------------------------------------------------------
_MASK: Final = """.reg .b32 %mask; .reg .pred %in; or.b32 %mask, %drawn, 1; .reg .b32 %one;
    shr.u32 %one, %mask, %lane; and.b32 %one, %one, 1; setp.ne.u32 %in, %one, 0;"""
_DRAWN: Final = Column("drawn", "b32", same=32)


def warp() -> list[Micro]:
    """Shuffles, votes, matches and reductions among the lanes of a mask."""
    out: list[Micro] = []
    for opcode in _opcodes("shfl.sync"):
        body = f".reg .pred %p; {opcode} %d|%p, %a, %b, %c, -1; selp.b32 %n, 1, 0, %p;"
        inputs = (*_AB, Column("c", "b32"))
        out.append(_warp("shfl.sync", opcode, inputs, (Column("d", "b32"), Column("n", "b32")), body))
    for row in ("vote.sync", "vote.sync.ballot"):
        for opcode in _opcodes(row):
            ballot = "ballot" in opcode
            vote = f"@%in {opcode} {'%d' if ballot else '%p'}, %v, %mask;"
            body = f"{_MASK} .reg .pred %p; setp.ne.u32 %p, 0, 0; mov.u32 %d, 0; {vote}"
            inputs = (Column("v", "pred"), _DRAWN)
            same = (Column("v", "pred", same=32), _DRAWN)
            tail = "" if ballot else " selp.b32 %d, 1, 0, %p;"
            out.append(_warp(row, opcode, inputs, _RESULT, body + tail))
            out.append(_warp(row, f"{opcode} all alike", same, _RESULT, body + tail))
    for row in ("match.any.sync", "match.all.sync"):
        for opcode in _opcodes(row):
            value = Column("v", opcode[-3:], below=5)
            alike = Column("v", opcode[-3:], same=32)
            head = f"{_MASK} .reg .pred %p; setp.ne.u32 %p, 0, 0; mov.u32 %d, 0; mov.u32 %n, 0;"
            pair = "%d|%p" if "all" in row else "%d"
            body = f"{head} @%in {opcode} {pair}, %v, %mask; selp.b32 %n, 1, 0, %p;"
            results = (Column("d", "b32"), Column("n", "b32"))
            out += [
                _warp(row, t, (v, _DRAWN), results, body) for t, v in ((opcode, value), (f"{opcode} all alike", alike))
            ]
    for row in ("redux.sync", "redux.sync.bits"):
        for opcode in _opcodes(row):
            body = f"{_MASK} mov.u32 %d, 0; @%in {opcode} %d, %a, %mask;"
            out.append(_warp(row, opcode, (Column("a", "b32"), _DRAWN), _RESULT, body))
    body = f"{_MASK} mov.u32 %d, 0; @!%in bra others; activemask.b32 %d; others:"
    out.append(_warp("activemask", "activemask.b32", (_DRAWN,), _RESULT, body))
    return out


def _warp(row: str, text: str, inputs: tuple[Column, ...], outputs: tuple[Column, ...], body: str) -> Micro:
    return Micro("warp", row, text, inputs, outputs, body, lanes=_MANY, per=32)


def matrix() -> list[Micro]:
    """8×8 matrices between registers and shared memory, the lanes' rows in an order of their own."""
    out: list[Micro] = []
    rows = """.reg .b32 %own, %place; mad.lo.u32 %own, %t, 16, %mem; xor.b32 %place, %lane, %turn;
    .reg .b32 %base; and.b32 %base, %t, 96; add.u32 %place, %place, %base; mad.lo.u32 %place, %place, 16, %mem;
    .reg .b64 %generic; cvt.u64.u32 %generic, %place; cvta.shared.u64 %generic, %generic;"""
    turn = Column("turn", "b32", below=32, same=32)
    for row in ("ldmatrix", "stmatrix"):
        for probe in {p.opcode: p for p in of_row(FORMS[row], 48, 0)}.values():
            count = int(probe.mods["num"].removeprefix("x"))
            where = "[%place]" if ".shared" in probe.opcode else "[%generic]"
            data, read = columns("x", "b32", 4), columns("r", "b32", count)
            registers = "{" + ", ".join(f"%{c.name}" for c in read) + "}"
            put = f"{rows} st.shared.v4.b32 [%own], {listed(data)}; bar.warp.sync -1;"
            if row == "ldmatrix":
                body = f"{put} {probe.opcode} {registers}, {where};"
                inputs, outputs = (*data, turn), read
            else:
                get = "bar.warp.sync -1; ld.shared.v4.b32 {%y0, %y1, %y2, %y3}, [%own];"
                body = f"{put} {probe.opcode} {where}, {registers}; {get}"
                inputs, outputs = (*data, *read, turn), columns("y", "b32", 4)
            out.append(
                Micro("matrix", row, probe.opcode, inputs, outputs, body, shared=16 * THREADS, lanes=2048, per=32)
            )
    for opcode in _opcodes("movmatrix"):
        out.append(Micro("matrix", "movmatrix", opcode, _AB[:1], _RESULT, f"{opcode} %d, %a;", lanes=2048, per=32))
    return out


# --- addresses and clusters ---------------------------------------------------------------------------------------------
_SPACES: Final = ("global", "shared", "shared::cta", "shared::cluster", "local", "const")
_PARAMETERS: Final = ("param", "param::entry")
_PLACES: Final = {
    "shared": "cvt.u64.u32 %p, %mem; .reg .b64 %off; mul.wide.u32 %off, %t, 8; add.u64 %p, %p, %off;",
    "local": ".local .align 8 .b8 mine[8]; mov.u64 %p, mine;",
    "global": "cvta.to.global.u64 %p, %slot;",
    "const": "mov.u64 %p, table; .reg .b32 %row; and.b32 %row, %t, 63; mad.wide.u32 %p, %row, 8, %p;",
    "param": "mov.b64 %p, source;",
}
"""What makes the address of something in a space."""


def move() -> list[Micro]:
    """Generic addresses of every space and back; which space an address is of."""
    out: list[Micro] = []
    registers = ".reg .b64 %p, %g64, %back; .reg .pred %is; .reg .b32 %bit;"
    x, outputs = Column("x", "b64"), (Column("y", "b64"), Column("z", "b64"), Column("n", "b32"))
    for name in ("shared", "local", "global"):
        body = f"""{registers} {_PLACES[name]} cvta.{name}.u64 %g64, %p;
        st.b64 [%g64], %x; ld.{name}.b64 %y, [%p]; cvta.to.{name}.u64 %back, %g64; not.b64 %x, %x;
        st.{name}.b64 [%back], %x; ld.b64 %z, [%g64]; {_asked(_SPACES)}"""
        out.append(Micro("move", "cvta", name, (x,), outputs, body, shared=1024))
        body = f"{registers} {_PLACES[name]} cvta.{name}.u64 %g64, %p; {_asked(_PARAMETERS)}"
        out.append(Micro("move", "isspacep", f"parameters {name}", (x,), outputs[2:], body, shared=1024))
    for name in ("const", "param", "param::entry"):
        own = name.partition(":")[0]
        # what the kernel's first parameter holds is an address: its difference to what was loaded before is none
        less = "sub.u64 %y, %y, %source; sub.u64 %z, %z, %source;" if own == "param" else ""
        body = f"""{registers} {_PLACES[own]} cvta.{name}.u64 %g64, %p; ld.b64 %y, [%g64];
        cvta.to.{name}.u64 %back, %g64; ld.{own}.b64 %z, [%back]; {less} xor.b64 %y, %y, %x;
        {_asked((*_SPACES, *_PARAMETERS))}"""
        out.append(Micro("move", "cvta", name, (x,), outputs, body, module=table() if name == "const" else ""))
    return out


def _asked(spaces: tuple[str, ...]) -> str:
    """A bit of %n for each space."""
    bits = (
        f"isspacep.{s} %is, %g64; selp.b32 %bit, {1 << i}, 0, %is; or.b32 %n, %n, %bit;" for i, s in enumerate(spaces)
    )
    return f"mov.u32 %n, 0; {' '.join(bits)}"


def cluster() -> list[Micro]:
    """Memory of other CTAs by mapa, ranks of addresses, barriers of the cluster, elected lanes, policies without effect."""
    out: list[Micro] = []
    for ctas in (2, 4, 8):
        for arrive in _opcodes("barrier.cluster.arrive"):
            wait = "barrier.cluster.wait" + (".aligned" if "aligned" in arrive else "")
            fenced = "fence.acq_rel.cluster;" if "relaxed" in arrive else ""
            out.append(_distributed(ctas, f"{fenced} {arrive}; {wait};", arrive))
    for wait in _opcodes("barrier.cluster.wait"):
        arrive = "barrier.cluster.arrive" + (".aligned" if "aligned" in wait else "")
        out.append(_distributed(4, f"{arrive}; {wait};", wait))
    mask = ".reg .b32 %mask, %one; .reg .pred %in, %p; or.b32 %mask, %drawn, 1; shr.u32 %one, %mask, %lane;"
    body = f"""{mask} and.b32 %one, %one, 1; setp.ne.u32 %in, %one, 0; mov.u32 %d, 0; setp.ne.u32 %p, 0, 0;
    @%in elect.sync %d|%p, %mask; selp.b32 %n, 1, 0, %p;"""
    out.append(
        Micro(
            *("cluster", "elect.sync", "elect.sync", (_DRAWN,), (Column("d", "b32"), Column("n", "b32")), body),
            lanes=_MANY,
            per=32,
        )
    )
    for opcode in _opcodes("griddepcontrol"):
        out.append(Micro("cluster", "griddepcontrol", opcode, _AB, _RESULT, f"{opcode}; xor.b32 %d, %a, %b;"))
    return out


def registers() -> list[Micro]:
    """Registers that a warp group gives back and takes again: what it holds stays as it is."""
    kept = "setmaxnreg.dec.sync.aligned.u32 64; xor.b32 %d, %a, %b; setmaxnreg.inc.sync.aligned.u32 128; add.u32 %d, %d, %a;"
    return [Micro("wgmma", "setmaxnreg", "setmaxnreg.dec inc", _AB, _RESULT, kept, directives=".maxnreg 128")]


def _distributed(ctas: int, together: str, text: str) -> Micro:
    """Each lane stores into, adds to and reads from CTAs that it draws."""
    body = f""".reg .b32 %own, %peer, %there, %other; .reg .b64 %wide; rem.u32 %peer, %b, {ctas};
    mad.lo.u32 %own, %t, 16, %mem; st.shared.b32 [%own], %a; st.shared.b32 [%own+4], 0; st.shared.b32 [%own+8], %b;
    {together} mapa.shared::cluster.u32 %there, %own, %peer; ld.shared::cluster.b32 %d, [%there];
    red.shared::cluster.add.u32 [%there+4], %a; getctarank.shared::cluster.u32 %rank, %there;
    cvt.u64.u32 %wide, %own; cvta.shared.u64 %wide, %wide; mapa.u64 %wide, %wide, %peer; getctarank.u64 %other, %wide;
    ld.b32 %c, [%wide+8]; mad.lo.u32 %rank, %rank, 16, %other;
    {together} ld.shared.b32 %sum, [%own+4];"""
    outputs = tuple(Column(n, "b32") for n in ("d", "rank", "c", "sum"))
    return Micro("cluster", "mapa", f"{text} {ctas}", _AB, outputs, body, shared=16 * THREADS, cluster=ctas, lanes=1024)
