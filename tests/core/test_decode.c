/*
 * test_decode.c: the instructions behind a call, and those that divide
 * (core/watch/discard.h, core/heap/divide.h)
 *
 * On processors other than x86-64 nothing is tested.
 */
#define _GNU_SOURCE
#include <check.h>
#include <signal.h> /* SIGFPE */
#include <stdint.h>
#include <stdio.h> /* printf */
#include <string.h>
#include <ucontext.h> /* ucontext_t */

#include "core/heap/divide.h"
#include "core/watch/discard.h"
#include "suite.h"

#if defined(__x86_64__)

/* ---- what becomes of a result -------------------------------------------- */

enum { CONTINUES = 'c', DISCARDS = 'd', USES = 'u' };

/* Instructions by verdict. Displacements and immediate operands are returns
 * (c3), so that one byte more or less than there is shows. */
#define I32 "\xc3\xc3\xc3\xc3"
static const struct {
    char verdict;
    const char *code;
} behind[] = {
    {CONTINUES, "\xf3\x0f\x1e\xfa"},     // endbr64
    {CONTINUES, "\x90"},                 // nop
    {DISCARDS, "\xe8" I32},              // call
    {DISCARDS, "\x31\xc0"},              // xor eax, eax
    {CONTINUES, "\x31\xc9"},             // xor ecx, ecx
    {CONTINUES, "\x45\x31\xc0"},         // xor r8d, r8d
    {USES, "\x31\xc8"},                  // xor eax, ecx
    {USES, "\x41\x31\xc0"},              // xor r8d, eax
    {DISCARDS, "\x33\xc0"},              // xor eax, eax
    {CONTINUES, "\x33\xc9"},             // xor ecx, ecx
    {USES, "\x8b\xc8"},                  // mov ecx, eax
    {DISCARDS, "\x8b\xc1"},              // mov eax, ecx
    {CONTINUES, "\x8b\xd1"},             // mov edx, ecx
    {USES, "\x8b\x08"},                  // mov ecx, [rax]
    {DISCARDS, "\x8b\x03"},              // mov eax, [rbx]
    {CONTINUES, "\x8b\x0b"},             // mov ecx, [rbx]
    {CONTINUES, "\x8b\x4b\xc3"},         // mov ecx, [rbx + i8]
    {CONTINUES, "\x8b\x8b" I32},         // mov ecx, [rbx + i32]
    {CONTINUES, "\x8b\x0d" I32},         // mov ecx, [rip + i32]
    {CONTINUES, "\x8b\x4d\xc3"},         // mov ecx, [rbp + i8]
    {CONTINUES, "\x8b\x8d" I32},         // mov ecx, [rbp + i32]
    {CONTINUES, "\x8b\x0c\x24"},         // mov ecx, [rsp]
    {CONTINUES, "\x8b\x4c\x24\xc3"},     // mov ecx, [rsp + i8]
    {CONTINUES, "\x8b\x8c\x24" I32},     // mov ecx, [rsp + i32]
    {CONTINUES, "\x8b\x4c\x25\xc3"},     // mov ecx, [rbp + i8], with SIB
    {CONTINUES, "\x8b\x0c\x25" I32},     // mov ecx, [i32]
    {USES, "\x8b\x0c\x05" I32},          // mov ecx, [rax + i32], as an index
    {USES, "\x8b\x0c\x03"},              // mov ecx, [rbx + rax]
    {USES, "\x8b\x0c\x18"},              // mov ecx, [rax + rbx]
    {CONTINUES, "\x41\x8b\x08"},         // mov ecx, [r8]
    {CONTINUES, "\x42\x8b\x0c\x03"},     // mov ecx, [rbx + r8]
    {CONTINUES, "\x43\x8b\x0c\x18"},     // mov ecx, [r8 + r11]
    {CONTINUES, "\x4a\x8b\x0c\x23"},     // mov rcx, [rbx + r12]
    {USES, "\x4a\x8b\x0c\x20"},          // mov rcx, [rax + r12]
    {CONTINUES, "\x44\x8b\xc1"},         // mov r8d, ecx
    {USES, "\x44\x8b\xc0"},              // mov r8d, eax
    {DISCARDS, "\x41\x8b\xc0"},          // mov eax, r8d
    {DISCARDS, "\x48\x63\xc1"},          // movslq rax, ecx
    {CONTINUES, "\x48\x63\xd1"},         // movslq rdx, ecx
    {USES, "\x48\x63\xc8"},              // movslq rcx, eax
    {USES, "\x89\xc1"},                  // mov ecx, eax
    {DISCARDS, "\x89\xc8"},              // mov eax, ecx
    {CONTINUES, "\x89\xca"},             // mov edx, ecx
    {CONTINUES, "\x89\x0b"},             // mov [rbx], ecx
    {USES, "\x89\x03"},                  // mov [rbx], eax
    {USES, "\x89\x08"},                  // mov [rax], ecx
    {DISCARDS, "\x8d\x43\xc3"},          // lea eax, [rbx + i8]
    {CONTINUES, "\x8d\x4b\xc3"},         // lea ecx, [rbx + i8]
    {USES, "\x8d\x48\xc3"},              // lea ecx, [rax + i8]
    {USES, "\x8d\x0c\x03"},              // lea ecx, [rbx + rax]
    {DISCARDS, "\xc7\xc0" I32},          // mov eax, i32
    {CONTINUES, "\xc7\xc1" I32},         // mov ecx, i32
    {CONTINUES, "\xc7\x03" I32},         // mov [rbx], i32
    {CONTINUES, "\xc7\x43\xc3" I32},     // mov [rbx + i8], i32
    {USES, "\xc7\x40\xc3" I32},          // mov [rax + i8], i32
    {USES, "\xb7\xc3"},                  // mov bh, i8
    {DISCARDS, "\xb8" I32},              // mov eax, i32
    {CONTINUES, "\xb9" I32},             // mov ecx, i32
    {CONTINUES, "\xbf" I32},             // mov edi, i32
    {USES, "\xc0\xc3\xc3"},              // rol bl, i8
    {CONTINUES, "\x41\xb8" I32},         // mov r8d, i32
    {DISCARDS, "\x48\xb8" I32 I32},      // mov rax, i64
    {CONTINUES, "\x48\xb9" I32 I32},     // mov rcx, i64
    {CONTINUES, "\x64\x8b\x0b"},         // mov ecx, fs:[rbx]
    {DISCARDS, "\x64\x8b\x04\x25" I32},  // mov eax, fs:[i32]
    {CONTINUES, "\xc9"},                 // leave
    {CONTINUES, "\x5a"},                 // pop rdx
    {DISCARDS, "\x58"},                  // pop rax
    {CONTINUES, "\x41\x58"},             // pop r8
    {CONTINUES, "\x48\x83\xc4\xc3"},     // add rsp, i8
    {CONTINUES, "\x48\x81\xc4" I32},     // add rsp, i32
    {USES, "\x48\x83\xc0\xc3"},          // add rax, i8
    {USES, "\x48\x83\xec\xc3"},          // sub rsp, i8
    {CONTINUES, "\xeb\x02\xc3\xc3"},     // jmp, over two
    {DISCARDS, "\xff\xd1"},              // call rcx
    {USES, "\xff\xd0"},                  // call rax
    {DISCARDS, "\x41\xff\xd0"},          // call r8
    {DISCARDS, "\xff\x13"},              // call [rbx]
    {USES, "\xff\x10"},                  // call [rax]
    {DISCARDS, "\x42\xff\x14\x03"},      // call [rbx + r8]
    {USES, "\xff\xe1"},                  // jmp rcx
    {USES, "\xff\xc1"},                  // inc ecx
    {CONTINUES, "\x0f\x10\x03"},         // movups xmm0, [rbx]
    {CONTINUES, "\x0f\x11\x43\xc3"},     // movups [rbx + i8], xmm0
    {CONTINUES, "\x0f\x28\xc1"},         // movaps xmm0, xmm1
    {CONTINUES, "\x0f\x29\x8b" I32},     // movaps [rbx + i32], xmm1
    {CONTINUES, "\x66\x0f\xef\xc0"},     // pxor xmm0, xmm0
    {CONTINUES, "\x44\x0f\x11\x03"},     // movups [rbx], xmm8
    {USES, "\x0f\x10\x40\xc3"},          // movups xmm0, [rax + i8]
    {USES, "\x0f\x11\x40\xc3"},          // movups [rax + i8], xmm0
    {USES, "\x0f\x28\x40\xc3"},          // movaps xmm0, [rax + i8]
    {USES, "\x0f\x29\x40\xc3"},          // movaps [rax + i8], xmm0
    {USES, "\x66\x0f\xef\x40\xc3"},      // pxor xmm0, [rax + i8]
    {CONTINUES, "\x0f\x1f\x40\xc3"},     // nop [rax + i8]
    {CONTINUES, "\x0f\x1f\x44\x03\xc3"}, // nop [rbx + rax + i8]
    {USES, "\x0f\x12\x03"},              // movlps xmm0, [rbx]
    {USES, "\x66\x0f\x10\x03"},          // movupd xmm0, [rbx]
    {USES, "\x66\x90"},                  // xchg ax, ax
    {USES, "\xc3"}, // ret, to a caller that is not on the stack
};

/* The verdict on code with these bytes behind it, and returns from there on. */
static int discards(const char *code, const char *rest)
{
    char all[64];
    memset(all, 0xc3, sizeof all);
    memcpy(all, code, strlen(code));
    memcpy(all + strlen(code), rest, strlen(rest));
    return discard_is_certain(all);
}

START_TEST(an_instruction_uses_or_discards_a_result_or_neither)
{
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        const char *const code = behind[i].code;
        const char v = behind[i].verdict;
        ck_assert_msg(discards(code, "\xe8") == (v != USES) &&
                          discards(code, "") == (v == DISCARDS),
                      "%zu: not %c", i, v);
    }
}
END_TEST

START_TEST(jumps_are_followed_and_so_much_code_only)
{
    char nops[64];
    for (int n = 22; n <= 24; n++) {
        memset(nops, 0x90, (size_t)n);
        nops[n] = 0;
        ck_assert_int_eq(discards(nops, "\xe8"), n < 24);
    }
    static const char far[] = "\xe9\x03\0\0\0\xc3\xc3\xc3\xe8\xc3\xc3\xc3\xc3";
    static const char back[] = "\xe8\xc3\xc3\xc3\xeb\xfa\xc3\xc3\xc3\xc3";
    static const char far_back[] = "\xe8\xc3\xc3\xc3\xe9\xf7\xff\xff\xff\xc3";
    ck_assert(discard_is_certain(far));
    ck_assert(discard_is_certain(back + 4));
    ck_assert(discard_is_certain(far_back + 4));
    ck_assert(!discard_is_certain(NULL));
}
END_TEST

/* ---- divisions by zero --------------------------------------------------- */

static const uint64_t A = 0x1111222233334444, D = 0x5555666677778888;

static greg_t *registers(ucontext_t *u, const void *code)
{
    greg_t *const reg = u->uc_mcontext.gregs;
    for (int i = 0; i < NGREG; i++)
        reg[i] = 0x0101010101010101;
    reg[REG_RAX] = (greg_t)A;
    reg[REG_RDX] = (greg_t)D;
    reg[REG_RIP] = (greg_t)(uintptr_t)code;
    return reg;
}

/* By rcx, which is 0 as far as its bytes are used, or else -1. */
static const struct {
    const char *code;
    uint64_t rcx, quotient, remainder;
} divisions[] = {
    {"\xf7\xf1", 0xffffffff00000000, 0xffffffff, 0x33334444},
    {"\xf7\xf9", 0, 0xffffffff, 0x33334444},
    {"\xf7\xf9", 0xffffffff, 0x33334444, 0},
    {"\x66\xf7\xf9", 0xffffffffffff0000, 0x111122223333ffff,
     0x5555666677774444},
    {"\x66\xf7\xf9", 0xffff, A, 0x5555666677770000},
    {"\x66\x66\xf7\xf1", 0, 0x111122223333ffff, 0x5555666677774444},
    {"\x48\xf7\xf1", 0, UINT64_MAX, A},
    {"\x48\xf7\xf9", UINT64_MAX, A, 0},
    {"\x48\xf7\xf9", 0xffffffff00000000, A, 0},
    {"\x66\x48\xf7\xf1", 0, UINT64_MAX, A},
};

START_TEST(a_division_by_zero_yields_what_a_gpu_does)
{
    ucontext_t u;
    for (size_t i = 0; i < sizeof divisions / sizeof *divisions; i++) {
        greg_t *const reg = registers(&u, divisions[i].code);
        reg[REG_RCX] = (greg_t)divisions[i].rcx;
        ck_assert_int_eq(divide_as_gpu(SIGFPE, &u), 1);
        ck_assert_uint_eq(reg[REG_RAX], divisions[i].quotient);
        ck_assert_uint_eq(reg[REG_RDX], divisions[i].remainder);
        ck_assert_uint_eq(reg[REG_RIP], (uintptr_t)divisions[i].code +
                                            strlen(divisions[i].code));
    }
}
END_TEST

START_TEST(other_instructions_and_signals_are_left_alone)
{
    static const char *const others[] = {"\xf7\xe1", "\xf7\xe9", "\xf7\xd9",
                                         "\xf7\xd1", "\xf6\xf1", "\x8b\xc1"};
    ucontext_t u, before;
    memset(&u, 0, sizeof u);
    for (int i = 0; i < 6; i++) {
        registers(&u, others[i]);
        before = u;
        ck_assert_int_eq(divide_as_gpu(SIGFPE, &u), 0);
        ck_assert(memcmp(&u, &before, sizeof u) == 0);
    }
    registers(&u, "\xf7\xf1");
    ck_assert_int_eq(divide_as_gpu(SIGSEGV, &u), 0);
    ck_assert_int_eq(divide_as_host(SIGFPE, &u), 0);
}
END_TEST

/* In the order of the instructions' numbers. */
static const int numbered[] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

START_TEST(each_register_can_be_the_divisor)
{
    ucontext_t u;
    for (int r = 0; r < 16; r++) {
        const char code[] = {r < 8 ? 0x40 : 0x41, (char)0xf7,
                             (char)(0xf0 | r % 8), 0};
        greg_t *const reg = registers(&u, code);
        reg[numbered[r]] = 0;
        ck_assert_int_eq(divide_as_gpu(SIGFPE, &u), 1);
        ck_assert_msg(reg[REG_RAX] == 0xffffffff, "register %d", r);
    }
}
END_TEST

/* Words in memory: at base + (index << shift) + displacement. */
static const struct {
    const char *code;
    size_t length;
    int base, index, shift; /* numbers of registers; -1: none */
    int64_t displacement;
} in_memory[] = {
    {"\xf7\x33", 2, 3, -1, 0, 0},
    {"\xf7\x73\x10", 3, 3, -1, 0, 16},
    {"\xf7\x73\xf0", 3, 3, -1, 0, -16},
    {"\xf7\xb3\x00\x01\x00\x00", 6, 3, -1, 0, 256},
    {"\xf7\xb3\x00\xff\xff\xff", 6, 3, -1, 0, -256},
    {"\x41\xf7\x32", 3, 10, -1, 0, 0},
    {"\xf7\x75\x08", 3, 5, -1, 0, 8},
    {"\x41\xf7\x75\x08", 4, 13, -1, 0, 8},
    {"\xf7\x34\x24", 3, 4, -1, 0, 0},
    {"\xf7\x34\x8b", 3, 3, 1, 2, 0},
    {"\xf7\x74\x8b\x10", 4, 3, 1, 2, 16},
    {"\xf7\xb4\xcb\x00\x01\x00\x00", 7, 3, 1, 3, 256},
    {"\x43\xf7\x34\x4c", 4, 12, 9, 1, 0},
    {"\x42\xf7\x34\x63", 4, 3, 12, 1, 0},
    {"\xf7\x34\x0d\x10\x00\x00\x00", 7, -1, 1, 0, 16},
    {"\xf7\x35\x10\x00\x00\x00", 6, -1, -1, 0, 16}, // from its end
};

START_TEST(the_divisor_may_be_in_memory)
{
    static struct {
        char code[64];
        uint32_t word[16];
    } at;
    ucontext_t u;
    for (size_t i = 0; i < sizeof in_memory / sizeof *in_memory; i++) {
        const int is_relative = in_memory[i].base < 0 && in_memory[i].index < 0;
        memset(&at, 1, sizeof at);
        char *const code =
            is_relative ? at.code + 64 - 16 - in_memory[i].length : at.code;
        memcpy(code, in_memory[i].code, in_memory[i].length);
        uint32_t *const word = is_relative ? at.word : &at.word[8];
        *word = 0;
        greg_t *const reg = registers(&u, code);
        int64_t left = (int64_t)(uintptr_t)word - in_memory[i].displacement;
        if (in_memory[i].base >= 0) {
            const int64_t k = in_memory[i].index >= 0 ? 5 : 0;
            if (k)
                reg[numbered[in_memory[i].index]] = k;
            reg[numbered[in_memory[i].base]] = left - (k << in_memory[i].shift);
        } else if (in_memory[i].index >= 0) {
            reg[numbered[in_memory[i].index]] = left;
        }
        ck_assert_int_eq(divide_as_gpu(SIGFPE, &u), 1);
        ck_assert_msg(reg[REG_RAX] == 0xffffffff, "%zu: another word", i);
        ck_assert_uint_eq(reg[REG_RIP], (uintptr_t)code + in_memory[i].length);
    }
}
END_TEST

#endif

int main(void)
{
    Suite *const suite = suite_create("decode");
    TCase *const t = tcase_create("decode");
#if defined(__x86_64__)
    tcase_add_test(t, an_instruction_uses_or_discards_a_result_or_neither);
    tcase_add_test(t, jumps_are_followed_and_so_much_code_only);
    tcase_add_test(t, a_division_by_zero_yields_what_a_gpu_does);
    tcase_add_test(t, other_instructions_and_signals_are_left_alone);
    tcase_add_test(t, each_register_can_be_the_divisor);
    tcase_add_test(t, the_divisor_may_be_in_memory);
#endif
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
