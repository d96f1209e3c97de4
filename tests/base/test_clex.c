/* Tokens of C and C++: what they are, and where. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "base/clex.h"
#include "heap.h"
#include "suite.h"

/* The tokens, each as LINE.COLUMN, "!" if it begins a line, a letter for its
 * kind (word, number, string, raw, mark) and its text. */
static char *tokens_of(const char *text, size_t nbytes, unsigned flags)
{
    char *all;
    size_t all_nbytes;
    struct clex x;
    FILE *const f = open_memstream(&all, &all_nbytes);
    clex_init(&x, text, nbytes, flags);
    for (struct ctoken t; clex_next(&x, &t);) {
        char of[64];
        fprintf(f, "%d.%d%s%c%s ", t.line, t.column, t.begins ? "!" : "",
                "wnsrm"[t.kind], ctoken_text(&t, of, sizeof of));
    }
    fclose(f);
    return all;
}

static const struct {
    const char *text, *tokens;
    const char *cplusplus; /* NULL: the same */
} sources[] = {
    {"", "", NULL},
    {"int a_1$;", "1.0!wint 1.4wa_1$ 1.8m; ", NULL},
    {" x\n\n\ty\v\f\rz", "1.1!wx 3.1!wy 3.5wz ", NULL},
    {"\xEF\xBB\xBFx", "1.0!wx ", NULL},
    {"AZaz09_ \x80\xff", "1.0!wAZaz09_ 1.8w\x80\xff ", NULL},
    {"@[`{/:^", "1.0!m@ 1.1m[ 1.2m` 1.3m{ 1.4m/ 1.5m: 1.6m^ ", NULL},
    // joined lines, which keep their numbers
    {"a\\\nb\nc", "1.0!wab 3.0!wc ", NULL},
    {"a\\ \t\r\f\v\nb\\\nc\nd", "1.0!wabc 4.0!wd ", NULL},
    {"a\\ b", "1.0!wa 1.1m\\ 1.3wb ", NULL},
    {"a\r\nb\rc", "1.0!wa 2.0!wb 2.2wc ", NULL},
    {"a\\", "1.0!wa 1.1m\\ ", NULL},
    // comments
    {"a//b\nc", "1.0!wa 2.0!wc ", NULL},
    {"a//b\\\nc\nd", "1.0!wa 3.0!wd ", NULL},
    {"a/*b\n*/c/**/d", "1.0!wa 2.2wc 2.7wd ", NULL},
    {"/*\n*/#/*\n*/d\ne", "2.2!m# 3.2wd 4.0!we ", NULL},
    {"a/*/b*/c", "1.0!wa 1.7wc ", NULL},
    {"a/*b", "1.0!wa ", NULL},
    {"a/b*/c", "1.0!wa 1.1m/ 1.2wb 1.3m* 1.4m/ 1.5wc ", NULL},
    {"/\\\n/a\nb", "3.0!wb ", NULL},
    // strings
    {"\"a b\"'c'd", "1.0!s\"a b\" 1.5s'c' 1.8wd ", NULL},
    {"\"/*\"x\"*/\"", "1.0!s\"/*\" 1.4wx 1.5s\"*/\" ", NULL},
    {"\"a\\\"b\"c", "1.0!s\"a\\\"b\" 1.6wc ", NULL},
    {"\"a\nb\"", "1.0!s\"a 2.0!wb 2.1s\" ", NULL},
    {"\"'\"'\"'", "1.0!s\"'\" 1.3s'\"' ", NULL},
    {"\"\\", "1.0!s\"\\ ", NULL},
    {"\"a\\\\\"b", "1.0!s\"a\\\\\" 1.5wb ", NULL},
    {"L\"a\"_s b", "1.0!wL 1.1s\"a\" 1.4w_s 1.7wb ", NULL},
    // raw ones
    {"R\"(a)\" b", "1.0!rR\"(a)\" 1.7wb ", NULL},
    {"u8R\"(/*)\"", "1.0!ru8R\"(/*)\" ", NULL},
    {"LR\"(a)\"", "1.0!rLR\"(a)\" ", NULL},
    {"uR\"(a)\"", "1.0!ruR\"(a)\" ", NULL},
    {"UR\"(a)\"", "1.0!rUR\"(a)\" ", NULL},
    {"R\"x()\" )y\" )x\"b", "1.0!rR\"x()\" )y\" )x\" 1.14wb ", NULL},
    {"R\"(\n\n)\"b", "1.0!rR\"(\n\n)\" 3.2wb ", NULL},
    {"R\"(a\"", "1.0!rR\"(a\" ", NULL},
    {"R\"(a)", "1.0!rR\"(a) ", NULL},
    {"R\"a b(\"c", "1.0!wR 1.1s\"a b(\" 1.7wc ", NULL},
    {"R\"0123456789abcdef()0123456789abcdef\"",
     "1.0!rR\"0123456789abcdef()0123456789abcdef\" ", NULL},
    {"R\"0123456789abcdefg(\"", "1.0!wR 1.1s\"0123456789abcdefg(\" ", NULL},
    {"R'a'", "1.0!wR 1.1s'a' ", NULL},
    {"xR\"a\"", "1.0!wxR 1.2s\"a\" ", NULL},
    {"u88R\"a\"", "1.0!wu88R 1.4s\"a\" ", NULL},
    {"RL\"a\"", "1.0!wRL 1.2s\"a\" ", NULL},
    // numbers
    {"1.5e+3f .5 0x1p-2", "1.0!n1.5e+3f 1.8n.5 1.11n0x1p-2 ", NULL},
    {"1E-2+3", "1.0!n1E-2 1.4m+ 1.5n3 ", NULL},
    {"0P+1-", "1.0!n0P+1 1.4m- ", NULL},
    {"a.b.", "1.0!wa 1.1m. 1.2wb 1.3m. ", NULL},
    {"0:9;", "1.0!n0 1.1m: 1.2n9 1.3m; ", NULL},
    {"1'000'x'", "1.0!n1 1.1s'000' 1.6wx 1.7s' ", "1.0!n1'000'x 1.7s' "},
    {"1'+'", "1.0!n1 1.1s'+' ", NULL},
    {"1'a/*'b", "1.0!n1 1.1s'a/*' 1.6wb ", "1.0!n1'a "},
    // digraphs, and characters by number
    {"<:a:><%%>%:", "1.0!m[ 1.2wa 1.3m] 1.5m{ 1.7m} 1.9m# ", NULL},
    {"<a:b%c", "1.0!m< 1.1wa 1.2m: 1.3wb 1.4m% 1.5wc ", NULL},
    {"a\\u00e4b\\U1 \\u1 \\x", "1.0!wa\\u00e4b\\U1 1.12w\\u1 1.16m\\ 1.17wx ",
     NULL},
};

START_TEST(tokens_are_what_the_compiler_sees)
{
    for (unsigned is_cplusplus = 0; is_cplusplus < 2; is_cplusplus++) {
        char *const joined = clex_join(sources[_i].text);
        char *const got =
            tokens_of(joined, strlen(joined),
                      CLEX_DIGRAPHS | (is_cplusplus ? CLEX_CPLUSPLUS : 0));
        ck_assert_str_eq(got, is_cplusplus && sources[_i].cplusplus
                                  ? sources[_i].cplusplus
                                  : sources[_i].tokens);
        free(got);
        free(joined);
    }
}
END_TEST

/* As it stands: no lines joined, a digraph is two marks, NUL a character. */
static const struct {
    const char *text;
    size_t nbytes;
    const char *tokens;
} plain[] = {
    {"a\\\nb", 4, "1.0!wa 1.1m\\ 2.0!wb "},
    {"a//b\\\nc\nd", 9, "1.0!wa 3.0!wd "},
    {"a//b\\\r\nc\nd", 10, "1.0!wa 3.0!wd "},
    {"a//b\\c\nd", 8, "1.0!wa 2.0!wd "},
    {"a//\nd", 5, "1.0!wa 2.0!wd "},
    {"\"a\\\nb\"c", 7, "1.0!s\"a\\\nb\" 2.2wc "},
    {"<:", 2, "1.0!m< 1.1m: "},
    {"a\0b", 3, "1.0!wa 1.1m 1.2wb "},
    {"/*\0*/b", 6, "1.5!wb "},
    {"\"\0\"b", 4, "1.0!s\" 1.3wb "},
    {"a /", 3, "1.0!wa 1.2m/ "},
};

START_TEST(a_text_is_read_as_it_stands)
{
    char *const got = tokens_of(plain[_i].text, plain[_i].nbytes, 0);
    ck_assert_str_eq(got, plain[_i].tokens);
    free(got);
}
END_TEST

START_TEST(an_open_string_may_continue)
{
    static const char text[] = "\"a\nb\" 'c";
    char *const got = tokens_of(text, strlen(text), CLEX_OPEN);
    ck_assert_str_eq(got, "1.0!s\"a\nb\" 2.3s'c ");
    free(got);
}
END_TEST

START_TEST(a_text_may_end_anywhere)
{
    static const char all[] = "u8R\"x(a)x\" 1e+5'0 \\u00e4 \"b\\\"\" '' // "
                              "c\\\n/* d */ <:%> .5 #e\n";
    for (size_t n = 0; n < sizeof all; n++) {
        char *const text = strndup(all, n);
        struct clex x;
        clex_init(&x, text, n, CLEX_CPLUSPLUS | CLEX_DIGRAPHS);
        for (struct ctoken t; clex_next(&x, &t);)
            ck_assert(x.at <= text + n);
        ck_assert_ptr_eq(x.at, text + n);
        free(text);
    }
}
END_TEST

static struct clex begin(const char *text, struct ctoken *first)
{
    struct clex x;
    clex_init(&x, text, strlen(text), CLEX_DIGRAPHS);
    ck_assert(clex_next(&x, first));
    return x;
}

START_TEST(the_rest_of_a_line_can_be_skipped)
{
    struct ctoken t;
    char out[4];
    struct clex x = begin("define a b\nc\\\nd\ne\n", &t);
    ck_assert(ctoken_is(&t, "define"));
    ck_assert(!ctoken_is(&t, "defin") && !ctoken_is(&t, "defines"));
    ck_assert_str_eq(ctoken_text(&t, out, sizeof out), "def");
    clex_skip_line(&x);
    ck_assert(clex_next(&x, &t) && ctoken_is(&t, "c") && t.line == 2);
    clex_skip_line(&x); // with d's
    ck_assert(clex_next(&x, &t) && ctoken_is(&t, "e") && t.line == 4);
    clex_skip_line(&x);
    clex_skip_line(&x);
    ck_assert(!clex_next(&x, &t));
    x = begin("\"a\" <:", &t);
    ck_assert(!ctoken_is(&t, "\"a\"")); // a string
    ck_assert(clex_next(&x, &t) && ctoken_is(&t, "["));
}
END_TEST

static const struct {
    const char *text, *line, *next;
} lines[] = {
    {"a", "", ""},
    {"a\nb", "", "b"},
    {"a \t b  c//d\ne", "b c", "e"},
    {"a<b/c.h>/*d\n*/e\nf", "<b/c.h> e", "f"},
    {"a/**/b/**/ (c)\n/**/d", "b (c)", "d"},
    {"a \"b  c\n \nd", "\"b  c", "d"},
    {"a %: <:\n%:", "# [", "#"},
};

START_TEST(the_rest_of_a_line_can_be_read)
{
    struct ctoken t;
    struct clex x = begin(lines[_i].text, &t);
    char next[8] = "", *const line = clex_line(&x);
    ck_assert_str_eq(line, lines[_i].line);
    free(line);
    if (clex_next(&x, &t))
        ck_assert(t.begins && ctoken_text(&t, next, sizeof next));
    ck_assert_str_eq(next, lines[_i].next);
}
END_TEST

START_TEST(a_mark_can_be_widened)
{
    struct ctoken t;
    struct clex x = begin("<<=a", &t);
    clex_widen(&x, &t, 3);
    ck_assert(ctoken_is(&t, "<<="));
    ck_assert(clex_next(&x, &t) && ctoken_is(&t, "a") && t.column == 3);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("clex");
    TCase *const t = tcase_create("clex");
    heap_watch(t);
    tcase_add_loop_test(t, tokens_are_what_the_compiler_sees, 0,
                        sizeof sources / sizeof *sources);
    tcase_add_loop_test(t, a_text_is_read_as_it_stands, 0,
                        sizeof plain / sizeof *plain);
    tcase_add_test(t, an_open_string_may_continue);
    tcase_add_test(t, a_text_may_end_anywhere);
    tcase_add_test(t, the_rest_of_a_line_can_be_skipped);
    tcase_add_loop_test(t, the_rest_of_a_line_can_be_read, 0,
                        sizeof lines / sizeof *lines);
    tcase_add_test(t, a_mark_can_be_widened);
    suite_add_tcase(s, t);
    return suite_run(s);
}
