#include "judge/plan_numbers.h"

#include <ctype.h>  /* isalpha */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "judge/formula.h"
#include "judge/plan.h"

#define NAME_BYTES                                                             \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static void take_choice(struct loader *l, yaml_node_t *n, int i, void *arg)
{
    struct number *const of = arg;
    const char *const choice = loader_text(l, n, of->name);
    for (int k = 0; k < i; k++)
        if (strcmp(of->choice[k], choice) == 0 &&
            strcmp(of->group, of->name) == 0)
            loader_fail(l, n, "%s has the choice %s twice", of->name, choice);
    of->choice[of->nchoices++] = strdup(choice);
}

/* Read a list of choices, of a number in a group or on its own. */
static void take_choices(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                         const char *group)
{
    struct numbers *const all = &l->plan->numbers;
    const char *const name = loader_text(l, key, "a number's name");
    const size_t length = strlen(name);
    if (!isalpha((unsigned char)*name) || length >= FORMULA_NAME ||
        strspn(name, NAME_BYTES) != length)
        return loader_fail(l, key,
                           "a number's name is letters, digits and _, not "
                           "\"%s\"",
                           name);
    if (all->n == NUMBERS_MAX || numbers_find(all, name))
        return loader_fail(l, key, "the number %s is %s", name,
                           all->n == NUMBERS_MAX ? "one too many"
                                                 : "listed twice");
    struct number *const of = &all->of[all->n++];
    of->name = strdup(name);
    of->group = strdup(group ? group : name);
    if (loader_list(l, value, NUMBERS_CHOICES, name, take_choice, of) < 2)
        loader_fail(l, value, "%s needs at least 2 choices", name);
}

static void take_together(struct loader *l, yaml_node_t *key,
                          yaml_node_t *value, void *arg)
{
    const struct numbers *const all = &l->plan->numbers;
    const char *const group = arg;
    const int before = all->n;
    take_choices(l, key, value, group);
    if (!l->failed && before > 0 &&
        strcmp(all->of[before - 1].group, group) == 0 &&
        all->of[before - 1].nchoices != all->of[before].nchoices)
        loader_fail(l, value,
                    "%s are drawn together, so all of them have as many "
                    "choices",
                    group);
}

void plan_numbers_take(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                       void *arg)
{
    (void)arg;
    if (l->hidden)
        loader_fail(l, key, "numbers belong into the visible plan");
    else if (value->type == YAML_MAPPING_NODE)
        loader_mapping(l, value, "numbers", take_together,
                       (void *)loader_text(l, key, "a name"));
    else
        take_choices(l, key, value, NULL);
}

/* Read one formula, for one choice of the number that selects it. */
static void take_formula(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                         void *arg)
{
    const struct numbers *const all = &l->plan->numbers;
    struct answer *const a = arg;
    const char *const choice = loader_text(l, key, "a choice");
    for (int i = 0; i < all->n && !a->by; i++)
        if (strcmp(all->of[i].choice[0], choice) == 0)
            a->by = &all->of[i];
    if (!a->by || a->n == a->by->nchoices ||
        strcmp(a->by->choice[a->n], choice) != 0)
        return loader_fail(l, key, "\"%s\" is not the next choice of a number",
                           choice);
    a->formula[a->n++] = strdup(loader_text(l, value, "a formula"));
}

static struct answer *answer(struct loader *l, yaml_node_t *n)
{
    struct answer *const a = calloc(1, sizeof *a);
    char why[1024];
    if (!a)
        abort();
    if (n->type == YAML_MAPPING_NODE) {
        loader_mapping(l, n, "an answer", take_formula, a);
        if (!l->failed && (!a->by || a->n < a->by->nchoices))
            loader_fail(l, n, "an answer by choice needs all choices");
    } else {
        a->formula[a->n++] = strdup(loader_text(l, n, "an answer"));
    }
    if (!l->failed && answer_check(&l->plan->numbers, a, why, sizeof why) != 0)
        loader_fail(l, n, "%s", why);
    return a;
}

void plan_numbers_answer(struct loader *l, yaml_node_t *key, yaml_node_t *value,
                         void *arg)
{
    struct plan *const p = arg;
    const char *const question = loader_text(l, key, "a question");
    struct plan_case *c = NULL;
    if (!l->hidden)
        return loader_fail(l, key, "answers belong into the hidden plan");
    for (int i = 0; i < p->ncases && !c; i++)
        if (strcmp(plan_text(&p->cases[i], "question", ""), question) == 0)
            c = &p->cases[i];
    if (!c || c->answer)
        return loader_fail(l, key,
                           "no case asks for \"%s\", or it is answered twice",
                           question);
    c->answer = answer(l, value);
}
