"""Language models that talk and route: where they come from, how they are kept and loaded."""

from assistant.hosts.model import Host, host_of, open_host

__all__ = ["Host", "host_of", "open_host"]
