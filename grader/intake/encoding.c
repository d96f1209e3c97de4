#include "grader/intake/encoding.h"

#include <stdint.h> /* uint32_t */
#include <stdlib.h> /* malloc */
#include <string.h> /* memchr */

enum order { NOT_UTF16, LITTLE, BIG };

/* The order of bytes in a text in UTF-16: by its mark, or by the zero byte of
 * its first character if that is ASCII. */
static enum order order_of(const char *data, size_t nbytes)
{
    if (nbytes < 2)
        return NOT_UTF16;
    if (memcmp(data, "\xFF\xFE", 2) == 0 || (data[0] && !data[1]))
        return LITTLE;
    if (memcmp(data, "\xFE\xFF", 2) == 0 || (!data[0] && data[1]))
        return BIG;
    return NOT_UTF16;
}

const char *encoding_fault(const char *data, size_t nbytes)
{
    if (!memchr(data, 0, nbytes))
        return NULL;
    return order_of(data, nbytes) != NOT_UTF16
               ? "in UTF-16 (save it as UTF-8)"
               : "not a text, since it has a zero byte (save it as plain "
                 "text, in UTF-8)";
}

static uint32_t unit(const char *data, enum order order)
{
    const unsigned char *const p = (const unsigned char *)data;
    return order == LITTLE ? p[0] | (uint32_t)p[1] << 8
                           : p[1] | (uint32_t)p[0] << 8;
}

/* Write a character. Returns the number of its bytes. */
static size_t put(uint32_t c, char *out)
{
    const int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (int i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(first[n] | c);
    return (size_t)n;
}

char *encoding_to_utf8(const char *data, size_t nbytes, size_t *size)
{
    const enum order order = order_of(data, nbytes);
    if (order == NOT_UTF16)
        return NULL;
    char *const out = malloc(nbytes / 2 * 3 + 1); // 3 bytes a unit at most
    if (!out)
        abort();
    *size = 0;
    for (size_t i = 0; i + 1 < nbytes; i += 2) {
        uint32_t c = unit(data + i, order);
        const uint32_t next = i + 3 < nbytes ? unit(data + i + 2, order) : 0;
        if (c == 0xFEFF && i == 0)
            continue;
        if (c >= 0xD800 && c < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00);
            i += 2;
        } else if (c >= 0xD800 && c < 0xE000) {
            c = 0xFFFD;
        }
        *size += put(c, out + *size);
    }
    return out;
}
