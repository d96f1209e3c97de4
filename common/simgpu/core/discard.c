/*
 * discard.c: what the code after a call does with the result
 *
 * A decoder for the handful of instructions that compilers put between two
 * calls: moves and address computations. On processors other than x86-64 and
 * arm64 no result counts as thrown away.
 */
#include "core/discard.h"

#include <stdint.h> /* int32_t */
#include <string.h> /* memcpy */

enum verdict { CONTINUE, DISCARDED, USED };

#if defined(__x86_64__)

/* The result is in eax. */
enum { RAX = 0, NONE = -1 };

struct insn {
    int length;               /* 0: unknown */
    int base, index, reg, rm; /* registers; NONE: not that operand */
};

/* Registers of the ModRM byte at p, and what follows it up to immediates. */
static void modrm(const uint8_t *p, int rex, struct insn *i)
{
    const int mod = p[0] >> 6, low = p[0] & 7;
    i->reg = (p[0] >> 3 & 7) | (rex & 4) << 1;
    i->rm = i->base = i->index = NONE;
    i->length += 1;
    if (mod == 3) {
        i->rm = low | (rex & 1) << 3;
        return;
    }
    if (low == 4) { // SIB
        const int index = (p[1] >> 3 & 7) | (rex & 2) << 2;
        i->index = index == 4 ? NONE : index;
        i->base =
            (p[1] & 7) == 5 && mod == 0 ? NONE : (p[1] & 7) | (rex & 1) << 3;
        i->length += 1 + (mod == 0 && (p[1] & 7) == 5 ? 4 : 0);
    } else if (low == 5 && mod == 0) {
        i->length += 4; // relative to the next instruction
    } else {
        i->base = low | (rex & 1) << 3;
    }
    i->length += mod == 1 ? 1 : mod == 2 ? 4 : 0;
}

static int addresses_rax(const struct insn *i)
{
    return i->base == RAX || i->index == RAX;
}

/* A move with ModRM byte: which operand it writes, which it reads. */
static enum verdict judge(const struct insn *i, int writes_reg, int reads_other)
{
    const int to = writes_reg ? i->reg : i->rm;
    const int from = writes_reg ? i->rm : i->reg;
    if (addresses_rax(i) || (reads_other && from == RAX))
        return USED;
    return to == RAX ? DISCARDED : CONTINUE;
}

/* The instruction at *p; moves *p behind it. */
static enum verdict step(const uint8_t **p)
{
    const uint8_t *const at = *p;
    struct insn i = {.length = 0};
    int rex = 0, n = 0;
    if (memcmp(at, "\xf3\x0f\x1e\xfa", 4) == 0) { // endbr64
        *p = at + 4;
        return CONTINUE;
    }
    const int wide_nop = at[0] == 0x66;
    n += wide_nop;
    if ((at[n] & 0xf0) == 0x40)
        rex = at[n++];
    const uint8_t op = at[n++];
    i.length = n;
    if (wide_nop && !(op == 0x0f && at[n] == 0xef))
        return USED;
    enum verdict v = USED;
    switch (op) {
    case 0x90: v = CONTINUE; break;
    case 0xe8: return DISCARDED; // a call: its result replaces this one
    case 0xeb: *p = at + n + 1 + (int8_t)at[n]; return CONTINUE;
    case 0xe9: {
        int32_t far;
        memcpy(&far, at + n, sizeof far);
        *p = at + n + 4 + far;
        return CONTINUE;
    }
    case 0xff: // call through memory
        modrm(at + n, rex, &i);
        return (i.reg & 7) == 2 && i.rm != RAX && !addresses_rax(&i) ? DISCARDED
                                                                     : USED;
    case 0x8b: // mov r, r/m
    case 0x63: // movslq
        modrm(at + n, rex, &i);
        v = judge(&i, 1, 1);
        break;
    case 0x89: // mov r/m, r
        modrm(at + n, rex, &i);
        v = judge(&i, 0, 1);
        break;
    case 0x8d: // lea
        modrm(at + n, rex, &i);
        v = judge(&i, 1, 0);
        break;
    case 0x31: // xor r, r: zero
    case 0x33:
        modrm(at + n, rex, &i);
        v = i.rm != i.reg ? USED : i.rm == RAX ? DISCARDED : CONTINUE;
        break;
    case 0xc7: // mov r/m, imm32
        modrm(at + n, rex, &i);
        i.length += 4;
        v = judge(&i, 0, 0);
        if (i.rm == NONE && !addresses_rax(&i))
            v = CONTINUE;
        break;
    case 0x0f: // SSE moves, pxor: no general register, except in addresses
        if (at[n] == 0x10 || at[n] == 0x11 || at[n] == 0x28 || at[n] == 0x29 ||
            at[n] == 0xef || at[n] == 0x1f) {
            i.length++;
            modrm(at + n + 1, rex, &i);
            v = addresses_rax(&i) && at[n] != 0x1f ? USED : CONTINUE;
        }
        break;
    default:
        if (op >= 0xb8 && op <= 0xbf) { // mov r, imm
            const int reg = (op & 7) | (rex & 1) << 3;
            i.length += rex & 8 ? 8 : 4;
            v = reg == RAX ? DISCARDED : CONTINUE;
        }
    }
    *p = at + i.length;
    return v;
}

#elif defined(__aarch64__)

/* The result is in x0, and so is the first argument of the next call: what may
 * be passed on counts as used. */
enum { X0 = 0 };

static enum verdict judge(int reads, int writes)
{
    return reads ? USED : writes ? DISCARDED : CONTINUE;
}

/* Loads and stores at a register, with or without an offset; of a pair, two
 * registers. */
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

/* The instruction at *p; moves *p behind it. */
static enum verdict step(const uint8_t **p)
{
    uint32_t w;
    memcpy(&w, *p, sizeof w);
    const int writes = (w & 31) == X0;
    *p += sizeof w;
    if ((w & 0xfffff01f) == 0xd503201f) // nop, bti
        return CONTINUE;
    if ((w & 0xfc000000) == 0x14000000) { // b: words from the instruction
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

int discard_is_certain(const void *return_address)
{
    enum { MAX_STEPS = 24 };
    const uint8_t *p = return_address;
    for (int i = 0; p && i < MAX_STEPS; i++) {
        const enum verdict v = step(&p);
        if (v != CONTINUE)
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
