"""The app in a browser: `textual-serve`, for this computer alone."""
