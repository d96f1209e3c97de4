/*
 * Which uses of device variables by host code simnvcc warns of: cases in
 * direct.txt.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "simnvcc/direct.h"
#include "suite.h"

static struct cases cases;

/* How the warnings end, and what direct.txt has for it. */
static const struct {
    const char *brief, *whole;
} ends[] = {
    {"READ", "read in a host function: nvcc gives host code another variable "
             "of that name, which kernels do not see. Call "
             "cudaMemcpyFromSymbol()"},
    {"WRITE", "written in a host function: nvcc gives host code another "
              "variable of that name, which kernels do not see. Call "
              "cudaMemcpyToSymbol()"},
    {"ADDRESS", "taken in a host function: nvcc gives host code another "
                "variable of that name, which kernels do not see. Call "
                "cudaGetSymbolAddress()"},
};

static char *warnings(const char *text)
{
    char *got = NULL;
    size_t nbytes;
    FILE *const out = open_memstream(&got, &nbytes);
    ck_assert(out != NULL);
    direct_read(text, "/simgpu/include/", out, NULL);
    fclose(out);
    return got;
}

/* Replace each end of a warning, in place. */
static void shorten(char *text)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (char *at; (at = strstr(text, ends[i].whole));) {
            const size_t n = strlen(ends[i].brief);
            memcpy(at, ends[i].brief, n);
            char *const rest = at + strlen(ends[i].whole);
            memmove(at + n, rest, strlen(rest) + 1);
        }
}

START_TEST(what_nvcc_warns_of_and_nothing_else)
{
    char *const got = warnings(cases.at[_i].input);
    shorten(got);
    cases_same_words(&cases.at[_i], got);
    free(got);
}
END_TEST

START_TEST(text_may_end_anywhere)
{
    const char *const text = cases.at[_i].input;
    for (size_t n = 0; n < strlen(text); n++) {
        char *const part = strndup(text, n);
        ck_assert(part != NULL);
        free(warnings(part));
        free(part);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("direct");
    TCase *const t = tcase_create("direct");
    cases_add(&cases, "tests/simnvcc/direct.txt");
    tcase_add_loop_test(t, what_nvcc_warns_of_and_nothing_else, 0, cases.n);
    tcase_add_loop_test(t, text_may_end_anywhere, 0, cases.n);
    suite_add_tcase(s, t);
    return suite_run(s);
}
