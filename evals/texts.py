"""Texts on which the composite's logits must be the host's: many scripts, shapes and lengths.

Written for this project. What they say does not matter; that they differ does.
"""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = """\
The ferry leaves at nine, and the next one only in the afternoon.
She counted the jars twice and got a different number each time.
Please send the invoice to the new address, not to the old one.
A kettle, two cups, and not a single spoon in the whole house!
Why would anyone paint a bridge in that colour?
He had never seen the river so low, not even in the dry year.
We need 37 chairs for Saturday; 12 are in the cellar already.
It's cheaper to repair the pump than to buy another (I asked).
"No," said the clerk, "the form must be filled in by hand."
The train from the coast was late, as it was yesterday and the day before.
Could you explain how a heat pump works, in three short sentences?
Between the mill and the church there used to be an orchard.
My sister keeps bees; last year they made 41.5 kg of honey.
If the door is locked, ring twice and wait for the dog to bark.
Nobody remembers who planted the walnut tree behind the school.
The recipe asks for 250 g of flour, a pinch of salt, and patience.
I would rather walk than wait another forty minutes for the bus.
Write a short poem about a lighthouse that is afraid of the dark.
On the third day the fog lifted, and we could see the other shore.
Rain again; the tent is dry, the matches are not."""

_RUSSIAN: Final = """\
Паром уходит в девять, следующий будет только после обеда.
Сколько стульев нужно, если придут тридцать семь человек?
Она дважды пересчитала банки и получила разные числа.
Отправьте, пожалуйста, счёт на новый адрес, а не на старый.
Почему мост покрасили именно в этот цвет?
Река никогда не была такой мелкой, даже в засушливый год.
«Нет, — сказал служащий, — бланк заполняют от руки».
Поезд с побережья опоздал, как вчера и позавчера.
Объясни в трёх предложениях, как работает тепловой насос.
Между мельницей и церковью раньше был сад.
Моя сестра держит пчёл: в прошлом году вышло 41,5 кг мёда.
Если дверь заперта, позвони дважды и подожди, пока залает собака.
Никто не помнит, кто посадил орех за школой.
По рецепту нужно 250 г муки, щепотка соли и терпение.
На третий день туман рассеялся, и мы увидели другой берег."""

_CODE: Final = (
    "int total = 0;\nfor (int i = 0; i < n; ++i) {\n    total += a[i] * b[i];\n}\n",
    "__global__ void scale(int *x, int k) { x[threadIdx.x] *= k; }",
    "def mean(values):\n    return sum(values) / len(values)\n",
    "SELECT name, COUNT(*) FROM visits WHERE year >= 2020 GROUP BY name ORDER BY 2 DESC;",
    '#!/bin/sh\nset -eu\nfor f in *.txt; do wc -l "$f"; done | sort -n\n',
    '{"name": "valve", "open": true, "steps": [0, 1, 1, 2, 3, 5, 8], "unit": null}',
    'fn main() {\n    let v: Vec<u32> = (1..=10).collect();\n    println!("{:?}", v);\n}\n',
    '<ul class="menu">\n  <li><a href="/">Home</a></li>\n</ul>',
    "mad.lo.s32 %r4, %r1, %r2, %r3;\n@%p1 bra $L__BB0_2;\n",
    "const wait = ms => new Promise(done => setTimeout(done, ms));",
    "\\frac{a}{b} = \\sum_{i=0}^{n} x_i^2 \\quad \\forall n \\in \\mathbb{N}",
    'if x < 0x1F and not (y & ~mask) == 0b1010_1010: raise ValueError(f"{x!r:>10}")',
    "diff --git a/pump.c b/pump.c\n@@ -1,3 +1,4 @@\n-  speed = 3;\n+  speed = 4;\n",
    'FROM debian:stable\nRUN apt-get update && apt-get install -y make\nCMD ["make"]\n',
    "\tclass\tPump:\n\t\tdef __init__(self):\n\t\t\tself.on = False\n",
)

_EMOJI: Final = (
    "🙂", "👍🏽👍🏿", "👩‍👩‍👧‍👦 family", "🇳🇴🇫🇮🇸🇪", "ok 👌 then 🚀🚀🚀",
    "☕️ + 🥐 = ❤️", "🧮 12 × 34", "🐝🍯🐻", "1️⃣2️⃣3️⃣", "¯\\_(ツ)_/¯",
)  # fmt: skip

_SCRIPTS: Final = (
    "明日の朝、港で会いましょう。", "请把发票寄到新地址。",
    "아침 배는 아홉 시에 떠납니다.", "تغادر العبارة في التاسعة.",
    "המעבורת יוצאת בתשע.", "Το πλοίο φεύγει στις εννέα.",
    "นาฬิกาเดินช้าไปห้านาที", "नाव नौ बजे निकलती है।",
    "Żółw pływał wśród źdźbeł.", "Où est la clé? Là-bas, près du hêtre.",
    "Größe: 5 Äpfel, 3 Öfen", "x\u0301 é e\u0301 — “quotes” ‘single’ …",
    "½ ¾ ² ³ µ Ω ≤ ≠ ∞ √2", "A\u200bB\u200dC\ufeffD",
)  # fmt: skip

_SHAPES: Final = (
    "", " ", "\n", "\n\n\n", "\t \t", "a", "Z", "0", ".", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "9999999999999999999999", "3.14159265358979", "-0", "0x7fffffff", "[1, 2, 3] · [4, 5, 6]",
    "WHY ARE YOU SHOUTING", "no spaces" * 12, "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "https://example.org/a/b?c=1&d=%20#e", "first\r\nsecond\r\nthird", "\\n is not a newline",
    "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n", "</s><s>[INST] hi [/INST]",
    "<start_of_turn>model\n", "-----", "1;2;3;;;;;;4", "   indented", "trailing   ",
)  # fmt: skip

COUNT: Final = 200
LONG_TOKENS: Final = 4000


def texts() -> list[str]:
    """The 200 texts; the last is about 4,000 tokens long in a vocabulary for English."""
    english, russian = _ENGLISH.splitlines(), _RUSSIAN.splitlines()
    found = [*english, *russian, *_CODE, *_EMOJI, *_SCRIPTS, *_SHAPES]
    long = " ".join(english)
    paragraphs = [" ".join(english[i : i + 5]) for i in range(0, 20, 5)]
    found += [*paragraphs, " ".join(russian[:6]), " ".join(russian[6:]), "\n\n".join(_CODE[:6])]
    # Two kinds of text in one, and questions as the assistant gets them.
    kinds = [english, russian, _CODE, _EMOJI, _SCRIPTS]
    step = 0
    while len(found) < COUNT - 1:
        one, two = kinds[step % 5], kinds[(step // 5 + step + 1) % 5]
        number = 7 * step * step + 3 * step + 1
        found.append(
            f"What is {number} times {step + 2}? {one[step % len(one)]}"
            if step % 3 == 0
            else f"{one[step % len(one)]}\n{two[(step + step // 10 + 2) % len(two)]}"
        )
        step += 1
    return [*found, "\n".join([long] * 14)]
