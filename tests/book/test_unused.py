"""Icons and rules of style sheets stay if pages use them, and no other."""

from __future__ import annotations

import json
import re

from classex_sphinx.unused import choose_scripts, icon_script, join_sheets, used_styles


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


def test_scripts_are_loaded_where_they_have_work():
    scripts = ["_static/design-tabs.js?v=1", "_static/copybutton.js", "_static/figures.js", "togglebutton.js"]
    context = {"script_files": scripts, "body": '<div class="sd-tab-set"><div class="highlight-python">'}
    choose_scripts(None, "page", "page.html", context, None)
    assert context["script_files"] == scripts[:3]
    context = {"script_files": scripts, "body": '<div class="dropdown admonition">'}
    choose_scripts(None, "page", "page.html", context, None)
    assert context["script_files"] == scripts[2:]


def test_pages_of_the_theme_load_their_common_sheets_as_one(tmp_path):
    sheets = {
        "_static/styles/theme.css": '@import "../basic.css";.t{color:red}',
        "_static/basic.css": ".b{background:url(b.svg)}",
        "_static/type.css": "@font-face{src:url('fonts/a.woff2')}.u{background:url(data:image/png,)}",
        "_static/explorer/own.css": ".o{color:red}",
    }
    for name, css in sheets.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(css)
    (tmp_path / "book").mkdir()
    theme, own = '<link href="{}_static/styles/theme.css?v=1" rel="stylesheet" />', "_static/explorer/own.css"
    kind = '<link rel="stylesheet" type="text/css" href="{}_static/type.css?v=2" />'
    pages = {
        tmp_path / "index.html": f"{theme}{kind}".format("", ""),
        tmp_path / "book" / "more.html": f'{theme}{kind}<link rel="stylesheet" href="../{own}">'.format("../", "../"),
        tmp_path / "slides.html": kind.format(""),
    }
    join_sheets(tmp_path, pages)
    (joined,) = (tmp_path / "_static").glob("book-*.css")
    assert joined.read_text() == f"{sheets['_static/basic.css']}.t{{color:red}}\n{sheets['_static/type.css']}"
    assert (tmp_path / "index.html").read_text() == f'<link href="_static/{joined.name}" rel="stylesheet" />'
    assert (tmp_path / "book" / "more.html").read_text() == (
        f'<link href="../_static/{joined.name}" rel="stylesheet" /><link rel="stylesheet" href="../{own}">'
    )
    assert not (tmp_path / "slides.html").exists()
