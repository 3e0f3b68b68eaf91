#!/bin/bash
# Fills an empty server with the initial data: the schema beside this script and
# the generated rows in $HOTSEAT_DATA. Runs once, when hotseat makes the golden
# database; a workspace gets a copy of that.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../env.sh

client=$(command -v mariadb || command -v mysql) || {
  echo "load.sh: neither mariadb nor mysql, the database's command line client, is installed" >&2
  exit 1
}

db() {
  MYSQL_PWD=$MYSQL_PASSWORD "$client" --no-defaults --protocol=TCP \
    --host="$MYSQL_HOST" --port="$MYSQL_PORT" --user="$MYSQL_USER" \
    --default-character-set=utf8mb4 --max-allowed-packet=16M "$@"
}

db -e "CREATE DATABASE \`$MYSQL_DATABASE\` DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
db "$MYSQL_DATABASE" < schema.sql
for rows in rows/users rows/venues rows/genres rows/events sql/timeslots sql/reservations; do
  db "$MYSQL_DATABASE" < "$HOTSEAT_DATA/$rows.sql"
done
