#define _GNU_SOURCE
#include "golden.h"

#include <check.h>    /* ck_abort_msg */
#include <errno.h>    /* program_invocation_name */
#include <fcntl.h>    /* open */
#include <stdio.h>    /* fopen, popen */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* strstr */
#include <sys/file.h> /* flock */
#include <unistd.h>   /* access */

#include "whole.h"

enum { MOST_LINES = 10 };

/* The whole of a file, or one of its parts. */
struct place {
    char file[256], part[512];
};

/* The place that "FILE" or "FILE#GROUP" and a part, which may be "", name. */
static struct place place_of(const char *path, const char *part)
{
    struct place p;
    const int nfile = (int)strcspn(path, "#");
    const char *const group = path[nfile] ? path + nfile + 1 : "";
    snprintf(p.file, sizeof p.file, "%.*s", nfile, path);
    const int n = snprintf(p.part, sizeof p.part, "%s%s%s", group,
                           *group && *part ? ": " : "", part);
    ck_assert_int_lt(n, (int)sizeof p.part);
    return p;
}

static void rewrite(const char *path, const char *text)
{
    char command[4200]; // -n: the same text makes the same file
    const int packed = whole_packed(path);
    snprintf(command, sizeof command, "gzip -9n > '%s'", path);
    FILE *const f = packed ? popen(command, "w") : fopen(path, "w");
    ck_assert_msg(f && fputs(text, f) >= 0 &&
                      (packed ? pclose(f) : fclose(f)) == 0,
                  "%s: not written", path);
}

static char *golden_text(const char *path)
{
    char *const text = whole_file(path);
    ck_assert_msg(text != NULL, "%s: run from the root of the tree", path);
    return text;
}

void golden_expect_within(const char *path, const char *text)
{
    char *const whole = golden_text(path);
    ck_assert_msg(strstr(whole, text) != NULL, "%s should contain:\n%s", path,
                  text);
    free(whole);
}

/* A line with a sign before it. Returns the next one. */
static const char *show_line(FILE *f, char sign, const char *line)
{
    const int length = (int)strcspn(line, "\n");
    fprintf(f, "%c %.*s\n", sign, length, line);
    return line + length + (line[length] == '\n');
}

/* A line that is shown counts; after the last of them, "..." is. */
static int may_show(FILE *f, char sign, int *nshown)
{
    if (*nshown == MOST_LINES)
        fprintf(f, "%c ...\n", sign);
    return (*nshown)++ < MOST_LINES;
}

/* The lines of a text up to its end. */
static void show_lines(FILE *f, char sign, const char *line, const char *end)
{
    for (int nshown = 0; line < end && may_show(f, sign, &nshown);)
        line = show_line(f, sign, line);
}

/* As many lines of both texts: those that differ. */
static void show_pairs(FILE *f, const char *was, const char *end,
                       const char *is)
{
    for (int nshown = 0; was < end;) {
        const size_t nwas = strcspn(was, "\n"), nis = strcspn(is, "\n");
        const int same = nwas == nis && strncmp(was, is, nwas) == 0;
        if (!same && !may_show(f, ' ', &nshown))
            return;
        if (!same) {
            show_line(f, '-', was);
            show_line(f, '+', is);
        }
        was += nwas + (was[nwas] == '\n');
        is += nis + (is[nis] == '\n');
    }
}

/* True where a line begins. */
static int at_line(const char *at, const char *text)
{
    return at == text || at[-1] == '\n';
}

static int lines_in(const char *text, const char *end)
{
    int n = 0;
    for (; text < end; text++)
        n += *text == '\n';
    return n;
}

/* What differs between the beginning and the end that two texts share. */
static void show_changed(FILE *f, const char *was, const char *is)
{
    const char *was_end = was + strlen(was), *is_end = is + strlen(is);
    while (was_end > was && is_end > is && was_end[-1] == is_end[-1])
        was_end--, is_end--;
    while (*is_end && !(at_line(was_end, was) && at_line(is_end, is)))
        was_end++, is_end++;
    if (lines_in(was, was_end) == lines_in(is, is_end)) {
        show_pairs(f, was, was_end, is);
    } else {
        show_lines(f, '-', was, was_end);
        show_lines(f, '+', is, is_end);
    }
}

/* Fail with the lines that differ. */
static void compare(const struct place *p, const char *golden, const char *text)
{
    const char *is = text, *was = golden;
    char *lines;
    size_t nbytes;
    unsigned line = 1;
    for (; *is && *is == *was; is++, was++)
        line += *is == '\n';
    if (*is == *was)
        return;
    while (is > text && is[-1] != '\n')
        is--, was--;
    FILE *const f = open_memstream(&lines, &nbytes);
    show_changed(f, was, is);
    fclose(f);
    ck_abort_msg("%s %s, line %u: differs, UPDATE_GOLDEN=1 rewrites it\n%s",
                 p->file, p->part, line, lines);
}

/* ---- parts --------------------------------------------------------------- */

/* The text of a file of parts, which an update creates if it doesn't exist. */
static char *parts_of(const char *path)
{
    if (getenv("UPDATE_GOLDEN") && access(path, F_OK) != 0)
        rewrite(path, "");
    return golden_text(path);
}

/* Where in a text a line begins with these letters, NULL if none does. */
static char *find_line(char *text, const char *letters)
{
    const size_t n = strlen(letters);
    while (text && strncmp(text, letters, n) != 0) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text;
}

/* A part of a text, which may be missing, and what is around it. */
struct found {
    char head[520]; /* its line */
    int nbefore;
    char *text, *after; /* NULL where there is none */
};

static struct found find_part(char *all, const char *part)
{
    struct found f = {.nbefore = (int)strlen(all)};
    snprintf(f.head, sizeof f.head, "==== %s\n", part);
    char *const begin = find_line(all, f.head);
    if (begin) {
        f.nbefore = (int)(begin - all);
        f.text = begin + strlen(f.head);
        f.after = find_line(f.text, "==== ");
    }
    return f;
}

static char *text_of(const struct place *p)
{
    char *const all = parts_of(p->file);
    const struct found f = find_part(all, p->part);
    if (f.after)
        *f.after = '\0';
    char *const text = strdup(f.text ? f.text : "");
    free(all);
    return text;
}

static void update(const struct place *p, const char *text)
{
    char *const all = parts_of(p->file), *anew;
    const struct found f = find_part(all, p->part);
    ck_assert_int_ge(asprintf(&anew, "%.*s%s%s%s", f.nbefore, all,
                              *text ? f.head : "", text,
                              f.after ? f.after : ""),
                     0);
    rewrite(p->file, anew);
    free(anew);
    free(all);
}

/* Suites that run at the same time may update parts of one file: in turn. */
static int wait_for_turn(void)
{
    if (!getenv("UPDATE_GOLDEN"))
        return -1;
    const int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    return fd;
}

static void end_turn(int fd)
{
    if (fd >= 0)
        close(fd);
}

char *golden_part(const char *path, const char *part)
{
    const struct place p = place_of(path, part);
    const int turn = wait_for_turn();
    char *const text = text_of(&p);
    end_turn(turn);
    return text;
}

void golden_expect_part(const char *path, const char *part, const char *text)
{
    const struct place p = place_of(path, part);
    const int turn = wait_for_turn();
    if (turn >= 0)
        update(&p, text);
    char *const golden = text_of(&p);
    end_turn(turn);
    compare(&p, golden, text);
    free(golden);
}

static void expect_file(const char *path, const char *text)
{
    const struct place p = place_of(path, "");
    if (getenv("UPDATE_GOLDEN"))
        rewrite(path, text);
    char *const golden = golden_text(path);
    compare(&p, golden, text);
    free(golden);
}

void golden_expect(const char *path, const char *text)
{
    if (strchr(path, '#'))
        golden_expect_part(path, "", text);
    else
        expect_file(path, text);
}

/* ---- what a test prints -------------------------------------------------- */

static char *printed;
static size_t nprinted;

FILE *golden_begin(void)
{
    FILE *const out = open_memstream(&printed, &nprinted);
    ck_assert_ptr_nonnull(out);
    return out;
}

void golden_end(FILE *out, const char *path)
{
    fclose(out);
    golden_expect(path, printed);
    free(printed);
}

/* ---- texts that are not kept --------------------------------------------- */

void golden_show(const char *name, const char *text)
{
    const char *const wanted = getenv("TEXT_OF");
    if (wanted && strcmp(wanted, name) == 0)
        printf("%s\n", text);
    fflush(stdout);
}

const char *golden_command(const char *name)
{
    static char command[512];
    snprintf(command, sizeof command, "TEXT_OF='%s' %s", name,
             program_invocation_name);
    return command;
}
