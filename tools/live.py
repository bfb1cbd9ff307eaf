"""Open the built book with cells that run: a Jupyter server on this machine shows its pages with one script more.

Run as ``make live``, or ``python tools/live.py --no-browser --port 9000``. At the address that is printed, the cells in
view can be edited and run; each page has a kernel of its own, which stops when the page is left. The server listens to
this machine alone and, like JupyterLab, asks for a token. Nothing comes from a network.

thebe 0.9 does this for other books, but loads require.js from another host, and weighs twice as much as a page.
"""

from __future__ import annotations

import sys
from pathlib import Path

from jupyter_server.base.handlers import AuthenticatedFileHandler, JupyterHandler
from jupyter_server.serverapp import ServerApp
from tornado.web import HTTPError, authenticated

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "_build" / "html"
FOLDER = ROOT / "_build" / "live"  # where kernels start
SCRIPT = Path(__file__).with_name("live.js")
HEAD = """<script src="/live/live.js" defer></script>
<style>.classex-run { border: 1px solid currentColor; margin-top: 0.4rem; }</style>
</head>"""


class Page(JupyterHandler):  # type: ignore[misc]
    """A page of the book with the script, for those who have the token."""

    @authenticated
    def get(self, name: str) -> None:
        """Send the page, and the cookie that proves that a request comes from it."""
        file = (BOOK / name).resolve()
        if not (file.is_relative_to(BOOK.resolve()) and file.is_file()):
            raise HTTPError(404, f"the book has no page {name}")
        self.xsrf_token  # noqa: B018  # sets the cookie
        self.finish(file.read_text(encoding="utf-8").replace("</head>", HEAD, 1))


def server(options: list[str]) -> ServerApp:
    """The server, ready to be started."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    app = ServerApp(root_dir=str(FOLDER), default_url="/book/book/intro.html")
    app.initialize([*options, "--ServerApp.ip=127.0.0.1"], find_extensions=False)
    files = {"path": str(BOOK)}
    app.web_app.add_handlers(
        ".*$",
        [
            (r"/book/(.*\.html)", Page),
            (r"/book/(.*)", AuthenticatedFileHandler, files),
            (r"/live/(live\.js)", AuthenticatedFileHandler, {"path": str(SCRIPT.parent)}),
        ],
    )
    return app


def main(arguments: list[str]) -> int:
    """Serve the built book until the server is stopped; what Jupyter's servers take as options, this one takes."""
    if not (BOOK / "index.html").is_file():
        print("the book is not built: run `make book` first", file=sys.stderr)
        return 1
    server(arguments).start()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
