/* One small program for each feature of CUDA C++, and simnvcc's command line.
 */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

/* A program of tests/probes, and how many probes it has at least. */
static const struct family {
    const char *name;
    int nprobes;
} families[] = {
    {"prog_launch", 26},    {"prog_device", 54}, {"prog_failure", 1},
    {"prog_unlaunched", 8}, {"prog_ptx", 10},    {"prog_mma", 6},
    {"prog_cluster", 6},
};

START_TEST(a_program_that_uses_a_feature_of_cuda_runs)
{
    const struct family *const f = &families[_i];
    struct child c =
        child_run(120, "%s/tests/probes/%s", child_build(), f->name);
    int passed = 0;
    for (const char *p = c.out; (p = strstr(p, "pass ")); p++)
        passed++;
    ck_assert_msg(!c.timed_out && c.status == 0 && passed >= f->nprobes,
                  "%s: status %d, %d passed:\n%s%s", f->name, c.status, passed,
                  c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(the_shared_memory_of_a_block_that_is_not_there_is_named)
{
    static const struct {
        const char *mistake, *line, *says;
    } runs[] = {
        {"ended", ":38:", "uses the shared memory of a block that has ended"},
        {"late",
         ":37:", "asks for the shared memory of a block that has ended"},
        {"global", ":28:", "not in this block's shared memory"},
        {"rank", ":28:", "a rank that the cluster does not have"},
    };
    struct child c = child_run(60, "%s/tests/probes/prog_cluster_mistake %s",
                               child_build(), runs[_i].mistake);
    ck_assert_msg(c.status == 70 && strstr(c.err, runs[_i].says) &&
                      strstr(c.err, runs[_i].line),
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* $N: nvcc. Each line runs in an empty folder that has k.cu, main.cu, add.cpp,
 * c.c and their headers. */
static const char *const lines[] = {
    "$N -c k.cu && test -f k.o && ! test -f a.out",
    "$N -c k.cu -odir sub && test -f sub/k.o",
    "$N k.cu main.cu add.cpp c.c -o x && ./x",
    "$N -dc k.cu main.cu && $N -dlink k.o main.o -o link.o && "
    "$N -c add.cpp c.c && $N k.o main.o link.o add.o c.o --output-file x && "
    "./x",
    "$N -rdc=true --compiler-options=-Wall,-Wextra -Xcompiler -O1 "
    "-Xcompiler=-DX=1 k.cu main.cu add.cpp c.c --output-file=x && ./x",
    "$N -shared -Xcompiler -fPIC k.cu add.cpp c.c -o libk.so && "
    "$N main.cu -L. -lk -Xlinker -rpath,. -o x && ./x",
    "$N -lib k.cu add.cpp c.c -o libk.a && $N main.cu libk.a -o x && ./x",
    "$N -arch=sm_90 -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_"
    "90,code=\\\"sm_90,compute_90\\\" --gpu-architecture compute_90 -code "
    "sm_90 "
    "-G -g -lineinfo --threads 2 --ptxas-options=-v -Xptxas -v -ftz=true "
    "-prec-div=false --prec-sqrt=true -fmad=false --use_fast_math "
    "-maxrregcount "
    "64 --expt-relaxed-constexpr --expt-extended-lambda -extended-lambda "
    "--resource-usage -Wno-deprecated-gpu-targets -m64 -cudart static "
    "--forward-unknown-to-host-compiler -fno-strict-aliasing -c k.cu",
    "$N -x cu -c k.txt -o k.o && test -f k.o",
    // CUDA 12's forms of calls that CUDA 13 changed
    "echo 'int main() { int *p; return cudaMallocManaged(&p, 4) || "
    "cudaMemAdvise(p, 4, cudaMemAdviseSetPreferredLocation, 0) || "
    "cudaMemPrefetchAsync(p, 4, 0) || cudaMemPrefetchAsync(p, 4, "
    "cudaCpuDeviceId, 0) || cudaDeviceSynchronize(); }' > w.cu && $N w.cu -o x "
    "&& ./x",
    "printf '#include <nvtx3/nvToolsExtCuda.h>\nint main(void) { "
    "nvtxNameCuDevice(0, \"gpu\"); nvtxNameCuStreamW(0, 0); return 0; }' > "
    "w.c && cp w.c w.cu && $N w.c -o x && ./x && $N w.cu -o x && ./x",
    // CUDA 12's functions that 13 dropped; its structure of a device
    "echo 'int main() { cudaFree(0); return cudaThreadSetCacheConfig("
    "cudaFuncCachePreferL1) || cudaThreadSynchronize() || cudaThreadExit(); }' "
    "> w.cu && $N w.cu -o x && ./x && cp w.cu w.c && $N -include "
    "cuda_runtime.h w.c -o x && ./x",
    "echo 'int main() { cudaDeviceProp p; int khz; return "
    "cudaGetDeviceProperties(&p, 0) || cudaDeviceGetAttribute(&khz, "
    "cudaDevAttrClockRate, 0) || khz <= 0 || p.clockRate != khz || "
    "p.memoryClockRate <= 0 || p.deviceOverlap != 1 || p.computeMode != "
    "cudaComputeModeDefault || p.singleToDoublePrecisionPerfRatio != 2; }' > "
    "w.cu && $N w.cu -o x && ./x",
    // headers that nvcc includes by itself, and that Thrust's do
    "printf '#include <thrust/device_vector.h>\\nint main() { "
    "thrust::device_vector<int> v(9); thrust::fill(v.begin(), v.end(), 2); "
    "std::cout << thrust::reduce(v.begin(), v.end()); assert(v[0] == 2); "
    "return "
    "THRUST_VERSION < 1; }' > w.cu && $N w.cu -o x && test \"$(./x)\" = 18",
    "printf '#include <curand_kernel.h>\\ncurandGenerator_t g;' > w.cu && $N "
    "-c "
    "w.cu",
    "printf '#include <cublas_v2.h>\\ncuComplex z; __nv_bfloat16 b; __nv_half "
    "h; cublasDataType_t t; int main() "
    "{ return cudaGetLastError() || CUDA_C_32F != 4; }' > w.cpp && $N w.cpp "
    "-o x && ./x",
    "printf '#include <cub/device/device_scan.cuh>\\n__global__ void k(int *p) "
    "{ typedef cub::BlockReduce<int, 64> R; __shared__ R::TempStorage t; *p = "
    "R(t).Sum(*p); }' > w.cu && $N -c w.cu",
    // headers that older programs include for what cuda_runtime.h has
    "for h in curand_kernel sm_20_intrinsics sm_32_intrinsics sm_35_intrinsics "
    "sm_61_intrinsics sm_20_atomic_functions sm_32_atomic_functions "
    "sm_35_atomic_functions device_double_functions cuda_stdint "
    "texture_indirect_functions surface_indirect_functions curand_uniform "
    "curand_normal curand_poisson curand_philox4x32_x; do echo \"#include "
    "<$h.h>\"; done > w.cu && echo '__global__ void k(int *p) { p[0] = "
    "__dp4a(p[1], p[2], __dp2a_lo(p[3], p[4], 5)); }' >> w.cu && $N -c w.cu",
    "echo '__global__ void k(int *p) { assert(p); } int *f(void *p) { return "
    "isalpha(65) ? new (p) int : 0; }' > w.cu && $N -c w.cu",
    "$N -M k.cu | tr -d '\\n' | grep -q 'k.o:.*k.h' && $N -MD -c k.cu -o k.o "
    "&& "
    "grep -q k.h k.d && $N -MD -MF deps -MT name -c k.cu && grep -q name: deps",
    "printf '__global__ void k(int *p) {\n#ifdef __CUDA_ARCH__\n*p = 7;\n"
    "#endif\n} int main() { int *p, h; return cudaMalloc(&p, 4) || (k<<<1, "
    "1>>>(p), cudaMemcpy(&h, p, 4, cudaMemcpyDefault)) || h != 7; }' > w.cu && "
    "$N -MD -MT name -MF deps -c w.cu -o w.o 2>err && ! test -s err && "
    "grep -q name: deps && $N w.o -o x && ./x",
    "$N -E k.cu | grep -q threadIdx",
    "$N -I inc -Iinc -isystem inc -DA=1 -D B=2 -U A --define-macro C=3 "
    "-include "
    "with.h -c inc.cu",
    "echo '-c k.cu' > opts && $N --options-file opts && test -f k.o",
    "$N --version | grep -q 'release 13.0, V13.0'",
    "$N -ccbin g++ -std=c++14 -O3 -Werror all-warnings -c k.cu",
    "$N -Xcompiler -fopenmp omp.cu -o x && ./x",
    "$N -std=c++11 clock.cu -o x && ./x >1 && SIMGPU_SCHEDULE=late ./x >2 && "
    "cmp 1 2 && { SIMGPU_CLOCK=real ./x >3; ! cmp -s 1 3; }",
    "$N -lineinfo -rdc=true -arch=sm_90 children.cu -lcudadevrt -o x && ./x && "
    "SIMGPU_CHECK=1 ./x && ! ./x wait 2>err && "
    "grep -q 'at children.cu:57: calls cudaDeviceSynchronize' err && "
    "! ./x graph 2>err && grep -q 'graphs from host code only' err",
    "! $N -ltoir k.cu 2>err && grep -q 'makes code for GPUs' err",
    "$N -ptx module.cu && $N --cubin module.cu && $N -fatbin -arch=sm_90 "
    "module.cu -o m.fatbin && $N load.cpp -lcuda -o x && ./x module.ptx && "
    "./x module.cubin && ./x m.fatbin",
    "$N -g load.cpp -lcuda -o x && echo '.version 9.0' > gpu.ptx && "
    "! ./x gpu.ptx 2>err && grep -q 'cuModuleLoad: the image is not a library "
    "of simnvcc' "
    "err "
    "&& grep -q 'load.cpp:' err",
    "! $N k.cu main.cu -c -o x.o 2>err && grep -q 'several sources' err",
    "echo '__global__ void k() { asm(\"wgmma.fence.sync.aligned;\"); }' > w.cu"
    " && ! $N -c w.cu 2>err && grep -q 'w.cu:1: error: inline PTX: simgpu does "
    "not know wgmma.fence.sync.aligned' err",
    // in a header: only if it is used
    "echo 'static inline __device__ void f() { asm(\"wgmma.fence.sync.aligned;"
    "\"); } template <class T> __device__ T g(T x) { asm(\"setmaxnreg.inc %0;\""
    " : \"=r\"(x)); return x; }' > w.cuh && (echo '#include \"w.cuh\"'; cat "
    "k.cu) > w.cu && $N -c w.cu && echo '__global__ void k2() { f(); }' >> w.cu"
    " && ! $N -c w.cu 2>err && grep -q 'w.cuh:1:.*error: .*inline PTX: simgpu "
    "does not know wgmma.fence.sync.aligned' err",
    "for l in cusolver cutensor nvJitLink nvblas cufile; do "
    "! $N main.cu k.cu add.cpp c.c -l$l 2>err && grep -q \"no lib$l\" err || "
    "exit 1; done",
    // a toolkit's header that simgpu does not have
    "mkdir -p t/crt && touch t/crt/host_config.h t/vector_types.h && echo "
    "'#include \"vector_types.h\"' > t/cusparse.h && (echo '#include "
    "<cusparse.h>'; "
    "cat k.cu) > u.cu && ! $N -It -c u.cu 2>err && grep -q 'u.cu: simgpu has "
    "no <cusparse.h>' err",
    "$N -cuda k.cu -o k.ii && test -s k.ii",
    "$N nvml.cu -lnvidia-ml -o x && ./x && CUDA_VISIBLE_DEVICES=2 ./x",
    "I=$(pkg-config --cflags mpich) && for l in '-ccbin mpicxx' -lmpich; do "
    "$N $I mpi.cu $l -o x && mpirun -n 2 ./x || exit 1; done; "
    "$N $I mpi.cu -o x && ! ./x 2>err && "
    "grep -q 'MPI_Init: the program is not linked with MPICH' err",
    "M=$(pkg-config --cflags --libs mpich) && for l in \"$M -lnccl\" \"-lnccl "
    "$M\"; do $N race.cu $l -o x && { SIMGPU_CHECK=1 mpirun -n 2 ./x 2>err; "
    "grep -q 'before MPI_Send' err; } || exit 1; done",
    "M=$(pkg-config --cflags --libs mpich) && $N -Xcompiler -flto race.cu $M "
    "-lnccl "
    "-o x && { SIMGPU_CHECK=1 mpirun -n 2 ./x 2>err; grep -q 'before MPI_Send' "
    "err; }",
    "M=$(pkg-config --cflags --libs mpich) && $N -c $M race.cu && g++ race.o "
    "$M -L${N%/bin/nvcc}/lib -lnccl -lcudart -Wl,-rpath,${N%/bin/nvcc}/lib "
    "-o x && { SIMGPU_CHECK=1 mpirun -n 2 ./x 2>err; grep -q 'link libcudart "
    "before the MPI' err; }",
};

START_TEST(the_command_line_is_that_of_nvcc)
{
    struct child c = child_run(
        120,
        "D=$(mktemp -d) && cp tests/probes/nvcc/* $D && mkdir -p $D/inc $D/sub "
        "&& mv $D/with.h $D/inc && cp $D/k.cu $D/k.txt && "
        "N=%s/simgpu/bin/nvcc && cd $D && { %s; }; S=$?; rm -r $D; exit $S",
        child_build(), lines[_i]);
    ck_assert_msg(!c.timed_out && c.status == 0, "%s: status %d\n%s%s",
                  lines[_i], c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("probes");
    TCase *const t = tcase_create("probes");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_program_that_uses_a_feature_of_cuda_runs, 0,
                        sizeof families / sizeof *families);
    tcase_add_loop_test(
        t, the_shared_memory_of_a_block_that_is_not_there_is_named, 0, 4);
    tcase_add_loop_test(t, the_command_line_is_that_of_nvcc, 0,
                        sizeof lines / sizeof *lines);
    suite_add_tcase(s, t);
    return suite_run(s);
}
