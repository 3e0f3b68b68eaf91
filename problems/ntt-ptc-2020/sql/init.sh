#!/bin/bash
# Brings reservations, timeslots and revoked tokens back to the initial state and
# removes users and events that came later. POST /api/initialize runs it and has
# 20 s. Edits and images of initial events stay.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../env.sh

client=$(command -v mariadb || command -v mysql) || {
  echo "init.sh: neither mariadb nor mysql, the database's command line client, is installed" >&2
  exit 1
}

# --no-defaults: what is in the caller's ~/.my.cnf must not matter.
db() {
  MYSQL_PWD=$MYSQL_PASSWORD "$client" --no-defaults --protocol=TCP \
    --host="$MYSQL_HOST" --port="$MYSQL_PORT" --user="$MYSQL_USER" \
    --default-character-set=utf8mb4 "$MYSQL_DATABASE" "$@"
}

db -e "DELETE FROM users WHERE id > 10379"
db -e "DELETE FROM events WHERE id > 3696"
db -e "TRUNCATE TABLE reservations"
db < reservations.sql
db -e "TRUNCATE TABLE timeslots"
db < timeslots.sql

# Whoever reads the list meanwhile sees the old one or the new one, never half of it.
cp seed.list "$REVOCATION_LIST_PATH.new"
mv "$REVOCATION_LIST_PATH.new" "$REVOCATION_LIST_PATH"
