"""Runs program.json on the exported model, with torch and transformers only."""

import json
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

here = Path(__file__).parent
model = AutoModelForCausalLM.from_pretrained(here, trust_remote_code=True)
program = json.loads((here / "program.json").read_text())
config, cache = model.config, model.new_cache()


def words(texts):  # hexadecimal, bit 0 lowest -> [1, n, bits]
    return torch.tensor([[[int(t, 16) >> i & 1 for i in range(config.word_bits)] for t in texts]])


def field(words, name):  # one number a word
    at, width = config.word[name]
    return [sum(int(bit) << i for i, bit in enumerate(w[at : at + width])) for w in words[0]]


def step(words):  # a forward pass: words go in, words come out
    return model(words=words, cache=cache).words


step(words(program["load"]))  # instructions, arguments, threads
lanes, passes = words(program["lanes"]), 0
while any(field(lanes, "run") + field(lanes, "wait")):
    lanes, passes = step(lanes), passes + 1
for name, read in program["read"].items():
    data = b"".join(v.to_bytes(4, "little") for v in field(step(words(read["words"])), "value"))
    parts = (data[i : i + read["size"]] for i in range(0, read["bytes"], read["size"]))
    print(name, "=", [int.from_bytes(part, "little", signed=read["signed"]) for part in parts])
print(program["call"], "took", passes, "passes of", lanes.shape[1], "lanes")
