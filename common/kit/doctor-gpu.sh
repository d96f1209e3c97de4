# The requirements of real GPUs, sourced by doctor.sh. On a machine without GPUs
# only the toolkit is checked: the tests build with GPU=cuda wherever it is
# installed.
# shellcheck shell=bash disable=SC2154 # root, build, work: doctor.sh's
gpus_found=0

# Count NVIDIA's (10de) display and 3D controllers on the PCI bus.
gpus_on_bus() {
    local d n=0
    for d in "$root"/sys/bus/pci/devices/*; do
        [ "$(cat "$d/vendor" 2> /dev/null)" = 0x10de ] &&
            [[ $(cat "$d/class") == 0x03* ]] && n=$((n + 1))
    done
    echo $n
}

device_files() {
    local f n=0
    for f in "$root"/dev/nvidia[0-9]*; do
        [ -e "$f" ] && n=$((n + 1))
    done
    echo $n
}

find_toolkit() {
    local nvcc
    nvcc=$(command -v nvcc || echo "$root/usr/local/cuda/bin/nvcc")
    [ -x "$nvcc" ] && realpath "$nvcc" | sed 's#/bin/nvcc$##'
}

in_container() {
    [ -e "$root/.dockerenv" ] || [ -e "$root/run/.containerenv" ]
}

# ---- driver ------------------------------------------------------------------

# Set gpus_found.
check_devices() {
    local cards fix
    cards=$(gpus_on_bus) gpus_found=$(device_files)
    if [ "$gpus_found" -eq 0 ] && [ "$cards" -eq 0 ]; then
        ok GPUs "none: simgpu is used (GPU=sim)"
        return
    fi
    if [ "$gpus_found" -eq 0 ]; then
        fix="install NVIDIA's driver, or load it (modprobe nvidia)"
        in_container && fix="start the container with --gpus all"
        gpus_found=$cards
        wrong_gpu GPUs "$cards on the bus, but no /dev/nvidia0" "$fix"
        return
    fi
    if [ ! -e "$root/dev/nvidiactl" ] || [ ! -e "$root/dev/nvidia-uvm" ]; then
        wrong_gpu GPUs "$gpus_found, but not both /dev/nvidiactl and\
 /dev/nvidia-uvm" "nvidia-modprobe -c 0 -u creates them; a container must be\
 given both"
    else
        ok GPUs "$gpus_found, with device files"
    fi
}

smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>&1; }

# Set driver_cuda to the newest CUDA version that the driver supports.
check_driver() {
    local said
    driver_cuda=
    if ! has nvidia-smi; then
        wrong_gpu driver "no nvidia-smi" "install the driver's tools"
    elif ! said=$(nvidia-smi 2>&1); then
        wrong_gpu driver "nvidia-smi: $(head -n 1 <<< "$said")" \
            "reboot after a driver update, or reinstall the driver"
    else
        driver_cuda=$(sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p' \
            <<< "$said")
        ok driver "$(smi driver_version | head -n 1), supports CUDA up\
 to ${driver_cuda:-unknown}"
        check_modes
    fi
}

# Check settings that prevent several ranks from using GPUs, or sharing one.
check_modes() {
    local modes
    modes=$(smi compute_mode | sort -u | paste -sd ' ')
    case $modes in
    *Prohibited*) wrong_gpu "compute mode" "$modes" \
        "nvidia-smi -c DEFAULT, as root" ;;
    *Exclusive*) note "compute mode" "$modes: lab 5's ranks can't share a GPU\
 (nvidia-smi -c DEFAULT)" ;;
    *) ok "compute mode" "$modes" ;;
    esac
    case $(smi mig.mode.current) in
    *Enabled*) note MIG "on: a program sees one instance of one GPU, so NCCL\
 runs with one rank only (nvidia-smi -mig 0)" ;;
    *) ok MIG off ;;
    esac
}

# ---- toolkit and NCCL --------------------------------------------------------

nccl_version() { # TOOLKIT
    local h
    for h in "$1/include/nccl.h" /usr/include/nccl.h; do
        [ -f "$h" ] || continue
        sed -nE 's/^#define NCCL_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' "$h" |
            paste -sd .
        return
    done
}

check_toolkit() {
    local home version nccl
    home=$(find_toolkit)
    if [ -z "$home" ]; then
        if [ "$gpus_found" -gt 0 ]; then
            wrong_gpu toolkit "no nvcc" \
                "install the CUDA toolkit, 12.4 or newer"
        else
            ok toolkit "no nvcc; simgpu needs none"
        fi
        return
    fi
    version=$("$home/bin/nvcc" --version |
        sed -n 's/.*release \([0-9.]*\).*/\1/p')
    nccl=$(nccl_version "$home")
    if ! at_least 12.4 "${version:-0}"; then
        wrong_gpu toolkit "CUDA ${version:-unknown} in $home" \
            "labs need 12.4 or newer"
    elif [ -n "${driver_cuda-}" ] && ! at_least "$version" "$driver_cuda"; then
        wrong_gpu toolkit "CUDA $version, but the driver supports up\
 to $driver_cuda" "install a newer driver, or an older toolkit"
    else
        ok toolkit "CUDA $version in $home"
    fi
    if [ -z "$nccl" ]; then
        wrong_gpu NCCL "no nccl.h in $home/include or /usr/include" \
            "install NCCL for this toolkit (libnccl-dev)"
    elif ! at_least 2.19 "$nccl"; then
        wrong_gpu NCCL "$nccl" "labs need 2.19 or newer"
    else
        ok NCCL "$nccl"
    fi
}

# ---- how GPUs reach each other -----------------------------------------------

# Check the GPUs that lab programs find, if they are built for GPUs.
check_probe() {
    local said n
    if [ ! -x "$build/probe" ]; then
        note probe "$build/probe is not built: run make, then make doctor, to\
 see which GPUs programs find"
        return
    fi
    said=$("$build/probe")
    case $said in
    "backend  sim"*) note probe "$build is a build for simgpu: make GPU=cuda\
 BUILD=build/gpu, then common/kit/doctor.sh build/gpu" ;;
    *"devices  none: "*) wrong_gpu probe \
        "programs find no GPU: ${said##*none: }" "see the lines above;\
 CUDA_VISIBLE_DEVICES is \"${CUDA_VISIBLE_DEVICES-}\"" ;;
    *)
        n=$(awk '/^ *[0-9]+ / { n++ } END { print n + 0 }' <<< "$said")
        ok probe "programs find $n GPUs"
        check_p2p "$n" "$(pairs <<< "$said")"
        ;;
    esac
}

# Count the GPUs listed under "reaches" in all rows of probe's table.
pairs() {
    awk '/^GPU/ { at = index($0, "reaches"); next }
        at { n += split(substr($0, at), ignored, " ") } END { print n + 0 }'
}

check_p2p() { # GPUS PAIRS: ordered pairs in which the first reaches the second
    if [ "$1" -lt 2 ]; then
        note P2P "one GPU: one rank, except in lab 5, whose ranks may share it"
    elif [ "$2" -eq $(($1 * ($1 - 1))) ]; then
        ok P2P "every GPU reaches every other"
    else
        note P2P "$2 of $(($1 * ($1 - 1))) pairs reach each other: for the\
 others NCCL copies through host memory, which labs 5 and 6 can't do"
    fi
}

check_topology() {
    local links
    if ! has nvidia-smi || [ "$gpus_found" -lt 2 ]; then
        return
    fi
    links=$(nvidia-smi topo -m 2> /dev/null | awk '/^GPU[0-9]/ {
        for (i = 2; i <= NF; i++)
            if ($i ~ /^(NV[0-9]+|SYS|NODE|PHB|PXB|PIX)$/) seen[$i]++ }
        END { for (s in seen) printf " %s", s }')
    ok topology "connections:${links:- unknown} (nvidia-smi topo -m)"
}

# With IOMMU or ACS, writes between GPUs pass through the root complex and are
# slow or corrupted.
check_iommu() {
    if [ -n "$(ls -A "$root/sys/class/iommu" 2> /dev/null)" ]; then
        note IOMMU "on: copies between GPUs may hang or be slow; on your own\
 machine, turn it off in the BIOS or boot with iommu=pt"
    else
        ok IOMMU off
    fi
    if ! has lspci || [ "$(id -u)" -ne 0 ]; then
        note ACS "not checked (needs root and lspci)"
    elif lspci -vvv 2> /dev/null | grep 'ACSCtl:.*SrcValid+' > /dev/null; then
        note ACS "on at a PCI bridge: copies between GPUs go through the CPU;\
 NCCL's troubleshooting page says how to turn it off"
    else
        ok ACS off
    fi
}

# NCCL ranks on one machine share memory in /dev/shm and pin it.
check_shared_memory() {
    local mib
    mib=$(df -Pm "$root/dev/shm" 2> /dev/null | awk 'NR == 2 { print $2 }')
    if [ ! -w "$root/dev/shm" ]; then
        wrong_gpu /dev/shm "missing or not writable" \
            "NCCL needs it: mount a tmpfs there"
    elif [ "${mib:-0}" -lt 1024 ]; then
        note /dev/shm "${mib:-0} MiB: NCCL may run out of it (a container:\
 --shm-size=1g)"
    else
        ok /dev/shm "$mib MiB"
    fi
    if [ "$(ulimit -l)" = unlimited ]; then
        ok "locked memory" unlimited
    else
        note "locked memory" "at most $(ulimit -l) KiB: enough on one machine;\
 InfiniBand needs ulimit -l unlimited"
    fi
}

check_gpus() {
    check_devices
    [ "$gpus_found" -eq 0 ] || check_driver
    check_toolkit
    [ "$gpus_found" -gt 0 ] || return 0
    check_shared_memory
    check_probe
    check_topology
    check_iommu
}
