/* `make doctor` judges machines correctly: each case is this machine with
 * something added or removed, in a folder of programs and a folder of /dev and
 * /sys. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

/*
 * $D/bin: all programs of /usr/bin; $D/root: a machine without GPUs. The shell
 * functions of a case change them.
 */
static const char functions[] =
    "fake() { rm -f $D/bin/$1; cat > $D/bin/$1; chmod +x $D/bin/$1; }\n"
    "card() { d=$D/root/sys/bus/pci/devices/0; mkdir -p $d;"
    "  echo 0x10de > $d/vendor; echo 0x030200 > $d/class; }\n"
    "gpus() { card; for i in $(seq 0 $(($1 - 1))); do"
    "    touch $D/root/dev/nvidia$i; done;"
    "  touch $D/root/dev/nvidiactl $D/root/dev/nvidia-uvm; smi Default; }\n"
    "smi() { fake nvidia-smi <<END\n"
    "#!/bin/sh\n"
    "case \"\\$*\" in *driver_version*) echo 550.54;; *compute_mode*) echo "
    "$1;;\n"
    "*mig*) echo Disabled;; topo*) printf 'GPU0\\tX\\tNV18\\n';;\n"
    "*) echo 'CUDA Version: 12.6';; esac\n"
    "END\n}\n"
    "toolkit() { c=$D/root/usr/local/cuda; mkdir -p $c/bin $c/include;"
    "  printf '#!/bin/sh\\necho release %s, V\\n' $1 > $c/bin/nvcc;"
    "  chmod +x $c/bin/nvcc; [ -z \"$2\" ] || printf '#define NCCL_MAJOR %s\\n"
    "#define NCCL_MINOR %s\\n#define NCCL_PATCH 1\\n' $2 $3"
    "    > $c/include/nccl.h; }\n"
    "probe() { mkdir -p $D/build; { echo '#!/bin/sh'; echo cat '<<END';"
    "  cat; echo END; } > $D/build/probe; chmod +x $D/build/probe; }\n"
    "pair() { printf 'backend  cuda\\nGPU  name  reaches\\n  0  H100  %s\\n"
    "  1  H100  %s\\n' \"$1\" \"$2\" | probe; }\n"
    "separate() { fake mpirun <<END\n"
    "#!/bin/sh\n"
    "[ \\$1 = --version ] && echo HYDRA && sleep 0.1 && echo details && exit\n"
    "ldd \\$3 | grep -q cudart && $1 && exec /usr/bin/mpirun \"\\$@\"\n"
    "for i in 1 2 3 4 5 6 7 8; do \\$3; done\n"
    "END\n}\n"
    "sound() { gpus 2; toolkit 12.4 2 19; pair 1 0; }\n";

/* Links to all programs take a second in a folder where many files have just
 * been removed (ext4): they are made once. */
static void make_folder(void)
{
    child_folder(dir, "commlab-doctor");
}

static void remove_folder(void)
{
    child_remove(dir);
}

/* Undo what the case before has changed. */
static void setup(void)
{
    struct child c = child_run(
        60,
        "cd %s && rm -rf root build && mkdir -p bin root/dev/shm root/sys "
        "root/proc && find bin -type f -delete && ls bin > there && "
        "ls /usr/bin | grep -vxF -f there | sed s,^,/usr/bin/, | "
        "xargs -r ln -s -t bin && "
        "rm -f bin/nvcc bin/nvidia-smi bin/lspci bin/sbatch && "
        "echo 'MemAvailable: 8000000 kB' > root/proc/meminfo",
        dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

enum { SAYS = 3 };
static const struct machine {
    const char *change;
    int status;
    const char *says[SAYS];
    const char *never; /* what must not be said; NULL: anything may */
} machines[] = {
    {"",
     0,
     {"\nok     MPI: MPICH ", "ok     GPUs: none: simgpu is used",
      "\nlabs can be built and run here: no GPU found, so simgpu is used\n"},
     "WRONG"},
    // what every build needs
    {"rm bin/mpirun",
     1,
     {"\nWRONG  MPI: no mpirun; make deps", "\n1 to fix before"},
     NULL},
    {"printf '#!/bin/sh\\nfor i in 1 2 3 4 5 6 7 8; do $3; done' | "
     "fake mpirun",
     1,
     {"WRONG  MPI: mpirun starts 8 separate programs", "use mpirun.mpich"},
     NULL},
    // MPICH's mpirun, whose library was built for PMIx
    {"separate false",
     1,
     {"although it is MPICH's: its library", "make GPU=sim, then ask again"},
     "mpirun.mpich"},
    {"separate true; mkdir -p build && ln -s $B/simgpu build/simgpu",
     0,
     {"ok     MPI: MPICH ", "8 ranks find each other on simgpu ("},
     "WRONG"},
    {"separate false; mkdir -p build && ln -s $B/simgpu build/simgpu",
     1,
     {"although it is MPICH's: its library", "; work in the container"},
     "ask again"},
    {"printf '#!/bin/sh\\necho no slots; exit 1' | fake mpirun",
     1,
     {"WRONG  MPI: mpirun -n 8 printed: no slots; it must start"},
     NULL},
    {"rm bin/gcc", 1, {"WRONG  c compiler: no gcc; make deps"}, NULL},
    {"printf '#!/bin/sh\\nexit 1' | fake g++",
     1,
     {"WRONG  c++ compiler: g++: "},
     "WRONG  c compiler"},
    {"rm bin/patch", 1, {"WRONG  tools: missing: patch; make deps"}, NULL},
    {"rm bin/pkg-config bin/*-linux-gnu-pkg-config",
     1,
     {"WRONG  tools: missing: pkg-config;",
      "WRONG  libraries: missing: mpich expat"},
     NULL},
    {"export PKG_CONFIG_LIBDIR=/none",
     1,
     {"WRONG  libraries: missing: mpich", "2 to fix"},
     NULL},
    {"ulimit -n 40", 1, {"WRONG  open files: at most 40; "}, NULL},
    {"ulimit -v 20000000",
     1,
     {"WRONG  address space: at most 20000000 KiB; "},
     "WRONG  open"},
    {"printf '#!/bin/sh\\necho h; echo t 9 9 50 9' | fake df",
     1,
     {"WRONG  disk: 50 MiB free here"},
     NULL},
    {"printf '#!/bin/sh\\necho riscv64' | fake uname",
     1,
     {"WRONG  system: ", "riscv64; simgpu's device code runs on x86_64"},
     NULL},
    {"printf '#!/bin/sh\\necho aarch64' | fake uname",
     0,
     {"ok     system: "},
     "WRONG"},
    {"printf '#!/bin/sh\\necho 65536' | fake getconf",
     1,
     {"WRONG  system: ", "memory pages of 65536 bytes; simgpu divides"},
     NULL},
    // what no build needs
    {"printf '#!/bin/sh\\necho 2' | fake nproc",
     0,
     {"\nnote   cores: 2, so"},
     "WRONG"},
    {"echo MemAvailable: 500000 kB > root/proc/meminfo",
     0,
     {"note   memory: 488 MiB available"},
     "WRONG"},
    {"rm bin/bwrap", 0, {"note   bubblewrap: not installed"}, "WRONG"},
    {"printf '#!/bin/sh\\necho bwrap: no namespace >&2; exit 1' | fake bwrap",
     0,
     {"note   bubblewrap: bwrap: no namespace: allow"},
     "WRONG"},
    {"printf '#!/bin/sh\\ncase $* in *--size*) echo bwrap: no --size >&2; "
     "exit 1;; esac' | fake bwrap",
     0,
     {"note   bubblewrap: bwrap: no --size: install a newer one"},
     "WRONG"},
    {"", 0, {"note   control groups: not writable"}, "WRONG"},
    {"mkdir -p root/sys/fs/cgroup && touch "
     "root/sys/fs/cgroup/cgroup.controllers",
     0,
     {"ok     control groups: writable"},
     "WRONG"},
    {"", 0, {"note   Slurm: not installed"}, "WRONG"},
    {"printf '#!/bin/sh\\nexit 0' | fake sbatch; cp bin/sbatch bin/sinfo.new;"
     "mv bin/sinfo.new bin/sinfo",
     0,
     {"ok     Slurm: "},
     "WRONG"},
    // GPUs: problems with them rule out only GPU=cuda
    {"sound",
     0,
     {"ok     GPUs: 2, with device",
      "ok     P2P: every GPU reaches every other",
      "run here, on 2 GPUs and on simgpu"},
     "WRONG"},
    {"sound; smi Default",
     0,
     {"ok     driver: 550.54, supports CUDA up to 12.6",
      "ok     toolkit: CUDA 12.4 in ", "ok     NCCL: 2.19.1"},
     "WRONG"},
    {"sound", 0, {"ok     topology: connections: NV18 "}, "WRONG"},
    {"card",
     0,
     {"WRONG  GPUs: 1 on the bus, but no /dev/nvidia0; install",
      "with GPU=sim; "},
     NULL},
    {"card; touch root/.dockerenv",
     0,
     {"no /dev/nvidia0; start the container with --gpus all"},
     NULL},
    {"sound; rm root/dev/nvidia-uvm",
     0,
     {"WRONG  GPUs: 2, but not both", "1 to fix for GPU=cuda"},
     NULL},
    {"sound; rm bin/nvidia-smi", 0, {"WRONG  driver: no nvidia-smi"}, NULL},
    {"sound; printf '#!/bin/sh\\necho mismatch; exit 9' | fake nvidia-smi",
     0,
     {"WRONG  driver: nvidia-smi: mismatch; reboot"},
     NULL},
    {"sound; smi Exclusive_Process",
     0,
     {"note   compute mode: Exclusive_Process: lab 5"},
     "WRONG"},
    {"sound; smi Prohibited", 0, {"WRONG  compute mode: Prohibited"}, NULL},
    {"sound; rm -r root/usr", 0, {"WRONG  toolkit: no nvcc"}, NULL},
    {"sound; toolkit 12.2 2 19", 0, {"WRONG  toolkit: CUDA 12.2 in "}, NULL},
    {"sound; toolkit 13.0 2 19",
     0,
     {"WRONG  toolkit: CUDA 13.0, but the driver supports up to 12.6"},
     NULL},
    {"sound; toolkit 12.4 2 18", 0, {"WRONG  NCCL: 2.18.1; labs need"}, NULL},
    {"toolkit 12.4 2 28", 0, {"ok     NCCL: 2.28.1", "no GPU found"}, "WRONG"},
    {"sound; pair 1 ''",
     0,
     {"note   P2P: 1 of 2 pairs reach each other"},
     "WRONG"},
    {"sound; echo 'devices  none: no driver' | probe",
     0,
     {"WRONG  probe: programs find no GPU: no driver; "},
     NULL},
    {"sound; echo 'backend  sim' | probe",
     0,
     {"note   probe: ", "is a build for simgpu"},
     "WRONG"},
    {"sound; SIMGPU_TOPO=dgx-1v $B/probe | sed s/sim/cuda/ | probe",
     0,
     {"ok     probe: programs find 8 GPUs", "note   P2P: 32 of 56 pairs reach"},
     "WRONG"},
    {"sound; rm build/probe",
     0,
     {"note   probe: ", "/probe is not built"},
     "WRONG"},
    {"sound; mkdir -p root/sys/class/iommu/dmar0",
     0,
     {"note   IOMMU: on"},
     "WRONG"},
    {"sound; rmdir root/dev/shm", 0, {"WRONG  /dev/shm: missing"}, NULL},
};

START_TEST(a_machine_is_judged_rightly)
{
    const struct machine *const m = &machines[_i];
    struct child c = child_run(
        120,
        "export D=%s B=%s DOCTOR_ROOT=%s/root PATH=%s/bin\ncd $D\n%s\n%s\n"
        "unset CC CXX; exec bash %s/common/kit/doctor.sh $D/build",
        dir, child_build(), dir, dir, functions, m->change, labtest_root());
    ck_assert_msg(c.status == m->status, "%s: status %d, expected %d\n%s%s",
                  m->change, c.status, m->status, c.out, c.err);
    for (int i = 0; i < SAYS && m->says[i]; i++)
        ck_assert_msg(strstr(c.out, m->says[i]), "%s: \"%s\" is not in:\n%s%s",
                      m->change, m->says[i], c.out, c.err);
    ck_assert_msg(!m->never || !strstr(c.out, m->never),
                  "%s: \"%s\" is in:\n%s", m->change, m->never, c.out);
    ck_assert_msg(!*c.err, "%s: %s", m->change, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("doctor");
    TCase *const t = tcase_create("machines");
    tcase_set_timeout(t, 150);
    tcase_add_unchecked_fixture(t, make_folder, remove_folder);
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, a_machine_is_judged_rightly, 0,
                        sizeof machines / sizeof *machines);
    suite_add_tcase(s, t);
    return suite_run(s);
}
