/* Which lines of plugins NCCL_DEBUG lets through, and where they go. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h> /* setenv */
#include <string.h>
#include <unistd.h> /* gethostname */

#include "child.h"
#include "nccl/debug.h"
#include "suite.h"

void pncclResetDebugInit(void);

static const struct {
    const char *debug, *subsys;
    const char *lines; /* that come, as level/subsystem */
} settings[] = {
    {"WARN", "ALL", "1/1 1/2 2/1 2/2 "},
    {"INFO", "INIT", "1/1 1/2 2/1 2/2 3/1 4/1 5/1 "},
    {"INFO", "COLL", "1/1 1/2 2/1 2/2 3/2 4/2 5/2 "},
    {"TRACE", "^COLL", "1/1 1/2 2/1 2/2 3/1 4/1 5/1 "},
    {"TRACE", "INIT,COLL", "1/1 1/2 2/1 2/2 3/1 3/2 4/1 4/2 5/1 5/2 "},
};

static char host[256];

/* The file's name for this host and process. */
static void choose_file(const char *dir, char *name, size_t nbytes)
{
    char pattern[CHILD_FOLDER + 32];
    snprintf(pattern, sizeof pattern, "%s/%%h.%%p%%%%%%q%%", dir);
    setenv("NCCL_DEBUG_FILE", pattern, 1);
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = 0;
    snprintf(name, nbytes, "%s/%s.%d%%%%q%%", dir, host, (int)getpid());
}

static void print_line(FILE *f, const char *line)
{
    const int level = line[0] - '0';
    fprintf(f, "%s%s:%d:%d [0] ", level == 2 ? "\n" : "", host, (int)getpid(),
            (int)gettid());
    fprintf(f, "%s %.3s\n", level == 2 ? "a.c:7 NCCL WARN" : "NCCL INFO", line);
}

static void check_file(const char *name, const char *lines)
{
    char *expected, got[4096] = "";
    size_t length;
    FILE *const f = open_memstream(&expected, &length);
    for (const char *line = lines; *line; line += 4)
        print_line(f, line);
    fclose(f);
    FILE *const file = fopen(name, "r");
    ck_assert_msg(file != NULL, "no %s", name);
    got[fread(got, 1, sizeof got - 1, file)] = 0;
    fclose(file);
    ck_assert_str_eq(got, expected);
    free(expected);
}

START_TEST(a_plugins_lines_come_as_they_are_asked_for)
{
    char dir[CHILD_FOLDER], name[CHILD_FOLDER + 300];
    child_folder(dir, "nccl-debug");
    choose_file(dir, name, sizeof name);
    setenv("NCCL_DEBUG", settings[_i].debug, 1);
    setenv("NCCL_DEBUG_SUBSYS", settings[_i].subsys, 1);
    pncclResetDebugInit();
    for (int level = 0; level < 6; level++)
        for (unsigned long subsys = DEBUG_INIT; subsys <= DEBUG_COLL; subsys++)
            debug_log(level, subsys, "a.c", 7, "%d/%lu", level, subsys);
    check_file(name, settings[_i].lines);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("nccl_debug");
    TCase *const t = tcase_create("nccl_debug");
    tcase_add_loop_test(t, a_plugins_lines_come_as_they_are_asked_for, 0,
                        sizeof settings / sizeof *settings);
    suite_add_tcase(s, t);
    return suite_run(s);
}
