#!/bin/sh
# The bootstrap of Lambda's image calls this with the command of its runtime client: Node, its flags, and the client, which the maker replaces.
last=$#
at=0
for argument do
  at=$((at + 1))
  shift
  [ "$at" -lt "$last" ] && set -- "$@" "$argument"
done
here=${0%/*}
exec "$@" "$here/maker.cjs" "$here/job.json"
