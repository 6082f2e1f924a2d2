"""The application: command line, hosts, router and answers. No arithmetic happens here."""

__version__ = "0.1.0"
