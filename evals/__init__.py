"""Question sets and what scores them. Nothing of the assistant imports this package."""
