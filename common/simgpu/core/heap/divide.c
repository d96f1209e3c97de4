#define _GNU_SOURCE
#include "core/heap/divide.h"

#include <signal.h> /* SIGFPE */
#include <stdint.h>
#include <string.h>   /* memcpy */
#include <ucontext.h> /* ucontext_t */

#include "base/trap.h"

#if defined(__x86_64__)
/*
 * div and idiv divide rdx:rax by a register or a word of memory:
 *
 *     [66] [REX] F7 ModRM [SIB] [displacement]     ModRM.reg: 6 div, 7 idiv
 */
struct division {
    unsigned nbytes; /* size of divisor, quotient and remainder */
    int is_signed;
    uint64_t divisor;
    const uint8_t *end;
};

static const int registers[] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* The address that ModRM and the bytes after it give. *p points behind ModRM,
 * and is moved behind all of it. */
static const void *address(const greg_t *reg, unsigned rex, unsigned modrm,
                           const uint8_t **p)
{
    const unsigned mod = modrm >> 6;
    unsigned base = modrm & 7;
    uint64_t at = 0;
    int32_t word = 0;
    const int has_sib = base == 4;
    if (has_sib) {
        const unsigned sib = *(*p)++;
        const unsigned index = (sib >> 3 & 7) | (rex & 2) << 2;
        base = sib & 7;
        if (index != 4)
            at += (uint64_t)reg[registers[index]] << (sib >> 6);
    }
    const int has_base = mod != 0 || base != 5;
    const unsigned displacement = mod == 1 ? 1 : mod == 2 || !has_base ? 4 : 0;
    if (displacement == 1)
        word = (int8_t) * *p;
    else if (displacement == 4)
        memcpy(&word, *p, sizeof word);
    *p += displacement;
    if (has_base)
        at += (uint64_t)reg[registers[base | (rex & 1) << 3]];
    else if (!has_sib)
        at += (uint64_t)(uintptr_t)*p; // relative to the next instruction
    return (const void *)(uintptr_t)(at + (uint64_t)(int64_t)word);
}

static int decode(const greg_t *reg, struct division *d)
{
    const uint8_t *p = (const uint8_t *)reg[REG_RIP];
    unsigned rex = 0;
    d->nbytes = 4;
    for (; *p == 0x66; p++)
        d->nbytes = 2;
    if ((*p & 0xf0) == 0x40)
        rex = *p++;
    if (rex & 8)
        d->nbytes = 8;
    if (*p++ != 0xf7) // 0xf6 divides bytes, which C never does
        return 0;
    const unsigned modrm = *p++, what = modrm >> 3 & 7;
    d->is_signed = what == 7;
    d->divisor = 0;
    memcpy(&d->divisor,
           modrm >> 6 == 3 ? &reg[registers[(modrm & 7) | (rex & 1) << 3]]
                           : address(reg, rex, modrm, &p),
           d->nbytes);
    d->end = p;
    return what == 6 || what == 7;
}

/* Write the lowest bytes of a register, as an instruction would. */
static void put(greg_t *reg, unsigned nbytes, uint64_t value)
{
    const uint64_t low =
        nbytes == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * nbytes) - 1;
    const uint64_t kept = nbytes >= 4 ? 0 : (uint64_t)*reg & ~low;
    *reg = (greg_t)(kept | (value & low));
}

int divide_as_gpu(int sig, void *context)
{
    greg_t *const reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct division d;
    if (sig != SIGFPE || !decode(reg, &d))
        return 0;
    const uint64_t dividend = (uint64_t)reg[REG_RAX];
    put(&reg[REG_RAX], d.nbytes, d.divisor == 0 ? ~UINT64_C(0) : dividend);
    put(&reg[REG_RDX], d.nbytes, d.divisor == 0 ? dividend : 0);
    reg[REG_RIP] = (greg_t)d.end;
    return 1;
}

int divide_as_host(int sig, void *context)
{
    (void)sig, (void)context;
    return 0;
}
#elif defined(__aarch64__)
/* The trap, and behind it
 *
 *     sf 0011010110 Rm 00001 o1 Rn Rd     o1: 0 udiv, 1 sdiv; sf: of 64 bits
 */
static const uint32_t *trapped(int sig, const mcontext_t *c)
{
    const uint32_t *const code = (const uint32_t *)(uintptr_t)c->pc;
    return sig == SIGILL && code[0] == TRAP_DIVISION ? code : NULL;
}

int divide_as_gpu(int sig, void *context)
{
    mcontext_t *const c = &((ucontext_t *)context)->uc_mcontext;
    const uint32_t *const code = trapped(sig, c);
    if (!code)
        return 0;
    const unsigned to = code[1] & 31; // 31 is xzr, which discards the result
    if (to < 31)
        c->regs[to] = code[1] >> 31 ? ~UINT64_C(0) : UINT32_MAX;
    c->pc += 2 * sizeof *code;
    return 1;
}

int divide_as_host(int sig, void *context)
{
    mcontext_t *const c = &((ucontext_t *)context)->uc_mcontext;
    const uint32_t *const code = trapped(sig, c);
    if (code)
        c->pc += sizeof *code;
    return code != NULL;
}
#else
int divide_as_gpu(int sig, void *context)
{
    (void)sig, (void)context;
    return 0;
}

int divide_as_host(int sig, void *context)
{
    (void)sig, (void)context;
    return 0;
}
#endif
