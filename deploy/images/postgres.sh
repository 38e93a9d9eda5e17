#!/bin/sh
# What the public image of PostgreSQL does on its first start: makes the cluster, its user and its database.
set -eu
export PATH="/usr/lib/postgresql/bin:$PATH"
data=${PGDATA:-/var/lib/postgresql/data}
if [ ! -s "$data/PG_VERSION" ]; then
  password=$(mktemp)
  printf '%s' "$POSTGRES_PASSWORD" > "$password"
  initdb -D "$data.new" -U "$POSTGRES_USER" --pwfile="$password" --auth=scram-sha-256 --encoding=UTF8 > /dev/null
  rm "$password"
  printf 'host all all all scram-sha-256\n' >> "$data.new/pg_hba.conf"
  printf 'create database "%s"\n' "$POSTGRES_DB" | postgres --single -D "$data.new" postgres > /dev/null
  mv "$data.new" "$data"
fi
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp
