"""The files of a folder as they were before each turn, and how one goes back to them."""
