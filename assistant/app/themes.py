"""The light and the dark theme. Contrast is for text on the background, 4.5 to 1 or more."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="machine-dark",
    primary="#7aa2f7",
    secondary="#9d7cd8",
    accent="#ff9e64",
    success="#9ece6a",
    warning="#e0af68",
    error="#f7768e",
    foreground="#c8d3f5",
    background="#16161e",
    surface="#1f2335",
    panel="#24283b",
    dark=True,
)
LIGHT = Theme(
    name="machine-light",
    primary="#2e5cb8",
    secondary="#7847bd",
    accent="#a34700",
    success="#2f6f1f",
    warning="#7a5500",
    error="#b3213f",
    foreground="#1f2335",
    background="#fafafa",
    surface="#f0f0f4",
    panel="#e4e6ee",
    dark=False,
)
THEMES = {"dark": DARK, "light": LIGHT}
