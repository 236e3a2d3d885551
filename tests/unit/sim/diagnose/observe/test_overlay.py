"""The one owner of the records' handler words."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.abi.options import SimOptions
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.compile import code
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.compiled.native import Block, address, allocate
from ptxlab.sim.engine.machine.observer import HOOKS, Observer, Observers
from ptxlab.sim.engine.machine.overlay import Overlay, places_of

from ...launching import record_of

STOP, STEP, COUNT, EFFECT = (Handler(name) for name in ("$stop", "$step", "$count", "$effect"))
RECORDS = [0, 48, 80]
"""Byte offsets of records, whose first words are their handlers."""


@pytest.fixture
def env() -> Block:
    return Block(allocate(F.E_BYTES))


@pytest.fixture
def overlay(env: Block) -> Overlay:
    return Overlay(np.arange(100, 114, dtype=np.uint64), env)


def words(overlay: Overlay) -> list[int]:
    return [int(overlay.words[pc // 8]) for pc in RECORDS]


def below(overlay: Overlay, env: Block, layer: Layer) -> list[int]:
    table = env.get64(F.E_BELOW + 8 * layer)
    tables = {address(t): t for t in overlay._below.values()}
    return [int(tables[table][pc // 8]) for pc in RECORDS]


def test_layers_stack_in_their_order_whoever_comes_first(overlay: Overlay, env: Block) -> None:
    stop, count, effect = (code().handlers([h])[h] for h in (STOP, COUNT, EFFECT))
    overlay.put(Layer.STOPS, {STOP: [0, 48]})
    overlay.put(Layer.COUNTS, {COUNT: RECORDS})
    overlay.put(Layer.WATCH, {EFFECT: [48]})
    assert words(overlay) == [stop, stop, count]
    assert below(overlay, env, Layer.STOPS) == [count, effect, count]
    assert below(overlay, env, Layer.WATCH) == [count, count, count]
    assert below(overlay, env, Layer.COUNTS) == [100, 106, 110]
    overlay.lift(Layer.STOPS)
    assert words(overlay) == [count, effect, count]
    overlay.lift(Layer.COUNTS)
    assert words(overlay) == [100, effect, 110]
    assert below(overlay, env, Layer.WATCH) == [100, 106, 110]
    overlay.lift(Layer.WATCH)
    assert np.array_equal(overlay.words, np.arange(100, 114))


def test_what_a_layer_had_before_is_gone(overlay: Overlay) -> None:
    stop = code().handlers([STOP])[STOP]
    overlay.put(Layer.STOPS, {STOP: [0, 48]})
    overlay.put(Layer.STOPS, {STOP: np.array([80])})
    assert words(overlay) == [100, 106, stop]
    assert overlay.has(Layer.STOPS)
    overlay.put(Layer.STOPS, {STOP: []})
    assert words(overlay) == [100, 106, 110]
    assert not overlay.has(Layer.STOPS)
    overlay.lift(Layer.STOPS)


def test_of_two_for_one_record_the_later_one_counts(overlay: Overlay) -> None:
    stop, step = (code().handlers([h])[h] for h in (STOP, STEP))
    overlay.put(Layer.STOPS, {STEP: RECORDS, STOP: [48]})
    assert words(overlay) == [step, stop, step]


def test_other_words_of_records_stay_the_launch_s_own(overlay: Overlay) -> None:
    """Native code remembers buffers in them while it runs."""
    overlay.put(Layer.COUNTS, {COUNT: RECORDS})
    overlay.words[3] = 7
    overlay.put(Layer.WATCH, {EFFECT: RECORDS})
    overlay.lift(Layer.WATCH)
    overlay.lift(Layer.COUNTS)
    assert overlay.words[3] == 7


def test_without_prologues_the_records_are_what_was_decoded() -> None:
    a = np.zeros(32, "u4")
    text = (
        ".visible .entry k(.param .u64 a) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], 1; ret; }"
    )
    machine = machine_of(record_of(text, [a]), SimOptions())
    handlers = np.array(machine.image.points) // 8
    decoded = machine.image.bind({})
    assert not any(machine.overlay.has(layer) for layer in Layer)
    assert np.array_equal(machine.overlay.words, decoded)
    machine.run()
    assert np.array_equal(machine.overlay.words[handlers], decoded[handlers])
    assert a[0] == 1


def test_prologues_by_record_turn_into_records_by_prologue() -> None:
    assert places_of({0: STOP, 8: STEP, 16: STOP}) == {STOP: [0, 16], STEP: [8]}


def test_a_hook_that_nobody_overrides_is_never_called() -> None:
    class Turned(Observer):
        def turned(self, cta: object, turn: object) -> None: ...

    one, two = Turned(), Turned()
    hooks = Observers([Observer(), one, two])
    assert hooks.turned == (one.turned, two.turned)
    assert not any(getattr(hooks, name) for name in HOOKS if name != "turned")
    assert not hooks.in_turns


def test_every_hook_has_a_place() -> None:
    """Of an observer's methods, `attach` is called by the machine itself."""
    methods = {n for n, f in vars(Observer).items() if callable(f) and not n.startswith("_")}
    assert methods - {"attach"} == set(HOOKS)
