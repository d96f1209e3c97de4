#!/usr/bin/env bash
# Build the decks in handouts/slides, one HTML file for each.
#
#   common/kit/slides.sh [FOLDER]    default build/handouts
#
# FOLDER gets slides-labN.html and the figures. A heading of level 2 is a slide;
# arrow keys, space and page keys go from one to the next.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-build/handouts}
kit=common/kit/pages

command -v pandoc > /dev/null || {
    echo "slides: pandoc isn't installed: apt-get install pandoc"
    exit 1
}
mkdir -p "$out"
cp -r handouts/figures "$out"
for f in handouts/slides/*.md; do
    pandoc --from gfm --to html5 --template $kit/slides.html --no-highlight \
        --section-divs --lua-filter $kit/page.lua --wrap none \
        --output "$out/slides-$(basename "$f" .md).html" "$f"
done
echo "slides: $(ls handouts/slides/*.md | wc -l) decks in $out"
