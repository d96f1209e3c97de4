/*
 * Sources as they were written: what the preprocessor does not reach may say
 * anything, and nothing else can be made to look like that.
 */
#include <check.h>
#include <string.h> /* strstr */

#include "suite.h"
#include "tokens.h"

static const struct {
    const char *name, *text, *says; /* NULL: nothing to say */
} sources[] = {
    {"a.c", "#include <stdio.h>\n", NULL},
    {"a.c", "\xEF\xBB\xBF#include <x.h>\n", "a.c:1: #include of x.h"},
    {"a.c", "#if 0\n#include <x.h>\n#pragma x\n#x\n#endif\n", NULL},
    {"a.c", "#if 0\n#endif\n#include <x.h>\n", "a.c:3: #include of x.h"},
    {"a.c", "#if 0\n#else\n#include <x.h>\n#endif\n", "a.c:3: "},
    {"a.c", "#if 1\n#else\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if 1\n#elif 1\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if X\n#else\n#include <x.h>\n#endif\n", "a.c:3: "},
    {"a.c", "#if X\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if 0 && X\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if 0 || X\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if !(0 && X)\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if !(1 || X)\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if 0 == 0\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if 0 | 1\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if 0 ? 0 : 1\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if 0x0UL\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if 0\n#if 1\n#endif\n#import <x.h>\n#endif\n", NULL},
    {"a.c", "#if 1\n#if 0\n#endif\n#import <x.h>\n#endif\n", "a.c:4: "},
    {"a.c", "#ifdef _WIN32\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#ifndef _WIN32\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if defined _MSC_VER || defined(__HIPCC__)\n#import <x>\n#endif\n",
     NULL},
    {"a.c", "#define _WIN32\n", "a.c:1: #define _WIN32"},
    {"a.c", "# define  __APPLE__(x) x\n", "a.c:1: #define __APPLE__"},
    {"a.c", "#define LINUX\n", NULL},
    {"a.c", "/*\n#if 0\n*/\n#include <x.h>\n", "a.c:4: "},
    {"a.c", "// \\\n#if 0\n#include <x.h>\n", "a.c:3: "},
    {"a.c", "\"/*\"\n#include <x.h>\n", "a.c:2: "},
    // a quote behind a digit: in C it begins a constant, in C++ it may separate
    {"a.c", "1'a/*'\n#include <x.h>\n", "a.c:2: "},
    {"a.cu", "1'a/*'\n#include <x.h>\n*/", NULL},
    {"a.cu", "1'000'000\n#include <x.h>\n", "a.cu:2: "},
    {"a.cu", "x1'a/*'\n#include <x.h>\n", "a.cu:2: "},
    {"a.cu", "'a/*'\n#include <x.h>\n", "a.cu:2: "},
    {"a.cu", "R\"(/*)\"\n", "a.cu:1: a raw string"},
};

START_TEST(what_is_reached_is_checked)
{
    char why[256] = "";
    const char *const says = sources[_i].says;
    const int found = tokens_check_source(sources[_i].name, sources[_i].text,
                                          NULL, NULL, why, sizeof why);
    ck_assert_msg(found == (says != NULL) && (!says || strstr(why, says)),
                  "%s\n%s: \"%s\", should say \"%s\"", sources[_i].text,
                  sources[_i].name, why, says ? says : "");
}
END_TEST

static const struct {
    const char *text, *says;
} preprocessed[] = {
    {"# 1 \"a.c\"\nint x;\n", NULL},
    {"# 1 \"a.c\"\n#pragma omp 1'a/*'\nasm(\"\");\n", "a.c:2: asm"},
    {"# 1 \"a.cu\"\nint x = 1'000; asm(\"\");\n", "a.cu:1: asm"},
    {"# 1 \"a.cu\"\n# 1 \"/k.h\" 1 3\nasm(\"\");\n# 2 \"a.cu\" 2\nint x;\n",
     NULL},
};

START_TEST(what_the_preprocessor_left_is_checked)
{
    char why[256] = "";
    const char *const says = preprocessed[_i].says;
    const int found = tokens_check(preprocessed[_i].text, why, sizeof why);
    ck_assert_msg(found == (says != NULL) && (!says || strstr(why, says)),
                  "%s\n\"%s\", should say \"%s\"", preprocessed[_i].text, why,
                  says ? says : "");
}
END_TEST

#define LOOP(t, name, table)                                                   \
    tcase_add_loop_test(t, name, 0, (int)(sizeof(table) / sizeof *(table)))

int main(void)
{
    Suite *const s = suite_create("tokens");
    TCase *const t = tcase_create("tokens");
    LOOP(t, what_is_reached_is_checked, sources);
    LOOP(t, what_the_preprocessor_left_is_checked, preprocessed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
