/*
 * What simnvcc finds in preprocessed text and in assembly: cases in *.txt.
 *
 * views.txt     the host's view of a file, "-- device", and the device's: what
 *               is compiled
 * assembly.txt  what each function promises, and where a kernel calls what is
 *               not inlined; then, if it inlines accesses, the new assembly
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "child.h"
#include "simnvcc/alignment.h"
#include "simnvcc/arch.h"
#include "simnvcc/calls.h"
#include "simnvcc/foreign.h"
#include "simnvcc/inline.h"
#include "simnvcc/line.h"
#include "suite.h"

static struct cases views, assembly;

static void write_file(const char *folder, const char *name, const char *text,
                       size_t n, char path[CHILD_FOLDER + 64])
{
    snprintf(path, CHILD_FOLDER + 64, "%s/%s", folder, name);
    FILE *const f = fopen(path, "we");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
        abort();
}

static char *merged(const char *input)
{
    static const char separator[] = "-- device\n";
    char folder[CHILD_FOLDER], host[CHILD_FOLDER + 64],
        device[CHILD_FOLDER + 64];
    const char *const other = strstr(input, separator);
    child_folder(folder, "views");
    const char *const second = other + sizeof separator - 1;
    write_file(folder, "host", input, (size_t)(other - input), host);
    write_file(folder, "device", second, strlen(second), device);
    char *const text = arch_merge(host, device);
    child_remove(folder);
    return text;
}

START_TEST(both_views_become_one)
{
    char *const got = merged(views.at[_i].input);
    cases_same_words(&views.at[_i], got);
    free(got);
}
END_TEST

/* "k 3" for each label k: of the assembly. */
static void show_promises(const struct calls *c, const char *text, FILE *out)
{
    for (const char *line = text; *line;) {
        const size_t n = strcspn(line, ":\t\n ");
        if (n && line[n] == ':')
            fprintf(out, "%.*s %u\n", (int)n, line, calls_promised(c, line, n));
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

/* The assembly with its accesses inlined. */
static char *inlined(const char *text)
{
    char *got = NULL;
    size_t nbytes;
    FILE *const out = open_memstream(&got, &nbytes);
    struct calls *const c = calls_read(text);
    if (!out || !c)
        abort();
    inline_accesses(text, c, out);
    fclose(out);
    calls_free(c);
    return got;
}

static char *examined(const char *text)
{
    struct call_place at;
    char *got = NULL;
    size_t nbytes;
    FILE *const out = open_memstream(&got, &nbytes);
    struct calls *const c = calls_read(text);
    if (!out || !c)
        abort();
    show_promises(c, text, out);
    if (calls_not_inlined(c, "/usr/include/", &at))
        fprintf(out, "calls at %s:%d %s\n", at.file, at.line,
                at.by_pointer ? "by pointer" : "by name");
    if (calls_outside(c, &at))
        fprintf(out, "outside %s at %s:%d\n", at.callee, at.file, at.line);
    fclose(out);
    calls_free(c);
    if (strstr(text, "simgpu inlines")) {
        char *const promises = got, *const code = inlined(text);
        if (asprintf(&got, "%s%s", promises, code) < 0)
            abort();
        free(promises);
        free(code);
    }
    return got;
}

START_TEST(assembly_says_what_kernels_call)
{
    char *const got = examined(assembly.at[_i].input);
    cases_same_words(&assembly.at[_i], got);
    free(got);
}
END_TEST

START_TEST(assembly_that_does_not_ask_for_it_stays)
{
    static const char text[] = "k:\n\tcall\t__tsan_read4\n\tret";
    char *const got = inlined(text);
    ck_assert_str_eq(got, text);
    free(got);
}
END_TEST

/* How often the text uses the word that begins at this byte of the spans. */
static int uses(const char *text, int at)
{
    char word[64];
    int n = 0;
    snprintf(word, sizeof word, ".Lsimgpu_spans@tpoff+%d\n", at);
    for (const char *p = text; (p = strstr(p, word)); p++)
        n++;
    return n;
}

/* A span has 64 bytes. */
START_TEST(accesses_beyond_1024_share_two_spans)
{
    static const int naccesses[] = {1023, 1024, 1025, 1027};
    static const int nspans[] = {1023, 1026, 1026, 1026};
    char *text = NULL;
    size_t nbytes;
    FILE *const out = open_memstream(&text, &nbytes);
    fputs("# simgpu inlines accesses\n", out);
    for (int i = 0; i < naccesses[_i]; i++)
        fprintf(out, "\tcall\t__tsan_%s4\n", i % 2 ? "write" : "read");
    fclose(out);
    char *const got = inlined(text);
    char zero[32];
    snprintf(zero, sizeof zero, "\t.zero\t%d\n", 64 * nspans[_i]);
    ck_assert_ptr_nonnull(strstr(got, zero));
    const int last = 64 * 1023, once = uses(got, 0);
    ck_assert_int_gt(once, 0);
    ck_assert_int_eq(uses(got, last), _i > 0 ? once : 0);
    ck_assert_int_eq(uses(got, last + 64), _i < 2    ? 0
                                           : _i == 2 ? once
                                                     : 2 * once);
    ck_assert_int_eq(uses(got, last + 128), _i < 3 ? 0 : once);
    free(got);
    free(text);
}
END_TEST

/* Which files need the compiler's check of each access. */
START_TEST(files_that_cast_pointers_or_have_vectors_are_checked)
{
    static const struct {
        const char *marker, *text;
        int matters;
    } files[] = {
        {"", "float4 *v;", 1},
        {"", "void f(ulonglong2 *v);", 1},
        {"", "double4_16a v;", 1},
        {"", "float3 v; double1 w; int5 x; float44 y; unfloat4 z;", 0},
        {"", "half2 v;", 1},
        {"", "struct __attribute__((aligned(8))) s;", 1},
        {"", "x = *(int *)(bytes + 1);", 1},
        {"", "x = *(const unsigned int *)bytes;", 1},
        {"", "f((std::int32_t *)&x);", 1},
        {"", "x = *static_cast<int *>(any);", 1},
        {"", "x = *reinterpret_cast<int *>(any);", 1},
        {"", "float *const a = (float *)malloc(4 * n);", 0},
        {"", "cudaMalloc((void **)&d, 4); f((char *)d, (float **)e);", 0},
        {"", "void f(int *, float *p); n = (a * b) + sizeof(int *);", 0},
        {"", "std::vector<float *> all; g<int *>();", 0},
        {"", "a < b; // float4", 0},
        {"# 1 \"/usr/include/x.h\" 1 3 4\n", "float4 *v;", 0},
        {"# 1 \"/usr/include/x.h\" 1 3 4\n", "\n# 7 \"k.cu\" 2\nint4 v;", 1},
        {"# 1 \"<built-in>\"\n", "float4 *v;", 0},
        {"# 1 \"/proc/self/status\" 1\n", "float4 *v;", 0},
        {"# 1 \"/proc/self/status\" 1\n", "\n# 7 \"k.cu\" 2\nint4 v;", 1},
    };
    char folder[64], text[256];
    snprintf(folder, sizeof folder, "/proc/%d", (int)getpid());
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(text, sizeof text, "# 1 \"k.cu\"\n%s%s\n", files[i].marker,
                 files[i].text);
        ck_assert_msg(alignment_matters(text, folder) == files[i].matters,
                      "not %d:\n%s", files[i].matters, text);
    }
}
END_TEST

START_TEST(a_file_that_asks_for_the_architecture_has_two_views)
{
    static const struct {
        const char *name, *text, *behind;
        int matters;
    } files[] = {
        {"a.cu", "#ifdef __CUDA_ARCH__", "", 1},
        {"a.cu", "#ifdef __CUDA_ARCH__", " 1 3 4", 0},
        {"a.cu", "#ifdef __CUDACC__", "", 0},
        {"simgpu/include/a.h", "__CUDA_ARCH__", "", 0},
    };
    char folder[CHILD_FOLDER], path[CHILD_FOLDER + 64], *text;
    child_folder(folder, "arch");
    struct child c = child_run(10, "mkdir -p %s/simgpu/include", folder);
    child_clear(&c);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_file(folder, files[i].name, files[i].text, strlen(files[i].text),
                   path);
        ck_assert(asprintf(&text,
                           "# 0 \"<built-in>\"\n# 1 \"/none\"\n# x\nint x;\n"
                           "# 1 \"%s\"%s\nint y;\n# 1 \"/none\"\n",
                           path, files[i].behind) > 0);
        ck_assert_msg(arch_matters(text) == files[i].matters, "file %zu", i);
        free(text);
    }
    child_remove(folder);
}
END_TEST

START_TEST(a_header_of_a_toolkit_is_named_by_who_includes_it)
{
    static const struct {
        const char *text, *finds;
    } texts[] = {
        {"# 1 \"u.cu\"\n# 1 \"T/s.h\" 1\n# 1 \"T/v.h\" 1\n", "s.h"},
        {"# 1 \"u.cu\" 1\n# 1 \"T/s.h\" 1\nint x;\n# 2 \"u.cu\" 2\n"
         "# 1 \"T/r.h\" 1\n# 1 \"T/v.h\" 1\n",
         "r.h"},
        {"# 1 \"u.cu\" 1\n# 1 \"T/v.h\" 1\n", NULL},
        {"# 1 \"T/s.h\" 1\n# 1 \"T/w.h\" 1\n", NULL},
        {"# 1 \"T/s.h\" 1\n# 1 \"T/v.h\" 2\n", NULL},
        {"# 1 \"own/s.h\" 1\n# 1 \"own/v.h\" 1\n", NULL},
        {"x # 1 \"T/s.h\" 1\nx # 1 \"T/v.h\" 1", NULL},
        {"# 1 \"v.h\" 1\n# 1 \"v.h\" 1\n", NULL},
        {"# 1 \"Ts.h\" 1\n# 1 \"Tv.h\" 1\n", NULL},
    };
    struct child c =
        child_run(10, "d=$(mktemp -d) && cd $d && mkdir -p "
                      "T/crt own && touch T/crt/host_config.h "
                      "T/v.h T/s.h T/r.h T/w.h own/v.h own/s.h ownv.h &&  "
                      "printf $d");
    ck_assert_int_eq(c.status, 0);
    ck_assert_int_eq(chdir(c.out), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *const header = foreign_header(texts[i].text, "own");
        if (texts[i].finds)
            ck_assert_str_eq(header + strlen("T/"), texts[i].finds);
        else
            ck_assert_msg(!header, "text %zu: %s", i, header);
        free(header);
    }
    child_remove(c.out);
    child_clear(&c);
}
END_TEST

START_TEST(a_line_is_cut_off_where_the_room_ends)
{
    char text[LINE_NBYTES + 3], copy[LINE_NBYTES + 1];
    copy[LINE_NBYTES] = '!';
    memset(copy, 'x', LINE_NBYTES);
    ck_assert_ptr_eq(line_copy("ab\ncd", copy), copy);
    ck_assert_str_eq(copy, "ab");
    ck_assert_str_eq(line_copy("e", copy), "e");
    ck_assert_str_eq(line_copy("\nf", copy), "");
    for (size_t n = LINE_NBYTES - 2; n < sizeof text; n++) {
        memset(text, 'a', n);
        text[n] = 0;
        memset(copy, 'x', LINE_NBYTES);
        ck_assert_uint_eq(strlen(line_copy(text, copy)),
                          n < LINE_NBYTES ? n : LINE_NBYTES - 1);
        ck_assert_int_eq(copy[LINE_NBYTES], '!');
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("views");
    TCase *const t = tcase_create("views");
    cases_add(&views, "tests/simnvcc/views.txt");
    cases_add(&assembly, "tests/simnvcc/assembly.txt");
    tcase_add_loop_test(t, both_views_become_one, 0, views.n);
    tcase_add_loop_test(t, assembly_says_what_kernels_call, 0, assembly.n);
    tcase_add_test(t, assembly_that_does_not_ask_for_it_stays);
    tcase_add_loop_test(t, accesses_beyond_1024_share_two_spans, 0, 4);
    tcase_add_test(t, files_that_cast_pointers_or_have_vectors_are_checked);
    tcase_add_test(t, a_file_that_asks_for_the_architecture_has_two_views);
    tcase_add_test(t, a_line_is_cut_off_where_the_room_ends);
    tcase_add_test(t, a_header_of_a_toolkit_is_named_by_who_includes_it);
    suite_add_tcase(s, t);
    return suite_run(s);
}
