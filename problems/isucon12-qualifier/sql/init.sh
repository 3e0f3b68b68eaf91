#!/bin/sh
# Brings the world back to 2022-06-01 00:00 UTC, when the contest's data end.
# POST /initialize runs it; it finds the servers by the ISUCON_* variables.

set -e
cd "$(dirname "$0")"

ISUCON_DB_HOST=${ISUCON_DB_HOST:-127.0.0.1}
ISUCON_DB_PORT=${ISUCON_DB_PORT:-3306}
ISUCON_DB_USER=${ISUCON_DB_USER:-isucon}
ISUCON_DB_PASSWORD=${ISUCON_DB_PASSWORD:-isucon}
ISUCON_DB_NAME=${ISUCON_DB_NAME:-isuports}
ISUCON_TENANT_DB_DIR=${ISUCON_TENANT_DB_DIR:-../tenant_db}

client=$(command -v mariadb || command -v mysql) || {
  echo "init.sh: neither mariadb nor mysql, the database's command line client, is installed" >&2
  exit 1
}

# --no-defaults: what is in the caller's ~/.my.cnf must not matter.
# Ids go on behind those of the initial data, which end before 26784000000.
MYSQL_PWD=$ISUCON_DB_PASSWORD "$client" --no-defaults --protocol=TCP \
  --host="$ISUCON_DB_HOST" --port="$ISUCON_DB_PORT" --user="$ISUCON_DB_USER" "$ISUCON_DB_NAME" <<SQL
DELETE FROM tenant WHERE id > 100;
DELETE FROM visit_history WHERE created_at >= 1654041600;
UPDATE id_generator SET id = 26784000000 WHERE stub = 'a';
ALTER TABLE id_generator AUTO_INCREMENT = 26784000000;
SQL

mkdir -p "$ISUCON_TENANT_DB_DIR"
rm -f "$ISUCON_TENANT_DB_DIR"/*.db "$ISUCON_TENANT_DB_DIR"/*.db-*
cp ../initial_data/*.db "$ISUCON_TENANT_DB_DIR"
