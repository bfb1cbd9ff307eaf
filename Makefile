# make book       build the book: _build/html/index.html
# make test       check the code and run the tests
# make live       open the built book in a browser, with cells that run on this machine
# make lab        open the students' notebooks in JupyterLab, in a folder of your own: my-notebooks
# make notebooks  build the book, and say where the notebooks for students and for instructors are
# make check      ruff and mypy only
# make clean      remove everything that was built, the environment too
#
# for maintainers
# make coverage        the tests, and fail where they reach too few lines
# make test-plain      the package's tests without the vector instructions of this processor
# make test-numpy        the package's tests where numba and cvxpy do not exist
# make readers         execute the notebooks that readers get, in an empty folder
# make browser         check the built book in a browser (needs Chromium)
# make surface         measure every page of the built book: clipped boxes, accessibility, weight (needs Chromium)
# make pdf             the book as _build/latex/classex.pdf (needs latexmk, XeLaTeX, FreeFont and a Telugu font)
# make fuzz            run a million odd inputs through the public functions (hours; FUZZ=10000 for fewer)
# make arrays          test the ranks of arrays of torch and jax, installed in an environment of their own (GB)
# make timings         enter the pages' times of the last build on the page book/timings.md
# make sources         open the chapters' sources in JupyterLab
# make wheel           build dist/, try the wheels in empty environments (PYTHON=python3.13, LOWEST=--lowest; a network)
# make coverage-study  rerun the stored simulation of the accuracy bounds' coverage (minutes)
# make lock            renew requirements.lock (needs uv and a network)
#
# The first run makes .venv from requirements.lock; later runs install nothing and need no network.

VENV := .venv
BIN := $(VENV)/bin
COVERAGE := 95
WORKERS := auto
FUZZ := 1000000
PYTHON := python3
LOWEST :=
FIXED := PYTHONHASHSEED=0 TZ=UTC OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
LAB_OPTIONS :=  # for example --no-browser --port 9000

.DEFAULT_GOAL := book
# Threads that wait for each other sleep: several processes on few cores would spin away each other's time.
export OMP_WAIT_POLICY := passive
.PHONY: help help-maintainers book notebooks readers test test-plain test-numpy fuzz arrays browser surface pdf tex timings loops coverage lab live sources check wheel clean lock environment html coverage-study

book: environment
	@$(MAKE) --no-print-directory html

help:
	@sed -n '/^#$$/q; s/^# //p' $(firstword $(MAKEFILE_LIST))

help-maintainers:
	@sed -n '/^$$/q; s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

notebooks: book
	@echo "for students: _build/notebooks/student; for instructors, with solutions: _build/notebooks/instructor"

# A build starts from nothing but the cached outputs of the chapters, so no page outlives its source and a
# failed build leaves no book behind. book/_ext/classex_sphinx drops the cached outputs when what they were
# computed with has changed. As many pages are executed at a time as there are cores, each with one thread for
# products of matrices.
# --all with -W: an incremental build would forget the warnings of the last one.
html:
	@rm -rf _build/html _build/notebooks _build/.doctrees _build/jupyter_execute
	@$(FIXED) $(BIN)/jupyter-book build . --all -W -n --keep-going -q

pdf: environment
	@$(MAKE) --no-print-directory tex
	@cd _build/latex && max_print_line=2000 latexmk -xelatex -interaction=nonstopmode -halt-on-error -quiet classex.tex
	@! grep -E "(Reference|Citation) .* undefined|Missing character|multiply defined" _build/latex/classex.log

tex:
	@rm -rf _build/latex
	@$(FIXED) $(BIN)/jupyter-book build . --builder latex -n -q

# The locked packages, and beside them two that are too large for the lock.
arrays: environment
	@$(BIN)/python -m venv _build/arrays
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > \
	    "$$(_build/arrays/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/locked.pth"
	@_build/arrays/bin/python -m pip install --quiet torch jax
	@_build/arrays/bin/python -m pytest -q -n 2 tests/embeddings/test_array_api.py

timings: environment
	@$(BIN)/python tools/timings.py

# As many workers as cores, each with one thread for products of matrices: more would wait for each other.
# They find the loops compiled, which is done beside the checks of the types.
test: environment
	@$(MAKE) --no-print-directory -j2 check loops
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=2 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal \
	    -m "not notebooks and not surface and not browser" $(TRACED)

# The same tests under the tracer, which takes a third more time: too few lines reached is a failure.
coverage: TRACED := --cov --cov-report=term:skip-covered --cov-fail-under=$(COVERAGE)
coverage: test

# Results must not depend on the processor by more than rounding: the same tests, with NumPy, OpenBLAS and Numba
# confined to what every x86-64 processor has, and loops compiled for it in a cache of their own.
PLAIN := NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL AVX512_SPR" OPENBLAS_CORETYPE=Prescott \
    NUMBA_CPU_NAME=generic NUMBA_CACHE_DIR=$(CURDIR)/_build/plain
test-plain: environment
	@$(PLAIN) $(BIN)/python -W ignore tools/compile_loops.py
	@$(PLAIN) OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=2 $(BIN)/python -m pytest -q -n $(WORKERS) \
	    --dist worksteal --ignore tests/book --ignore tests/course --ignore tests/fuzz --ignore src/classex_book

# As in a browser: what numba compiles elsewhere runs on NumPy.
test-numpy: environment
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal \
	    -p tests.without_compiler tests --ignore tests/book --ignore tests/course --ignore tests/fuzz

fuzz: environment
	@CLASSEX_FUZZ=$(FUZZ) $(BIN)/python -m pytest -q -n auto --timeout 0 tests/fuzz

# The notebooks that students and teachers get, executed in an empty folder: as long as the book takes.
readers: environment
	@$(BIN)/python -m pytest -q -m notebooks tests/course

# `make test` leaves these out: they need Chromium and the built book.
browser: environment
	@CLASSEX_BROWSER=required $(BIN)/python -m pytest -q -m browser tests/book

# What is clipped, what axe objects to, what weighs too much, on every page at four widths.
surface: environment
	@CLASSEX_BROWSER=required $(BIN)/python -m pytest -q -n $(WORKERS) -m surface tests/book

loops: environment
	@$(BIN)/python -W ignore tools/compile_loops.py

check: environment
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy --no-error-summary
	@mkdir -p _build; PYTHONPATH=src $(BIN)/lint-imports --no-logo >_build/imports.txt || { cat _build/imports.txt; exit 1; }

wheel: environment
	@$(BIN)/python tools/check_wheel.py $(PYTHON) $(LOWEST) --keep dist

# What you write in my-notebooks stays yours: notebooks that are there already are never replaced.
lab: environment
	@test -d _build/notebooks/student || $(MAKE) --no-print-directory html
	@mkdir -p my-notebooks
	@for notebook in _build/notebooks/student/*.ipynb; do \
	    test -e "my-notebooks/$${notebook##*/}" || cp "$$notebook" my-notebooks/; done
	@$(BIN)/jupyter lab --notebook-dir=my-notebooks $(LAB_OPTIONS)

live: environment
	@test -d _build/html || $(MAKE) --no-print-directory html
	@$(BIN)/python tools/live.py $(LAB_OPTIONS)

sources: environment
	@$(BIN)/jupytext-config --settings-file $(VENV)/etc/jupyter/labconfig/default_setting_overrides.json \
	    set-default-viewer markdown myst
	@$(BIN)/jupyter lab --notebook-dir=notebooks $(LAB_OPTIONS)

environment:
	@tools/environment.sh $(VENV)

clean:
	rm -rf _build $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
	find src tests book benchmarks -name __pycache__ -prune -exec rm -rf {} +

coverage-study: environment
	$(BIN)/python -m benchmarks.coverage bounds variance selection

lock:
	uv pip compile pyproject.toml --all-extras --group test --universal --generate-hashes --no-header --no-annotate -o requirements.lock
