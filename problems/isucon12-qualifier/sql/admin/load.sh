#!/bin/sh
# Fills an empty server with the admin database as the contest gave it: the schema
# beside this script and the generated rows, $HOTSEAT_DATA/admin/90_data.sql. Runs
# once, when hotseat makes the golden database; a workspace gets a copy of that.

set -e
cd "$(dirname "$0")"

client=$(command -v mariadb || command -v mysql) || {
  echo "load.sh: neither mariadb nor mysql, the database's command line client, is installed" >&2
  exit 1
}

db() {
  MYSQL_PWD=$ISUCON_DB_PASSWORD "$client" --no-defaults --protocol=TCP \
    --host="$ISUCON_DB_HOST" --port="$ISUCON_DB_PORT" --user="$ISUCON_DB_USER" \
    --default-character-set=utf8mb4 --local-infile=1 "$@"
}

db -e "CREATE DATABASE \`$ISUCON_DB_NAME\` DEFAULT CHARACTER SET utf8mb4"
db "$ISUCON_DB_NAME" < 10_schema.sql

cd "$HOTSEAT_DATA/admin" # where the statements look for the file of visits
db "$ISUCON_DB_NAME" < 90_data.sql
