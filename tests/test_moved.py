"""Names that moved: asking for one says where it is now, and it is there."""

from __future__ import annotations

import re
from pkgutil import resolve_name

import pytest

import classex as cx
from classex._moved import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_the_old_place_names_the_new_one_which_exists(old):
    module, _, name = old.rpartition(".")
    with pytest.raises(AttributeError, match=f"^{re.escape(old)} (moved to|is gone: )") as caught:
        getattr(resolve_name(module), name)
    assert str(caught.value).endswith(MOVED[old])
    assert name not in dir(resolve_name(module))
    for place in re.findall(r"\bclassex(?:_book)?(?:\.[A-Za-z_]\w*)+", MOVED[old]):
        assert resolve_name(place) is not None


def test_a_name_that_never_was_is_unknown():
    with pytest.raises(AttributeError, match=r"No classex\.methods attribute Nothing"):
        _ = cx.methods.Nothing
