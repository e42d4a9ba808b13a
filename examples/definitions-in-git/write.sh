#!/bin/sh
# Writes each definition of the last apply to definitions/<agent>.yaml.
# TERRAFORM=tofu selects OpenTofu.
set -eu
cd "$(dirname "$0")"
mkdir -p definitions
documents=$("${TERRAFORM:-terraform}" output -raw documents)
printf '%s\n' "$documents" |
  awk '/^--- # / { close(file); file = "definitions/" $3 ".yaml"; next } { print > file }'
