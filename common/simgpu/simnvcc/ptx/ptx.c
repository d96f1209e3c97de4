#define _GNU_SOURCE
#include "simnvcc/ptx/ptx.h"

#include <ctype.h>  /* isdigit */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "simnvcc/ptx/ptx_asm.h"
#include "simnvcc/ptx/ptx_code.h"
#include "simnvcc/ptx/ptx_multimem.h"
#include "simnvcc/ptx/ptx_table.h"
#include "simnvcc/sides.h"

enum { MAX_NAMES = 64 };

struct statement {
    struct ptx_asm in;
    char name[MAX_NAMES][PTX_WORD]; /* registers that the text declares */
    int nnames;
    FILE *out;
    char wrong[2 * PTX_WORD]; /* the instruction that is missing here */
};

/* The C++ type of a register with this constraint. */
static const char *register_type(const char *constraint)
{
    switch (constraint[strspn(constraint, "=+&")]) {
    case 'h': return "uint16_t";
    case 'r': return "uint32_t";
    case 'l': return "uint64_t";
    case 'f': return "float";
    case 'd': return "double";
    default: return "int64_t"; // n: a constant
    }
}

/* ---- writing operands ---------------------------------------------------- */

static int is_name(const struct statement *s, const char *name)
{
    for (int i = 0; i < s->nnames; i++)
        if (!strcmp(s->name[i], name))
            return 1;
    return 0;
}

/* Write a name, with _ for characters that C++ names can't contain. */
static void write_name(FILE *out, const char *prefix, const char *name)
{
    fputs(prefix, out);
    for (; *name; name++)
        fputc(isalnum((unsigned char)*name) ? *name : '_', out);
}

/* Write a number: 0f3F800000, 0d..., 17, -1, 0x1F, 1.5. */
static int write_number(FILE *out, const char *text)
{
    if (!strncasecmp(text, "0f", 2) || !strncasecmp(text, "0d", 2))
        return fprintf(out, "::simgpu::ptx::bits_%c(0x%s)", text[1] | 0x20,
                       text + 2) > 0;
    if (!isdigit((unsigned char)text[*text == '-']))
        return 0;
    fputs(text, out);
    return 1;
}

/* Write a register, special register or number. Returns 0 for anything else. */
static int write_value(struct statement *s, const char *text)
{
    const char *const name = text + strspn(text, "%");
    if (*text == '%' && isdigit((unsigned char)text[1])) {
        char *end;
        const long n = strtol(text + 1, &end, 10);
        if (*end || n >= s->in.noperands)
            return 0;
        fprintf(s->out, "simgpu_r%ld", n);
    } else if (is_name(s, name)) {
        write_name(s->out, "simgpu_v_", name);
    } else if (name != text && ptx_is_special(name)) {
        write_name(s->out, "::simgpu::ptx::", name);
        fputs("()", s->out);
    } else if (!strcmp(text, "WARP_SZ")) {
        fputs("32", s->out);
    } else {
        return write_number(s->out, text);
    }
    return 1;
}

/* Write [register+offset] as a pointer to the type. */
static int write_address(struct statement *s, const char *text,
                         const char *type, int shared)
{
    char base[PTX_WORD];
    if (*text != '[')
        return 0;
    const size_t n = strcspn(text + 1, "+-]");
    snprintf(base, sizeof base, "%.*s", (int)n, text + 1);
    const char *const offset = text + 1 + n;
    fprintf(s->out, "::simgpu::ptx::%s<%s>(", shared ? "shared_at" : "at",
            type);
    if (!write_value(s, base))
        return 0;
    fprintf(s->out, ", 0%.*s)", (int)strcspn(offset, "]"), offset);
    return 1;
}

/* Element k of {a,b}. If k is 0 it may also be the operand
 * itself; "" if there is none. */
static const char *element(const char *text, int k, char word[PTX_WORD])
{
    const char *p = text + (*text == '{');
    for (int i = 0; i < k; i++) {
        p += strcspn(p, ",}");
        if (*p != ',')
            return strcpy(word, "");
        p++;
    }
    snprintf(word, PTX_WORD, "%.*s", (int)strcspn(p, ",}"), p);
    return word;
}

/* ---- writing instructions ------------------------------------------------ */

struct types {
    const char *name[2];
    int n, shared;
};

static struct types types_of(const struct ptx_line *l)
{
    struct types t = {{"uint32_t", "uint32_t"}, 0, 0};
    for (int i = 1; i < l->nparts; i++) {
        const char *const type = ptx_type(l->part[i]);
        t.shared |= !strncmp(l->part[i], "shared", 6);
        if (type && t.n < 2)
            t.name[t.n++] = type;
    }
    if (t.n == 1)
        t.name[1] = t.name[0];
    return t;
}

/* Write the name of an instruction's function: do_mad<uint32_t, t_wide>. */
static void write_function(struct statement *s, const struct ptx_row *row,
                           const struct ptx_line *l, const struct types *t)
{
    const char *comma = "";
    write_name(s->out, "::simgpu::ptx::do_", row->name);
    fputc('<', s->out);
    for (int i = 0; i < t->n; i++, comma = ", ")
        fprintf(s->out, "%s%s", comma, t->name[i]);
    for (int i = 1; i < l->nparts; i++)
        if (ptx_is_tag(row, l->part[i])) {
            fputs(comma, s->out);
            write_name(s->out, "::simgpu::ptx::t_", l->part[i]);
            comma = ", ";
        }
    fputc('>', s->out);
}

static int write_as(struct statement *s, const char *type, const char *text)
{
    fprintf(s->out, "::simgpu::ptx::as<%s>(", type);
    const int good = write_value(s, text);
    fputc(')', s->out);
    return good;
}

static int write_argument(struct statement *s, char what, const char *text,
                          const struct types *t)
{
    switch (what) {
    case 'T': return write_as(s, t->name[0], text);
    case 'U': return write_as(s, t->name[1], text);
    case 'u': return write_as(s, "uint32_t", text);
    case 'l': return write_as(s, "uint64_t", text);
    case 'p': return write_as(s, "bool", text);
    case 'W': return write_value(s, text);
    case 'P': return write_address(s, text, t->name[0], t->shared);
    case 'A': return write_address(s, text, "char", 0);
    case 'S': return write_address(s, text, "char", 1);
    case 'B': return write_address(s, text, "uint64_t", t->shared);
    default: return 0;
    }
}

/* Write an instruction with one result or none: put(d, do_op<...>(a, b)). */
static int write_call(struct statement *s, const struct ptx_row *row,
                      const struct ptx_line *l, const struct types *t)
{
    const char *comma = "", *what = row->operands;
    char word[PTX_WORD], *bar = NULL;
    int at = 0, optional = 0;
    if (*what == 'd') {
        snprintf(word, sizeof word, "%s", l->operand[at++]);
        if (what[1] == '|' && (bar = strchr(word, '|')) != NULL)
            *bar++ = 0;
        fputs(strcmp(word, "_") ? "::simgpu::ptx::put(" : "(void)(", s->out);
        if (strcmp(word, "_") && !write_value(s, word))
            return 0;
        fputs(strcmp(word, "_") ? ", " : "", s->out);
        what++;
    }
    write_function(s, row, l, t);
    fputc('(', s->out);
    for (what += *what == '|'; *what; what++) {
        if (*what == '?') {
            optional = 1;
            continue;
        }
        if (at >= l->noperands && optional)
            break;
        fputs(comma, s->out);
        if (at >= l->noperands ||
            !write_argument(s, *what, l->operand[at++], t))
            return 0;
        comma = ", ";
    }
    if (row->operands[0] == 'd' && row->operands[1] == '|') {
        fputs(", ", s->out);
        if (!bar)
            fputs("simgpu_none", s->out);
        else if (!write_value(s, bar))
            return 0;
    }
    fputs(row->operands[0] == 'd' ? "));" : ");", s->out);
    return at == l->noperands;
}

/* Write ld or st of one value or a vector. */
static int write_memory(struct statement *s, const struct ptx_row *row,
                        const struct ptx_line *l, const struct types *t)
{
    const int load = row->operands[0] == 'v';
    const char *const values = l->operand[!load], *const p = l->operand[load];
    char word[PTX_WORD];
    if (l->noperands != 2)
        return 0;
    for (int k = 0; *element(values, k, word); k++) {
        if (load) {
            fputs("::simgpu::ptx::put(", s->out);
            if (!write_value(s, word))
                return 0;
            fputs(", ", s->out);
        }
        write_function(s, row, l, t);
        fputc('(', s->out);
        if (!write_address(s, p, t->name[0], t->shared))
            return 0;
        fprintf(s->out, " + %d", k);
        if (!load) {
            fputs(", ", s->out);
            if (!write_as(s, t->name[0], word))
                return 0;
        }
        fputs(load ? "));" : ");", s->out);
    }
    return 1;
}

/* Write mov d, a;  mov {d,e}, a;  mov d, {a,b}. */
static int write_move(struct statement *s, const struct ptx_line *l,
                      const struct types *t)
{
    char word[PTX_WORD];
    const int packs = *l->operand[1] == '{', unpacks = *l->operand[0] == '{';
    if (l->noperands != 2 || (packs && unpacks))
        return 0;
    if (!packs && !unpacks) {
        fputs("::simgpu::ptx::put(", s->out);
        if (!write_value(s, l->operand[0]))
            return 0;
        fputs(", ", s->out);
        const int good = write_as(s, t->name[0], l->operand[1]);
        fputs(");", s->out);
        return good;
    }
    fprintf(s->out, "::simgpu::ptx::%s<%s>(", packs ? "pack" : "unpack",
            t->name[0]);
    if (!write_value(s, l->operand[unpacks]))
        return 0;
    for (int k = 0; *element(l->operand[packs], k, word); k++) {
        fputs(", ", s->out);
        if (!write_value(s, word))
            return 0;
    }
    fputs(");", s->out);
    return 1;
}

static int write_instruction(struct statement *s, const struct ptx_line *l)
{
    if (!strcmp(l->part[0], "bra") && l->noperands == 1) {
        write_name(s->out, "goto simgpu_l_", l->operand[0]);
        fputc(';', s->out);
        return 1;
    }
    const struct ptx_row *const row = ptx_find(l);
    const struct types t = types_of(l);
    if (!row)
        return 0;
    if (!strcmp(row->operands, "vV"))
        return write_move(s, l, &t);
    return strpbrk(row->operands, "vV") ? write_memory(s, row, l, &t)
                                        : write_call(s, row, l, &t);
}

/* ---- the whole statement ------------------------------------------------- */

/* Read .reg .u32 a, b;  .reg .b32 t<4>; */
static int declare(struct statement *s, const struct ptx_line *l)
{
    const char *const type = ptx_type(l->part[l->nparts - 1]);
    if (strcmp(l->part[0], "reg") != 0 || !type)
        return 0;
    for (int i = 0; i < l->noperands; i++) {
        const char *const word = l->operand[i] + strspn(l->operand[i], "%");
        const char *const open = strchr(word, '<');
        const int n = open ? atoi(open + 1) : 1;
        for (int k = 0; k < n; k++) {
            if (s->nnames == MAX_NAMES)
                return 0;
            char *const name = s->name[s->nnames++];
            if (open)
                snprintf(name, PTX_WORD, "%.*s%d", (int)(open - word), word, k);
            else
                snprintf(name, PTX_WORD, "%s", word);
            fputs(type, s->out);
            write_name(s->out, " simgpu_v_", name);
            fputs(" = 0;(void)", s->out);
            write_name(s->out, "simgpu_v_", name);
            fputc(';', s->out);
        }
    }
    return 1;
}

/* Write labels, then registers: a jump must not skip a declaration. */
static int write_declarations(struct statement *s)
{
    struct ptx_line l;
    int got;
    for (const char *p = s->in.text; (got = ptx_read(&p, &l)) > 0;)
        if (l.kind == PTX_LABEL) {
            write_name(s->out, "__label__ simgpu_l_", l.text);
            fputc(';', s->out);
        }
    for (int i = 0; i < s->in.noperands; i++) {
        const struct ptx_operand *const o = &s->in.operand[i];
        fprintf(s->out, "%s simgpu_r%d", register_type(o->constraint), i);
        if (*o->constraint == '=')
            fputs(" = 0;", s->out);
        else
            fprintf(s->out, " = ::simgpu::ptx::in<%s>(%s);",
                    register_type(o->constraint), o->expression);
        fprintf(s->out, "(void)simgpu_r%d;", i);
    }
    fputs("bool simgpu_none = false;(void)simgpu_none;", s->out);
    for (const char *p = s->in.text; ptx_read(&p, &l) > 0;)
        if (l.kind == PTX_REGISTERS && !declare(s, &l)) {
            snprintf(s->wrong, sizeof s->wrong, "%s", l.text);
            return 0;
        }
    snprintf(s->wrong, sizeof s->wrong, "%.*s", PTX_WORD - 1, s->in.text);
    return got == 0;
}

static int write_code(struct statement *s)
{
    struct ptx_line l;
    for (const char *p = s->in.text; ptx_read(&p, &l) > 0;) {
        if (l.kind == PTX_LABEL) {
            write_name(s->out, " simgpu_l_", l.text);
            fputs(":;", s->out);
        }
        if (l.kind != PTX_INSTRUCTION)
            continue;
        snprintf(s->wrong, sizeof s->wrong, "%s", l.text);
        if (*l.guard) {
            fprintf(s->out, "if (%s", l.guard_inverted ? "!" : "");
            if (!write_value(s, l.guard))
                return 0;
            fputs(") ", s->out);
        }
        fputc('{', s->out);
        if (!write_instruction(s, &l))
            return 0;
        fputc('}', s->out);
    }
    return 1;
}

static int write_block(struct statement *s)
{
    fputs("do {", s->out);
    if (!write_declarations(s) || !write_code(s))
        return 0;
    for (int i = 0; i < s->in.noperands; i++)
        if (strchr("=+", *s->in.operand[i].constraint))
            fprintf(s->out, "::simgpu::ptx::out(%s, simgpu_r%d);",
                    s->in.operand[i].expression, i);
    fputs("} while (0)", s->out);
    return 1;
}

/* Replace the statement by a call that the compiler refuses if it
 * generates code for it. */
static void refuse(const struct tokens *t, size_t i, size_t close,
                   const char *wrong, struct edits *e)
{
    char *code = NULL, *const place = tokens_place(t, t->at[close].end);
    size_t nbytes;
    FILE *const out = open_memstream(&code, &nbytes);
    if (!out)
        abort();
    write_name(out, "do { void simgpu_no_", wrong);
    fputs("() __attribute__((error(\"inline PTX: simgpu does not know ", out);
    for (const char *p = wrong; *p; p++)
        fputc(strchr("\"\\\n", *p) ? ' ' : *p, out);
    write_name(out, "\"))); simgpu_no_", wrong);
    fputs("(); } while (0)", out);
    fclose(out);
    edits_addf(e, t->at[i].begin, t->at[close].end, "%s%s", code, place);
    free(code);
    free(place);
}

char *ptx_edit(const struct tokens *t, size_t i, struct edits *e)
{
    size_t nbytes;
    const struct sides in = sides_of(t, i);
    if (!in.device)
        return NULL;
    struct statement s = {0};
    char *code = NULL, *wrong = NULL;
    const size_t close = ptx_asm_read(t, i, &s.in);
    if (!(s.out = open_memstream(&code, &nbytes)))
        abort();
    const int good = close < t->n && s.in.text[strspn(s.in.text, " ")] &&
                     (ptx_multimem_write(s.out, &s.in) || write_block(&s));
    fclose(s.out);
    if (good) {
        char *const place = tokens_place(t, t->at[close].end);
        edits_addf(e, t->at[i].begin, t->at[close].end, "%s%s", code, place);
        free(place);
    } else if (*s.wrong && !in.host && close < t->n &&
               tokens_is_included(t, t->at[i].begin)) {
        refuse(t, i, close, s.wrong, e);
    } else if (*s.wrong && !in.host &&
               asprintf(&wrong, "inline PTX: simgpu does not know %s",
                        s.wrong) < 0) {
        abort();
    }
    free(code);
    ptx_asm_release(&s.in);
    return wrong;
}
