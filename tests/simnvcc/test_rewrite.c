/*
 * What simnvcc makes of CUDA C++: cases in *.txt, each a preprocessed text and
 * what becomes of it. @k.cu:3:5@ stands for a line marker and as many blanks.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "simnvcc/rewrite.h"
#include "suite.h"

static struct cases cases;

/* Write line markers, and the blanks behind them, as @file:line:column@. */
static char *show_markers(const char *text)
{
    char *shown = NULL, file[64];
    size_t nbytes;
    FILE *const out = open_memstream(&shown, &nbytes);
    ck_assert(out != NULL);
    while (*text) {
        int line, n = 0;
        if (sscanf(text, "\n# %d \"%63[^\"]\"%n", &line, file, &n) == 2 && n &&
            *text == '\n' && text[n] == '\n') {
            const int blanks = (int)strspn(text + n + 1, " ");
            fprintf(out, " @%s:%d:%d@ ", file, line, blanks);
            text += n + 1 + blanks;
        } else {
            fputc(*text++, out);
        }
    }
    fclose(out);
    return shown;
}

static char *rewritten(const char *text)
{
    char *got = NULL;
    size_t nbytes;
    FILE *const out = open_memstream(&got, &nbytes);
    ck_assert(out != NULL);
    char *const wrong = rewrite(text, out);
    fclose(out);
    if (wrong) {
        free(got);
        return wrong;
    }
    char *const shown = show_markers(got);
    free(got);
    return shown;
}

START_TEST(cuda_becomes_cxx)
{
    char *const got = rewritten(cases.at[_i].input);
    cases_same_words(&cases.at[_i], got);
    free(got);
}
END_TEST

int main(void)
{
    static const char *const files[] = {"launch", "kernel", "shared", "ptx"};
    Suite *const s = suite_create("rewrite");
    TCase *const t = tcase_create("rewrite");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        snprintf(path, sizeof path, "tests/simnvcc/%s.txt", files[i]);
        cases_add(&cases, path);
    }
    tcase_add_loop_test(t, cuda_becomes_cxx, 0, cases.n);
    suite_add_tcase(s, t);
    return suite_run(s);
}
