#!/bin/sh
# Builds the benchmark if it changed, and becomes it. hotseat calls this with the
# flags of the protocol, in the workspace's folder.
set -e
here=$(cd "$(dirname "$0")" && pwd)
GOWORK=off go build -C "$here" -trimpath -buildvcs=false -o "$here/.benchmark" . >&2
exec "$here/.benchmark" "$@"
