#!/bin/bash
# The environment of the blog's app and of load.sh. Run a command in it with
#
#     ./env.sh COMMAND [ARGUMENT…]
#
# or source it. A variable that is set already, even to nothing, is left alone.

export ISUCON_DB_HOST="${ISUCON_DB_HOST-localhost}"
export ISUCON_DB_PORT="${ISUCON_DB_PORT-3306}"
export ISUCON_DB_USER="${ISUCON_DB_USER-isuconapp}"
export ISUCON_DB_PASSWORD="${ISUCON_DB_PASSWORD-sidebar}"
export ISUCON_DB_NAME="${ISUCON_DB_NAME-isucon}"

if [ $# -gt 0 ]; then
  exec "$@"
fi
