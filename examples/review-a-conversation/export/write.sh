#!/bin/sh
# Writes each definition from the last apply to ../definitions/<agent>.yaml.
# To use OpenTofu, set TERRAFORM=tofu.
set -eu
cd "$(dirname "$0")"
mkdir -p ../definitions
documents=$("${TERRAFORM:-terraform}" output -raw documents)
printf '%s\n' "$documents" |
  awk '/^--- # / { close(file); file = "../definitions/" $3 ".yaml"; next } { print > file }'
