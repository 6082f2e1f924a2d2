"""PTX → the machine's instructions.

The stages, each with a form that can be printed: rules (`rules` and the modules of rules) turn
PTX into `mir` over virtual registers; `propagate`, `guards` and `cfg` tidy it; `legalise` and
`allocate` fit it to the machine; `assemble` encodes it. `program.build` runs them all.
"""
