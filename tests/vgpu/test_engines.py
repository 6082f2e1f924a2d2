"""The engines are one function: chunks of any size, saved weights, any network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from vgpu import Machine, Param, Program, asm
from vgpu.circuit.emit import Matrix, Network
from vgpu.engines import make_engine
from vgpu.engines.dense import DenseEngine, MachineModel
from vgpu.engines.sparse import SparseEngine
from vgpu.geometry import DEFAULT, Geometry
from vgpu.network import compile_network, network_for
from vgpu.store import load_network, save_network
from vgpu.word import layout

SMALL = Geometry(lanes=4, warps=1, registers=8, instructions=64, memory_bytes=4096)
SQUARES = """
        s2r r0, %tid.x
        mul r1, r0, r0
        shl r2, r0, 2
        st.b32 [r2+32], r1
        bar
        setp.ne p0, r0, 0
   @p0  exit
        mov r3, 0
loop:   ld.b32 r4, [r3+32]
        add r5, r5, r4
        add r3, r3, 4
        setp.lt.u p1, r3, 16
   @p1  bra loop
        ld.b32 r6, [16]
        st.b32 [r6], r5
        exit
"""


def squares() -> Program:
    """Squares of the thread numbers, summed by thread 0 after a barrier: 0 + 1 + 4 + 9."""
    out = Param("out", 0, 4, True)
    return Program("squares", tuple(asm.assemble(SQUARES)), (out,), 32, b"", 32, 16)


@pytest.mark.parametrize("name", ["interpreter", "sparse", "dense"])
def test_a_program_with_a_barrier(name: str) -> None:
    run = Machine(name).run(squares(), {}, block=4)
    assert run.outputs == {"out": [14]}


@pytest.mark.parametrize("chunk", [1, 7, 32, 40])
def test_a_prompt_may_come_in_chunks_of_any_size(chunk: int) -> None:
    """Random memory writes and reads, on both engines, against plain memory."""
    rng = np.random.default_rng(chunk)
    words = layout(DEFAULT)
    addresses = 4 * rng.integers(0, 8, 40) + 4096 * rng.integers(0, 4, 40)
    values = rng.integers(0, 2**32, 40)
    reads = rng.random(40) < 0.4
    memory: dict[int, int] = {}
    want = []
    for address, value, read in zip(addresses, values, reads, strict=True):
        if not read:
            memory[int(address)] = int(value)
        want.append(memory.get(int(address), 0) if read else 0)
    prompt = words.pack(
        40, mem=~reads, read=reads, addr=addresses, value=np.where(reads, 0, values)
    )
    engines = [make_engine("sparse")] + ([make_engine("dense")] if chunk in (7, 40) else [])
    for engine in engines:
        engine.reset()
        parts = [engine.step(prompt[i : i + chunk]) for i in range(0, 40, chunk)]
        assert words.field(np.concatenate(parts), "value").tolist() == want, engine.name


@pytest.mark.parametrize("geometry", [DEFAULT, SMALL])
def test_every_channel_is_an_integer_after_every_layer(geometry: Geometry) -> None:
    engine = make_engine("dense", geometry)
    assert isinstance(engine, DenseEngine)
    seen = []

    def watch(index: int, stream: torch.Tensor) -> None:
        assert torch.equal(stream, stream.round()), f"layer {index}"
        assert torch.equal(stream[..., 0], torch.full_like(stream[..., 0], 2.0**40))
        assert stream[..., 1:].abs().max() < 2**24
        seen.append(index)

    engine.watch = watch
    try:
        run = Machine(engine).run(squares(), {}, block=4)
    finally:
        engine.watch = None
    assert run.outputs == {"out": [14]}
    assert set(seen) == set(range(len(network_for(geometry).layers)))


def test_text_tokens_pass_unchanged_and_leave_the_machine_alone() -> None:
    """A text token has no carrier: every channel leaves every layer as it came, and so does the
    machine's state."""
    engine = make_engine("dense", SMALL)
    assert isinstance(engine, DenseEngine)
    text = torch.zeros(1, 5, SMALL.hidden)
    with torch.no_grad():
        for step in range(3):
            out = engine.model.stream(text, engine.cache)
            assert torch.equal(out, text), step
    run = Machine(engine).run(squares(), {}, block=4)
    with torch.no_grad():
        assert torch.equal(engine.model.stream(text, engine.cache), text)
    assert run.outputs == {"out": [14]}


def test_weights_survive_the_disk(tmp_path: Path) -> None:
    network = network_for(SMALL)
    path = tmp_path / "machine.safetensors"
    save_network(network, path)
    again = load_network(path)
    for a, b in zip(network.layers, again.layers, strict=True):
        for name, matrix in a.matrices.items():
            assert np.array_equal(matrix.dense(), b.matrices[name].dense()), name
    engine = SparseEngine(SMALL, again)
    assert Machine(engine).run(squares(), {}, block=4).outputs == {"out": [14]}


def test_a_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "machine.safetensors"
    save_network(network_for(SMALL), path)
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        load_network(path)


def test_compilation_is_deterministic() -> None:
    one, two = compile_network(SMALL), compile_network(SMALL)
    for a, b in zip(one.layers, two.layers, strict=True):
        for name, matrix in a.matrices.items():
            assert np.array_equal(matrix.column, b.matrices[name].column), name
            assert np.array_equal(matrix.value, b.matrices[name].value), name


def _without(network: Network, layer: int, name: str, share: float, seed: int) -> Network:
    """The network with a share of one matrix's weights set to zero."""
    old = network.layers[layer]
    matrix = old.matrices[name]
    kept = np.random.default_rng(seed).random(matrix.nonzeros) >= share
    changed = Matrix(
        matrix.shape, matrix.row, matrix.column, np.where(kept, matrix.value, 0).astype(np.float32)
    )
    layers = list(network.layers)
    layers[layer] = replace(old, matrices={**old.matrices, name: changed})
    return replace(network, layers=tuple(layers))


def test_both_engines_read_the_same_weights() -> None:
    """Broken, the network is wrong in the same way on both: neither knows the answer."""
    network = network_for(SMALL)
    rng = np.random.default_rng(3)
    words = layout(SMALL)
    code = np.array(squares().code, dtype=np.uint64)
    at = np.arange(len(code))
    low, high = (code & np.uint64(0xFFFFFFFF)).astype(np.int64), (code >> np.uint64(32))
    prompt = np.concatenate(
        [
            words.pack(len(code), prog_lo=1, addr=at, value=low),
            words.pack(len(code), prog_hi=1, addr=at, value=high.astype(np.int64)),
        ]
    )
    differs = 0
    for layer in range(len(network.layers)):
        broken = _without(network, layer, "mlp.down_proj", 0.03, layer)
        engines = [
            SparseEngine(SMALL, broken),
            DenseEngine(SMALL, MachineModel(broken)),
            SparseEngine(SMALL, network),
        ]
        lanes = [
            words.pack(4, exec=1, run=1, thread=np.arange(4), addr=rng.integers(0, 16, 4), preds=5,
                       we=1, rd=rng.integers(0, 8, 4), value=rng.integers(0, 2**32, 4))
            for _ in range(3)
        ]  # fmt: skip
        for chunk in (prompt, *lanes):
            a, b, good = (engine.step(chunk) for engine in engines)
            assert np.array_equal(a, b), layer
            differs += not np.array_equal(a, good)
    assert differs


def test_the_number_of_threads_changes_no_word() -> None:
    """Sums of integers below 2**24 are exact in any order, however torch splits them."""
    words = []
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            engine = make_engine("dense", SMALL)
            engine.reset()
            lanes = layout(SMALL).pack(4, exec=1, run=1, thread=np.arange(4), we=1, rd=1, value=9)
            code = np.array(squares().code[:4], dtype=np.uint64)
            halves = [code & np.uint64(0xFFFFFFFF), code >> np.uint64(32)]
            for kind, half in zip(("prog_lo", "prog_hi"), halves, strict=True):
                fields = {kind: 1, "addr": np.arange(4), "value": half.astype(np.int64)}
                engine.step(layout(SMALL).pack(4, **fields))
            passes = [engine.step(lanes)]
            for _ in range(3):
                passes.append(engine.step(passes[-1]))
            words.append(np.stack(passes))
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(*words)
