/*
 * What simnvcc makes of texts drawn by lot, all of it: drawn/ has a grammar for
 * each kind of text, and digests of what they became when the programs of the
 * other suites ran as they should. Each third text is damaged.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "grammar.h"
#include "simnvcc/arch.h"
#include "simnvcc/calls.h"
#include "simnvcc/division.h"
#include "simnvcc/inline.h"
#include "simnvcc/rewrite.h"
#include "suite.h"

static struct grammar *grammar;

/* "text\n==>\n", to be followed by what the text becomes. */
static FILE *begin(const char *text, char **all, size_t *nbytes)
{
    FILE *const out = open_memstream(all, nbytes);
    ck_assert_ptr_nonnull(out);
    fprintf(out, "%s\n==>\n", text);
    return out;
}

static char *draw_text(int number)
{
    return number % 3 == 2 ? grammar_damaged(grammar, "file", (uint64_t)number)
                           : grammar_text(grammar, "file", (uint64_t)number);
}

static void check(const char *kind, int n, char *(*get)(int))
{
    char path[64];
    snprintf(path, sizeof path, "tests/simnvcc/drawn/%s.grammar", kind);
    grammar = grammar_read(path);
    grammar_expect("tests/simnvcc/drawn/digests.txt", kind, n, get);
    grammar_free(grammar);
}

/* ---- CUDA C++ ------------------------------------------------------------ */

static char *rewritten(int number)
{
    char *const text = draw_text(number), *all;
    size_t nbytes;
    FILE *const out = begin(text, &all, &nbytes);
    char *const wrong = rewrite(text, out, 1);
    fprintf(out, "\n==> %s\n", wrong ? wrong : "");
    fclose(out);
    free(wrong);
    free(text);
    return all;
}

START_TEST(cuda_becomes_cxx)
{
    check("cuda", 1000, rewritten);
}
END_TEST

START_TEST(ptx_becomes_cxx)
{
    check("ptx", 1000, rewritten);
}
END_TEST

/* ---- views --------------------------------------------------------------- */

/* Write one of the views of a text: `host`device`. */
static void write_view(const char *path, const char *text, int device)
{
    FILE *const out = fopen(path, "we");
    ck_assert_ptr_nonnull(out);
    for (int part = 0; *text; text++) {
        if (*text == '`')
            part = (part + 1) % 3;
        else if (part == 0 || part == 1 + device)
            fputc(*text, out);
    }
    ck_assert_int_eq(fclose(out), 0);
}

static char folder[CHILD_FOLDER];

static char *merged(int number)
{
    char *const text = draw_text(number), *all;
    char host[CHILD_FOLDER + 8], device[CHILD_FOLDER + 8];
    size_t nbytes;
    FILE *const out = begin(text, &all, &nbytes);
    snprintf(host, sizeof host, "%s/host", folder);
    snprintf(device, sizeof device, "%s/device", folder);
    write_view(host, text, 0);
    write_view(device, text, 1);
    char *const both = arch_merge(host, device);
    fputs(both, out);
    fclose(out);
    free(both);
    free(text);
    return all;
}

START_TEST(both_views_become_one)
{
    child_folder(folder, "drawn");
    check("views", 1000, merged);
    child_remove(folder);
}
END_TEST

/* ---- assembly ------------------------------------------------------------ */

static void examine(const char *text, FILE *out)
{
    struct call_place at;
    struct calls *const c = calls_read(text);
    ck_assert_ptr_nonnull(c);
    for (const char *line = text; *line; line += *line == '\n') {
        const size_t n = strcspn(line, ":\t\n ");
        fprintf(out, "%u ", calls_promised(c, line, n));
        line += strcspn(line, "\n");
    }
    const int found = calls_not_inlined(c, "/usr/include/", &at);
    fprintf(out, "\n%d %s %d %d\n", found, at.file, at.line, at.by_pointer);
    if (calls_outside(c, &at))
        fprintf(out, "%s %s %d\n", at.callee, at.file, at.line);
    inline_accesses(text, c, out);
    calls_free(c);
    fputs("==> divisions\n", out);
    trap_divisions(text, out);
}

static char *examined(int number)
{
    char *const text = draw_text(number), *all;
    size_t nbytes;
    FILE *const out = begin(text, &all, &nbytes);
    examine(text, out);
    fclose(out);
    free(text);
    return all;
}

START_TEST(assembly_says_what_kernels_call)
{
    check("assembly", 1000, examined);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("drawn");
    TCase *const t = tcase_create("drawn");
    tcase_add_test(t, cuda_becomes_cxx);
    tcase_add_test(t, ptx_becomes_cxx);
    tcase_add_test(t, both_views_become_one);
    tcase_add_test(t, assembly_says_what_kernels_call);
    suite_add_tcase(s, t);
    return suite_run(s);
}
