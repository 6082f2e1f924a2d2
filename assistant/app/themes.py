"""The light and the dark theme. Contrast is for text on the background, 4.5 to 1 or more.

Muted text has a colour of its own: Textual's (a share of white or black) is white where a widget
draws its lines itself.
"""

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
    variables={
        "text-muted": "#8f97ba",
        "scrollbar": "#3b4261",
        "scrollbar-hover": "#545c7e",
        "scrollbar-active": "#7aa2f7",
        "scrollbar-background": "#16161e",
        "scrollbar-background-hover": "#16161e",
        "scrollbar-background-active": "#16161e",
        "scrollbar-corner-color": "#16161e",
    },  # fmt: skip
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
    variables={
        "text-muted": "#565c78",
        "scrollbar": "#b4b8cc",
        "scrollbar-hover": "#8b90a8",
        "scrollbar-active": "#2e5cb8",
        "scrollbar-background": "#fafafa",
        "scrollbar-background-hover": "#fafafa",
        "scrollbar-background-active": "#fafafa",
        "scrollbar-corner-color": "#fafafa",
    },  # fmt: skip
)
THEMES = {"dark": DARK, "light": LIGHT}
