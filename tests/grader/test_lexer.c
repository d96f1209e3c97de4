/* Tokens of C and C++: what they are, and where. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "heap.h"
#include "lexer.h"
#include "suite.h"

/* The tokens, each as LINE.COLUMN, "!" if it begins a line, a letter for its
 * kind (word, number, string, raw, mark) and its text. */
static char *tokens_of(const char *text, int is_cplusplus)
{
    char *all;
    size_t nbytes;
    struct lexer x;
    FILE *const f = open_memstream(&all, &nbytes);
    lexer_init(&x, text, is_cplusplus);
    for (struct token t; lexer_next(&x, &t);) {
        char of[64];
        fprintf(f, "%d.%d%s%c%s ", t.line, t.column, t.begins ? "!" : "",
                "wnsrm"[t.kind], token_text(&t, of, sizeof of));
    }
    lexer_release(&x);
    fclose(f);
    return all;
}

static const struct {
    const char *text, *tokens;
    const char *cplusplus; // NULL: the same
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
    {"a/*b\n*/c/**/d", "1.0!wa 2.2!wc 2.7wd ", NULL},
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
    // raw ones: nothing behind them is read
    {"R\"(a)\" b", "1.0!wR 1.1r\"(a)\" b ", NULL},
    {"u8R\"(/*)\"", "1.0!wu8R 1.3r\"(/*)\" ", NULL},
    {"LR\"(a)\"", "1.0!wLR 1.2r\"(a)\" ", NULL},
    {"UR\"(a)\"", "1.0!wUR 1.2r\"(a)\" ", NULL},
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
    for (int is_cplusplus = 0; is_cplusplus < 2; is_cplusplus++) {
        char *const got = tokens_of(sources[_i].text, is_cplusplus);
        ck_assert_str_eq(got, is_cplusplus && sources[_i].cplusplus
                                  ? sources[_i].cplusplus
                                  : sources[_i].tokens);
        free(got);
    }
}
END_TEST

START_TEST(the_rest_of_a_line_can_be_skipped)
{
    struct lexer x;
    struct token t;
    size_t n;
    char out[4];
    lexer_init(&x, "define a b\nc", 0);
    ck_assert(lexer_next(&x, &t) && token_is(&t, "define"));
    ck_assert(!token_is(&t, "defin") && !token_is(&t, "defines"));
    ck_assert_str_eq(token_text(&t, out, sizeof out), "def");
    const char *rest = lexer_rest(&x, &n);
    ck_assert(n == 4 && strncmp(rest, " a b", n) == 0);
    ck_assert(lexer_next(&x, &t) && token_is(&t, "c") && t.line == 2);
    rest = lexer_rest(&x, &n);
    ck_assert(n == 0 && !*rest);
    ck_assert(!lexer_next(&x, &t));
    lexer_release(&x);
    lexer_init(&x, "\"a\" <:", 0);
    ck_assert(lexer_next(&x, &t) && !token_is(&t, "\"a\"")); // a string
    ck_assert(lexer_next(&x, &t) && token_is(&t, "["));
    lexer_release(&x);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("lexer");
    TCase *const t = tcase_create("lexer");
    heap_watch(t);
    tcase_add_loop_test(t, tokens_are_what_the_compiler_sees, 0,
                        sizeof sources / sizeof *sources);
    tcase_add_test(t, the_rest_of_a_line_can_be_skipped);
    suite_add_tcase(s, t);
    return suite_run(s);
}
