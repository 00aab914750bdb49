"""The pages that are made from code are what the code says."""

import pytest

from tests.pages import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_the_code_has_it(name: str) -> None:
    page = (DOCS / name).read_text("utf-8")
    assert page == PAGES[name](page), "run: make pages"
