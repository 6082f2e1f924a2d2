"""A writer of fixed texts in the host's place, and kernels for it to write."""

from __future__ import annotations

from assistant.advanced import write

PARALLEL = """// gives out[0]; order free
__global__ void above(const int* a, int n, int* out) {
    for (int i = threadIdx.x; i < n; i += 32) {
        if (a[i] > 20) atomicAdd(out, 1);
    }
}
"""
SERIAL = """// gives out[0]; order free
__global__ void above(const int* a, int n, int* out) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            if (a[i] > 20) count++;
        }
        out[0] = count;
    }
}
"""
BROKEN = PARALLEL.replace("a[i] > 20", "a[i] > x")
# A message, and the same kernels as they are written for it.
QUESTION = "How many of 14, 31, 8, 27, 40 are above 20? Write a kernel."
RENAMED = [
    text.replace(
        "above(const int* a, int n, int* out)", "answer(const int* a, int n, int k, int* out)"
    )
    for text in (PARALLEL, SERIAL, BROKEN)
]


class Scripted:
    """Writes the given texts, one after the other, the last for ever; keeps what it was asked."""

    label = "Scripted"

    def __init__(self, *texts):
        self.texts, self.orders = list(texts), []

    def load(self):
        return None

    def write(self, order, cancelled):
        self.orders.append(order)
        text = self.texts[min(len(self.orders), len(self.texts)) - 1]
        return write.read(text, order.task, 0.5)
