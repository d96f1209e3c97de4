/* How GPUs are named; where temporary files go; when a pipe is empty. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/drain.h"
#include "base/gpu_name.h"
#include "base/temp.h"
#include "suite.h"

START_TEST(a_uuid_is_printed_as_nvidia_smi_does)
{
    unsigned char uuid[GPU_NAME_UUID];
    char text[GPU_NAME_UUID_TEXT];
    for (int i = 0; i < GPU_NAME_UUID; i++)
        uuid[i] = (unsigned char)(i * 17);
    gpu_name_uuid(uuid, text);
    ck_assert_str_eq(text, "GPU-00112233-4455-6677-8899-aabbccddeeff");
}
END_TEST

static const struct {
    const char *text;
    int ok;
    struct gpu_name_pci pci;
} addresses[] = {
    {"0001:1b:02.0", 1, {1, 0x1b, 2}},
    {"0001:1b:02", 1, {1, 0x1b, 2}},
    {"1b:02", 1, {0, 0x1b, 2}},
    {"1b:02.0", 1, {0, 0x1b, 2}},
    {"1b", 0, {0, 0, 0}},
    {"", 0, {0, 0, 0}},
    {"x:1b:02", 0, {0, 0, 0}},
    {"0001:1b:02.", 0, {1, 0x1b, 2}}, // cut off
    {"1b:02.", 0, {0, 0x1b, 2}},
    {"0001:1b:02:0", 0, {1, 0x1b, 2}},
};

START_TEST(an_address_is_read_in_each_form)
{
    struct gpu_name_pci pci = {9, 9, 9}, own = addresses[_i].pci;
    const char *const text = addresses[_i].text;
    ck_assert_int_eq(gpu_name_pci(text, &pci), addresses[_i].ok);
    ck_assert_int_eq(gpu_name_is_pci(text, own), addresses[_i].ok);
    if (!addresses[_i].ok)
        return;
    ck_assert_uint_eq(pci.domain, own.domain);
    ck_assert_uint_eq(pci.bus, own.bus);
    ck_assert_uint_eq(pci.device, own.device);
    own.domain++;
    ck_assert_int_eq(gpu_name_is_pci(text, own), 0);
    own.domain--;
    own.bus++;
    ck_assert_int_eq(gpu_name_is_pci(text, own), 0);
    own.bus--;
    own.device++;
    ck_assert_int_eq(gpu_name_is_pci(text, own), 0);
}
END_TEST

START_TEST(temporary_files_go_where_the_user_says)
{
    char out[64];
    setenv("TMPDIR", "/a", 1);
    ck_assert_str_eq(temp_path(out, sizeof out, "b"), "/a/b-XXXXXX");
    setenv("TMPDIR", "", 1);
    ck_assert_str_eq(temp_path(out, sizeof out, "b"), "/tmp/b-XXXXXX");
    unsetenv("TMPDIR");
    ck_assert_str_eq(temp_path(out, sizeof out, "b"), "/tmp/b-XXXXXX");
}
END_TEST

START_TEST(a_pipe_is_done_when_it_is_empty)
{
    int ends[2];
    char letter;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(drain_is_done(ends[0]), 1);
    ck_assert_int_eq(write(ends[1], "a", 1), 1);
    ck_assert_int_eq(drain_is_done(ends[0]), 0);
    ck_assert_int_eq(drain_is_done(ends[1]), 0);
    ck_assert_int_eq(read(ends[0], &letter, 1), 1);
    ck_assert_int_eq(drain_is_done(ends[0]), 1);
    ck_assert_int_eq(drain_is_done(-1), 1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("base: gpu_name");
    TCase *const t = tcase_create("gpu_name");
    tcase_add_test(t, a_uuid_is_printed_as_nvidia_smi_does);
    tcase_add_loop_test(t, an_address_is_read_in_each_form, 0,
                        sizeof addresses / sizeof *addresses);
    tcase_add_test(t, temporary_files_go_where_the_user_says);
    tcase_add_test(t, a_pipe_is_done_when_it_is_empty);
    suite_add_tcase(s, t);
    return suite_run(s);
}
