#!/usr/bin/env bash
# Whether the service answers, for a health check.
set -euo pipefail
exec python3 -c "
import sys, urllib.request
with urllib.request.urlopen('http://127.0.0.1:${NEARCOPY_PORT:-8000}/readyz', timeout=5) as answer:
    sys.exit(answer.status != 200)
"
