#!/bin/bash
# The environment of the bank's app and of init.sh. Run a command in it with
#
#     ./env.sh COMMAND [ARGUMENT…]
#
# or source it. A variable that is set already, even to nothing, is left alone.

export ISU4_DB_HOST="${ISU4_DB_HOST-localhost}"
export ISU4_DB_PORT="${ISU4_DB_PORT-3306}"
export ISU4_DB_USER="${ISU4_DB_USER-isucon}"
export ISU4_DB_PASSWORD="${ISU4_DB_PASSWORD-isucon}"
export ISU4_DB_NAME="${ISU4_DB_NAME-isu4_qualifier}"
export ISU4_SESSION_SECRET="${ISU4_SESSION_SECRET-shirokane}"
export ISU4_USER_LOCK_THRESHOLD="${ISU4_USER_LOCK_THRESHOLD-3}"
export ISU4_IP_BAN_THRESHOLD="${ISU4_IP_BAN_THRESHOLD-10}"

if [ $# -gt 0 ]; then
  exec "$@"
fi
