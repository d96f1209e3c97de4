/*
 * simnvcc takes what nvcc takes: nvcc_options.txt has the options of `nvcc
 * --help`, and nvcc_effects.txt what simnvcc does with each. Where a CUDA
 * toolkit of the same version is installed, its nvcc has to agree.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "child.h"
#include "golden.h"
#include "suite.h"

#define LIST "tests/simnvcc/nvcc_options.txt"

struct option {
    char full[64], brief[64], argument[64], values[1024];
};

enum { MAX_OPTIONS = 200, MAX_SPELLINGS = 20 };
static struct option options[MAX_OPTIONS];
static int noptions;

/* nvcc takes these without listing them. */
static const struct option unlisted[] = {
    {"--cudafe-options", "-Xcudafe", "<options>,...", "-"},
    {"--fatbin-options", "-Xfatbin", "<options>,...", "-"},
    {"--cicc-options", "-Xcicc", "<options>,...", "-"},
    {"--nvasm-options", "-Xnvasm", "<options>,...", "-"},
    {"--nvdisasm-options", "-Xnvdisasm", "<options>,...", "-"},
    {"--no-device-inline", "-nodinline", "-", "-"},
    {"--aggressive-inline", "-aggressive-inline", "-", "-"},
};

static void read_list(void)
{
    FILE *const f = fopen(LIST, "r");
    struct option *o = options;
    ck_assert(f);
    while (noptions < MAX_OPTIONS &&
           fscanf(f, "%63s %63s %63s %1023s", o->full, o->brief, o->argument,
                  o->values) == 4)
        o++, noptions++;
    fclose(f);
    ck_assert_int_gt(noptions, 140); // all lines were read
}

/* ---- spellings ----------------------------------------------------------- */

static int takes_number(const struct option *o)
{
    static const char *const kinds[] = {"<number>", "<level>", "<limit>",
                                        "<amount>", "<error-number>,..."};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(o->argument, kinds[i]) && !strcmp(o->values, "-"))
            return 1;
    return 0;
}

/* The values to try, separated by commas. */
static const char *values_of(const struct option *o)
{
    if (strcmp(o->values, "-") != 0)
        return o->values;
    if (!strcmp(o->argument, "{true|false}"))
        return "true,false";
    if (!strcmp(o->full, "--options-file"))
        return "/dev/null";
    return takes_number(o) ? "7" : "some";
}

/* Its spellings: all for the first value, one for each of the others. */
struct spellings {
    char at[MAX_SPELLINGS][1024];
    int n, nfirst;
};

static void spell(struct spellings *s, const char *name, const char *between,
                  const char *value)
{
    ck_assert_int_lt(s->n, MAX_SPELLINGS);
    snprintf(s->at[s->n++], sizeof *s->at, "%s%s'%s'", name, between, value);
}

static void spell_value(struct spellings *s, const struct option *o,
                        const char *value, int all)
{
    spell(s, o->full, "=", value);
    if (!all)
        return;
    spell(s, o->full, " ", value);
    spell(s, o->brief, "=", value);
    spell(s, o->brief, " ", value);
    if (strlen(o->brief) == 2 && strchr("IDULltO", o->brief[1]))
        spell(s, o->brief, "", value);
    s->nfirst = s->n;
}

static struct spellings spellings_of(const struct option *o)
{
    struct spellings s = {.n = 0};
    const char *values = values_of(o);
    if (!strcmp(o->full, "--generate-code")) {
        spell_value(&s, o, "arch=compute_90,code=[sm_90,compute_90]", 1);
        spell_value(&s, o, "arch=compute_80,code=\"sm_80,sm_86\"", 0);
        return s;
    }
    // nvcc's list leaves its argument out
    if (!strcmp(o->full, "--dependency-output")) {
        spell_value(&s, o, "x.d' '-MD", 0);
        return s;
    }
    if (!strcmp(o->argument, "-")) {
        strcpy(s.at[s.n++], o->full);
        if (strcmp(o->full, o->brief) != 0)
            strcpy(s.at[s.n++], o->brief);
        s.nfirst = s.n;
        return s;
    }
    if (!strcmp(o->full, "--gpu-code")) { // a list may have all of them
        spell_value(&s, o, values, 1);
        return s;
    }
    // the architectures are those of --gpu-code
    const int most = strstr(values, "sm_90") ? 4 : 99;
    for (int k = 0; values && k < most; k++) {
        char value[128];
        const int n = (int)strcspn(values, ",");
        snprintf(value, sizeof value, "%.*s", n, values);
        spell_value(&s, o, value, k == 0);
        values = values[n] ? values + n + 1 : NULL;
    }
    return s;
}

/* ---- what a spelling does ------------------------------------------------ */

/* The outputs of `command SPELLING`, each followed by its exit status, in one
 * text with separators. */
static char *outputs(const char *command, const struct spellings *s)
{
    char *lines = strdup(""), *more;
    for (int i = 0; i < s->n; i++) {
        ck_assert(asprintf(&more,
                           "%s%s %s >out 2>&1; rc=$?; sed \"$sed\" out; "
                           "echo; echo \"rc $rc\"; printf '\\1'\n",
                           lines, command, s->at[i]) > 0);
        free(lines);
        lines = more;
    }
    struct child c = child_run(
        60,
        "d=$(mktemp -d); B=%s/simgpu; R=\"$B/bin/nvcc --dryrun\"; "
        "sed=$(sed \"s|TEMP_FOLDER|$d|g; s|SIMGPU_FOLDER|$B|g\" "
        "tests/simnvcc/commands.sed); cd $d; export TMPDIR=$d\n%s rm -r $d",
        child_build(), lines);
    ck_assert_msg(!c.timed_out && c.status == 0, "%s", c.err);
    free(lines);
    free(c.err);
    return c.out;
}

/* The words of a text, each once, without those of `but`: " -a -b ". */
static char *new_words(const char *text, const char *but)
{
    char *all = strdup(" "), *old, *copy = strdup(text), *rest = copy, *word;
    while ((word = strsep(&rest, " \n"))) {
        char *found;
        ck_assert(asprintf(&found, " %s ", word) > 0);
        old = all;
        if (*word && !strstr(but, found) && !strstr(all, found))
            ck_assert(asprintf(&all, "%s%s ", old, word) > 0);
        if (all != old)
            free(old);
        free(found);
    }
    free(copy);
    return all;
}

static int exit_status(const char *output)
{
    const char *const at = strstr(output, "\nrc ");
    ck_assert_msg(at != NULL, "%s", output);
    return atoi(at + 4);
}

/* What a spelling adds to the commands, or why it is refused. */
static char *effect(const char *spelling, const char *output, const char *base)
{
    const int status = exit_status(output);
    ck_assert_msg(status == 0 || status == 2, "%s: %s", spelling, output);
    ck_assert_msg(!strstr(output, "simnvcc: warning") &&
                      !strstr(output, "needs a value"),
                  "%s: %s", spelling, output);
    if (status == 0)
        return new_words(output, base);
    const char *const why = strstr(output, "simnvcc: error: ");
    ck_assert_msg(why != NULL, "%s: %s", spelling, output);
    return strndup(why, strcspn(why, "\n"));
}

/* The effect, of an error only the reason, without the option's spelling. */
static const char *reason(const char *does)
{
    return does[0] == ' ' ? does : strchr(does + sizeof "simnvcc: error:", ' ');
}

/* Print what each value of an option does. All spellings of the first have to
 * do the same. */
static void show(FILE *out, const char *base, const struct option *o)
{
    const struct spellings s = spellings_of(o);
    char *const all = outputs("$R k.cu", &s), *rest = all, *first = NULL;
    for (int i = 0; i < s.n; i++) {
        char *const does = effect(s.at[i], strsep(&rest, "\1"), base);
        if (i == 0)
            first = strdup(does);
        if (i == 0 || i >= s.nfirst)
            fprintf(out, "%s:%s\n", s.at[i], does[1] ? does : " no effect");
        else
            ck_assert_msg(!strcmp(reason(does), reason(first)), "%s:%s, %s:%s",
                          s.at[0], first, s.at[i], does);
        free(does);
    }
    free(first);
    free(all);
}

START_TEST(every_option_of_nvcc_is_accepted_or_refused_with_a_reason)
{
    const struct spellings none = {.n = 1};
    char *const plain = outputs("$R k.cu", &none);
    char *const base = new_words(plain, "");
    FILE *const out = golden_begin();
    for (int i = 0; i < noptions; i++)
        show(out, base, &options[i]);
    for (size_t i = 0; i < sizeof unlisted / sizeof *unlisted; i++)
        show(out, base, &unlisted[i]);
    golden_end(out, "tests/simnvcc/nvcc_effects.txt");
    free(base);
    free(plain);
}
END_TEST

/* ---- values that nvcc does not define ------------------------------------ */

static int has_values(const struct option *o)
{
    return takes_number(o) || o->argument[0] == '{' ||
           strcmp(o->values, "-") != 0;
}

START_TEST(a_value_that_nvcc_does_not_define_is_refused)
{
    for (int i = 0; i < noptions; i++) {
        struct spellings s = {.n = 0};
        if (!has_values(&options[i]))
            continue;
        spell(&s, options[i].full, "=", "bogus");
        char *const output = outputs("$R -c k.cu", &s);
        // -Werror=bogus is an option of g++
        const int warned = !strcmp(options[i].full, "--Werror") ||
                           !strcmp(options[i].full, "--host-linker-script");
        ck_assert_msg(
            strstr(output, warned ? "simnvcc: warning: " : "simnvcc: error: "),
            "%s: %s", s.at[0], output);
        ck_assert_int_eq(exit_status(output), warned ? 0 : 2);
        free(output);
    }
}
END_TEST

/* ---- the nvcc that is installed ------------------------------------------ */

/* True, or why there is none. */
static int has_nvcc(void)
{
    struct child c =
        child_run(60, "n=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc; $n --version "
                      "2>/dev/null | grep -o 'release 13.0'");
    const int found = c.status == 0;
    child_clear(&c);
    if (!found)
        printf("skipped: no nvcc of CUDA 13.0 to compare with\n");
    return found;
}

START_TEST(the_list_is_that_of_the_installed_nvcc)
{
    if (!has_nvcc())
        return;
    struct child c =
        child_run(60, "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc --help | awk -f "
                      "tests/simnvcc/nvcc_options.awk | diff " LIST " -");
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(the_installed_nvcc_takes_what_it_does_not_list)
{
    if (!has_nvcc())
        return;
    for (size_t i = 0; i < sizeof unlisted / sizeof *unlisted; i++) {
        const struct spellings s = spellings_of(&unlisted[i]);
        char *const all = outputs("${CUDA_HOME:-/usr/local/cuda}/bin/nvcc "
                                  "--dryrun --version",
                                  &s);
        ck_assert_msg(!strstr(all, "fatal"), "%s", all);
        free(all);
    }
}
END_TEST

/* A grading without a sandbox compiles in a folder of its own, in TMPDIR. */
START_TEST(the_path_of_the_temporary_folder_may_be_long)
{
    struct child c = child_run(
        60,
        "d=$(mktemp -d); long=$d/%0120d; mkdir $long; cd $d\n"
        "echo '__global__ void k() {}' >a.cu\n"
        "TMPDIR=$long %s/simgpu/bin/simnvcc -c a.cu && ls a.o; rm -r $d",
        0, child_build());
    ck_assert_msg(strcmp(c.out, "a.o\n") == 0 && !*c.err, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("options");
    TCase *const t = tcase_create("options");
    tcase_set_timeout(t, 600);
    tcase_add_checked_fixture(t, read_list, NULL);
    tcase_add_test(t,
                   every_option_of_nvcc_is_accepted_or_refused_with_a_reason);
    tcase_add_test(t, a_value_that_nvcc_does_not_define_is_refused);
    tcase_add_test(t, the_list_is_that_of_the_installed_nvcc);
    tcase_add_test(t, the_installed_nvcc_takes_what_it_does_not_list);
    tcase_add_test(t, the_path_of_the_temporary_folder_may_be_long);
    suite_add_tcase(s, t);
    return suite_run(s);
}
