"""The machine panel: a recorded or running launch, pass by pass."""
