"""pydantic's core, its compiled module alone: the package around it first describes every schema that
there is as a type, which takes longer than all else that a start loads of it.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING

_NAME = "pydantic_core._pydantic_core"


def _load() -> ModuleType:
    """Load the module under its own name, so that whoever imports the package later gets the same."""
    loaded = sys.modules.get(_NAME)
    if loaded is not None:
        return loaded
    package = find_spec("pydantic_core")
    where = package.submodule_search_locations if package is not None else None
    spec = PathFinder.find_spec(_NAME, where)
    if spec is None or spec.loader is None:
        raise ImportError(f"{_NAME} is not there: install pydantic", name=_NAME)
    module = sys.modules[_NAME] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from pydantic_core import SchemaError, SchemaValidator, ValidationError, from_json
else:
    _engine = _load()
    SchemaError = _engine.SchemaError
    SchemaValidator = _engine.SchemaValidator
    ValidationError = _engine.ValidationError
    from_json = _engine.from_json

__all__ = ["SchemaError", "SchemaValidator", "ValidationError", "from_json"]
