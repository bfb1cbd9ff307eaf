#!/bin/sh
# Make or bring up to date the virtual environment $1 from requirements.lock, with the library and the course editable.
# Does nothing, and needs no network, while the lock, both pyproject.toml, the Python and the folder are the same.
set -eu
venv=$1

python=
for candidate in python3.11 python3 python; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "classex needs Python 3.11 or later as python3.11 or python3; found: $(python3 --version 2>&1 || true)" >&2
    exit 1
fi

key=$("$python" - "$venv" <<'PYTHON'
import hashlib
import os
import sys

digest = hashlib.sha256(repr((sys.version_info[:2], os.path.abspath(sys.argv[1]))).encode())
for name in ("requirements.lock", "pyproject.toml", "src/classex_book/pyproject.toml"):
    with open(name, "rb") as file:
        digest.update(hashlib.sha256(file.read()).digest())
print(digest.hexdigest())
PYTHON
)
stamp=$venv/.installed
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key" ] && "$venv/bin/python" -c '' 2>/dev/null; then
    exit 0
fi

rm -f "$stamp"
# an environment of another Python or another folder cannot be mended: its scripts name the place they were made for
wanted=$("$python" -c 'import os, sys; print(sys.version_info[:2], os.path.abspath(sys.argv[1]))' "$venv")
found=$("$venv/bin/python" -c 'import sys; print(sys.version_info[:2], sys.prefix)' 2>/dev/null || true)
if [ "$wanted" != "$found" ]; then
    echo "making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv"
fi
echo "installing the locked requirements (about two minutes the first time)"
pip() {
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/python" -m pip --quiet --quiet "$@"
}
# The lock names every package, so nothing is resolved: pip would look for newer releases of what has extras
pip install --no-deps --require-hashes -r requirements.lock
pip install --no-deps --no-build-isolation --editable . --editable src/classex_book
echo "$key" >"$stamp"
