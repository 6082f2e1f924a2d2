"""One module a command; each has a function `command`, whose signature is the command line's."""
