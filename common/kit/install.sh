#!/usr/bin/env bash
# Install simgpu and its tools, for use by other projects.
#
#   common/kit/install.sh BUILD PREFIX [DESTDIR]
#   common/kit/install.sh --deb BUILD FILE.deb
#
#   PREFIX/lib/simgpu         simgpu's counterpart of CUDA's folder: bin lib
#                             include share; nothing shadows an installed CUDA
#   PREFIX/bin                simnvcc, commgraph
#   PREFIX/share/pkgconfig    pkg-config --cflags --libs simgpu
#   PREFIX/lib/cmake/simgpu   find_package(simgpu)
#   PREFIX/share/man          simgpu(7)
#
# DESTDIR is prepended to these paths on disk, but not written into files.
set -euo pipefail
parts=$(dirname "$0")/install
read -r version < "$parts"/../../VERSION
if git -C "$parts" rev-parse 2> /dev/null; then
    version+=+$(git -C "$parts" log -1 --date=format:%Y%m%d --format=%cd.%h)
fi

# Fill in the paths in a file.
fill() { sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" "$1"; }

install_all() { # BUILD PREFIX DESTDIR
    local build=$1 prefix=$2
    local root=$3$2
    mkdir -p "$root"/{bin,lib/simgpu,lib/cmake/simgpu} \
        "$root"/share/{pkgconfig,man/man7}
    rm -rf "$root/lib/simgpu"
    cp -R "$build/simgpu" "$root/lib/simgpu"
    rm -f "$root/lib/simgpu/.complete" "$root/lib/simgpu/.headers"
    install -m 755 "$build/commgraph" "$root/lib/simgpu/bin"
    ln -sf ../lib/simgpu/bin/simnvcc ../lib/simgpu/bin/commgraph "$root/bin"
    fill "$parts/simgpu.pc" > "$root/share/pkgconfig/simgpu.pc"
    fill "$parts/simgpu-config.cmake" \
        > "$root/lib/cmake/simgpu/simgpu-config.cmake"
    fill "$parts/simgpu.7" > "$root/share/man/man7/simgpu.7"
}

# The packages that the installed libraries and the compiler need.
depends() { # ROOT
    find "$1" -type f \( -name '*.so.*' -o -name commgraph \) -exec ldd {} + \
        | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u \
        | while read -r library; do
            dpkg-query -S "$(realpath "$library")" "$library" 2> /dev/null
        done | cut -d : -f 1 | sort -u
    printf '%s\n' g++ binutils mpich libmpich-dev libopenblas0
}

make_deb() { # BUILD FILE
    root=$(mktemp -d) # not local: the trap runs at the end
    trap 'rm -rf "$root"' EXIT
    chmod 755 "$root"
    install_all "$1" /usr "$root"
    mkdir "$root/DEBIAN"
    {
        fill "$parts/control"
        echo "Architecture: $(dpkg --print-architecture)"
        echo "Installed-Size: $(du -sk "$root/usr" | cut -f 1)"
        echo "Depends: $(depends "$root" | sort -u | paste -sd , \
            | sed 's/,/, /g')"
    } > "$root/DEBIAN/control"
    mkdir -p "$(dirname "$2")"
    dpkg-deb --root-owner-group --build "$root" "$2"
}

case ${1-} in
--deb) prefix=/usr make_deb "$2" "$3" ;;
*) install_all "$1" "$(realpath -m "$2")" "${3-}" ;;
esac
