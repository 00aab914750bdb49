"""The end of a connection, in words."""


class LineBroken(Exception):  # noqa: N818  it is no error of ours
    """The connection is gone; the text says why. It would be `refused` again, or can be tried again."""

    def __init__(self, why: str, *, refused: bool = False) -> None:
        super().__init__(why)
        self.refused = refused
