"""Who looks at the screen here draws it, as in `tests/unit/ui`."""

from tests.unit.ui.conftest import nothing_drawn_for_nobody

__all__ = ["nothing_drawn_for_nobody"]
