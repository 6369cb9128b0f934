#!/usr/bin/env bash
# Starts the service, by NEARCOPY_* settings; beyond this machine it wants tokens, and the first is made and shown here.
set -euo pipefail
tokens=${NEARCOPY_TOKENS:?give the file of tokens}
if [ ! -e "$tokens" ] && [ "${NEARCOPY_HOST:-127.0.0.1}" != 127.0.0.1 ]; then
    nearcopy token add first --scope read,write,admin --tokens "$tokens"
fi
exec nearcopy serve
