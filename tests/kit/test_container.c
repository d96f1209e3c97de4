/* The container and other systems than Debian: what .devcontainer says holds,
 * and what those systems do differently stops nobody. */
#include <check.h>
#include <jansson.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strncmp */

#include "kitcopy.h"
#include "labtest.h"
#include "suite.h"

/* Shell functions: a program that does this instead, for `faked COMMAND...`;
 * the container's steps; the packages of common/deps.mk. This machine's
 * own apt-get is never run. */
static const char functions[] =
    "mkdir fake 2> /dev/null; "
    "fake() { n=fake/$1; shift; printf '#!/bin/sh\\n%s\\n' \"$*\" > $n && "
    "chmod +x $n; }; "
    "[ -e fake/apt-get ] || { fake apt-get 'echo not here; exit 9'; "
    "fake sudo 'exec \"$@\"'; fake apt-cache echo Candidate: 1; }; "
    "faked() { PATH=$PWD/fake:$PATH \"$@\"; }; "
    "steps() { sed -e ':a' -e '/\\\\$/{N;s/\\\\\\n//;ba' -e '}' "
    ".devcontainer/Containerfile | sed -n 's/^RUN //p'; }; "
    "packages() { echo 'list: ; @echo $(DEPS_BUILD) $(DEPS_TEST)' | "
    "make -s -f common/deps.mk -f - list | tr ' ' '\\n'; }; ";

static void expect(const char *commands, int status, const char *says)
{
    char line[4096];
    snprintf(line, sizeof line, "%s%s", functions, commands);
    kitcopy_expect(line, status, says);
}

/* apt-get is asked for all of common/deps.mk; the file names none of it but
 * what starts make. */
START_TEST(the_image_has_what_make_deps_installs)
{
    expect("fake dpkg-query exit 1; fake useradd; "
           "fake apt-get \"printf '%s\\n' \\\"\\$@\\\" >> $PWD/asked\"; "
           "steps > steps && (cd common && PATH=$PWD/../fake:$PATH "
           "sh -e ../steps) && packages | sort -u > named && "
           "sort -u asked | comm -13 - named > lacks && cat lacks && "
           "[ -s named ] && [ ! -s lacks ] && "
           "! grep -owFf named steps | grep -vx make && echo the same",
           0, "the same");
}
END_TEST

START_TEST(what_devcontainer_json_names_exists)
{
    char path[4096], commands[4096];
    json_error_t e;
    snprintf(path, sizeof path, "%s/.devcontainer/devcontainer.json",
             labtest_root());
    json_t *const j = json_load_file(path, 0, &e);
    ck_assert_msg(j != NULL, "line %d: %s", e.line, e.text);
    const char *file, *context, *user, *command;
    ck_assert_int_eq(json_unpack(j, "{s:{s:s, s:s}, s:s, s:s}", "build",
                                 "dockerfile", &file, "context", &context,
                                 "remoteUser", &user, "postCreateCommand",
                                 &command),
                     0);
    ck_assert_msg(strncmp(command, "make ", 5) == 0, "%s", command);
    snprintf(commands, sizeof commands,
             "make help | grep '^%s ' && cd .devcontainer && "
             "grep -x 'USER %s' %s && "
             "for f in $(sed -n 's/^COPY \\(.*\\) .*/\\1/p' %s); do "
             "ls %s/$f || exit; done",
             command + 5, user, file, file, context);
    kitcopy_expect(commands, 0, "deps.mk");
    json_decref(j);
}
END_TEST

/* Ubuntu's chromium is provided by chromium-browser. */
START_TEST(a_provided_package_is_not_missing)
{
    expect("packages | sed 's/^chromium$/chromium-browser, chromium (= 1), "
           "www-browser/; s/^/installed, /; s/$/, /' > have; "
           "fake dpkg-query cat $PWD/have; faked make deps",
           0, "deps: nothing is missing");
    expect("fake apt-get echo asked for '\"$@\"'; "
           "sed -i '/gawk/s/installed/config-files/' have; "
           "faked make deps",
           0, "--no-install-recommends gawk\n");
}
END_TEST

/* Ubuntu 22.04 has no libclang-rt-dev: that is for tests. */
START_TEST(a_package_that_is_not_to_be_had_is_named)
{
    const char *const lacks = "fake dpkg-query exit 1; fake apt-get echo asked "
                              "for '\"$@\"'; fake apt-cache '[ $2 = %s ] || "
                              "echo \"  Candidate: 1\"'; faked make deps%s";
    char commands[400];
    snprintf(commands, sizeof commands, lacks, "clang",
             " > out; status=$?; cat out; ! grep 'asked for.* clang ' out && "
             "grep -q 'asked for.* clang-format ' out && exit $status");
    expect(commands, 0, "no package clang: what tests need it for is skipped");
    snprintf(commands, sizeof commands, lacks, "gawk", "");
    expect(commands, 2,
           "no package gawk, which the build needs: work in the "
           "container");
}
END_TEST

/* Without root, too: an administrator could not install it either. */
START_TEST(a_user_is_not_sent_for_what_is_not_to_be_had)
{
    const char *const lacks =
        "packages | sed 's/^/installed, /' | grep -vx -e 'installed, %s' > "
        "have; "
        "fake dpkg-query cat $PWD/have; fake id echo 1000; "
        "fake apt-cache 'case \"$2\" in \"\") echo \" 500 http://here\";; "
        "clang) ;; *) echo \"  Candidate: 1\";; esac'; faked make deps";
    char commands[800];
    snprintf(commands, sizeof commands, lacks, "clang");
    expect(commands, 0,
           "no package clang: what tests need it for is skipped\n"
           "deps: nothing else is missing\n");
    snprintf(commands, sizeof commands, lacks, "clang' -e 'installed, gawk");
    strncat(commands, " | tee out; ! grep 'installing.*clang' out",
            sizeof commands - strlen(commands) - 1);
    expect(commands, 0, "deps: installing gawk\n");
}
END_TEST

/* Ubuntu's is a script that says how to get the browser. */
START_TEST(a_browser_that_does_not_start_is_none)
{
    expect("for p in weasyprint chromium chromium-browser google-chrome; do "
           "fake $p exit 1; done; faked common/kit/pages.sh out && "
           "ls out/index.html",
           0, "no PDF, since");
}
END_TEST

/* pkg-config's libraries of MPICH may be without their headers' packages. */
START_TEST(only_mpich_itself_is_linked)
{
    kitcopy_add_build();
    expect("fake pkg-config $(command -v pkg-config) '\"$@\" && case $* in "
           "*--libs*mpich*) echo -lnowhere;; esac'; "
           "faked pkg-config --libs mpich; rm build/lab1 && "
           "faked make -s lab1 && ls build/lab1",
           0, "-lnowhere");
    expect("faked common/kit/doctor.sh | grep MPI", 0, "ok     MPI: MPICH ");
}
END_TEST

/* As in most containers, and on Ubuntu 24.04. */
START_TEST(without_namespaces_labs_are_graded_at_level_1)
{
    kitcopy_add_build();
    expect("fake bwrap 'echo bwrap: no namespaces. See elsewhere >&2; exit 1'; "
           "faked make -s lab1 grade-lab1",
           2, "grading at isolation 1: bwrap: no namespaces\n");
    expect("faked make grade-lab1", 2, "\ntotal 0 of 100 points");
}
END_TEST

/* Ubuntu 22.04's creates namespaces, but has no --size. */
START_TEST(with_an_older_bubblewrap_labs_are_graded_at_level_1)
{
    expect("fake bwrap 'case $* in *--size*) "
           "echo bwrap: Unknown option --size >&2; exit 1;; esac'; "
           "faked common/kit/isolation.sh",
           0, "grading at isolation 1: bwrap: Unknown option --size\n1\n");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("container");
    TCase *const t = tcase_create("container");
    tcase_set_timeout(t, 1800);
    tcase_add_checked_fixture(t, kitcopy_make, kitcopy_remove);
    tcase_add_test(t, the_image_has_what_make_deps_installs);
    tcase_add_test(t, what_devcontainer_json_names_exists);
    tcase_add_test(t, a_provided_package_is_not_missing);
    tcase_add_test(t, a_package_that_is_not_to_be_had_is_named);
    tcase_add_test(t, a_user_is_not_sent_for_what_is_not_to_be_had);
    tcase_add_test(t, a_browser_that_does_not_start_is_none);
    tcase_add_test(t, only_mpich_itself_is_linked);
    tcase_add_test(t, without_namespaces_labs_are_graded_at_level_1);
    tcase_add_test(t, with_an_older_bubblewrap_labs_are_graded_at_level_1);
    suite_add_tcase(s, t);
    return suite_run(s);
}
