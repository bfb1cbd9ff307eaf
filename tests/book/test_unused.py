"""Icons and rules of style sheets stay if pages use them, and no other."""

from __future__ import annotations

import json
import re

from classex_sphinx.unused import icon_script, used_styles


def test_only_the_named_icons_stay():
    theme = (
        'x={"angle-left":[256,512,[8249],"f104","M9 1z"],'
        'download:[512,512,[],"f019","M2 8z"],bars:[448,512,[],"f0c9","M0 0z"]}'
    )
    script = icon_script(theme, {"angle-left", "download", "no-such-icon"})
    icons = json.loads(re.search(r"const icons = (.*);", script)[1])
    assert icons == {"angle-left": [256, 512, "M9 1z"], "download": [512, 512, "M2 8z"]}


def test_only_the_used_rules_stay():
    css = """
    a, .a { color: red } .gone, .gone > .a, .a.gone { color: blue } .a:not(.b) p::after { content: ".gone {}" }
    @media print { .gone { color: red } } @media screen { :root { --x: 1px } } pre { tab-size: 4 }
    .-gone { color: red } .fa-b::before { content: "b" } @font-face { font-family: F; src: url(fontawesome/f.woff2) }
    """
    kept = used_styles(css, {"a", "b"})
    assert kept == ('a,.a{color:red}.a:not(.b) p:after{content:".gone {}"}@media screen{:root{--x:1px}}pre{tab-size:4}')
