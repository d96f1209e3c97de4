/*
 * What commgraph prints for a line of arguments, right and wrong ones:
 * commands.txt has the lines after "$ ", and what they print.
 *
 * A line runs in a folder of its own, with build/ in PATH, and m, a link to
 * tests/topo/measured. A status other than 0 is said behind the output.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "golden.h"
#include "suite.h"

static const char path[] = "tests/graph/commands.txt";

static void run_line(FILE *to, const char *folder, const char *line)
{
    char *const root = get_current_dir_name();
    fprintf(to, "$ %s", line);
    struct child c = child_run(300,
                               "PATH=%s:$PATH; cd %s; ln -sfn "
                               "%s/tests/topo/measured m; %s",
                               child_build(), folder, root, line);
    fprintf(to, "%s%s", c.out, c.err);
    if (c.status)
        fprintf(to, "status %d\n", c.status);
    child_clear(&c);
    free(root);
}

START_TEST(each_line_prints_what_it_did)
{
    char folder[CHILD_FOLDER], *line = NULL, *text;
    size_t room = 0, nbytes;
    FILE *const from = fopen(path, "r"), *to = open_memstream(&text, &nbytes);
    ck_assert_msg(from != NULL, "%s: run from the root of the tree", path);
    child_folder(folder, "commands");
    while (getline(&line, &room, from) > 0)
        if (strncmp(line, "$ ", 2) == 0)
            run_line(to, folder, line + 2);
    fclose(from);
    fclose(to);
    golden_expect(path, text);
    child_remove(folder);
    free(line);
    free(text);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("commands");
    TCase *const t = tcase_create("commands");
    tcase_add_test(t, each_line_prints_what_it_did);
    tcase_set_timeout(t, 900);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
