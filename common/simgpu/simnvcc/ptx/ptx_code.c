#include "simnvcc/ptx/ptx_code.h"

#include <ctype.h> /* isspace */
#include <string.h>

/* The length of what separates statements at s: blanks, escapes, comments, and
 * braces around statements. */
static size_t blank(const char *s)
{
    if (isspace((unsigned char)*s) || *s == ';')
        return 1;
    if (s[0] == '\\' && strchr("ntr", s[1]))
        return 2;
    if (strncmp(s, "//", 2) == 0) {
        const char *const end = strstr(s, "\\n");
        return end ? (size_t)(end - s) : strlen(s);
    }
    if (strncmp(s, "/*", 2) == 0) {
        const char *const end = strstr(s, "*/");
        return end ? (size_t)(end - s) + 2 : strlen(s);
    }
    return 0;
}

static const char *skip(const char *s)
{
    size_t n;
    while (*s && ((n = blank(s)) || *s == '{' || *s == '}'))
        s += n ? n : 1;
    return s;
}

/* Append a character to a word. Returns 0 if the word is full. */
static int append(char word[PTX_WORD], char c)
{
    const size_t n = strlen(word);
    if (n + 1 >= PTX_WORD)
        return 0;
    word[n] = c;
    word[n + 1] = 0;
    return 1;
}

static int is_word(char c)
{
    return isalnum((unsigned char)c) || strchr("_$%.:", c) != NULL;
}

/* Read the opcode at s as a text and as parts. Returns
 * NULL if it is too long. */
static const char *read_opcode(const char *s, struct ptx_line *l)
{
    for (; *s && is_word(*s); s++) {
        if (l->nparts == 0 || *s == '.')
            if (l->nparts++ == PTX_MODIFIERS)
                return NULL;
        if (!append(l->text, *s) ||
            (*s != '.' && !append(l->part[l->nparts - 1], *s)))
            return NULL;
    }
    return s;
}

/* Read operands up to the ; or the end. */
static const char *read_operands(const char *s, struct ptx_line *l)
{
    int depth = 0;
    for (; *s && *s != ';' && !(*s == '}' && !depth);) {
        const size_t n = blank(s);
        if (n) {
            s += n;
            continue;
        }
        depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
        if (l->noperands == 0)
            l->noperands = 1;
        if (*s == ',' && !depth) {
            if (++l->noperands > PTX_OPERANDS)
                return NULL;
        } else if (!append(l->operand[l->noperands - 1], *s)) {
            return NULL;
        }
        s++;
    }
    return s;
}

/* If s starts with "name:", the position of the colon, otherwise NULL. */
static const char *label_end(const char *s)
{
    const char *p = s;
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '$' || *p == '%')
        p++;
    return p > s && p[0] == ':' && p[1] != ':' ? p : NULL;
}

int ptx_read(const char **text, struct ptx_line *l)
{
    const char *s = skip(*text);
    *l = (struct ptx_line){.kind = PTX_INSTRUCTION};
    if (!*s)
        return 0;
    const char *const label = label_end(s);
    if (label) {
        l->kind = PTX_LABEL;
        for (; s < label; s++)
            if (!append(l->text, *s))
                return -1;
        *text = label + 1;
        return 1;
    }
    if (*s == '@') {
        s++;
        l->guard_inverted = *s == '!';
        for (s += l->guard_inverted; *s && is_word(*s); s++)
            if (!append(l->guard, *s))
                return -1;
        s = skip(s);
    }
    if (!(s = read_opcode(s, l)) || !l->nparts)
        return -1;
    if (*l->text == '.') { // in .reg .u32 a, b the type is a part
        l->kind = PTX_REGISTERS;
        s = skip(s);
        if (*s == '.' && !(s = read_opcode(s, l)))
            return -1;
    }
    if (!(s = read_operands(s, l)))
        return -1;
    *text = s;
    return 1;
}
