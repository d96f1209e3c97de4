/*
 * Sources as they were written: what the preprocessor does not reach may say
 * anything, and nothing else can be made to look like that.
 */
#include <check.h>
#include <string.h> /* strstr */

#include "grader/vet/tokens.h"
#include "heap.h"
#include "suite.h"

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
    {"a.c", "#ifndef __sun\n#else\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#ifdef _WIN32\n#elifndef _WIN32\n#include <x.h>\n#endif\n",
     "a.c:3: "},
    {"a.c", "#ifdef X\n#elifdef _WIN32\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if X\n#elif 1\n#include <x.h>\n#else\n#import <y.h>\n#endif\n",
     "a.c:3: "},
    {"a.c", "#if X\n#elif 1\n#else\n#import <y.h>\n#endif\n", NULL},
    {"a.c", "#if 0 && (1\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if 0 & X\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if 0 X\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if 0z\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if defined(_WIN32\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if defined 1\n#include <x.h>\n#endif\n", "a.c:2: "},
    {"a.c", "#if !!0\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if X && 0 && Y\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if 0 || 0 || 1\n#else\n#include <x.h>\n#endif\n", NULL},
    {"a.c", "#if !defined(__MINGW32__) && 1\n#else\n#import <x>\n#endif\n",
     NULL},
    {"a.c", "#else\n#endif\n#if 0\n#endif\n#include <x.h>\n", "a.c:5: "},
    {"a.c", "#include\t<string.h>\n#include \"x.h\"\n",
     "a.c:2: #include of x.h"},
    {"a.c", "#include X\n", "a.c:1: an #include without a plain name"},
    {"a.c", "#include <x.h\n", "a.c:1: an #include without a plain name"},
    {"a.c", "#\n#include <x.h>\n", "a.c:2: "},
    {"a.c", "#define\n", NULL},
    {"a.c", "#assert x\n", "a.c:1: #assert"},
    {"x/a.c", "\n#pragma  GCC poison\tx\n",
     "a.c:2: #pragma GCC poison x is not"},
    {"a.cu", "R\"(/*)\"\n", "a.cu:1: a raw string"},
    {"a.cu", "#define X R\"(\n/*)\"\n#pragma x\n", "a.cu:1: a raw string"},
    // a comment of several lines does not end a directive
    {"a.c", "# /*\n*/ include <x.h>\n", "a.c:2: #include of x.h"},
    {"a.c", "/*\n*/ #include /*\n*/ <x.h>\n", "a.c:2: #include of x.h"},
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

/* What comes from the preprocessor, and the whole line that is said. */
static const struct {
    const char *text, *says;
} words[] = {
    {"# 1 \"x/a.c\"\n\n__foo y;\n",
     "a.c:2: __foo is not available in labs: names with two underscores belong "
     "to the compiler: rename it"},
    {"# 7 \"a.c\"\n_Foo y;\n",
     "a.c:7: _Foo is not available in labs: names like this belong to the "
     "compiler: rename it"},
    {"# 7 \"a.c\"\nint _foo, f_X, simgpu, __func__;\n", ""},
    {"# 1 \"a.c\"\nsimgpu_x();\n", "a.c:1: simgpu_x is not available in labs"},
    {"# 1 \"a.c\"\n# 1 \"<built-in>\"\n__foo\n# 5 \"a.c\" 2\n\n__bar",
     "a.c:6: __bar is not available in labs: names with two underscores belong "
     "to the compiler: rename it"},
    {"# 1 \"a.c\"\n# 2 \"a.c\" 3\n__foo simgpu_x\n# 3 \"a.c\"\nx", ""},
    {"# 1 \"a.c\"\n# 2 \"b.h\" 1 3\nasm\n", ""},
    {"# 1 \"a.c\"\n# 2 \"b.h\" 1\nasm\n",
     "b.h:2: asm is not available in labs"},
    {"# 1 \"a.c\"\n# 2 \"a.c\" 3\n__asm\n",
     "a.c:2: __asm is not available in labs"},
    {"# 1 \"a.c\"\nint x __attribute__((cold)), f();\n", ""},
    {"# 1 \"a.c\"\nint x __attribute__((__cold__)), f();\n", ""},
    {"# 1 \"a.c\"\nint x __attribute__((aligned(bad))), f(bad);\n", ""},
    {"# 1 \"a.c\"\nint x __attribute((cold, \nbad));\n",
     "a.c:2: attribute bad is not available in labs"},
    {"# 1 \"a.c\"\nint x __attribute__((cold)) __attribute__((__bad__));\n",
     "a.c:1: attribute bad is not available in labs"},
    {"# 1 \"a.c\"\nint x __attribute__((__b__));\n",
     "a.c:1: attribute b is not available in labs"},
    {"# 1 \"a.c\"\nint x __attribute__((__bc));\n",
     "a.c:1: attribute __bc is not available in labs"},
    {"# 1 \"a.c\"\nint x __attribute__((_bcde__));\n",
     "a.c:1: attribute _bcde__ is not available in labs"},
    {"# 1 \"a.c\"\n[[gnu::cold]] [ [using gnu: cold]] int x[y[bad]];\n", ""},
    {"# 1 \"a.c\"\n[[cold, bad]] int x;\n",
     "a.c:1: attribute bad is not available in labs"},
    {"# 1 \"a.c\"\n[ [gnu::bad]] int x;\n",
     "a.c:1: attribute bad is not available in labs"},
    {"# 1 \"a.c\"\n#pragma  GCC\t ivdep \n", ""},
    {"# 1 \"a.c\"\n#pragma\n", ""},
    {"# 1 \"a.c\"\nx\n#pragma  GCC\t poison  x \n",
     "a.c:2: #pragma GCC poison x is not available in labs"},
    {"# 1 \"a.c\"\n#\nint x;\n", ""},
    {"# 1 \"a.c\"\n#", ""},
    {"# 1 \"a.c\"\n#ident \"x\"\n", "a.c:1: #ident is not available in labs"},
    {"# 1 \"a.cc\"\nR\"(x)\"\n",
     "a.cc:1: a raw string is not available in labs"},
    {"# 1 \"a.c\"\n#  9 \"a.c\"\nasm\n", "a.c:9: asm is not available in labs"},
};

START_TEST(a_refusal_names_the_line_and_the_way_out)
{
    char why[256] = "";
    const char *const says = words[_i].says;
    const int found = tokens_check(words[_i].text, why, sizeof why);
    if (says[0] && found) // advice may follow
        why[strlen(says)] = 0;
    ck_assert_int_eq(found, says[0] != 0);
    ck_assert_str_eq(why, says);
}
END_TEST

static const struct {
    const char *text, *at;
} places[] = {
    {"# 1 \"x/a.c\"\nint y;\nint foo;\nint foo;\n", "a.c:2"},
    {"# 1 \"a.c\"\nint foobar; \"foo\"; // foo\n", ""},
    {"# 1 \"a.c\"\n# 3 \"/k.h\" 1\nfoo\n# 4 \"a.c\" 2\nfoo", "a.c:4"},
    {"# 1 \"/k.h\"\nfoo\n", ""},
};

START_TEST(a_word_is_found_where_a_student_wrote_it)
{
    char out[256] = "x";
    ck_assert_ptr_eq(tokens_find(places[_i].text, "foo", out, sizeof out), out);
    ck_assert_str_eq(out, places[_i].at);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("tokens");
    TCase *const t = tcase_create("tokens");
    heap_watch(t);
    SUITE_LOOP(t, what_is_reached_is_checked, sources);
    SUITE_LOOP(t, what_the_preprocessor_left_is_checked, preprocessed);
    SUITE_LOOP(t, a_refusal_names_the_line_and_the_way_out, words);
    SUITE_LOOP(t, a_word_is_found_where_a_student_wrote_it, places);
    suite_add_tcase(s, t);
    return suite_run(s);
}
