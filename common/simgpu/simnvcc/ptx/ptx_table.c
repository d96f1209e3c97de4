#include "simnvcc/ptx/ptx_table.h"

#include <stddef.h> /* NULL */
#include <string.h> /* strcmp */

/* ---- types and special registers ----------------------------------------- */

static const struct {
    const char *word, *type;
} types[] = {
    {"u8", "uint8_t"},   {"s8", "int8_t"},   {"b8", "uint8_t"},
    {"u16", "uint16_t"}, {"s16", "int16_t"}, {"b16", "uint16_t"},
    {"u32", "uint32_t"}, {"s32", "int32_t"}, {"b32", "uint32_t"},
    {"u64", "uint64_t"}, {"s64", "int64_t"}, {"b64", "uint64_t"},
    {"f32", "float"},    {"f64", "double"},  {"pred", "bool"},
};

const char *ptx_type(const char *word)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(word, types[i].word))
            return types[i].type;
    return NULL;
}

int ptx_is_special(const char *name)
{
    static const char *const names[] = {
        "laneid",      "warpid",      "nwarpid",        "smid",
        "nsmid",       "gridid",      "clock",          "clock_hi",
        "clock64",     "globaltimer", "globaltimer_lo", "globaltimer_hi",
        "lanemask_eq", "lanemask_lt", "lanemask_le",    "lanemask_gt",
        "lanemask_ge", "tid.x",       "tid.y",          "tid.z",
        "ntid.x",      "ntid.y",      "ntid.z",         "ctaid.x",
        "ctaid.y",     "ctaid.z",     "nctaid.x",       "nctaid.y",
        "nctaid.z"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return 0;
}

/* ---- instructions -------------------------------------------------------- */

#define FLOATS " rn ftz approx full "
#define SPACES " global shared::cta local const param "
#define CACHES                                                                 \
    " ca cg cs lu cv wb wt nc L1::no_allocate L1::evict_first L1::evict_last " \
    "L1::evict_normal L2::64B L2::128B L2::256B "
#define OPERATIONS " add inc dec min max and or xor exch cas "
#define ORDERS     " relaxed acquire release acq_rel "
#define COMPARISONS                                                            \
    " eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan "
#define CHANNEL " sync aligned "

static const struct ptx_row rows[] = {
    // arithmetic
    {"add", "dTT", "sat cc", FLOATS},
    {"addc", "dTT", "cc", ""},
    {"sub", "dTT", "sat cc", FLOATS},
    {"subc", "dTT", "cc", ""},
    {"mul", "dTT", "hi wide sat", FLOATS "lo"},
    {"mul24", "dTT", "hi", "lo"},
    {"mad", "dTTW", "hi wide", FLOATS "lo"},
    {"mad24", "dTTT", "hi", "lo"},
    {"fma", "dTTT", "sat", FLOATS},
    {"div", "dTT", "", FLOATS},
    {"rem", "dTT", "", ""},
    {"abs", "dT", "", "ftz"},
    {"neg", "dT", "", "ftz"},
    {"min", "dTT", "", "ftz"},
    {"max", "dTT", "", "ftz"},
    {"sad", "dTTT", "", ""},
    {"dp4a", "dTUu", "", ""},
    {"rcp", "dT", "", FLOATS},
    {"sqrt", "dT", "", FLOATS},
    {"rsqrt", "dT", "", FLOATS},
    {"sin", "dT", "", FLOATS},
    {"cos", "dT", "", FLOATS},
    {"tanh", "dT", "", FLOATS},
    {"ex2", "dT", "", FLOATS},
    {"lg2", "dT", "", FLOATS},
    {"copysign", "dTT", "", ""},
    // bits
    {"and", "dTT", "", ""},
    {"or", "dTT", "", ""},
    {"xor", "dTT", "", ""},
    {"not", "dT", "", ""},
    {"shl", "dTu", "", ""},
    {"shr", "dTu", "", ""},
    {"shf", "duuu", "l r clamp", "wrap"},
    {"bfe", "dTuu", "", ""},
    {"bfi", "dTTuu", "", ""},
    {"bmsk", "duu", "clamp", "wrap"},
    {"bfind", "dT", "shiftamt", ""},
    {"brev", "dT", "", ""},
    {"clz", "dT", "", ""},
    {"popc", "dT", "", ""},
    {"prmt", "duuu?u", "f4e b4e rc8 ecl ecr rc16", ""},
    {"lop3", "duuuu", "", ""},
    // comparison, selection, conversion
    {"setp", "d|TT", COMPARISONS, "ftz"},
    {"set", "dUU", COMPARISONS, "ftz"},
    {"selp", "dTTp", "", ""},
    {"slct", "dTTU", "", "ftz"},
    {"mov", "vV", "", ""},
    {"cvt", "dU", "rni rzi rmi rpi sat", "rn ftz"},
    {"cvta", "dT", "", "to shared" SPACES},
    {"isspacep.global", "dl", "", ""},
    {"isspacep.shared", "dl", "", ""},
    // memory
    {"ld", "vP", ORDERS "volatile shared",
     "weak cta cluster gpu sys" SPACES CACHES},
    {"ldu", "vP", "", SPACES},
    {"st", "PV", ORDERS "volatile shared",
     "weak cta cluster gpu sys" SPACES CACHES},
    {"atom", "dPT?T", OPERATIONS ORDERS "sys shared", "cta cluster gpu" SPACES},
    {"red", "PT", OPERATIONS ORDERS "sys shared", "cta cluster gpu" SPACES},
    {"fence", "", "cta sys", "sc acq_rel acquire release gpu cluster"},
    {"fence.proxy", "", "", "async alias" SPACES "shared"},
    {"fence.mbarrier_init", "", "", "release cluster"},
    {"membar", "", "cta sys", "gl"},
    {"prefetch", "A", "shared", "L1 L2" SPACES},
    {"prefetchu", "A", "", "L1"},
    {"cp.async", "SAu?u", "", "shared ca cg L2::64B L2::128B L2::256B" SPACES},
    {"cp.async.commit_group", "", "", ""},
    {"cp.async.wait_group", "u", "", ""},
    {"cp.async.wait_all", "", "", ""},
    {"cp.async.mbarrier.arrive", "B", "noinc", "shared" SPACES},
    // synchronisation
    {"bar", "u?u", "warp", CHANNEL "cta"},
    {"barrier", "u?u", "", CHANNEL "cta"},
    {"barrier.cluster.arrive", "", "", "release relaxed aligned"},
    {"barrier.cluster.wait", "", "", "acquire aligned"},
    {"mbarrier.init", "Bu", "", "shared" SPACES},
    {"mbarrier.inval", "B", "", "shared" SPACES},
    {"mbarrier.arrive", "dB?u", "", "shared release cta" SPACES},
    {"mbarrier.arrive.noComplete", "dBu", "", "shared release cta" SPACES},
    {"mbarrier.arrive_drop", "dB?u", "", "shared release cta" SPACES},
    {"mbarrier.pending_count", "dl", "", ""},
    {"mbarrier.test_wait", "dBl", "parity", "shared acquire cta" SPACES},
    {"mbarrier.try_wait", "dBl?u", "parity", "shared acquire cta" SPACES},
    {"shfl", "d|uuuu", "up down bfly idx", CHANNEL},
    {"vote", "dp?u", "all any ballot uni", CHANNEL},
    {"match", "d|Tu", "any all", CHANNEL},
    {"redux", "dTu", "add min max and or xor", CHANNEL},
    {"activemask", "d", "", ""},
    {"nanosleep", "u", "", ""},
    {"exit", "", "", ""},
    {"trap", "", "", ""},
    {"brkpt", "", "", ""},
    {"griddepcontrol", "", "", "wait launch_dependents"},
};

static int in_list(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)) != NULL; p += n)
        if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return 1;
    return 0;
}

int ptx_is_tag(const struct ptx_row *row, const char *part)
{
    return in_list(row->tags, part);
}

/* Find the parts of the row's name in the opcode, and mark them in `named`.
 * Returns 0 if one is missing. */
static int match_name(const struct ptx_row *row, const struct ptx_line *l,
                      int named[PTX_MODIFIERS])
{
    int n = 0;
    memset(named, 0, PTX_MODIFIERS * sizeof *named);
    for (const char *p = row->name; *p; p += *p == '.') {
        const size_t length = strcspn(p, ".");
        int i = n;
        while (i < l->nparts && (strlen(l->part[i]) != length ||
                                 memcmp(l->part[i], p, length) != 0))
            i++;
        if (i == l->nparts || (n == 0 && i != 0))
            return 0;
        named[i] = 1;
        n++;
        p += length;
    }
    return n;
}

static int covers(const struct ptx_row *row, const struct ptx_line *l,
                  const int named[PTX_MODIFIERS])
{
    for (int i = 1; i < l->nparts; i++) {
        const char *const part = l->part[i];
        const int lanes = !strcmp(part, "v2") || !strcmp(part, "v4");
        if (!named[i] && !ptx_type(part) && !in_list(row->tags, part) &&
            !in_list(row->more, part) &&
            !(lanes && strpbrk(row->operands, "vV")))
            return 0;
    }
    return 1;
}

const struct ptx_row *ptx_find(const struct ptx_line *l)
{
    const struct ptx_row *best = NULL;
    int most = 0, named[PTX_MODIFIERS];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int n = match_name(&rows[i], l, named);
        if (n > most) {
            best = &rows[i];
            most = n;
        }
    }
    return best && match_name(best, l, named) && covers(best, l, named) ? best
                                                                        : NULL;
}
