/*
 * discard.c: what the code after a call does with the result
 *
 * On x86-64 the result is in eax. A decoder for the handful of instructions
 * that compilers put between two calls: moves and address computations, with
 * their ModRM byte. On other processors no result counts as thrown away.
 */
#include "core/discard.h"

#include <stdint.h> /* int32_t */
#include <string.h> /* memcpy */

#if defined(__x86_64__)

enum { RAX = 0, NONE = -1, MAX_STEPS = 24 };

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

enum verdict { CONTINUE, DISCARDED, USED };

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

int discard_is_certain(const void *return_address)
{
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
