"""The book with cells that run: three pages on a server of this machine, in a browser, without a network."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from tests.book.visits import PATIENCE

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PAGES = ("notebooks/01c_random_codes", "notebooks/04a_ceiling", "notebooks/06_prediction_advantage")
START = 120  # seconds for a server, or a kernel that imports the library, on a busy machine


@pytest.fixture(scope="module")
def live(book):
    """Address of the server, which shows the built book."""
    assert (book / "index.html").is_file()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(ROOT / "tools" / "live.py"), "--no-browser", f"--port={port}", "--allow-root"]
    environment = {**os.environ, "JUPYTER_TOKEN": "known"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as server:
        address = f"http://127.0.0.1:{port}"
        for _ in range(START):
            try:
                urlopen(f"{address}/api", timeout=5).close()
                break
            except HTTPError:
                break
            except URLError:
                time.sleep(1)
        yield address
        server.terminate()


def opened(browser, live, page):
    """A page, with everything that it asked for and complained of."""
    view = browser.new_page(viewport={"width": 1280, "height": 900})
    view.asked, view.complaints = [], []
    view.on("request", lambda request: view.asked.append(request.url))
    view.on("pageerror", lambda error: view.complaints.append(str(error)))
    view.goto(f"{live}/book/{page}.html?token=known")
    return view


@pytest.mark.parametrize("page", PAGES)
def test_the_cells_of_a_page_run_and_can_be_edited(browser, live, page):
    view = opened(browser, live, page)
    last = view.locator("div.cell", has=view.locator(".classex-run").locator("visible=true")).nth(1)
    before = last.locator(".cell_output").inner_text()
    last.locator(".classex-run").click()
    view.wait_for_function("!document.querySelector('.classex-run:disabled')", timeout=1000 * START)
    assert "Error" not in last.inner_text()
    assert bool(last.locator(".cell_output").inner_text().strip()) == bool(before.strip())

    code = last.locator(".cell_input pre")
    code.fill("print(6 * 7)")
    code.press("Shift+Enter")
    last.locator(".cell_output", has_text="42").wait_for(timeout=PATIENCE)
    code.fill("1 / 0")
    code.press("Shift+Enter")
    last.locator(".cell_output", has_text="ZeroDivisionError").wait_for(timeout=PATIENCE)
    assert [url for url in view.asked if not url.startswith((live, live.replace("http", "ws"), "data:", "blob:"))] == []
    assert view.complaints == []
    kernels = f"{live}/api/kernels?token=known"
    assert len(view.request.get(kernels).json()) == 1
    view.goto("about:blank")
    patience = time.monotonic() + START
    while view.request.get(kernels).json() and time.monotonic() < patience:
        view.wait_for_timeout(500)
    assert view.request.get(kernels).json() == []
    view.close()


def test_the_server_asks_for_its_token(browser, live):
    view = browser.new_page()
    view.goto(f"{live}/book/{PAGES[0]}.html")
    assert "/login" in view.url
    assert view.locator(".classex-run").count() == 0
    view.close()
