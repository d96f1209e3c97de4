/*
 * What `make install` and `make deb` put down, used by projects that know
 * nothing of the kit: with pkg-config, simnvcc, CMake; and the manual's page.
 */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

/* Shell lines in the folder; $kit is the kit, $opt where simgpu is installed.
 * What they print. */
static struct child sh(const char *lines)
{
    struct child c = child_run(
        240,
        "cd %s && kit=%s/.. opt=$PWD/opt && set -e\n"
        "export PKG_CONFIG_PATH=$opt/share/pkgconfig PATH=$opt/bin:$PATH\n%s",
        dir, child_build(), lines);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    return c;
}

/* A program for each way: each rank's number, summed over all of them. */
static const char sources[] =
    "cat > sum.cu << 'END'\n"
    "#include <mpi.h>\n"
    "#include <nccl.h>\n"
    "#include <stdio.h>\n"
    "__global__ void add(float *x, float by) { x[threadIdx.x] += by; }\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    int rank, n;\n"
    "    float *x, sum;\n"
    "    ncclUniqueId id;\n"
    "    ncclComm_t comm;\n"
    "    MPI_Init(&argc, &argv);\n"
    "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "    MPI_Comm_size(MPI_COMM_WORLD, &n);\n"
    "    cudaSetDevice(rank);\n"
    "    if (rank == 0) ncclGetUniqueId(&id);\n"
    "    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);\n"
    "    ncclCommInitRank(&comm, n, id, rank);\n"
    "    cudaMalloc((void **)&x, 4 * sizeof *x);\n"
    "    cudaMemset(x, 0, 4 * sizeof *x);\n"
    "    add<<<1, 4>>>(x, rank + 1);\n"
    "    ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm, 0);\n"
    "    cudaMemcpy(&sum, x + 3, sizeof sum, cudaMemcpyDeviceToHost);\n"
    "    if (rank == 0) printf(\"the sum is %g\\n\", sum);\n"
    "    cudaFree(x);\n"
    "    ncclCommDestroy(comm);\n"
    "    MPI_Finalize();\n"
    "}\n"
    "END\n"
    "cat > copy.c << 'END'\n"
    "#include <cuda_runtime.h>\n"
    "#include <nccl.h>\n"
    "#include <stdio.h>\n"
    "int main(void)\n"
    "{\n"
    "    int n, version;\n"
    "    void *x;\n"
    "    if (ncclGetVersion(&version) || cudaGetDeviceCount(&n) ||\n"
    "        cudaMalloc(&x, 8) || cudaFree(x))\n"
    "        return 1;\n"
    "    printf(\"%d GPUs\\n\", n);\n"
    "}\n"
    "END\n"
    "cat > CMakeLists.txt << 'END'\n"
    "cmake_minimum_required(VERSION 3.18)\n"
    "project(sum C CXX CUDA)\n"
    "find_package(CUDAToolkit REQUIRED)\n"
    "find_package(MPI REQUIRED)\n"
    "find_package(simgpu REQUIRED)\n"
    "add_executable(sum sum.cu)\n"
    "target_link_libraries(sum CUDA::cudart simgpu::nccl MPI::MPI_CXX)\n"
    "add_executable(copy copy.c)\n"
    "target_link_libraries(copy simgpu::nccl)\n"
    "add_executable(mixed mixed.cpp kernel.cu)\n" // C++ links it
    "END\n"
    "cat > kernel.cu << 'END'\n"
    "__global__ void set(int *p) { *p = 7; }\n"
    "void launch(int *p) { set<<<1, 1>>>(p); }\n"
    "END\n"
    "cat > mixed.cpp << 'END'\n"
    "#include <cstdio>\n"
    "void launch(int *);\n"
    "extern \"C\" int cudaMalloc(void **, size_t), cudaDeviceSynchronize();\n"
    "int main()\n"
    "{\n"
    "    int *p;\n"
    "    if (!cudaMalloc((void **)&p, sizeof *p))\n"
    "        launch(p);\n"
    "    puts(cudaDeviceSynchronize() ? \"failed\" : \"launched\");\n"
    "}\n"
    "END\n";

static void install(void)
{
    child_folder(dir, "install");
    struct child c = sh("make -s -C $kit install PREFIX=$opt");
    ck_assert_str_eq(c.out, "");
    child_clear(&c);
    c = sh(sources);
    child_clear(&c);
}

static void remove_folder(void)
{
    child_remove(dir);
}

static void expect(const char *lines, const char *says)
{
    struct child c = sh(lines);
    ck_assert_msg(strstr(c.out, says) != NULL, "%s%s", c.out, c.err);
    child_clear(&c);
}

START_TEST(pkg_config_tells_a_c_compiler_what_it_needs)
{
    expect("cc copy.c -o copy $(pkg-config --cflags --libs simgpu)\n"
           "env -u LD_LIBRARY_PATH SIMGPU_TOPO=gh200 ./copy",
           "4 GPUs\n");
}
END_TEST

START_TEST(simnvcc_and_commgraph_are_in_the_path)
{
    expect("simnvcc sum.cu -o sum -lnccl -lmpich "
           "$(pkg-config --cflags --libs-only-L mpich)\n"
           "SIMGPU_CHECK=1 SIMGPU_GRAPH=run mpirun -n 3 ./sum\n"
           "commgraph time run",
           "the sum is 6\n");
}
END_TEST

/* Ubuntu's pkg-config names libraries whose development packages it doesn't
 * install. */
START_TEST(the_example_links_mpich_alone)
{
    expect("mkdir fake\n"
           "cat > fake/pkg-config << END\n"
           "#!/bin/sh\n"
           "$(command -v pkg-config) \"\\$@\"\n"
           "case \" \\$* \" in *' --libs '*) echo -lnowhere ;; esac\n"
           "END\n"
           "chmod +x fake/pkg-config\n"
           "PATH=$PWD/fake:$PATH\n"
           "pkg-config --libs mpich | grep -q nowhere\n"
           "sed -n '/^    simnvcc/,/^.fi/{s/\\\\-/-/g;s/\\\\e/\\\\/;"
           "s/all_reduce/sum/g;/^.fi/!p}' $opt/share/man/man7/simgpu.7"
           " > example\n"
           "grep -q mpirun example\n"
           "sh -e ./example",
           "the sum is 10\n");
}
END_TEST

START_TEST(cmake_takes_the_compiler_and_the_libraries)
{
    expect("cmake -S . -B tree -DCMAKE_PREFIX_PATH=$opt -DCMAKE_CUDA_COMPILER="
           "$opt/lib/simgpu/bin/nvcc > log 2>&1 || { cat log; exit 1; }\n"
           "cmake --build tree > log 2>&1 || { cat log; exit 1; }\n"
           "mpirun -n 2 tree/sum && tree/copy && "
           "LD_LIBRARY_PATH=$opt/lib/simgpu/lib tree/mixed",
           "the sum is 3\n8 GPUs\nlaunched\n");
}
END_TEST

START_TEST(libraries_that_have_nothing_here_are_found)
{
    expect("l=$opt/lib/simgpu/lib\n"
           "cc copy.c -o copy $(pkg-config --cflags simgpu) -L$l -lnccl "
           "-lcudadevrt -lcudart_static -Wl,-t > log\n"
           "grep -q $l/libcudadevrt.a log && LD_LIBRARY_PATH=$l ./copy",
           "8 GPUs\n");
}
END_TEST

START_TEST(a_program_built_elsewhere_finds_the_libraries)
{
    expect("cc copy.c -o copy $(pkg-config --cflags simgpu) "
           "-L$opt/lib/simgpu/lib -lnccl -lcudart\n"
           "LD_LIBRARY_PATH=$opt/lib/simgpu/lib ./copy",
           "8 GPUs\n");
}
END_TEST

START_TEST(makefiles_find_the_folder_of_the_target)
{
    expect("t=$(echo $opt/lib/simgpu/targets/*-linux)\n"
           "cc copy.c -o copy -I$t/include -L$t/lib -lnccl -lcudart\n"
           "LD_LIBRARY_PATH=$t/lib ./copy",
           "8 GPUs\n");
}
END_TEST

START_TEST(the_manual_is_without_errors)
{
    expect("page=$opt/share/man/man7/simgpu.7\n"
           "test -z \"$(groff -man -ww -z $page 2>&1)\"\n"
           "groff -man -Tutf8 $page | grep -c SIMGPU_CHECK\n"
           "! grep @ $page | grep -v dgx",
           "1\n");
}
END_TEST

START_TEST(the_debian_package_holds_the_same)
{
    expect("sh -c \"$kit/common/kit/install.sh --deb $kit/build simgpu.deb\"\n"
           "dpkg-deb --field simgpu.deb Version Depends\n"
           "dpkg-deb --extract simgpu.deb root\n"
           "(cd root/usr && find . ! -type d | sort) > there\n"
           "(cd opt && find . ! -type d | sort) | diff - there\n"
           "PATH=$PWD/root/usr/bin:$PATH\n"
           "simnvcc sum.cu -o sum -lnccl -lmpich "
           "$(pkg-config --cflags --libs-only-L mpich)\n"
           "mpirun -n 2 ./sum",
           "the sum is 3\n");
    expect("dpkg-deb --field simgpu.deb Depends", "libmpich");
    expect("v=$(dpkg-deb --field simgpu.deb Version)\n"
           "[ ${v%%+*} = $(cat $kit/common/VERSION) ] && echo the version",
           "the version");
}
END_TEST

int main(void)
{
    TCase *const t = tcase_create("install");
    tcase_set_timeout(t, 600);
    tcase_add_checked_fixture(t, install, remove_folder);
    tcase_add_test(t, pkg_config_tells_a_c_compiler_what_it_needs);
    tcase_add_test(t, simnvcc_and_commgraph_are_in_the_path);
    tcase_add_test(t, the_example_links_mpich_alone);
    tcase_add_test(t, cmake_takes_the_compiler_and_the_libraries);
    tcase_add_test(t, libraries_that_have_nothing_here_are_found);
    tcase_add_test(t, a_program_built_elsewhere_finds_the_libraries);
    tcase_add_test(t, makefiles_find_the_folder_of_the_target);
    tcase_add_test(t, the_manual_is_without_errors);
    tcase_add_test(t, the_debian_package_holds_the_same);
    Suite *const s = suite_create("install");
    suite_add_tcase(s, t);
    return suite_run(s);
}
