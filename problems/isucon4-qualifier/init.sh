#!/bin/bash
# Puts the database back to the state before the first visitor: drops it, makes
# it anew and loads schema, users and log from sql/ beside this script.
#
# The benchmark runs it, without arguments, before every run. It has one minute;
# a status other than 0 means that there is no run. The server is found by the
# ISU4_DB_* variables, or by the defaults in env.sh.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./env.sh

client=$(command -v mariadb || command -v mysql) || {
  echo "init.sh: neither mariadb nor mysql, the database's command line client, is installed" >&2
  exit 1
}

# --no-defaults: what is in the caller's ~/.my.cnf must not matter.
# TCP, as the app does it; the client would take "localhost" for a socket.
# All users come in one statement of 16 MB, more than the client sends by itself.
db() {
  MYSQL_PWD=$ISU4_DB_PASSWORD "$client" --no-defaults --protocol=TCP \
    --host="$ISU4_DB_HOST" --port="$ISU4_DB_PORT" --user="$ISU4_DB_USER" \
    --default-character-set=utf8 --max-allowed-packet=300M "$@"
}

db -e "DROP DATABASE IF EXISTS \`$ISU4_DB_NAME\`;
       CREATE DATABASE \`$ISU4_DB_NAME\` DEFAULT CHARACTER SET utf8"
db "$ISU4_DB_NAME" < sql/schema.sql
db "$ISU4_DB_NAME" < sql/dummy_users.sql
# The contest's own log has times with a zone behind them, which strict mode refuses.
db --init-command="SET SESSION sql_mode = ''" "$ISU4_DB_NAME" < sql/dummy_log.sql
