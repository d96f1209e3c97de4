/*
 * Headers of CUDA in programs that g++ and gcc compile, without simnvcc: those
 * of libcu++, and the types of pointers to the driver's functions.
 */
#include <check.h>

#include "child.h"
#include "suite.h"

static char folder[CHILD_FOLDER];

/* Run shell lines in the folder: $B is simgpu, $T the tests' folder. */
static void works(const char *lines)
{
    struct child c = child_run(250,
                               "B=%s/simgpu T=$PWD/tests/simnvcc; cd %s && "
                               "set -e\n%s",
                               child_build(), folder, lines);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}

START_TEST(headers_of_libcu_compile_in_plain_cpp)
{
    works("for h in $B/include/cuda/* $B/include/cuda/std/*; do\n"
          "    [ -d $h ] || echo \"#include \\\"$h\\\"\"\n"
          "done > all.cpp\n"
          "for std in c++17 c++20; do\n"
          "    g++ -std=$std -Wall -Wextra -Werror -fsyntax-only all.cpp\n"
          "done");
}
END_TEST

/* Four host threads count, and meet. */
START_TEST(atomics_and_barriers_work_in_plain_cpp)
{
    works("cat > count.cpp << 'END'\n"
          "#include <cuda/atomic>\n"
          "#include <cuda/barrier>\n"
          "#include <thread>\n"
          "cuda::atomic<int, cuda::thread_scope_system> sum(0);\n"
          "cuda::std::barrier<> meet(4);\n"
          "static int wrong;\n"
          "static void count()\n"
          "{\n"
          "    for (int i = 0; i < 1000; i++)\n"
          "        sum.fetch_add(1, cuda::memory_order_relaxed);\n"
          "    cuda::atomic_thread_fence(cuda::memory_order_seq_cst,\n"
          "                              cuda::thread_scope_device);\n"
          "    meet.arrive_and_wait();\n"
          "    cuda::atomic_ref<int> all(wrong);\n"
          "    all += sum.load() != 4000;\n"
          "}\n"
          "int main()\n"
          "{\n"
          "    std::thread t[3];\n"
          "    for (std::thread &x : t) x = std::thread(count);\n"
          "    count();\n"
          "    for (std::thread &x : t) x.join();\n"
          "    return wrong;\n"
          "}\n"
          "END\n"
          "g++ -std=c++17 -O2 -pthread -I$B/include count.cpp -L$B/lib "
          "-lcudart -Wl,-rpath,$B/lib -o count && ./count");
}
END_TEST

START_TEST(functions_of_the_driver_have_types)
{
    works("cat > types.c << 'END'\n"
          "#include <cudaTypedefs.h>\n"
          "PFN_cuDeviceGetUuid_v9020 uuid;\n"
          "PFN_cuMemAlloc_v3020 alloc;\n"
          "PFN_cuLaunchKernel launch;\n"
          "CUresult both(CUdeviceptr *p, void **f)\n"
          "{\n"
          "    alloc = (PFN_cuMemAlloc)*f;\n"
          "    return alloc(p, 4);\n"
          "}\n"
          "END\n"
          "gcc -Wall -Wextra -Werror -fsyntax-only -I$B/include types.c\n"
          "g++ -xc++ -Wall -Wextra -Werror -fsyntax-only -I$B/include "
          "types.c\n");
}
END_TEST

/* Each is a type of the toolkit's header, too, and that of the function. */
START_TEST(the_types_are_those_of_the_toolkit)
{
    works("cuda=${CUDA_HOME:-/usr/local/cuda}/include\n"
          "[ -f $cuda/cudaTypedefs.h ] || { echo skipped: no CUDA toolkit; "
          "exit 0; }\n"
          "{ echo '#include <cudaTypedefs.h>'\n"
          "  sed -n 's/^SIMGPU_PFN(\\(.*\\), \\(.*\\))/_Static_assert("
          "__builtin_types_compatible_p(__typeof__(\\&\\1), PFN_\\1_v\\2), "
          "\"\\1\");/p' $B/include/simgpu/driver_versions.h; } > same.c\n"
          "[ $(wc -l < same.c) -gt 150 ]\n"
          "gcc -w -fsyntax-only -I$cuda same.c");
}
END_TEST

static void make_folder(void)
{
    child_folder(folder, "plain");
}

static void remove_folder(void)
{
    child_remove(folder);
}

int main(void)
{
    Suite *const s = suite_create("plain");
    TCase *const t = tcase_create("plain");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, headers_of_libcu_compile_in_plain_cpp);
    tcase_add_test(t, atomics_and_barriers_work_in_plain_cpp);
    tcase_add_test(t, functions_of_the_driver_have_types);
    tcase_add_test(t, the_types_are_those_of_the_toolkit);
    suite_add_tcase(s, t);
    return suite_run(s);
}
