/*
 * discard.c: whether the code after a call uses the result
 *
 * It decodes the handful of instructions that compilers put between two calls:
 * moves and address computations. At a return it continues in the caller,
 * which may be the one that uses the result. On processors other than x86-64
 * and arm64, no result counts as discarded.
 */
#include "core/watch/discard.h"

#include <stdint.h> /* int32_t */
#include <string.h> /* memcpy */
#include <unwind.h> /* _Unwind_Backtrace */

enum verdict { CONTINUE, DISCARDED, USED, RETURNS };

#if defined(__x86_64__)

/* The result is in eax. */
enum { RAX = 0, RSP = 4, NONE = -1 };
enum { FS = 0x64 };                    /* prefix of thread-local memory */
enum { LONG_NOP = 0x1f, PXOR = 0xef }; /* behind 0f */

struct insn {
    const uint8_t *end;       /* behind the bytes decoded so far */
    uint8_t op, rex;          /* opcode; prefix, 0: none */
    int base, index, reg, rm; /* registers; NONE: not that operand */
};

/* Read the ModRM byte with its SIB byte and displacement. */
static void read_modrm(struct insn *i)
{
    const uint8_t *const p = i->end;
    const int mod = p[0] >> 6, low = p[0] & 7;
    i->reg = (p[0] >> 3 & 7) | (i->rex & 4) << 1;
    i->rm = i->base = i->index = NONE;
    i->end += 1;
    if (mod == 3) {
        i->rm = low | (i->rex & 1) << 3;
        return;
    }
    if (low == 4) { // SIB
        const int index = (p[1] >> 3 & 7) | (i->rex & 2) << 2;
        const int no_base = (p[1] & 7) == 5 && mod == 0;
        i->index = index == 4 ? NONE : index;
        i->base = no_base ? NONE : (p[1] & 7) | (i->rex & 1) << 3;
        i->end += 1 + (no_base ? 4 : 0);
    } else if (low == 5 && mod == 0) {
        i->end += 4; // relative to the next instruction
    } else {
        i->base = low | (i->rex & 1) << 3;
    }
    i->end += mod == 1 ? 1 : mod == 2 ? 4 : 0;
}

static int addresses_rax(const struct insn *i)
{
    return i->base == RAX || i->index == RAX;
}

/* A move from one operand to another, one of which may be memory. */
static enum verdict judge_move(const struct insn *i, int to, int from)
{
    if (addresses_rax(i) || from == RAX)
        return USED;
    return to == RAX ? DISCARDED : CONTINUE;
}

/* ---- one function for each kind of instruction: what it does with rax, and
 * where the next one begins ------------------------------------------------ */

static enum verdict nop(struct insn *i)
{
    (void)i;
    return CONTINUE;
}

static enum verdict ret(struct insn *i)
{
    (void)i;
    return RETURNS;
}

/* The called function's result replaces this one. */
static enum verdict call(struct insn *i)
{
    (void)i;
    return DISCARDED;
}

/* ff /2: a call whose address is in a register or memory. */
static enum verdict call_indirect(struct insn *i)
{
    read_modrm(i);
    return (i->reg & 7) == 2 && i->rm != RAX && !addresses_rax(i) ? DISCARDED
                                                                  : USED;
}

static enum verdict jump_short(struct insn *i)
{
    i->end += 1 + (int8_t)i->end[0];
    return CONTINUE;
}

static enum verdict jump_near(struct insn *i)
{
    int32_t distance;
    memcpy(&distance, i->end, sizeof distance);
    i->end += (int)sizeof distance + distance;
    return CONTINUE;
}

/* mov r, r/m; movslq */
static enum verdict load(struct insn *i)
{
    read_modrm(i);
    return judge_move(i, i->reg, i->rm);
}

/* mov r/m, r */
static enum verdict store(struct insn *i)
{
    read_modrm(i);
    return judge_move(i, i->rm, i->reg);
}

static enum verdict load_address(struct insn *i)
{
    read_modrm(i);
    return judge_move(i, i->reg, NONE);
}

/* mov r, imm: the register is in the opcode. */
static enum verdict load_constant(struct insn *i)
{
    const int reg = (i->op & 7) | (i->rex & 1) << 3;
    i->end += i->rex & 8 ? 8 : 4;
    return reg == RAX ? DISCARDED : CONTINUE;
}

/* mov r/m, imm32 */
static enum verdict store_constant(struct insn *i)
{
    read_modrm(i);
    i->end += 4;
    return judge_move(i, i->rm, NONE);
}

/* xor of a register with itself. */
static enum verdict zero(struct insn *i)
{
    read_modrm(i);
    return i->rm != i->reg ? USED : i->rm == RAX ? DISCARDED : CONTINUE;
}

/* pop r: behind a call with more than six arguments. */
static enum verdict pop(struct insn *i)
{
    const int reg = (i->op & 7) | (i->rex & 1) << 3;
    return reg == RAX ? DISCARDED : CONTINUE;
}

/* add rsp, imm: the same, for more of them */
static enum verdict drop_arguments(struct insn *i)
{
    read_modrm(i);
    i->end += i->op == 0x83 ? 1 : 4;
    return (i->reg & 7) == 0 && i->rm == RSP ? CONTINUE : USED;
}

/* 0f ..: SSE moves, pxor and the long nop, which use general registers only in
 * addresses. */
static enum verdict two_bytes(struct insn *i)
{
    static const uint8_t known[] = {0x10, 0x11, 0x28, 0x29, PXOR, LONG_NOP};
    const uint8_t op = *i->end++;
    if (!memchr(known, op, sizeof known))
        return USED;
    read_modrm(i);
    return addresses_rax(i) && op != LONG_NOP ? USED : CONTINUE;
}

static const struct {
    uint8_t first, last; /* opcodes */
    enum verdict (*judge)(struct insn *i);
} kinds[] = {
    {0x0f, 0x0f, two_bytes},
    {0x31, 0x31, zero},
    {0x33, 0x33, zero},
    {0x58, 0x5f, pop},
    {0x63, 0x63, load},
    {0x81, 0x81, drop_arguments},
    {0x83, 0x83, drop_arguments},
    {0x89, 0x89, store},
    {0x8b, 0x8b, load},
    {0x8d, 0x8d, load_address},
    {0x90, 0x90, nop},
    {0xb8, 0xbf, load_constant},
    {0xc3, 0xc3, ret},
    {0xc7, 0xc7, store_constant},
    {0xc9, 0xc9, nop}, // leave
    {0xe8, 0xe8, call},
    {0xe9, 0xe9, jump_near},
    {0xeb, 0xeb, jump_short},
    {0xff, 0xff, call_indirect},
};

/* The instruction at *p; moves *p behind it, or to where it jumps. */
static enum verdict step(const uint8_t **p)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const int is_wide = **p == 0x66;
    struct insn i = {.end = *p + is_wide};
    if (memcmp(*p, endbr64, sizeof endbr64) == 0) {
        *p += sizeof endbr64;
        return CONTINUE;
    }
    if (*i.end == FS)
        i.end++;
    if ((*i.end & 0xf0) == 0x40)
        i.rex = *i.end++;
    i.op = *i.end++;
    if (is_wide && (i.op != 0x0f || *i.end != PXOR))
        return USED; // prefix 66 is known only before pxor
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (i.op >= kinds[k].first && i.op <= kinds[k].last) {
            const enum verdict v = kinds[k].judge(&i);
            *p = i.end;
            return v;
        }
    return USED;
}

#elif defined(__aarch64__)

/* The result is in x0. So is the first argument of the next call, so a result
 * that may be passed on counts as used. */
enum { X0 = 0 };

static enum verdict judge(int reads, int writes)
{
    return reads ? USED : writes ? DISCARDED : CONTINUE;
}

/* Judge a load or store at a register, with or without an offset, of
 * one or two registers. */
static enum verdict judge_memory(uint32_t w)
{
    const int is_pair = (w & 0x3a000000) == 0x28000000;
    const int vector = w >> 26 & 1;
    const uint32_t base = w >> 5 & 31, size = w >> 30, kind = w >> 22 & 3;
    const int moves_x0 =
        !vector && ((w & 31) == X0 || (is_pair && (w >> 10 & 31) == X0));
    const int loads = is_pair ? (int)(kind & 1) : kind != 0;
    if (!is_pair && (w & 0x3b000000) != 0x39000000 &&
        (w & 0x3b200000) != 0x38000000)
        return USED; // another instruction
    if (!is_pair && !vector && size == 3 && kind == 2)
        return USED; // a prefetch
    return judge(base == X0 || (moves_x0 && !loads), moves_x0);
}

/* Judge the instruction at *p, and move *p behind it. */
static enum verdict step(const uint8_t **p)
{
    uint32_t w;
    memcpy(&w, *p, sizeof w);
    const int writes = (w & 31) == X0;
    *p += sizeof w;
    if ((w & 0xfffff01f) == 0xd503201f) // nop, bti
        return CONTINUE;
    if (w == 0xd65f03c0)
        return RETURNS;
    // b, whose offset is in words from itself
    if ((w & 0xfc000000) == 0x14000000) {
        *p += ((int32_t)(w << 6) >> 6) * 4 - (int)sizeof w;
        return CONTINUE;
    }
    if ((w & 0x7fe0ffe0) == 0x2a0003e0) // mov r, r
        return judge((w >> 16 & 31) == X0, writes);
    if ((w & 0x7f800000) == 0x52800000 || (w & 0x7f800000) == 0x12800000 ||
        (w & 0x1f000000) == 0x10000000) // movz, movn, adr, adrp
        return judge(0, writes);
    if ((w & 0x7f800000) == 0x72800000) // movk
        return judge(writes, 0);
    if ((w & 0x3f800000) == 0x11000000) // add, sub: r, r, imm
        return judge((w >> 5 & 31) == X0, writes);
    return judge_memory(w);
}

#endif

#if defined(__x86_64__) || defined(__aarch64__)

struct search { /* for the caller of the function that `from` is in */
    uintptr_t from, caller;
    int found;
};

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *c, void *arg)
{
    struct search *const s = arg;
    if (s->found)
        s->caller = _Unwind_GetIP(c);
    s->found |= _Unwind_GetIP(c) == s->from;
    return s->caller ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Where the function that contains a return address on the stack returns to;
 * NULL if that is unknown. */
static const uint8_t *caller_of(const void *return_address)
{
    struct search s = {.from = (uintptr_t)return_address};
    _Unwind_Backtrace(look_at_frame, &s);
    return (const uint8_t *)s.caller;
}

int discard_is_certain(const void *return_address)
{
    enum { MAX_STEPS = 24, MAX_RETURNS = 4 };
    const uint8_t *p = return_address, *frame = p;
    int nreturns = 0;
    for (int i = 0; p && i < MAX_STEPS; i++) {
        const enum verdict v = step(&p);
        if (v == RETURNS && nreturns++ < MAX_RETURNS)
            p = frame = caller_of(frame);
        else if (v != CONTINUE)
            return v == DISCARDED;
    }
    return 0;
}

#else

int discard_is_certain(const void *return_address)
{
    (void)return_address;
    return 0;
}

#endif
