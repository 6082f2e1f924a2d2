"""Register allocation: graph colouring with conservative coalescing and spilling.

After Chaitin (1982), Briggs (1994) and George and Appel (1996). Registers and predicates are
coloured apart. A register that finds no colour goes to the thread's stack; a predicate goes to
a register.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from codegen.lower.cfg import loop_depths
from codegen.lower.liveness import Liveness
from codegen.lower.mir import FIXED, FIXED_PREDICATES, Reg, Routine
from codegen.lower.spill import spill


@dataclass
class Allocation:
    """The machine register of every virtual one, and those that the routine may change."""

    colours: dict[Reg, int] = field(default_factory=dict)
    clobbers: tuple[Reg, ...] = ()


def allocate(routine: Routine, reserved: frozenset[Reg] = frozenset()) -> Allocation:
    """Colours `routine`, adding spill code as needed. Ends: spilled ranges are tiny.

    `reserved` are the last machine registers, which are left alone.
    """
    temporaries: set[Reg] = set()
    colours: dict[Reg, int] = {}
    for predicates in (True, False):
        while True:
            graph = _Graph(routine, predicates, reserved)
            graph.coalesce()
            found, failed = graph.colour(temporaries)
            if not failed:
                colours |= found
                break
            temporaries |= spill(routine, failed)
            routine.spills += len(failed)
    return Allocation(colours, _clobbers(routine, colours))


def _clobbers(routine: Routine, colours: dict[Reg, int]) -> tuple[Reg, ...]:
    changed: set[Reg] = set()
    for ins in routine.instructions():
        for register in (*ins.clobbers, *ins.defs):
            bank = FIXED_PREDICATES if register.predicate else FIXED
            if register in colours:
                changed.add(bank[colours[register]])
    return tuple(sorted(changed, key=lambda r: (r.predicate, r.number)))


class _Graph:
    """Interference of one class of registers. Nodes are numbers; the first ones are fixed."""

    def __init__(self, routine: Routine, predicates: bool, reserved: frozenset[Reg]) -> None:
        bank = [r for r in (FIXED_PREDICATES if predicates else FIXED) if r not in reserved]
        self.colours = len(bank)
        self.nodes: list[Reg] = list(bank)
        self.number: dict[Reg, int] = {r: n for n, r in enumerate(bank)}
        liveness = Liveness(routine)
        for register in liveness.registers:
            known = register in self.number or register in reserved
            if register.predicate == predicates and not known:
                self.number[register] = len(self.nodes)
                self.nodes.append(register)
        count = len(self.nodes)
        self.next: list[set[int]] = [set() for _ in range(count)]
        self.alias = list(range(count))
        self.moves: list[tuple[int, int]] = []
        self.cost = [0.0] * count
        for one in range(self.colours):
            self.next[one] |= {n for n in range(self.colours) if n != one}
        self._build(routine, liveness)

    def _build(self, routine: Routine, liveness: Liveness) -> None:
        depths = loop_depths(routine)
        own = [self.number.get(r, -1) for r in liveness.registers]
        mine = sum(1 << i for i, n in enumerate(own) if n >= 0)
        for block in routine.blocks:
            live = liveness.live_out[block.label]
            weight = 10.0 ** depths[block.label]
            for ins in reversed(block.code):
                source = ins.copies
                defined = [*ins.clobbers, *ins.defs]
                for register in defined:
                    node = self.number.get(register)
                    if node is None:
                        continue
                    others = live & mine & ~liveness.bit(register)
                    if source is not None:
                        others &= ~liveness.bit(source)
                    if source in self.number:
                        self.moves.append((node, self.number[source]))
                    for other in _bits(others):
                        self._connect(node, own[other])
                    for other_register in defined:
                        if other_register is not register and other_register in self.number:
                            self._connect(node, self.number[other_register])
                for register in (*ins.uses(), *defined):
                    if register in self.number:
                        self.cost[self.number[register]] += weight
                live = liveness.step(ins, live)

    def _connect(self, one: int, other: int) -> None:
        if one != other:
            self.next[one].add(other)
            self.next[other].add(one)

    def find(self, node: int) -> int:
        while self.alias[node] != node:
            node = self.alias[node]
        return node

    # ---- coalescing ----
    def coalesce(self) -> None:
        """Joins the ends of copies where that cannot make the graph harder to colour."""
        progress = True
        while progress:
            progress = False
            for a, b in self.moves:
                one, other = self.find(a), self.find(b)
                if other < self.colours:
                    one, other = other, one
                if one == other or other < self.colours or other in self.next[one]:
                    continue
                if self._safe(one, other):
                    self._merge(one, other)
                    progress = True

    def _safe(self, one: int, other: int) -> bool:
        if one < self.colours:
            # George: every neighbour is easy, or already a neighbour of the fixed register
            return all(
                n in self.next[one] or n < self.colours or len(self.next[n]) < self.colours
                for n in self.next[other]
            ) and not any(n < self.colours and n not in self.next[one] for n in self.next[other])
        joined = self.next[one] | self.next[other]
        return sum(len(self.next[n]) >= self.colours for n in joined) < self.colours

    def _merge(self, keep: int, gone: int) -> None:
        self.alias[gone] = keep
        for node in self.next[gone]:
            self.next[node].discard(gone)
            self._connect(keep, node)
        self.next[gone] = set()
        self.cost[keep] += self.cost[gone]

    # ---- colouring ----
    def colour(self, keep: set[Reg]) -> tuple[dict[Reg, int], list[Reg]]:
        """(colour of each register, registers that found none). `keep`: not to be spilled."""
        stack = self._simplify(keep)
        colours = {n: n for n in range(self.colours)}
        failed: list[int] = []
        wishes = self._wishes()
        for node in reversed(stack):
            taken = {colours[n] for n in self.next[node] if n in colours}
            free = [c for c in range(self.colours) if c not in taken]
            if not free:
                failed.append(node)
                continue
            wished = [colours[n] for n in wishes.get(node, ()) if colours.get(n) in free]
            colours[node] = wished[0] if wished else free[0]
        names = [r for n, r in enumerate(self.nodes) if self.find(n) in failed]
        if failed:
            return {}, names
        return {r: colours[self.find(n)] for n, r in enumerate(self.nodes)}, []

    def _wishes(self) -> dict[int, list[int]]:
        wishes: dict[int, list[int]] = {}
        for a, b in self.moves:
            one, other = self.find(a), self.find(b)
            if one != other:
                wishes.setdefault(one, []).append(other)
                wishes.setdefault(other, []).append(one)
        return wishes

    def _simplify(self, keep: set[Reg]) -> list[int]:
        """The order in which to colour, last first: easy nodes out, else the cheapest."""
        left = {n for n in range(self.colours, len(self.nodes)) if self.alias[n] == n}
        degree = {n: len(self.next[n]) for n in left}
        protected = {self.find(self.number[r]) for r in keep if r in self.number}
        easy = sorted(n for n in left if degree[n] < self.colours)
        stack: list[int] = []
        while left:
            if easy:
                node = easy.pop()
                if node not in left:
                    continue
            else:
                node = min(
                    left,
                    key=lambda n: (n in protected, self.cost[n] / (degree[n] + 1), n),
                )
            left.discard(node)
            stack.append(node)
            for other in sorted(self.next[node] & left):
                degree[other] -= 1
                if degree[other] == self.colours - 1:
                    easy.append(other)
        return stack


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
