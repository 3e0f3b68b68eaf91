#!/bin/bash
# The environment of n+ and of sql/init.sh. Run a command in it with
#
#     ./env.sh COMMAND [ARGUMENT…]
#
# or source it. A variable that is set already, even to nothing, is left alone.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export MYSQL_HOST="${MYSQL_HOST-127.0.0.1}"
export MYSQL_PORT="${MYSQL_PORT-3306}"
export MYSQL_USER="${MYSQL_USER-ptc-user}"
export MYSQL_PASSWORD="${MYSQL_PASSWORD-nplus}"
export MYSQL_DATABASE="${MYSQL_DATABASE-app}"
export JWT_SECRET_KEY="${JWT_SECRET_KEY-half-day-timeslots}"
export REVOCATION_LIST_PATH="${REVOCATION_LIST_PATH-$root/revocated_token.list}"
export STATIC_DIR="${STATIC_DIR-$root/public}"

if [ $# -gt 0 ]; then
  exec "$@"
fi
