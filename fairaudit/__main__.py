"""``python -m fairaudit`` is the same as the command ``fairaudit``."""

import sys

from fairaudit.cli import main

if __name__ == "__main__":
    sys.exit(main())
