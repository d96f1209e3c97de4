#include "grader/base/text.h"

#include <ctype.h>  /* isalnum */
#include <errno.h>  /* errno */
#include <stdint.h> /* uint32_t */
#include <stdlib.h> /* malloc */
#include <string.h> /* strlen */

static const char replacement[] = "\xEF\xBF\xBD", ellipsis[] = "\xE2\x80\xA6";

/* The number of bytes of the character at p, and its code; 0 if it isn't
 * one. */
static int decode(const unsigned char *p, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const int n = *p < 0x80             ? 1
                  : (*p & 0xE0) == 0xC0 ? 2
                  : (*p & 0xF0) == 0xE0 ? 3
                  : (*p & 0xF8) == 0xF0 ? 4
                                        : 0;
    if (n == 0)
        return 0;
    *c = n == 1 ? *p : *p & (0x7Fu >> n);
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) // also true for the final NUL
            return 0;
        *c = *c << 6 | (p[i] & 0x3F);
    }
    const int surrogate = *c >= 0xD800 && *c < 0xE000;
    return *c < least[n] || *c > 0x10FFFF || surrogate ? 0 : n;
}

/* True for controls (C0 and C1, but not for \n and \t), directions (bidi), line
 * separators and non-characters. */
static int is_unwelcome(uint32_t c)
{
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) ||
           (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF ||
           (c & 0xFFFE) == 0xFFFE;
}

char *text_clean(const char *text, size_t most)
{
    const unsigned char *p = (const unsigned char *)text;
    char *const out = malloc(3 * strlen(text) + sizeof ellipsis);
    size_t n = 0, characters = 0;
    if (!out)
        abort();
    while (*p) {
        uint32_t c;
        const int nbytes = decode(p, &c);
        if (nbytes && (is_unwelcome(c) || (c == '\n' && most <= TEXT_NAME))) {
            p += nbytes;
            continue;
        }
        if (characters++ == most) {
            memcpy(out + n, ellipsis, 3);
            n += 3;
            break;
        }
        memcpy(out + n,
               !nbytes      ? replacement
               : *p == '\t' ? " "
                            : (const char *)p,
               nbytes ? (size_t)nbytes : 3);
        n += nbytes ? (size_t)nbytes : 3;
        p += nbytes ? nbytes : 1;
    }
    out[n] = 0;
    return out;
}

int text_is_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    uint32_t c;
    int n = 1;
    while (*p && (n = decode(p, &c)) > 0)
        p += n;
    return n > 0;
}

static int is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *text && !*end && strspn(text, "+-.0123456789eE") == strlen(text);
}

void text_csv(FILE *f, const char *text)
{
    const int formula = strchr("=+-@\t\r", *text) && *text && !is_number(text);
    fputc('"', f);
    if (formula)
        fputc('\'', f);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

void text_csv_key(FILE *f, const char *key)
{
    fprintf(f, "\"%s\"", key);
}

FILE *text_next(FILE *f)
{
    if (ftell(f) > 0)
        fputs("; ", f);
    return f;
}

void text_xml(FILE *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        case '\'': fputs("&#39;", f); break;
        default: fputc(*text, f);
        }
}

int text_is_key(const char *text)
{
    const size_t n = strlen(text);
    if (n < 1 || n > 64 || *text == '.' || *text == '-')
        return 0;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("._@+-", *text))
            return 0;
    return 1;
}

int text_number(const char *text, long least, long most, int *value)
{
    char *end;
    errno = 0;
    const long v = strtol(text, &end, 10);
    if (errno || end == text || *end || v < least || v > most)
        return -1;
    *value = (int)v;
    return 0;
}
