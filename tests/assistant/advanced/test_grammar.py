"""What the grammar lets pass compiles; what does not compile it does not let pass."""

import pytest

from assistant.advanced import cuda_grammar, cuda_names, library, signature

HEAD = "__global__ void f(const int* a, int n, int* out) {\n"
OPEN = "// gives out[0]; order free\n" + HEAD
# Kernels that use what the grammar leaves out: a chain of assignments, a pointer of their own.
OUTSIDE = {"bounding_box", "determinants"}


@pytest.fixture(scope="module")
def tokens():
    from llguidance import LLTokenizer

    return LLTokenizer("byte")


def passes(tokens, text, head=HEAD, like=(), extents=("out[0]", "out[0..n-1]")):
    """How many characters of the text the grammar lets pass, and whether it may end there."""
    from llguidance import LLMatcher

    made = cuda_grammar.grammar(signature.head_of(head), extents, cuda_names.names_for(like))
    matcher = LLMatcher(tokens, LLMatcher.grammar_from_lark(made))
    assert not matcher.is_error(), matcher.get_error()
    count = matcher.try_consume_tokens(tokens.tokenize_str(text))
    return text[:count], matcher.is_accepting()


def test_the_kernels_of_the_library_are_within_it(tokens):
    outside = set()
    for entry in library.library():
        extent = str(entry.extent or "out[0..n-1]")
        text = f"// gives {extent}; order free\n{entry.source}"
        if passes(tokens, text, entry.source, [entry.source], [extent]) != (text, True):
            outside.add(entry.name)
    assert outside <= OUTSIDE


@pytest.mark.parametrize(
    ("body", "stops"),
    [
        ("    x = 1;\n", "x"),
        ("    int x = y;\n", "y"),
        ("    int x = 0;\n    int x = 1;\n", "x = 1"),
        ("    for (int i = 0; i < n; i++) {\n    }\n    out[0] = i;\n", "i;"),
        ("    if (n > 0) {\n        int x = 1;\n    }\n    out[0] = x;\n", "x;"),
        ("    break;\n", "break"),
        ("    a[0] = 1;\n", "a[0]"),
        ("    out[0] = 1.5;\n", ".5"),
        ("    out[0] = 123456789;\n", "6789"),
        ("    foo();\n", "foo"),
        ("    asm(1);\n", "asm"),
        ("#include <x>\n", "#"),
        ("    __shared__ int sorted[99999];\n", "99999"),
    ],
)
def test_what_would_not_compile_is_outside(tokens, body, stops):
    text = OPEN + body
    passed, _ = passes(tokens, text + "}\n")
    assert len(passed) < len(text)
    assert len(passed) <= text.rindex(stops) + len(stops)


def test_nesting_ends(tokens):
    text = OPEN + "".join("    " * d + "if (n > 0) {\n" for d in range(1, 12))
    passed, accepting = passes(tokens, text)
    assert len(passed) < len(text) and not accepting


def test_names_of_the_examples_are_offered_first():
    names = cuda_names.names_for(["__global__ void f() { int odd = 0; __shared__ int pile[7]; }"])
    assert names.pairs[:2] == (("local", "odd"), ("array", "pile"))
    assert 7 in names.sizes
    assert len(names.pairs) <= cuda_names.MOST
