#!/bin/bash
# SPDX-License-Identifier: MIT
# The database of a small application: pgbench asks PostgreSQL for one transaction a
# second, at random times, each of which is made durable.
# load-postgresql.sh SECONDS: record.sh runs it.
export PATH=$PATH:/usr/lib/postgresql/15/bin
mkdir -p /run/postgresql /srv/data
chown postgres: /run/postgresql /srv/data
rsyslogd
cron

as_postgres() {
	runuser -u postgres -- "$@"
}

as_postgres initdb -D /srv/data
as_postgres pg_ctl -D /srv/data -l /srv/data/log start
as_postgres createdb bench
# 300 MB: more than shared_buffers, less than the memory.
as_postgres pgbench --initialize --scale 20 --quiet bench
as_postgres pgbench --rate 1 --client 4 --time "$1" --random-seed 1 bench
