"""The ids of requests and responses by their rows: nearly all are numbers, and there are very many."""

from array import array

from acp_tui.protocol.jsonrpc import Id

_MOST = 2**62
_NONE = 2**63 - 1
_OTHER = _NONE - 1


class RowIds:
    """A column in which a row may have no id, or a null one."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._others: dict[int, Id] = {}

    def __contains__(self, row: int) -> bool:
        return row < len(self._numbers) and self._numbers[row] != _NONE

    def __setitem__(self, row: int, id: Id) -> None:
        missing = row + 1 - len(self._numbers)
        if missing > 0:
            self._numbers.extend([_NONE] * missing)
        if type(id) is int and -_MOST < id < _MOST:
            self._numbers[row] = id
        else:
            self._numbers[row] = _OTHER
            self._others[row] = id

    def get(self, row: int) -> Id:
        """Return the id in a row; None if there is none, or a null one."""
        if row not in self:
            return None
        number = self._numbers[row]
        return self._others[row] if number == _OTHER else number
