"""Small networks that read a host's hidden states and write rows of symbols: what is to be called
(`assistant.router`), or a kernel (`assistant.advanced`)."""
