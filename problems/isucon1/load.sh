#!/bin/bash
# Makes the database as it was at the start of the contest: drops it, makes it
# anew and loads the articles and comments from sql/ beside this script.
#
# No benchmark runs it: whatever a run writes is there in the next one. `hotseat
# reset` comes to the same state faster, by a copy of the server's own files. The
# server is found by the ISUCON_DB_* variables, or by the defaults in env.sh.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ./env.sh

client=$(command -v mariadb || command -v mysql) || {
  echo "load.sh: neither mariadb nor mysql, the database's command line client, is installed" >&2
  exit 1
}

# --no-defaults: what is in the caller's ~/.my.cnf must not matter.
# TCP, as the app does it; the client would take "localhost" for a socket.
db() {
  MYSQL_PWD=$ISUCON_DB_PASSWORD "$client" --no-defaults --protocol=TCP \
    --host="$ISUCON_DB_HOST" --port="$ISUCON_DB_PORT" --user="$ISUCON_DB_USER" \
    --default-character-set=utf8 "$@"
}

db -e "DROP DATABASE IF EXISTS \`$ISUCON_DB_NAME\`;
       CREATE DATABASE \`$ISUCON_DB_NAME\` DEFAULT CHARACTER SET utf8"
db "$ISUCON_DB_NAME" < sql/schema.sql
db "$ISUCON_DB_NAME" < sql/initial_articles.sql
db "$ISUCON_DB_NAME" < sql/initial_comments.sql
# The optimizer's picture of the tables must not depend on how they were loaded.
db "$ISUCON_DB_NAME" -e "ANALYZE TABLE article, comment" > /dev/null
