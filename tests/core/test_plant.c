/*
 * test_plant.c: the grammar of SIMGPU_FAULT (core/plant_text.h)
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "core/plant_text.h"
#include "suite.h"

static struct plant plants[PLANT_MAX];
static char err[512];

static int parse(const char *text)
{
    err[0] = 0;
    return plant_parse(text, plants, err, sizeof err);
}

START_TEST(every_key_is_read)
{
    ck_assert_int_eq(
        parse("kill:rank=2,op=40,signal=15; lost : rank = 1 , at = 1.5ms;"
              "flip:rank=3,op=12,bit=7,seed=9;stall:rank=1,span=a step,for=5us;"
              "slow:rank=1,factor=2.5,gpu=6;link:from=0,to=1,rate=0.1,at=2ms;"
              "link:nic=3,at=1s,for=20ns;"),
        7);
    ck_assert(plants[0].kind == GRAPH_KILL && plants[0].rank == 2 &&
              plants[0].op == 40 && plants[0].signal == 15);
    ck_assert(plants[1].kind == GRAPH_LOST && plants[1].has_at &&
              plants[1].at_ps == 1500000000 && plants[1].op == 0);
    ck_assert(plants[2].bit == 7 && plants[2].seed == 9);
    ck_assert_str_eq(plants[3].span, "a step");
    ck_assert_uint_eq(plants[3].for_ps, 5000000);
    ck_assert(plants[4].factor == 2.5 && plants[4].place == 6);
    ck_assert(plants[5].place == 0 && plants[5].peer == 1 &&
              plants[5].factor == 0.1 && plants[5].for_ps == 0);
    ck_assert(plants[6].place == 3 && plants[6].peer == HARM_NIC &&
              plants[6].factor == 0 && plants[6].for_ps == 20000);
    ck_assert_str_eq(plants[1].text, "lost : rank = 1 , at = 1.5ms");
    ck_assert_int_eq(parse(""), 0);
    ck_assert_int_eq(parse(" ; "), -1);
}
END_TEST

START_TEST(defaults_are_those_of_the_grammar)
{
    ck_assert_int_eq(parse("kill:rank=0,op=1;flip:rank=0,op=1;"
                           "slow:rank=0,factor=1"),
                     3);
    ck_assert_int_eq(plants[0].signal, 9);
    ck_assert(plants[1].bit == -1 && plants[1].seed == 1);
    ck_assert(plants[2].place == HARM_RANK && !plants[2].has_at);
}
END_TEST

static const struct {
    const char *text, *says;
} mistakes[] = {
    {"kil:rank=1", "character 1: expected a fault, one of kill, lost, flip, "
                   "stall, slow, link; found 'kil': did you mean kill?"},
    {"kill:rank=1,op=1; :", "character 19: expected a fault, one of kill, "
                            "lost, flip, stall, slow, link; found ''"},
    {"kill rank=1", "character 6: expected ':' after kill"},
    {"kill:rank=1,fro=2", "character 13: expected a key of kill, one of rank, "
                          "op, at, span, signal; found 'fro'"},
    {"link:form=1", "character 6: expected a key of link, one of at, for, "
                    "from, to, nic, rate; found 'form': did you mean for?"},
    {"kill:rank=1,rank=2", "character 13: rank= was given before"},
    {"kill:rank", "character 10: expected '=' after rank"},
    {"kill:op=1", "character 1: kill needs rank="},
    {"kill:rank=1", "character 1: kill needs one of op=, at= and span="},
    {"kill:rank=1,op=1,at=1s",
     "character 1: kill needs one of op=, at= and span="},
    {"kill:rank=1.5,op=1",
     "character 11: expected a whole number from 0 to 65535 for rank"},
    {"kill:rank=-1,op=1",
     "character 11: expected a whole number from 0 to 65535 for rank"},
    {"kill:rank=1,op=0", "character 16: expected a whole number from 1 to "
                         "1000000000000000 for op"},
    {"kill:rank=1,op=1,signal=64",
     "character 25: expected a whole number from 1 to 31 for signal"},
    {"stall:rank=1,op=2,for=5",
     "character 23: expected a time such as 2ms for for (ps, ns, us, ms, s)"},
    {"lost:rank=1,at=-1ms",
     "character 16: expected a time such as 2ms for at (ps, ns, us, ms, s)"},
    {"slow:rank=1,factor=0.5",
     "character 20: expected a number from 1 to 1000 for factor"},
    {"slow:rank=1,factor=2,for=1ms",
     "character 1: slow has for= only with at="},
    {"link:from=1,rate=.5", "character 1: link needs from= and to=, or nic="},
    {"link:from=1,to=2,nic=1,rate=.5",
     "character 1: link needs from= and to=, or nic="},
    {"link:from=1,to=2",
     "character 1: a link that is down (rate 0) needs for="},
    {"link:nic=1,rate=2", "character 17: expected a number from 0 to 1 for "
                          "rate"},
    {"kill:rank=1,span=", "character 18: expected the name of an NVTX range, "
                          "of at most 63 characters"},
    {"kill:rank=1,op=1 lost", "character 18: expected ',', ';' or the end"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

START_TEST(a_mistake_is_located_and_the_nearest_name_is_told)
{
    ck_assert_int_eq(parse(mistakes[_i].text), -1);
    ck_assert_str_eq(err, mistakes[_i].says);
}
END_TEST

START_TEST(there_is_a_limit)
{
    char text[64 * (PLANT_MAX + 1)] = "";
    for (int i = 0; i < PLANT_MAX; i++)
        strcat(text, "kill:rank=1,op=1;");
    ck_assert_int_eq(parse(text), PLANT_MAX);
    strcat(text, "kill:rank=1,op=1");
    ck_assert_int_eq(parse(text), -1);
    ck_assert_str_eq(err, "character 545: more than 32 faults");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("plant");
    TCase *const t = tcase_create("plant");
    tcase_add_test(t, every_key_is_read);
    tcase_add_test(t, defaults_are_those_of_the_grammar);
    tcase_add_loop_test(t, a_mistake_is_located_and_the_nearest_name_is_told, 0,
                        MISTAKES);
    tcase_add_test(t, there_is_a_limit);
    suite_add_tcase(s, t);
    return suite_run(s);
}
