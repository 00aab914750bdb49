"""The end of a connection."""


class LineBroken(Exception):  # noqa: N818  an outcome, not an error
    """The connection is lost; the message says why.

    If `refused`, another attempt would be, too. If `misread`, the server may not have understood
    what was sent, and another protocol version may work.
    """

    def __init__(self, why: str, *, refused: bool = False, misread: bool = False) -> None:
        super().__init__(why)
        self.refused = refused
        self.misread = misread
