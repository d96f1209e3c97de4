#include "grader/base/decompose.h"

#include <stdint.h>
#include <stdlib.h> /* malloc */
#include <string.h> /* strlen */

/*
 * Letters of the Latin, Greek and Cyrillic alphabets with a mark, as Unicode
 * decomposes them: for each combining mark, pairs of the letter without the
 * mark and with it. Letters with two marks take two steps.
 */
static const struct {
    uint32_t mark;
    const char *pairs;
} marks[] = {
    {0x300, "AÀEÈIÌOÒUÙaàeèiìoòuùÜǛüǜNǸnǹЕЀИЍеѐиѝĒḔēḕŌṐōṑWẀwẁÂẦâầĂẰăằÊỀêề"
            "ÔỒôồƠỜơờƯỪưừYỲyỳ"},
    {0x301, "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzźÜǗüǘGǴgǵÅǺåǻ"
            "ÆǼæǽØǾøǿ¨΅ΑΆΕΈΗΉΙΊΟΌΥΎΩΏϊΐαάεέηήιίϋΰοόυύωώϒϓГЃКЌгѓкќÇḈçḉĒḖēḗ"
            "ÏḮïḯKḰkḱMḾmḿÕṌõṍŌṒōṓPṔpṕŨṸũṹWẂwẃÂẤâấĂẮăắÊẾêếÔỐôốƠỚơớƯỨưứ"},
    {0x302, "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷZẐzẑẠẬạậẸỆẹệ"
            "ỌỘọộ"},
    {0x303, "AÃNÑOÕaãnñoõIĨiĩUŨuũVṼvṽÂẪâẫĂẴăẵEẼeẽÊỄêễÔỖôỗƠỠơỡƯỮưữYỸyỹ"},
    {0x304, "AĀaāEĒeēIĪiīOŌoōUŪuūÜǕüǖÄǞäǟȦǠȧǡÆǢæǣǪǬǫǭÖȪöȫÕȬõȭȮȰȯȱYȲyȳИӢиӣ"
            "УӮуӯGḠgḡḶḸḷḹṚṜṛṝ"},
    {0x306, "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭУЎИЙийуўЖӁжӂАӐаӑЕӖеӗȨḜȩḝẠẶạặ"},
    {0x307, "CĊcċEĖeėGĠgġIİZŻzżAȦaȧOȮoȯBḂbḃDḊdḋFḞfḟHḢhḣMṀmṁNṄnṅPṖpṗRṘrṙSṠ"
            "sṡŚṤśṥŠṦšṧṢṨṣṩTṪtṫWẆwẇXẊxẋYẎyẏſẛ"},
    {0x308, "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸΙΪΥΫιϊυϋϒϔЕЁІЇеёіїАӒаӓӘӚәӛЖӜжӝЗӞзӟИӤ"
            "иӥОӦоӧӨӪөӫЭӬэӭУӰуӱЧӴчӵЫӸыӹHḦhḧÕṎõṏŪṺūṻWẄwẅXẌxẍtẗ"},
    {0x309, "AẢaảÂẨâẩĂẲăẳEẺeẻÊỂêểIỈiỉOỎoỏÔỔôổƠỞơởUỦuủƯỬưửYỶyỷ"},
    {0x30a, "AÅaåUŮuůwẘyẙ"},
    {0x30b, "OŐoőUŰuűУӲуӳ"},
    {0x30c, "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzžAǍaǎIǏiǐOǑoǒUǓuǔÜǙüǚGǦgǧ"
            "KǨkǩƷǮʒǯjǰHȞhȟ"},
    {0x30f, "AȀaȁEȄeȅIȈiȉOȌoȍRȐrȑUȔuȕѴѶѵѷ"},
    {0x311, "AȂaȃEȆeȇIȊiȋOȎoȏRȒrȓUȖuȗ"},
    {0x31b, "OƠoơUƯuư"},
    {0x323, "BḄbḅDḌdḍHḤhḥKḲkḳLḶlḷMṂmṃNṆnṇRṚrṛSṢsṣTṬtṭVṾvṿWẈwẉZẒzẓAẠaạEẸeẹ"
            "IỊiịOỌoọƠỢơợUỤuụƯỰưựYỴyỵ"},
    {0x324, "UṲuṳ"},
    {0x325, "AḀaḁ"},
    {0x326, "SȘsșTȚtț"},
    {0x327, "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţEȨeȩDḐdḑHḨhḩ"},
    {0x328, "AĄaąEĘeęIĮiįUŲuųOǪoǫ"},
    {0x32d, "DḒdḓEḘeḙLḼlḽNṊnṋTṰtṱUṶuṷ"},
    {0x32e, "HḪhḫ"},
    {0x330, "EḚeḛIḬiḭUṴuṵ"},
    {0x331, "BḆbḇDḎdḏKḴkḵLḺlḻNṈnṉRṞrṟTṮtṯZẔzẕhẖ"},
};

/* The code point at *p, which is advanced past it. A byte that isn't UTF-8
 * counts as a code point. */
static uint32_t next(const char **p)
{
    const unsigned char *const s = (const unsigned char *)*p;
    const int more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
    uint32_t c = more ? s[0] & (0x3fu >> more) : s[0];
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            ++*p;
            return s[0];
        }
        c = c << 6 | (s[i] & 0x3f);
    }
    *p += more + 1;
    return c;
}

static char *put(char *out, uint32_t c)
{
    const int more = c >= 0x10000 ? 3 : c >= 0x800 ? 2 : c >= 0x80 ? 1 : 0;
    *out++ = (char)(more ? (0xff00u >> (more + 1)) | c >> 6 * more : c);
    for (int i = more - 1; i >= 0; i--)
        *out++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    return out;
}

/* Split c into a letter and a mark. Returns 0 if it isn't composed. */
static int split(uint32_t c, uint32_t *letter, uint32_t *mark)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (const char *p = marks[i].pairs; *p;) {
            *letter = next(&p);
            *mark = marks[i].mark;
            if (next(&p) == c)
                return 1;
        }
    return 0;
}

/* Write a syllable of Hangul as its two or three letters, by
 * Unicode's numbering. */
static char *put_hangul(char *out, uint32_t syllable)
{
    enum { L = 0x1100, V = 0x1161, T = 0x11a7, NV = 21, NT = 28 };
    out = put(out, L + syllable / (NV * NT));
    out = put(out, V + syllable / NT % NV);
    return syllable % NT ? put(out, T + syllable % NT) : out;
}

static char *put_decomposed(char *out, uint32_t c)
{
    enum { SYLLABLES = 0xac00, NSYLLABLES = 11172 };
    uint32_t letter, mark;
    if (c >= SYLLABLES && c < SYLLABLES + NSYLLABLES)
        return put_hangul(out, c - SYLLABLES);
    if (c < 0x80 || !split(c, &letter, &mark))
        return put(out, c);
    return put(put_decomposed(out, letter), mark);
}

char *decompose(const char *text)
{
    enum { MOST = 9 }; // bytes of a code point's letters and marks
    char *const out = malloc(strlen(text) * MOST + 1);
    char *end = out;
    for (const char *p = text; *p;) {
        const char *const from = p;
        const uint32_t c = next(&p);
        if (p == from + 1)
            *end++ = *from;
        else
            end = put_decomposed(end, c);
    }
    *end = 0;
    return out;
}
