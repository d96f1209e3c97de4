/*
 * What simnvcc would run for a command line, or says: commands.txt. $N is
 * "nvcc --dryrun" and $R nvcc itself; commands.sed has names for the parts that
 * all commands share.
 */
#include <check.h>

#include "cases.h"
#include "child.h"
#include "suite.h"

static struct cases cases;

START_TEST(a_command_line_becomes_these_commands)
{
    char folder[CHILD_FOLDER];
    child_folder(folder, "commands");
    struct child c = child_run(
        60,
        "export TMPDIR=%s B=%s/simgpu; S=$PWD/tests/simnvcc/commands.sed; "
        "cd $TMPDIR && R=$B/bin/nvcc && N=\"$R --dryrun\" && {\n%s\n} 2>&1 | "
        "sed \"$(sed \"s|TEMP_FOLDER|$TMPDIR|g; "
        "s|SIMGPU_FOLDER|$B|g\" $S)\"; ls",
        folder, child_build(), cases.at[_i].input);
    cases_same_words(&cases.at[_i], c.out);
    child_clear(&c);
    child_remove(folder);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("commands");
    TCase *const t = tcase_create("commands");
    cases_add(&cases, "tests/simnvcc/commands.txt");
    tcase_add_loop_test(t, a_command_line_becomes_these_commands, 0, cases.n);
    suite_add_tcase(s, t);
    return suite_run(s);
}
