/*
 * Kernels that touch host memory: the report names the kernel's line, what the
 * memory is, and the launch; the program gets a sticky error 700. Where the GPU
 * shares the page tables of its CPU the access works, and takes the time of the
 * link. What is device code's own is never reported.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

#define MALLOC "  host memory from malloc(), new or mmap().\n"
#define STACK  "  a local variable of host code, on its stack.\n"

static const struct {
    const char *name, *did, *what;
} touches[] = {
    {"malloc", "kernel add on device 0 reads 4 bytes, at prog_host_memory.cu",
     MALLOC},
    {"malloc-large", "kernel store on device 0 writes 4 bytes", MALLOC},
    {"stack", "kernel add on device 0 reads 4 bytes", STACK},
    {"thread-stack", "kernel add on device 0 reads 4 bytes", STACK},
    {"static", "kernel add on device 0 reads 4 bytes",
     "  byte 4 of of_host, a static variable of host code.\n"},
    {"function-static", "kernel store on device 0 writes 4 bytes",
     "  byte 0 of in_function, a static variable of host code.\n"},
    {"mmap", "kernel store on device 0 writes 4 bytes",
     "  host memory: a mapped file, or shared memory.\n"},
    {"atomic",
     "kernel grow on device 0 updates 4 bytes, at prog_host_memory.cu", MALLOC},
    {"memcpy", "kernel copy on device 0 reads 4096 bytes", MALLOC},
    {"memset", "kernel clear on device 0 writes 4096 bytes", MALLOC},
    {"vector", "kernel wide on device 0 reads 16 bytes", MALLOC},
    {"volatile", "kernel spin on device 0 reads 4 bytes", MALLOC},
    {"this", "kernel call on device 0 reads", MALLOC},
    {"many-blocks", "kernel store on device 0 writes 4 bytes", MALLOC},
};
enum { TOUCHES = sizeof touches / sizeof *touches };

static const char *const schedules[] = {"eager", "late", "random:3"};
enum { SCHEDULES = 3 };

static struct child run(const char *topo, const char *schedule,
                        const char *program, const char *args)
{
    return child_run(60,
                     "SIMGPU_TOPO=%s SIMGPU_SCHEDULE=%s %s/tests/simgpu/%s %s",
                     topo, schedule, child_build(), program, args);
}

/* The number of times that the text contains the words. */
static int count(const char *text, const char *words)
{
    int n = 0;
    for (; (text = strstr(text, words)); text += strlen(words))
        n++;
    return n;
}

START_TEST(host_memory_is_illegal)
{
    const char *const name = touches[_i / SCHEDULES].name;
    struct child c =
        run("dgx-h100", schedules[_i % SCHEDULES], "prog_host_memory", name);
    ck_assert_msg(c.status == 0 && strstr(c.err, touches[_i / SCHEDULES].did) &&
                      strstr(c.err, touches[_i / SCHEDULES].what) &&
                      strstr(c.err, "This GPU cannot reach it.") &&
                      strstr(c.err, "launched at prog_host_memory.cu:") &&
                      count(c.err, "It ends with error 700 "
                                   "(cudaErrorIllegalAddress)") == 1 &&
                      strstr(c.out, "cudaErrorIllegalAddress, then "
                                    "cudaErrorIllegalAddress; access 0;"),
                  "%s: status %d\n%s%s", name, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

#define AT " bytes at 0x"

static const struct {
    const char *name, *says[4];
} others[] = {
    {"past-the-end",
     {"kernel store on device 0 writes 4" AT,
      "  0 bytes past the end of the 4096-byte allocation made at prog_host_m",
      "Block (0,0,0), thread (24,0,0). Check the index"}},
    {"across-the-end",
     {"kernel copy on device 0 reads 16" AT,
      "  byte 4088 of the 4096-byte allocation made at prog_host_memory.cu:",
      "  the last 8 of the 16 bytes are past its end."}},
    {"freed",
     {"kernel store on device 0 writes 4" AT,
      "  byte 0 of the freed 512-byte allocation made at prog_host_memory.cu:",
      "freed at prog_host_memory.cu:", "wait for the streams that do."}},
    {"null",
     {"kernel store on device 0 writes 4 bytes, at prog_host_memory.cu:",
      "  no memory, at NULL.", "The pointer is NULL, or an offset from NULL"}},
    {"peer",
     {"kernel store on device 0 writes 4 bytes, at prog_host_memory.cu:",
      "  memory of device 1, which device 0 has no access to:\nsimgpu: rank 0: "
      "  the 256-byte allocation made at prog_host_memory.cu:",
      "Call cudaDeviceEnablePeerAccess(1, 0) first, with device 0 current."}},
    {"pool",
     {"kernel store on device 0 writes 4 bytes, at prog_host_memory.cu:",
      "  memory of device 1, which device 0 has no access to",
      "Call cudaMemPoolSetAccess() for device 0 first, on its pool."}},
    {"kept",
     {"kernel use_kept on device 0 reads 4 bytes, at prog_host_memory.cu:",
      "  local memory, but not of a variable that this thread has now.",
      "A local variable or a parameter exists for its own thread only"}},
    {"kept-parameter",
     {"kernel use_kept on device 0 reads 4 bytes, at prog_host_memory.cu:",
      "  local memory, but not of a variable that this thread has now."}},
    {"other-thread",
     {"kernel use_other_threads on device 0 reads 4 bytes, at ",
      "  local memory, but not of a variable that this thread has now.",
      "Block (0,0,0), thread (1,0,0)."}},
};
enum { OTHERS = sizeof others / sizeof *others };

START_TEST(other_memory_is_illegal)
{
    const char *const name = others[_i / SCHEDULES].name;
    struct child c =
        run("dgx-h100", schedules[_i % SCHEDULES], "prog_host_memory", name);
    ck_assert_msg(c.status == 0 &&
                      strstr(c.err, "launched at prog_host_memory.cu:") &&
                      count(c.err, "It ends with error 700") == 1 &&
                      strstr(c.out, "cudaErrorIllegalAddress, then "
                                    "cudaErrorIllegalAddress;"),
                  "%s: status %d\n%s%s", name, c.status, c.out, c.err);
    for (int i = 0; i < 4 && others[_i / SCHEDULES].says[i]; i++)
        ck_assert_msg(strstr(c.err, others[_i / SCHEDULES].says[i]),
                      "\"%s\" is not in:\n%s", others[_i / SCHEDULES].says[i],
                      c.err);
    child_clear(&c);
}
END_TEST

START_TEST(memory_that_is_open_causes_no_error)
{
    static const char *const names[] = {"peer-enabled", "pool-open",
                                        "own-local"};
    struct child c = run("dgx-h100", schedules[_i % SCHEDULES],
                         "prog_host_memory", names[_i / SCHEDULES]);
    ck_assert_msg(c.status == 0 && !*c.err && strstr(c.out, "cudaSuccess"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* A run that is checked fails although the program goes on, and SIMGPU_FAIL=end
 * ends it. */
START_TEST(the_run_fails)
{
    static const char *const settings[] = {"SIMGPU_CHECK=1", "SIMGPU_FAIL=end"};
    struct child c =
        child_run(60, "%s %s/tests/simgpu/prog_host_memory past-the-end",
                  settings[_i], child_build());
    ck_assert_msg(c.status == 70 && (*c.out != 0) == (_i == 0) &&
                      (strstr(c.err, ", ended with error 700 "
                                     "(cudaErrorIllegalAddress)") != NULL) ==
                          (_i == 0) &&
                      strstr(c.err, "0 bytes past the end of the 4096-byte"),
                  "%s: status %d\n%s%s", settings[_i], c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(some_gpus_reach_host_memory)
{
    const char *const name = touches[_i].name;
    struct child c = run("gh200", "eager", "prog_host_memory", name);
    ck_assert_msg(c.status == 0 && !*c.err &&
                      strstr(c.out, "cudaSuccess, then cudaSuccess; access 1;"),
                  "%s: status %d\n%s%s", name, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(the_way_to_host_memory_takes_time)
{
    struct child c = run("gh200", "eager", "prog_host_memory", "time");
    double pageable = 0, pinned = 0, own = 0;
    ck_assert_msg(sscanf(c.out, "pageable %lf pinned %lf own %lf us", &pageable,
                         &pinned, &own) == 3,
                  "%s%s", c.out, c.err);
    ck_assert_msg(pageable == pinned && pageable > 3 * own, "%s", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(registered_memory_is_open)
{
    struct child c =
        run("dgx-h100", schedules[_i], "prog_host_memory", "registered");
    ck_assert_msg(c.status == 0 && !*c.err && strstr(c.out, "access 0; 7 0"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(device_code_has_memory_of_its_own)
{
    struct child c = run("dgx-h100", schedules[_i], "prog_own_memory", "");
    ck_assert_msg(c.status == 0 && !*c.err &&
                      strcmp(c.out, "cudaSuccess 215\n") == 0,
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("host_memory");
    TCase *const t = tcase_create("host_memory");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, host_memory_is_illegal, 0, TOUCHES * SCHEDULES);
    tcase_add_loop_test(t, other_memory_is_illegal, 0, OTHERS * SCHEDULES);
    tcase_add_loop_test(t, memory_that_is_open_causes_no_error, 0,
                        3 * SCHEDULES);
    tcase_add_loop_test(t, the_run_fails, 0, 2);
    tcase_add_loop_test(t, some_gpus_reach_host_memory, 0, TOUCHES);
    tcase_add_test(t, the_way_to_host_memory_takes_time);
    tcase_add_loop_test(t, registered_memory_is_open, 0, SCHEDULES);
    tcase_add_loop_test(t, device_code_has_memory_of_its_own, 0, SCHEDULES);
    suite_add_tcase(s, t);
    return suite_run(s);
}
