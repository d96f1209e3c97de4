/*
 * Accesses at addresses that are not multiples of their size: the report names
 * line, thread, allocation and launch, and the program gets a sticky error 716.
 * What the compiler takes apart, as members of packed structures, is allowed.
 */
#include <check.h>
#include <string.h>

#include "child.h"
#include "suite.h"

#define WHERE ", at prog_aligned.cu:"

static const struct {
    const char *name, *did, *where;
} accesses[] = {
    {"int", "kernel read_int on device 0 reads 4 bytes" WHERE "11:",
     "  byte 1 of the 4096-byte allocation made at prog_aligned.cu:"},
    {"later", "kernel read_later on device 0 reads 4 bytes" WHERE "16:",
     "Block (0,0,0), thread (1,0,0). "},
    {"double", "kernel write_double on device 0 writes 8 bytes" WHERE "21:",
     "The address is 4 past a multiple of 8"},
    {"float4", "kernel copy_four on device 0 reads 16 bytes" WHERE "26:",
     "The address is 4 past a multiple of 16"},
    {"short", "kernel write_half on device 0 writes 2 bytes" WHERE "31:",
     "The address is 1 past a multiple of 2"},
    {"shared", "kernel share on device 0 reads 4 bytes" WHERE "39:",
     "  a local or shared variable."},
    {"atomic", "kernel add on device 0 updates 4 bytes" WHERE "44 ",
     "The address is 2 past a multiple of 4"},
    {"first", "kernel add_once on device 0 updates 4 bytes" WHERE "161 ",
     "The address is 2 past a multiple of 4"},
    {"third", "kernel add_once on device 0 updates 4 bytes" WHERE "165 ",
     "The address is 2 past a multiple of 4"},
    {"volatile", "kernel look on device 0 reads 4 bytes" WHERE "49:",
     "The address is 2 past a multiple of 4"},
    // the compiler splits it, or the instruction has accessed the bytes before
    {"sum", "kernel sum_four on device 0 reads 16 bytes" WHERE "55:",
     "The address is 8 past a multiple of 16"},
    {"put", "kernel put_two on device 0 writes 8 bytes" WHERE "63:",
     "The address is 4 past a multiple of 8"},
    {"members", "kernel members on device 0 reads 16 bytes" WHERE "75:",
     "The address is 4 past a multiple of 16"},
    {"half", "kernel halves on device 0 reads 4 bytes" WHERE "80:",
     "The address is 2 past a multiple of 4"},
    {"ldg", "kernel load_two on device 0 reads 16 bytes" WHERE "68:",
     "The address is 8 past a multiple of 16"},
    {"rows", "kernel share_four on device 0 reads 16 bytes" WHERE "88:",
     "Block (0,0,0), thread (1,0,0). "},
    {"between", "kernel read_between on device 0 reads 4 bytes" WHERE "96:",
     "Block (0,0,0), thread (31,0,0). "},
};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

static const char *const schedules[] = {"eager", "late", "random:3"};
enum { SCHEDULES = 3 };

static struct child run(const char *schedule, const char *name)
{
    return child_run(60, "SIMGPU_SCHEDULE=%s %s/tests/simgpu/prog_aligned %s",
                     schedule, child_build(), name);
}

START_TEST(unaligned_accesses_fail)
{
    const char *const name = accesses[_i / SCHEDULES].name;
    struct child c = run(schedules[_i % SCHEDULES], name);
    ck_assert_msg(c.status == 0 &&
                      strstr(c.err, accesses[_i / SCHEDULES].did) &&
                      strstr(c.err, accesses[_i / SCHEDULES].where) &&
                      strstr(c.err, "launched at prog_aligned.cu:") &&
                      strstr(c.err, "error 716 (cudaErrorMisalignedAddress)") &&
                      strcmp(c.out, "cudaErrorMisalignedAddress, then "
                                    "cudaErrorMisalignedAddress\n") == 0,
                  "%s: status %d\n%s%s", name, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(aligned_accesses_pass)
{
    struct child c = run(schedules[_i], "honest");
    ck_assert_msg(c.status == 0 && !*c.err &&
                      strcmp(c.out, "cudaSuccess, then cudaSuccess\n") == 0,
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("aligned");
    TCase *const t = tcase_create("aligned");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, unaligned_accesses_fail, 0, ACCESSES * SCHEDULES);
    tcase_add_loop_test(t, aligned_accesses_pass, 0, SCHEDULES);
    suite_add_tcase(s, t);
    return suite_run(s);
}
