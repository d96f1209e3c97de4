#!/bin/sh
# page.sh PAGE: does a handout show what the kit prints?
set -eu
cd "$(dirname "$0")/../.."
common/kit/handouts.sh --check "$1"
echo "ok $1 shows what the kit prints"
