"""The end of a connection, in words."""


class LineBroken(Exception):  # noqa: N818  it is no error of ours
    """The connection is gone; the text says why. It would be `refused` again, or can be tried again.

    What was sent may have been `misread`: then other words may be understood.
    """

    def __init__(self, why: str, *, refused: bool = False, misread: bool = False) -> None:
        super().__init__(why)
        self.refused = refused
        self.misread = misread
