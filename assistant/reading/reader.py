"""The read-out: a small network that writes rows of symbols from the host's hidden states.

It sees no text, only what the host made of it: the hidden states of every token at a few
layers. Two small layers let late words inform early ones (the host looks back only), two more
write the row; what stands in the message is written by pointing at its place there.
[Vinyals et al. 2015, Pointer Networks]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import nn

Symbol = str | int  # a word of the vocabulary, or the index of a place
# What was read: memory, its padding mask, places, their mask. (`Reader.read`)
Read = tuple[torch.Tensor, torch.Tensor | None, torch.Tensor, torch.Tensor]
BEAM = 6  # rows that are followed at once
START = "<start>"


class Place(Protocol):
    """A stretch of a message that a row can point at: what it is, and its characters."""

    @property
    def kind(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Message(Protocol):
    """What the host reads, and the places in it."""

    @property
    def text(self) -> str: ...
    @property
    def places(self) -> Sequence[Place]: ...


class Grammar(Protocol):
    """Says which symbols may come after a row; none when it is complete."""

    def allowed(self, row: Sequence[Symbol], places: Sequence[Any]) -> set[Symbol]: ...


@dataclass(frozen=True)
class Sizes:
    """`features` is what `parts` layers of the host give together; `kinds` are those of places;
    `most` symbols make the longest row."""

    features: int
    parts: int
    width: int = 256
    heads: int = 4
    inner: int = 512
    layers: int = 2
    dropout: float = 0.15
    kinds: Sequence[str] = ("number", "code", "list", "matrix", "date", "time")
    most: int = 40


@dataclass(frozen=True)
class Encoded:
    """What the host made of some messages: states [messages, tokens, features], how many tokens
    each has, and for each of its places which tokens are its, and of what kind it is."""

    states: torch.Tensor
    lengths: tuple[int, ...]
    tokens: tuple[tuple[tuple[int, int], ...], ...]
    kinds: tuple[tuple[int, ...], ...]


def encoded(
    messages: Sequence[Message],
    states: torch.Tensor,
    offsets: Sequence[Sequence[tuple[int, int]]],
    known: Sequence[str],
) -> Encoded:
    """Finds the tokens of every place. `offsets` are each token's characters in the text, `known`
    the kinds that there are."""
    tokens, kinds = [], []
    for message, spans in zip(messages, offsets, strict=True):
        found = []
        for place in message.places:
            own = [i for i, (a, b) in enumerate(spans) if a < place.end and place.start < b]
            found.append((own[0], own[-1] + 1))
        tokens.append(tuple(found))
        kinds.append(tuple(known.index(place.kind) for place in message.places))
    return Encoded(states, tuple(map(len, offsets)), tuple(tokens), tuple(kinds))


class Reader(nn.Module):
    """Scores the next symbol: the words of `vocabulary`, then the places of the message."""

    def __init__(self, sizes: Sizes, vocabulary: Sequence[str]) -> None:
        super().__init__()
        self.sizes, self.vocabulary = sizes, list(vocabulary)
        self.index = {word: i for i, word in enumerate(self.vocabulary)}
        width = sizes.width
        self.normal = nn.LayerNorm(sizes.features // sizes.parts, elementwise_affine=False)
        self.project = nn.Linear(sizes.features, width)
        self.kinds = nn.Embedding(len(sizes.kinds), width)
        shape = {
            "d_model": width, "nhead": sizes.heads, "dim_feedforward": sizes.inner,
            "dropout": sizes.dropout, "batch_first": True, "norm_first": True,
        }  # fmt: skip
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(**shape), sizes.layers, enable_nested_tensor=False
        )
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**shape), sizes.layers)
        self.words = nn.Embedding(len(self.vocabulary), width)
        self.positions = nn.Embedding(sizes.most, width)
        self.pointed = nn.Linear(width, width)
        self.say = nn.Linear(width, len(self.vocabulary))
        self.point = nn.Linear(width, width)
        self.dropout = nn.Dropout(sizes.dropout)

    def read(self, batch: Encoded) -> Read:
        """(memory [n, tokens, width], its padding mask, places [n, most, width], their mask).
        Messages of one length have no padding mask: PyTorch checks one with what takes long to
        import."""
        states = batch.states.float()
        count, longest, _ = states.shape
        most = max(1, *map(len, batch.tokens))
        padding = None
        if min(batch.lengths) < longest:
            padding = torch.arange(longest) >= torch.tensor(batch.lengths)[:, None]
        spans = torch.zeros(count, most, longest)
        kinds = torch.zeros(count, most, dtype=torch.long)
        no_place = torch.ones(count, most, dtype=torch.bool)
        for i, (tokens, own) in enumerate(zip(batch.tokens, batch.kinds, strict=True)):
            for j, (a, b) in enumerate(tokens):
                spans[i, j, a:b] = 1.0 / (b - a)
                kinds[i, j], no_place[i, j] = own[j], False
        marks = self.kinds(kinds) * ~no_place[..., None]
        apart = self.normal(states.unflatten(-1, (self.sizes.parts, -1))).flatten(-2)
        stream = self.dropout(self.project(apart))
        stream = stream + (spans > 0).float().transpose(1, 2) @ marks
        memory = self.encoder(stream, src_key_padding_mask=padding)
        return memory, padding, spans @ memory + marks, no_place

    def forward(
        self,
        rows: torch.Tensor,
        memory: torch.Tensor,
        padding: torch.Tensor | None,
        places: torch.Tensor,
        no_place: torch.Tensor,
    ) -> torch.Tensor:
        """Scores [n, symbols, words + places] after each prefix. `rows` [n, symbols] counts the
        words, then the places."""
        words = len(self.vocabulary)
        spoken = self.words(rows.clamp(max=words - 1))
        which = (rows - words).clamp(min=0)[..., None].expand(-1, -1, places.shape[-1])
        pointed = self.pointed(places.gather(1, which))
        given = torch.where((rows < words)[..., None], spoken, pointed)
        given = given + self.positions(torch.arange(rows.shape[1]))
        causal = nn.Transformer.generate_square_subsequent_mask(rows.shape[1])
        out = self.decoder(
            given, memory, tgt_mask=causal, memory_key_padding_mask=padding, tgt_is_causal=True
        )
        pointing = self.point(out) @ places.transpose(1, 2) / self.sizes.width**0.5
        pointing = pointing.masked_fill(no_place[:, None], -1e9)
        return torch.cat([self.say(out), pointing], dim=-1)

    def number(self, symbol: Symbol) -> int:
        return self.index[symbol] if isinstance(symbol, str) else len(self.vocabulary) + symbol

    def following(self, rows: Sequence[Sequence[Symbol]], read: Read) -> torch.Tensor:
        """The probability [rows, words + places] of each symbol after each of some rows of the same
        length, for one message that has been read."""
        start = self.index[START]
        given = torch.tensor([[start, *(self.number(s) for s in row)] for row in rows])
        each = [None if p is None else p.expand(len(rows), *p.shape[1:]) for p in read]
        return self(given, *each)[:, -1].softmax(-1)

    @torch.inference_mode()
    def write(
        self, one: Encoded, places: Sequence[Place], grammar: Grammar
    ) -> tuple[list[Symbol], float]:
        """The likeliest well-formed row that a beam finds, and its probability; [] and 0 if none.

        What the grammar forbids keeps its share of the probability: a row that had to be forced
        is not a confident one.
        """
        read = self.read(one)
        beam: list[tuple[float, list[Symbol]]] = [(1.0, [])]
        best: tuple[float, list[Symbol]] = (0.0, [])
        while beam:
            scores = self.following([row for _, row in beam], read)
            longer: list[tuple[float, list[Symbol]]] = []
            for (p, row), own in zip(beam, scores, strict=True):
                for symbol in grammar.allowed(row, places):
                    if isinstance(symbol, int) or symbol in self.index:
                        longer.append((p * float(own[self.number(symbol)]), [*row, symbol]))
            longer.sort(key=lambda way: -way[0])
            beam = []
            for p, row in longer[:BEAM]:
                if p <= best[0]:
                    break
                if not grammar.allowed(row, places):
                    best = (p, row)
                elif len(row) < self.sizes.most - 1:
                    beam.append((p, row))
        return best[1], best[0]
