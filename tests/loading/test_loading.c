/*
 * Programs that load simgpu with dlopen(), as Python does. NVIDIA's bindings
 * for NCCL are optional: PYTHON in the environment names an interpreter that
 * has nccl4py and cuda-bindings.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

enum { SEC = 60, IMPORT_SEC = 300 };

static const char *python(void)
{
    const char *const own = getenv("PYTHON");
    return own ? own : "python3";
}

/* Run a command that finds simgpu as the loader finds any library. */
#define WITH_SIMGPU "LD_LIBRARY_PATH=%s/simgpu/lib "

START_TEST(each_library_can_be_loaded)
{
    struct child c = child_run(
        SEC,
        "for l in %s/simgpu/lib/*.so*; do " WITH_SIMGPU
        "%s -c \"import ctypes; ctypes.CDLL('${l##*/}')\" || exit; done",
        child_build(), child_build(), python());
    ck_assert_msg(c.status == 0, "status %d: %s", c.status, c.err);
    child_clear(&c);
}
END_TEST

/* Reserve device memory and copy through it, on two threads: each allocates
 * libcudart's thread-local memory when it first uses it. */
static const char copies[] =
    "import ctypes as c, threading\n"
    "rt = c.CDLL('libcudart.so.13')\n"
    "assert c.CDLL('libcuda.so.1').cuInit(0) == 0\n"
    "def run(word):\n"
    "    at, back, size = c.c_void_p(), c.c_int(), c.c_size_t(4)\n"
    "    assert rt.cudaMalloc(c.byref(at), size) == 0\n"
    "    assert rt.cudaMemcpy(at, c.byref(c.c_int(word)), size, 1) == 0\n"
    "    assert rt.cudaMemcpy(c.byref(back), at, size, 2) == 0\n"
    "    assert rt.cudaFree(at) == 0\n"
    "    print(back.value)\n"
    "t = threading.Thread(target=run, args=(41,))\n"
    "t.start(); t.join(); run(42)\n"
    "version = c.c_int()\n"
    "assert c.CDLL('libnccl.so.2').ncclGetVersion(c.byref(version)) == 0\n"
    "print(version.value > 22800)\n";

START_TEST(what_is_loaded_works)
{
    struct child c = child_run(SEC, WITH_SIMGPU "%s -c \"%s\"", child_build(),
                               python(), copies);
    ck_assert_msg(c.status == 0, "status %d: %s", c.status, c.err);
    ck_assert_str_eq(c.out, "41\n42\nTrue\n");
    child_clear(&c);
}
END_TEST

static int has_nccl4py(void)
{
    struct child c = child_run(
        IMPORT_SEC,
        "%s -c 'import numpy, nccl.core, cuda.core, cuda.bindings.driver' "
        "2>/dev/null",
        python());
    const int found = c.status == 0;
    child_clear(&c);
    return found;
}

START_TEST(nvidias_bindings_reduce_over_two_ranks)
{
    if (!has_nccl4py()) {
        fprintf(stderr,
                "skipped: %s has no nccl4py: PYTHON names one that has "
                "(pip install nccl4py cuda-bindings)\n",
                python());
        return;
    }
    char folder[CHILD_FOLDER];
    child_folder(folder, "loading");
    struct child c =
        child_run(IMPORT_SEC,
                  "for r in 0 1; do " WITH_SIMGPU
                  "%s tests/loading/allreduce.py %s $r & done; wait",
                  child_build(), python(), folder);
    ck_assert_msg(strstr(c.out, "rank 0 sum is right\n") &&
                      strstr(c.out, "rank 1 sum is right\n"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
    child_remove(folder);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("loading");
    TCase *const t = tcase_create("loading");
    tcase_set_timeout(t, 2 * IMPORT_SEC);
    tcase_add_test(t, each_library_can_be_loaded);
    tcase_add_test(t, what_is_loaded_works);
    tcase_add_test(t, nvidias_bindings_reduce_over_two_ranks);
    suite_add_tcase(s, t);
    return suite_run(s);
}
