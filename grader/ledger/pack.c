#include "grader/ledger/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <sodium.h> /* sodium_bin2base64 */
#include <stdlib.h> /* malloc */
#include <string.h> /* strncmp */

static const char mark[] = "xz:";
enum {
    MARK = sizeof mark - 1,
    MOST = 64 << 20, /* bytes of a picture */
    KEPT = 512,      /* shorter texts stay as they are */
    BASE64 = sodium_base64_VARIANT_ORIGINAL,
};

static void *room_for(size_t nbytes)
{
    void *const p = malloc(nbytes);
    if (!p)
        abort();
    return p;
}

/* Compress into `out`, of `room` bytes. Returns the length; 0 if it doesn't
 * fit. */
static size_t compress(const char *text, size_t nbytes, void *out, size_t room)
{
    size_t used = 0;
    struct archive *const a = archive_write_new();
    struct archive_entry *const e = archive_entry_new();
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_pathname(e, "picture");
    archive_write_set_format_raw(a);
    archive_write_add_filter_xz(a);
    archive_write_set_bytes_in_last_block(a, 1); // no padding
    const int failed =
        archive_write_open_memory(a, out, room, &used) != ARCHIVE_OK ||
        archive_write_header(a, e) != ARCHIVE_OK ||
        archive_write_data(a, text, nbytes) != (la_ssize_t)nbytes ||
        archive_write_close(a) != ARCHIVE_OK;
    archive_entry_free(e);
    archive_write_free(a);
    return failed ? 0 : used;
}

static char *pack(const char *text)
{
    const size_t nbytes = strlen(text), room = nbytes / 2;
    unsigned char *const bytes = room_for(room + 1);
    const size_t n = compress(text, nbytes, bytes, room);
    char *packed = NULL;
    if (n) {
        const size_t length = sodium_base64_ENCODED_LEN(n, BASE64);
        packed = room_for(MARK + length);
        memcpy(packed, mark, MARK);
        sodium_bin2base64(packed + MARK, length, bytes, n, BASE64);
    }
    free(bytes);
    return packed;
}

void pack_pictures(json_t *result)
{
    static const char *const pictures[] = {"timeline", "view"};
    for (int i = 0; i < 2; i++) {
        const char *const text =
            json_string_value(json_object_get(result, pictures[i]));
        if (!text || strncmp(text, mark, MARK) == 0 || strlen(text) < KEPT)
            continue;
        char *const packed = pack(text);
        if (packed)
            json_object_set_new(result, pictures[i], json_string(packed));
        free(packed);
    }
}

/* Read what is compressed. Returns its length, or -1. */
static la_ssize_t expand(const void *bytes, size_t nbytes, char *out)
{
    struct archive *const a = archive_read_new();
    struct archive_entry *e;
    archive_read_support_format_raw(a);
    archive_read_support_filter_xz(a);
    la_ssize_t n = -1;
    if (archive_read_open_memory(a, bytes, nbytes) == ARCHIVE_OK &&
        archive_read_next_header(a, &e) == ARCHIVE_OK)
        n = archive_read_data(a, out, MOST);
    archive_read_free(a);
    return n;
}

char *pack_text(const char *picture)
{
    if (strncmp(picture, mark, MARK) != 0)
        return strcpy(room_for(strlen(picture) + 1), picture);
    const size_t length = strlen(picture + MARK);
    unsigned char *const bytes = room_for(length + 1);
    char *const text = room_for(MOST + 1);
    size_t n = 0;
    la_ssize_t nread = -1;
    if (sodium_base642bin(bytes, length + 1, picture + MARK, length, NULL, &n,
                          NULL, BASE64) == 0)
        nread = expand(bytes, n, text);
    free(bytes);
    text[nread > 0 ? nread : 0] = 0;
    char *const exact = realloc(text, strlen(text) + 1);
    return exact ? exact : text;
}
