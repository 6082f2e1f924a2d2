"""The flow graph: normal form, simplification, loops, and the order of blocks in memory."""

from __future__ import annotations

from codegen.lower.mir import Block, Ins, Routine, Target


def normalise(routine: Routine) -> None:
    """Final unguarded branches become `follow`; whatever stands after them goes."""
    for block in routine.blocks:
        for index, ins in enumerate(block.code):
            if ins.ends:
                del block.code[index + 1 :]
                block.follow = None
                if ins.op == "bra" and isinstance(ins.b, Target):
                    block.follow = ins.b.name
                    block.code.pop()
                break
    simplify(routine)


def simplify(routine: Routine) -> None:
    """Empty blocks are skipped, single lines of blocks joined, unreachable blocks dropped."""
    _skip_empty(routine)
    _drop_unreachable(routine)
    _inline_ends(routine)
    _drop_unreachable(routine)
    _join(routine)


def branch_of(block: Block) -> Ins | None:
    """The guarded branch to a label at the end of a block."""
    last = block.code[-1] if block.code else None
    return last if last is not None and last.op == "bra" and isinstance(last.b, Target) else None


def predecessors(routine: Routine) -> dict[str, list[Block]]:
    found: dict[str, list[Block]] = {b.label: [] for b in routine.blocks}
    for block in routine.blocks:
        for label in block.successors():
            found[label].append(block)
    return found


def _skip_empty(routine: Routine) -> None:
    blocks = {b.label: b for b in routine.blocks}

    def final(label: str) -> str:
        seen = {label}
        while True:
            block = blocks[label]
            if block.code or block.follow is None or block.follow in seen:
                return label
            label = block.follow
            seen.add(label)

    for block in routine.blocks:
        if block.follow is not None:
            block.follow = final(block.follow)
        for ins in block.code:
            ins.ways = tuple(map(final, ins.ways))
        branch = branch_of(block)
        if branch is not None and isinstance(branch.b, Target):
            branch.b = Target(final(branch.b.name))
            if branch.b.name == block.follow:
                block.code.pop()


def _drop_unreachable(routine: Routine) -> None:
    blocks = {b.label: b for b in routine.blocks}
    reached: set[str] = set()
    work = [routine.blocks[0].label]
    while work:
        label = work.pop()
        if label not in reached:
            reached.add(label)
            work += blocks[label].successors()
    routine.blocks = [b for b in routine.blocks if b.label in reached]


def _inline_ends(routine: Routine) -> None:
    """A jump to a block that only ends the thread, or returns, becomes that end."""
    blocks = {b.label: b for b in routine.blocks}

    def end(label: str | None) -> Ins | None:
        code = blocks[label].code if label is not None else []
        alone = len(code) == 1 and code[0].ends and code[0].op != "table"
        return code[0] if alone else None

    for block in routine.blocks:
        branch = branch_of(block)
        if branch is not None and isinstance(branch.b, Target):
            ending = end(branch.b.name)
            if ending is not None:
                branch.op, branch.b, branch.reads = ending.op, ending.b, ending.reads
        ending = end(block.follow)
        branch = branch_of(block)
        if ending is not None and branch is not None and isinstance(branch.b, Target):
            # `@p bra L; exit` is `@!p exit` and on to L
            block.follow = branch.b.name
            branch.op, branch.b, branch.reads = ending.op, ending.b, ending.reads
            branch.gneg = not branch.gneg
        elif ending is not None:
            block.code.append(Ins(ending.op, b=ending.b, at=ending.at, reads=ending.reads))
            block.follow = None


def _join(routine: Routine) -> None:
    before = predecessors(routine)
    blocks = {b.label: b for b in routine.blocks}
    gone: set[str] = set()
    for block in routine.blocks:
        if block.label in gone:
            continue
        while block.follow is not None and branch_of(block) is None:
            label = block.follow
            after = blocks[label]
            if len(before[label]) != 1 or after is routine.blocks[0] or after is block:
                break
            block.code += after.code
            block.follow = after.follow
            gone.add(label)
    routine.blocks = [b for b in routine.blocks if b.label not in gone]


# ---- loops ----------------------------------------------------------------------------------


def loop_depths(routine: Routine) -> dict[str, int]:
    """How many loops each block is in (natural loops of the back edges)."""
    dominators = _dominators(routine)
    before = predecessors(routine)
    bodies: dict[str, set[str]] = {}
    for block in routine.blocks:
        for head in block.successors():
            if head in dominators[block.label]:
                bodies.setdefault(head, {head}).update(_loop_body(head, block.label, before))
    return {b.label: sum(b.label in body for body in bodies.values()) for b in routine.blocks}


def _loop_body(head: str, tail: str, before: dict[str, list[Block]]) -> set[str]:
    body = {head}
    work = [tail]
    while work:
        label = work.pop()
        if label not in body:
            body.add(label)
            work += [b.label for b in before[label]]
    return body


def _dominators(routine: Routine) -> dict[str, frozenset[str]]:
    every = frozenset(b.label for b in routine.blocks)
    entry = routine.blocks[0].label
    before = predecessors(routine)
    found = dict.fromkeys(every, every)
    found[entry] = frozenset({entry})
    changed = True
    while changed:
        changed = False
        for block in routine.blocks[1:]:
            sets = [found[b.label] for b in before[block.label]]
            new = frozenset.intersection(*sets) | {block.label} if sets else every
            if new != found[block.label]:
                found[block.label] = new
                changed = True
    return found


# ---- order in memory ------------------------------------------------------------------------


def lay_out_blocks(routine: Routine) -> None:
    """Orders the blocks so that the edges in deep loops fall through; adds the jumps left over.

    Chains of blocks are joined along the heaviest edges first (Pettis and Hansen, 1990).
    """
    depths = loop_depths(routine)
    blocks = {b.label: b for b in routine.blocks}
    entry = routine.blocks[0].label
    chain_of = {b.label: [b.label] for b in routine.blocks}
    for _, _, _, tail, head in sorted(_edges(routine, depths)):
        one, other = chain_of[tail], chain_of[head]
        if one is not other and one[-1] == tail and other[0] == head and head != entry:
            one += other
            for label in other:
                chain_of[label] = one
    ordered = list(chain_of[entry])
    for block in routine.blocks:
        if block.label not in ordered:
            ordered += _rotated(chain_of[block.label], blocks, depths)
    routine.blocks = [blocks[label] for label in ordered]
    for block, after in zip(routine.blocks, [*ordered[1:], None], strict=True):
        _close(block, after, depths)


def _edges(routine: Routine, depths: dict[str, int]) -> list[tuple[float, int, int, str, str]]:
    """(-weight, -depth of the target, number, from, to), to be sorted.

    A branch that can be inverted weighs half for either way."""
    edges: list[tuple[float, int, int, str, str]] = []
    for block in routine.blocks:
        ways = block.successors()
        for label in ways:
            weight = 10.0 ** min(depths[block.label], depths[label]) / len(ways)
            edges.append((-weight, -depths[label], len(edges), block.label, label))
    return edges


def _rotated(chain: list[str], blocks: dict[str, Block], depths: dict[str, int]) -> list[str]:
    """The rotation of a chain (of a loop, mostly) that needs the fewest jumps where it matters."""

    def jumps(order: list[str]) -> float:
        cost = 0.0
        for label, after in zip(order, [*order[1:], None], strict=True):
            block = blocks[label]
            if block.follow is not None and after not in block.successors():
                cost += 10.0 ** min(depths[way] for way in [label, *block.successors()])
        return cost

    rotations = [chain[at:] + chain[:at] for at in range(len(chain))]
    return min(rotations, key=jumps)


def _close(block: Block, after: str | None, depths: dict[str, int]) -> None:
    """Ends a block with the jumps it needs when `after` is the next block in memory.

    Where there must be two, the second one is that which leaves the loop.
    """
    if block.follow is None or block.follow == after:
        return
    branch = branch_of(block)
    if branch is not None and isinstance(branch.b, Target):
        target = branch.b.name
        if target == after or depths[target] < depths[block.follow]:
            branch.b, block.follow = Target(block.follow), target
            branch.gneg = not branch.gneg
            if target == after:
                return
    at = block.code[-1].at if block.code else -1
    block.code.append(Ins("bra", b=Target(block.follow), at=at))
