/*
 * What simnvcc would run for a command line, or says: commands.txt, and lines
 * drawn by lot, with digests of what was right when those of commands.txt were.
 * $N is "nvcc --dryrun" and $R nvcc itself; commands.sed has names for the
 * parts that all commands share.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* free */

#include "cases.h"
#include "child.h"
#include "grammar.h"
#include "suite.h"

enum { DRAWN = 400, AT_ONCE = 20 };

static struct cases cases;
static struct grammar *grammar;
static char folder[CHILD_FOLDER];

/* What is printed, and the files that are left. */
static struct child run(const char *commands)
{
    return child_run(
        60,
        "export TMPDIR=%s B=%s/simgpu; S=$PWD/tests/simnvcc/commands.sed; "
        "cd $TMPDIR && R=$B/bin/nvcc && N=\"$R --dryrun\" && {\n%s\n} 2>&1 | "
        "sed \"$(sed \"s|TEMP_FOLDER|$TMPDIR|g; "
        "s|SIMGPU_FOLDER|$B|g\" $S)\"; ls",
        folder, child_build(), commands);
}

START_TEST(a_command_line_becomes_these_commands)
{
    struct child c = run(cases.at[_i].input);
    cases_same_words(&cases.at[_i], c.out);
    child_clear(&c);
}
END_TEST

/* Several lines, and what is made of them. */
static char *drawn(int number)
{
    char *commands = NULL, *all;
    for (int i = 0; i < AT_ONCE; i++) {
        char *const line =
            grammar_text(grammar, "file", (uint64_t)(number * AT_ONCE + i));
        char *const before = commands;
        ck_assert(asprintf(&commands, "%s$N %s; echo $?\n",
                           before ? before : "", line) > 0);
        free(before);
        free(line);
    }
    struct child c = run(commands);
    ck_assert(asprintf(&all, "%s==>\n%s", commands, c.out) > 0);
    child_clear(&c);
    free(commands);
    return all;
}

START_TEST(drawn_command_lines_become_what_they_did)
{
    grammar = grammar_read("tests/simnvcc/drawn/command.grammar");
    grammar_expect("tests/simnvcc/drawn/digests.txt", "command lines",
                   DRAWN / AT_ONCE, drawn);
    grammar_free(grammar);
}
END_TEST

static void make_folder(void)
{
    child_folder(folder, "commands");
}

static void remove_folder(void)
{
    child_remove(folder);
}

int main(void)
{
    Suite *const s = suite_create("commands");
    TCase *const t = tcase_create("commands");
    cases_add(&cases, "tests/simnvcc/commands.txt");
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_loop_test(t, a_command_line_becomes_these_commands, 0, cases.n);
    tcase_add_test(t, drawn_command_lines_become_what_they_did);
    suite_add_tcase(s, t);
    return suite_run(s);
}
