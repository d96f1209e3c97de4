#include "judge/report.h"

#include <math.h> /* isfinite */

json_t *report_text(const char *text)
{
    json_t *const whole = json_string(text);
    if (whole)
        return whole;
    char ascii[1024];
    size_t n = 0;
    for (; text[n] && n < sizeof ascii - 1; n++)
        ascii[n] = (unsigned char)text[n] < 0x80 ? text[n] : '?';
    ascii[n] = 0;
    return json_string(ascii);
}

json_t *report_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *report_case(const struct plan_case *c, const struct judge_verdict *v,
                    enum outcome outcome, double score, int nranks,
                    const char *rerun)
{
    json_t *const j = json_object();
    json_object_set_new(j, "name", json_string(c->name));
    json_object_set_new(j, "part", json_integer(c->part));
    json_object_set_new(j, "score", json_real(score));
    json_object_set_new(j, "max_score", json_real(v->answered ? 0 : c->points));
    json_object_set_new(j, "outcome", json_string(outcome_name[outcome]));
    json_object_set_new(j, "message", report_text(v->message));
    json_object_set_new(j, "time_us", report_number(v->time_us));
    json_object_set_new(j, "reference_us", report_number(v->reference_us));
    json_object_set_new(j, "limit_us", report_number(v->limit_us));
    json_object_set_new(j, "ratio_low", report_number(v->low));
    json_object_set_new(j, "ratio_high", report_number(v->high));
    json_object_set_new(j, "ranks", json_integer(nranks));
    json_object_set_new(j, "topology",
                        json_string(c->topo ? c->topo : PLAN_TOPO));
    json_object_set_new(j, "rerun", json_string(v->graders_only ? "" : rerun));
    json_object_set_new(j, "hidden", json_boolean(c->hidden));
    if (v->answered)
        json_object_set_new(j, "answered", json_true());
    if (v->right && !v->pass)
        json_object_set_new(j, "right", json_true());
    if (v->unfinished)
        json_object_set_new(j, "unfinished", json_true());
    return j;
}
