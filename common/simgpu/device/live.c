/*
 * live.c: the thread-local variables that every access of a kernel reads
 *
 * They are at fixed offsets from the thread pointer: the initial-exec model. It
 * takes no call, but a library that defines such variables gets all of its
 * thread-local memory from a small reserve when dlopen() loads it. So they are
 * a library of their own, libsimgpu_live. libcudart's own thread-local memory
 * is 248 KB, which each thread then allocates when it first uses it.
 *
 * The names are those of access_live.h, block.h and runner.h, which have the
 * types.
 */
__thread void *simgpu_access_live, *simgpu_block_live, *simgpu_runner_me;
