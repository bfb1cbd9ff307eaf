"""The script of the icons holds the outlines that pages use, and no other."""

from __future__ import annotations

import json
import re

from classex_sphinx.icons import icon_script


def test_only_the_named_icons_stay():
    theme = (
        'x={"angle-left":[256,512,[8249],"f104","M9 1z"],'
        'download:[512,512,[],"f019","M2 8z"],bars:[448,512,[],"f0c9","M0 0z"]}'
    )
    script = icon_script(theme, {"angle-left", "download", "no-such-icon"})
    icons = json.loads(re.search(r"const icons = (.*);", script)[1])
    assert icons == {"angle-left": [256, 512, "M9 1z"], "download": [512, 512, "M2 8z"]}
