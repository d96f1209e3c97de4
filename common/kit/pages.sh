#!/usr/bin/env bash
# Build the handouts as a small site, for phones, for print and for the web.
#
#   common/kit/pages.sh [--optional] [--html] [FOLDER]    default build/handouts
#
# FOLDER gets index.html (the README), a page for each handout, one that
# searches them, the style sheet and the figures; and, without --html, a PDF of
# each page if weasyprint or chromium is installed. Commands are not rerun:
# `make handouts` does that. Without pandoc no pages are built, which is an
# error unless --optional is given.
set -euo pipefail
cd "$(dirname "$0")/../.."

optional='' want_pdf=1
[ "${1-}" = --optional ] && { optional=1; shift; }
[ "${1-}" = --html ] && { want_pdf=; shift; }
out=${1:-build/handouts}
kit=common/kit/pages

command -v pandoc > /dev/null || {
    echo "pages: no HTML or PDF, since pandoc isn't installed:" \
        "apt-get install pandoc"
    [ -n "$optional" ]
    exit
}

# The program that prints pages. Browsers come last: if a figure has patterns,
# their PDFs are forty times as large. Ubuntu's chromium-browser may be a mere
# script that says how to install it.
printer=
for p in ${want_pdf:+weasyprint chromium chromium-browser google-chrome}; do
    "$p" --version > /dev/null 2>&1 && { printer=$p; break; }
done

print() { # PAGE PDF
    local options=(--headless --disable-gpu --no-pdf-header-footer
        --print-to-pdf="$2" --user-data-dir="$work/browser")
    # Browsers refuse to sandbox root. These pages are the kit's own.
    [ "$(id -u)" -ne 0 ] || options+=(--no-sandbox)
    if [ "$printer" = weasyprint ]; then
        weasyprint --quiet "$1" "$2"
    else
        timeout 120 "$printer" "${options[@]}" "file://$(realpath "$1")"
    fi > "$work/log" 2>&1 || true
    [ -s "$2" ] || {
        echo "pages: $printer did not write $2:"
        tail -n 5 "$work/log"
        exit 1
    }
}

page_of() { # FILE: the page's name
    case $1 in
        README.md) echo index ;;
        *) basename "$1" .md ;;
    esac
}

# The link bar at the top of a page: all pages, with the current one marked.
bar() { # PAGE
    local f name label
    for f in "${files[@]}"; do
        name=$(page_of "$f")
        case $name in
            index) label=commlab ;;
            lab*) label=${name%%-*} label="lab ${label#lab}" ;;
            ta) label=TA ;;
            *) label=$name ;;
        esac
        if [ "$name" = "$1" ]; then
            printf '<a href="%s.html" aria-current="page">%s</a>\n' \
                "$name" "$label"
        else
            printf '<a href="%s.html">%s</a>\n' "$name" "$label"
        fi
    done
    echo '<a href="search.html">search</a>'
}

# The page that searches the others.
write_search() {
    local f pages=()
    for f in "${files[@]}"; do
        pages+=("$out/$(page_of "$f").html")
    done
    bar search > "$work/bar"
    awk -f $kit/search.awk "${pages[@]}" > "$work/index"
    sed -e "/^@BAR@/{r $work/bar" -e 'd}' -e "/^@INDEX@/{r $work/index" \
        -e 'd}' $kit/search.html > "$out/search.html"
}

write() { # FILE PAGE [PANDOC'S OPTIONS]
    pandoc --from gfm --to html5 --template $kit/page.html --no-highlight \
        --lua-filter $kit/page.lua --variable bar="$(bar "$(page_of "$1")")" \
        --wrap none --toc --toc-depth 2 --output "$2" "${@:3}" "$1"
}

mapfile -t labs < <(printf '%s\n' handouts/lab*.md | sort -V)
files=(README.md "${labs[@]}" handouts/student.md handouts/nodes.md
    handouts/accuracy.md handouts/profiling.md handouts/ta.md handouts/course.md
    handouts/instructor.md handouts/developer.md handouts/simgpu.md
    handouts/changes.md)
# The students' copy lacks the instructors' guides.
for i in "${!files[@]}"; do
    [ -e "${files[i]}" ] || unset "files[i]"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
rm -rf "$out"/*.html "$out"/*.pdf "$out/figures"
cp $kit/style.css "$out"
cp -r handouts/figures "$out"
for f in LICENSE CITATION.cff; do # which the README links
    [ ! -e $f ] || cp $f "$out"
done
# Pages for print use the same figures, but their links are plain text.
cp $kit/style.css "$work"
cp -r handouts/figures "$work"
for f in "${files[@]}"; do
    page=$(page_of "$f")
    write "$f" "$out/$page.html"
    [ -n "$printer" ] || continue
    write "$f" "$work/$page.html" --metadata print=1
    print "$work/$page.html" "$out/$page.pdf"
done
write_search
echo "pages: ${#files[@]}, starting at $out/index.html"
[ -n "$printer" ] || [ -z "$want_pdf" ] ||
    echo "pages: no PDF, since neither weasyprint nor chromium is installed:" \
        "apt-get install weasyprint"
