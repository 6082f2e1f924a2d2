"""The read-out: a small network that writes calls from the host's hidden states.

It sees no text, only what the host made of it: the hidden states of every token at a few
layers. Two small layers let late words inform early ones (the host looks back only), two more
write the row of symbols (`assistant.router.symbols`); an argument is written by pointing at the
place in the message that it comes from. [Vinyals et al. 2015, Pointer Networks]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn

from assistant.router.places import Message, Place
from assistant.router.symbols import Grammar, Symbol

KINDS = ("number", "code", "list", "matrix", "date", "time")
MOST_SYMBOLS = 40
BEAM = 6  # rows that are followed at once
START = "<start>"


@dataclass(frozen=True)
class Sizes:
    """`features` is what `parts` layers of the host give together."""

    features: int
    parts: int
    width: int = 256
    heads: int = 4
    inner: int = 512
    layers: int = 2
    dropout: float = 0.15


@dataclass(frozen=True)
class Encoded:
    """What the host made of one message: states [tokens, features] and, for each place, which
    tokens are its."""

    states: torch.Tensor
    tokens: tuple[tuple[int, int], ...]
    kinds: tuple[int, ...]


def encoded(message: Message, states: torch.Tensor, offsets: Sequence[tuple[int, int]]) -> Encoded:
    """Finds the tokens of every place. `offsets` are each token's characters in the text."""
    tokens = []
    for place in message.places:
        own = [i for i, (a, b) in enumerate(offsets) if a < place.end and place.start < b]
        tokens.append((own[0], own[-1] + 1))
    kinds = tuple(KINDS.index(place.kind) for place in message.places)
    return Encoded(states, tuple(tokens), kinds)


class Reader(nn.Module):
    """Scores the next symbol: the words of `vocabulary`, then the places of the message."""

    def __init__(self, sizes: Sizes, vocabulary: Sequence[str]) -> None:
        super().__init__()
        self.sizes, self.vocabulary = sizes, list(vocabulary)
        self.index = {word: i for i, word in enumerate(self.vocabulary)}
        width = sizes.width
        self.normal = nn.LayerNorm(sizes.features // sizes.parts, elementwise_affine=False)
        self.project = nn.Linear(sizes.features, width)
        self.kinds = nn.Embedding(len(KINDS), width)
        shape = {
            "d_model": width, "nhead": sizes.heads, "dim_feedforward": sizes.inner,
            "dropout": sizes.dropout, "batch_first": True, "norm_first": True,
        }  # fmt: skip
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(**shape), sizes.layers, enable_nested_tensor=False
        )
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**shape), sizes.layers)
        self.words = nn.Embedding(len(self.vocabulary), width)
        self.positions = nn.Embedding(MOST_SYMBOLS, width)
        self.pointed = nn.Linear(width, width)
        self.say = nn.Linear(width, len(self.vocabulary))
        self.point = nn.Linear(width, width)
        self.dropout = nn.Dropout(sizes.dropout)

    def read(
        self, batch: Sequence[Encoded]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """(memory [n, tokens, width], its padding mask, places [n, most, width], their mask)."""
        longest = max(len(e.states) for e in batch)
        most = max(1, *(len(e.tokens) for e in batch))
        states = torch.zeros(len(batch), longest, self.sizes.features)
        padding = torch.ones(len(batch), longest, dtype=torch.bool)
        spans = torch.zeros(len(batch), most, longest)
        kinds = torch.zeros(len(batch), most, dtype=torch.long)
        no_place = torch.ones(len(batch), most, dtype=torch.bool)
        for i, one in enumerate(batch):
            states[i, : len(one.states)] = one.states.float()
            padding[i, : len(one.states)] = False
            for j, (a, b) in enumerate(one.tokens):
                spans[i, j, a:b] = 1.0 / (b - a)
                kinds[i, j], no_place[i, j] = one.kinds[j], False
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
        padding: torch.Tensor,
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

    @torch.inference_mode()
    def write(
        self, one: Encoded, places: Sequence[Place], grammar: Grammar
    ) -> tuple[list[Symbol], float]:
        """The likeliest well-formed row that a beam finds, and its probability; [] and 0 if none.

        What the grammar forbids keeps its share of the probability: a row that had to be forced
        is not a confident one.
        """
        memory, padding, points, no_place = self.read([one])
        beam: list[tuple[float, list[Symbol]]] = [(1.0, [])]
        best: tuple[float, list[Symbol]] = (0.0, [])
        while beam:
            given = torch.tensor(
                [[self.index[START], *(self.number(s) for s in row)] for _, row in beam]
            )
            each = (len(beam), -1, -1)
            scores = self(
                given, memory.expand(each), padding.expand(len(beam), -1), points.expand(each),
                no_place.expand(len(beam), -1),
            )[:, -1].softmax(-1)  # fmt: skip
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
                elif len(row) < MOST_SYMBOLS - 1:
                    beam.append((p, row))
        return best[1], best[0]
