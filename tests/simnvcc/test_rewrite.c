/*
 * What simnvcc makes of CUDA C++: each case in rewrite.txt is a preprocessed
 * text and what becomes of it. @k.cu:3:5@ stands for a line marker and as many
 * blanks.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdint.h> /* SIZE_MAX */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h> /* mmap */
#include <unistd.h>   /* sysconf */

#include "cases.h"
#include "simnvcc/rewrite.h"
#include "simnvcc/tokens.h"
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
    char *const wrong = rewrite(text, out, 0);
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

/* Callers look at tokens before the first one and behind the last. */
START_TEST(there_is_no_token_outside_of_the_text)
{
    static const size_t outside[] = {2, 3, SIZE_MAX};
    static const char *const words[] = {"x", "a", "b", NULL};
    struct tokens t;
    tokens_init(&t, "a b");
    ck_assert_uint_eq(t.n, 2);
    ck_assert(token_is(&t, 1, "b") && !token_is(&t, 1, "bc"));
    ck_assert(token_is_any(&t, 0, words) && token_is_any(&t, 1, words));
    ck_assert(token_is_word(&t, 1));
    for (int i = 0; i < 3; i++) {
        ck_assert(!token_is(&t, outside[i], "b"));
        ck_assert(!token_is_any(&t, outside[i], words));
        ck_assert(!token_is_word(&t, outside[i]));
    }
    ck_assert_uint_eq(token_close(&t, 2), 2);
    ck_assert_uint_eq(token_close_angle(&t, 2), 2);
    tokens_release(&t);
}
END_TEST

/* Copies of the text's beginnings, in turn, that end where a page does: a read
 * behind one is a fault. */
START_TEST(text_may_end_anywhere)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const char *const text = cases.at[_i].input;
    const size_t length = strlen(text), room = (length / page + 1) * page;
    char *const memory = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(memory != MAP_FAILED);
    ck_assert_int_eq(mprotect(memory + room, page, PROT_NONE), 0);
    for (size_t n = 0; n < length; n++) {
        char *const at = memory + room - n - 1;
        memcpy(at, text, n);
        at[n] = 0;
        free(rewritten(at));
    }
    ck_assert_int_eq(munmap(memory, room + page), 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("rewrite");
    TCase *const t = tcase_create("rewrite");
    cases_add(&cases, "tests/simnvcc/rewrite.txt");
    tcase_add_loop_test(t, cuda_becomes_cxx, 0, cases.n);
    tcase_add_test(t, there_is_no_token_outside_of_the_text);
    tcase_add_loop_test(t, text_may_end_anywhere, 0, cases.n);
    suite_add_tcase(s, t);
    return suite_run(s);
}
