/*
 * Whose a file of a name is: patterns and people's names.
 */
#include <check.h>
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "fds.h"
#include "golden.h"
#include "grader/base/decompose.h"
#include "grader/intake/match.h"
#include "heap.h"
#include "suite.h"

static const struct student ada = {.key = "ada",
                                   .name = "Ada King Lovelace",
                                   .email = "ada@x.org",
                                   .id = "101",
                                   .sis_id = "a7",
                                   .github = "ada-l",
                                   .group = "g1"};

static const struct {
    const char *pattern, *name;
    int fits, attempt;
    const char *file;
} fits[] = {
    {"{student}", "ada", 1, 1, NULL},
    {"{student}", "adam", 0, 1, NULL},
    {"{student}x", "ada", 0, 1, NULL},
    {"{id}-{sis_id}-{github}", "101-A7-ADA-L", 1, 1, NULL},
    {"{email}_{group}_{file}", "ADA@X.org_G1_p.c", 1, 1, "p.c"},
    {"{student}_{file}", "ada_", 0, 1, NULL},
    {"{file}", "ada", 1, 1, "ada"},
    {"LAB1-{student}", "lab1-ada", 1, 1, NULL},
    {"lab1", "lab", 0, 1, NULL},
    {"lab", "lab1", 0, 1, NULL},
    {"{any}_{student}", "_ada", 1, 1, NULL},
    {"{any}_{student}", "x y_ada", 1, 1, NULL},
    {"{any}_{student}", "x_y_ada", 0, 1, NULL},
    {"*_{student}", "x_y_ada", 1, 1, NULL},
    {"{student}*", "ada", 1, 1, NULL},
    {"*", "", 1, 1, NULL},
    {"{student}{any}", "ada.x", 1, 1, NULL},
    {"{student}@{attempt}", "ada@1", 1, 1, NULL},
    {"{student}@{attempt}", "ada@9999", 1, 9999, NULL},
    {"{student}@{attempt}", "ada@10000", 0, 1, NULL},
    {"{student}@{attempt}", "ada@0", 0, 1, NULL},
    {"{student}@{attempt}", "ada@-2", 0, 1, NULL},
    {"{student}@{attempt}", "ada@2x", 0, 1, NULL},
    {"{student}@{attempt}-{file}", "ada@07-x", 1, 7, "x"},
    {"{name}", "Ada King Lovelace", 1, 1, NULL},
    {"{name}", "adakinglovelace", 1, 1, NULL},
    {"{name}", "LOVELACE, Ada King", 1, 1, NULL},
    {"{name}", "King-Lovelace.Ada'", 0, 1, NULL},
    {"{name}", "King-Lovelace.Ada", 1, 1, NULL},
    {"{name}", "King_Lovelace_Ada", 0, 1, NULL},
    {"{name}", "Lovelace King Ada", 0, 1, NULL},
    {"{name}", "Ada King", 0, 1, NULL},
    {"{name}", "Ada King Lovelace.", 1, 1, NULL},
    {"{name}_{file}", "Ada King Lovelace._x", 1, 1, "x"},
    {"{name}_{file}", "Lovelace, Ada King._x", 1, 1, "x"},
    {"{name}.{file}", "Ada King Lovelace..x", 1, 1, ".x"},
    {"{student}_{file}", "ada._x", 0, 1, NULL},
    {"{name}_{file}", "Ada King Lovelaces_x", 0, 1, NULL},
};

START_TEST(a_name_fits_a_pattern_or_not)
{
    struct match m;
    const int is = match_name(fits[_i].pattern, fits[_i].name, &ada, &m);
    ck_assert_msg(is == fits[_i].fits, "%s: %s", fits[_i].pattern,
                  fits[_i].name);
    if (!is)
        return;
    ck_assert_int_eq(m.attempt, fits[_i].attempt);
    if (fits[_i].file)
        ck_assert_str_eq(m.file, fits[_i].file);
    else
        ck_assert_ptr_null(m.file);
}
END_TEST

/* A column that the roster leaves empty fits nothing. */
START_TEST(who_is_unknown_has_no_file)
{
    static const char *const patterns[] = {
        "x{student}", "x{id}",    "x{sis_id}", "x{github}",
        "x{email}",   "x{group}", "x{name}"};
    const struct student nobody = {.key = "",
                                   .name = "",
                                   .email = "",
                                   .id = "",
                                   .sis_id = "",
                                   .github = "",
                                   .group = ""};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct match m;
        ck_assert_int_eq(match_name(patterns[i], "x", &nobody, &m), 0);
    }
}
END_TEST

static const struct {
    const char *a, *b;
    int same;
} people[] = {
    {"Ada Lovelace", "Lovelace, Ada", 1},
    {"Ada Lovelace", "ada lovelace", 1},
    {"Ada Lovelace", "Ada", 0},
    {"Ada", "Ada Lovelace", 0},
    {"E A B C D", "A B C D E", 1},
    {"F A B C D E", "A B C D E F", 0},
    {"O'Neil", "oneil", 1},
    {"Ada", "Ada ", 1},
    {"Ada King Jr.", "Ada King Jr", 1},
    {"Ada K.", "K., Ada", 1},
    {"Ada K.", "Ada K. L", 0},
    {"", "", 0},
    {"Ada", "Adb", 0},
    {"Jos\303\251", "JOSE\314\201", 1},
    {"Jos\303\251", "Jose", 0},
};

START_TEST(people_are_the_same_in_any_order_of_their_names)
{
    ck_assert_msg(match_same_name(people[_i].a, people[_i].b) ==
                      people[_i].same,
                  "%s, %s", people[_i].a, people[_i].b);
}
END_TEST

static const struct {
    const char *pattern, *wrong;
} patterns[] = {
    {"{student}{id}{sis_id}{github}{email}{group}{name}{attempt}{any}{file}*",
     NULL},
    {"no placeholder", NULL},
    {"{student}{login}-{file}", "{login}-{file}"},
    {"{", "{"},
    {"{Student}", "{Student}"},
    {"{student", "{student"},
};

START_TEST(what_is_no_placeholder_is_found)
{
    const char *const wrong = match_wrong(patterns[_i].pattern);
    if (patterns[_i].wrong)
        ck_assert_pstr_eq(wrong, patterns[_i].wrong);
    else
        ck_assert_ptr_null(wrong);
}
END_TEST

static const struct {
    const char *text, *is;
} letters[] = {
    {"plain", "plain"},
    {"\303\274", "u\314\210"},
    {"\303\205", "A\314\212"},
    {"\307\226", "u\314\210\314\204"}, // two marks
    {"\341\273\243", "o\314\233\314\243"},
    {"\341\272\226", "h\314\261"}, // the last of the list
    {"\303\200", "A\314\200"},     // the first
    {"\303\270", "\303\270"},      // a letter of its own
    {"\302\241", "\302\241"},
    {"\337\277", "\337\277"},         // the last of two bytes
    {"\340\240\200", "\340\240\200"}, // and the first of three
    {"\342\202\254", "\342\202\254"},
    {"\357\277\277", "\357\277\277"},
    {"\360\220\200\200", "\360\220\200\200"}, // and of four
    {"\360\237\230\200", "\360\237\230\200"},
    {"\364\217\277\277", "\364\217\277\277"},
    {"\352\260\200", "\341\204\200\341\205\241"}, // Hangul: two letters
    {"\352\260\201", "\341\204\200\341\205\241\341\206\250"}, // three
    {"\355\225\234\352\270\200", "\341\204\222\341\205\241\341\206\253\341\204"
                                 "\200\341\205\263\341\206\257"},
    {"\355\236\243",
     "\341\204\222\341\205\265\341\207\202"}, // the last syllable
    {"\352\257\277", "\352\257\277"},         // before the first
    {"\355\236\244", "\355\236\244"},         // after the last
    {"a\303\274b", "au\314\210b"},
    {"\341\271\250", "S\314\243\314\207"},
    {"\377", "\377"}, // no UTF-8
    {"\303", "\303"}, // cut
    {"\303x", "\303x"},
    {"\342\202", "\342\202"},
    {"\342\202x", "\342\202x"},
    {"\360\237\230", "\360\237\230"},
    {"\200\303\274", "\200u\314\210"},
};

START_TEST(marks_follow_their_letters)
{
    char *const text = decompose(letters[_i].text);
    ck_assert_str_eq(text, letters[_i].is);
    free(text);
}
END_TEST

/* ---- all code points ----------------------------------------------------- */

static char *put(char *out, unsigned c)
{
    const int more = c >= 0x10000 ? 3 : c >= 0x800 ? 2 : c >= 0x80 ? 1 : 0;
    *out++ = (char)(more ? (0xff00u >> (more + 1)) | c >> 6 * more : c);
    for (int i = more - 1; i >= 0; i--)
        *out++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    return out;
}

/* The next of those that are tried: all that the tables may hold, and some of
 * the many that rules decide. */
static unsigned after(unsigned c)
{
    return c < 0x2000 ? c + 1 : c + 97;
}

/* A line for each code point that consists of others. */
START_TEST(code_points_are_decomposed_as_unicode_has_it)
{
    FILE *const out = golden_begin();
    for (unsigned c = 1; c < 0x20000; c = after(c)) {
        char text[8];
        *put(text, c) = 0;
        char *const parts = decompose(text);
        if (strcmp(parts, text) != 0)
            fprintf(out, "%04X %s %s\n", c, text, parts);
        free(parts);
    }
    golden_end(out, "tests/grader/golden.txt#decomposed");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("match");
    TCase *const t = tcase_create("match");
    heap_watch(t);
    fds_watch(t);
    SUITE_LOOP(t, a_name_fits_a_pattern_or_not, fits);
    tcase_add_test(t, who_is_unknown_has_no_file);
    SUITE_LOOP(t, people_are_the_same_in_any_order_of_their_names, people);
    SUITE_LOOP(t, what_is_no_placeholder_is_found, patterns);
    SUITE_LOOP(t, marks_follow_their_letters, letters);
    tcase_add_test(t, code_points_are_decomposed_as_unicode_has_it);
    suite_add_tcase(s, t);
    return suite_run(s);
}
