"""Run the command line as ``python -m classex``."""

import sys

from classex.cli import main

if __name__ == "__main__":
    sys.exit(main())
