/* The functions and kinds that calls take. Each is kept as text, too, for programs that are written as C. */
#include "random/net.h"

#define CODE(name, ...)                                                                                                \
    __VA_ARGS__                                                                                                        \
    static const char text_##name[] = #__VA_ARGS__ "\n";

CODE(
    wind, static sn_vec3 net_wind(void *context, const sn_field_in *in) {
        (void)context;
        sn_vec3 f = {(sn_real)(2 - in->position.y), (sn_real)(in->position.x * in->mass), 0};
        return f;
    })

CODE(
    drift, static sn_vec3 net_drift(void *context, const sn_field_in *in) {
        (void)context;
        sn_vec3 f = {(sn_real)(-in->velocity.x), (sn_real)(in->time > 0.05 ? 3 : -3), 0};
        return f;
    })

/* gives up after a while, so that steps fail in their midst */
CODE(
    fails, static sn_vec3 net_fails_later(void *context, const sn_field_in *in) {
        (void)context;
        sn_vec3 f = {(sn_real)(in->time > 0.07 ? NAN : 1), 0, 0};
        return f;
    })

/* very strong */
CODE(
    storm, static sn_vec3 net_storm(void *context, const sn_field_in *in) {
        (void)context;
        sn_vec3 f = {(sn_real)(1e6 * in->position.y), (sn_real)1e6, 0};
        return f;
    })

/* Calls the world from inside: all of it must be refused. */
static sn_vec3 net_intruder(void *context, const sn_field_in *in)
{
    net_stage *stage = context;
    sn_vec3 f = {1, 0, 0};
    sn_particle self = {in->index, 1};
    sn_vec3 zero = {0, 0, 0};
    stage->intrusions++;
    stage->admitted += sn_world_step(stage->world, (sn_real)0.01) == SN_OK;
    stage->admitted += sn_particle_remove(stage->world, self) == SN_OK;
    stage->admitted += sn_particle_add_at(stage->world, zero, 1).generation != 0;
    stage->admitted += sn_world_replan(stage->world) == SN_OK;
    return f;
}

CODE(
    ball, static sn_real net_ball(void *context, sn_vec3 p) {
        (void)context;
        return (sn_real)sqrt((double)(p.x * p.x + p.y * p.y + p.z * p.z)) - (sn_real)0.5;
    })

CODE(
    slab, static sn_real net_slab(void *context, sn_vec3 p) {
        (void)context;
        return (p.y > 0 ? p.y : -p.y) - (sn_real)0.25;
    })

CODE(
    go_on,
    static bool net_go_on(void *context) {
        (void)context;
        return false;
    } static bool net_cancel(void *context) {
        (void)context;
        return true;
    })

CODE(
    filter,
    static bool net_all_touch(void *context, const sn_contact_pair *pair) {
        (void)context;
        (void)pair;
        return true;
    } static bool net_some_touch(void *context, const sn_contact_pair *pair) {
        (void)context;
        return (pair->particle.index + pair->other.index + pair->other_body.index) % 3 != 0;
    })

CODE(
    tears,
    static bool net_all_tear(void *context, const sn_tear *tear) {
        (void)context;
        (void)tear;
        return true;
    } static bool net_some_tear(void *context, const sn_tear *tear) {
        (void)context;
        return (tear->particle.index + tear->constraint.index) % 3 != 0;
    })

CODE(
    pre_solve,
    static bool net_one_way(void *context, sn_contact *contact) {
        (void)context;
        contact->restitution = contact->separation > 0 ? 1 : 0;
        return contact->normal.y > (sn_real)-0.5;
    } static bool net_belt(void *context, sn_contact *contact) {
        (void)context;
        contact->surface_velocity.x = contact->pair.particle.index % 2 ? 1 : 0;
        return true;
    } static bool net_bad_friction(void *context, sn_contact *contact) {
        (void)context;
        contact->dynamic_friction = -1;
        return contact->pair.particle.index % 4 == 0;
    })

CODE(
    trace, static void net_trace(void *context, const char *name) {
        (void)context;
        (void)name;
    })

CODE(
    gap,
    static bool net_gap_eval(const sn_eval_in *in, const sn_eval_out *out) {
        out->c[0] = in->x[1].x - in->x[0].x - in->param[0];
        out->gradient[0].x = -1;
        out->gradient[1].x = 1;
        return true;
    } static void net_gap_measure(const sn_eval_in *in, sn_real *param) {
        param[0] = in->x[1].x - in->x[0].x;
    } static const sn_kind net_gap = {.name = "net_gap",
                                      .points = 2,
                                      .rows = 1,
                                      .internal = true,
                                      .param = {{.name = "gap", .unit = "m"}},
                                      .eval = net_gap_eval,
                                      .measure = net_gap_measure};)

/* of any number of points, with numbers of each and a memory: keeps the height of each */
CODE(
    comb,
    static bool net_comb_eval(const sn_eval_in *in, const sn_eval_out *out) {
        for (uint32_t i = 0; i < in->points; ++i) {
            out->c[0] += in->x[i].y - in->point_param[i];
            out->gradient[i].y = 1;
        }
        return true;
    } static bool net_comb_project(const sn_eval_in *in, const sn_real *w, sn_vec3 *move) {
        for (uint32_t i = 0; i < in->points; ++i)
            if (w[i] > 0)
                move[i].y = (sn_real)0.5 * (in->point_param[i] - in->x[i].y);
        if (in->keep)
            in->keep[0] += 1;
        return true;
    } static void net_comb_measure(const sn_eval_in *in, sn_real *param) {
        for (uint32_t i = 0; i < in->points; ++i)
            param[i] = in->x[i].y;
    } static void net_comb_settle(const sn_eval_in *in, sn_real h) {
        in->keep[1] += h;
    } static const sn_kind net_comb = {.name = "net_comb",
                                       .least_points = 2,
                                       .rows = 1,
                                       .eval = net_comb_eval,
                                       .project = net_comb_project,
                                       .point_param = {{.name = "height", .unit = "m"}},
                                       .measure_points = net_comb_measure,
                                       .state = 2,
                                       .settle = net_comb_settle};)

/* a force that pulls two together */
CODE(
    pull,
    static bool net_pull_eval(const sn_eval_in *in, const sn_eval_out *out) {
        (void)in;
        (void)out;
        return false;
    } static sn_real net_pull_force(const sn_eval_in *in, const sn_vec3 *v, sn_vec3 *force) {
        (void)v;
        force[0].x = in->param[0] * (in->x[1].x - in->x[0].x);
        force[1].x = -force[0].x;
        return 0;
    } static const sn_kind net_pull =
        {.name = "net_pull",
         .points = 2,
         .rows = 1,
         .internal = true,
         .param =
             {{.name = "strength", .unit = "N/m", .has_default = true, .default_value = 3, .least = 0, .most = 100}},
         .eval = net_pull_eval,
         .force = net_pull_force};)

/* bad ones */
CODE(bad, static const sn_kind net_taken = {.name = "distance", .points = 2, .rows = 1, .eval = net_gap_eval};
     static const sn_kind net_no_eval = {.name = "net_no_eval", .points = 2, .rows = 1};
     static const sn_kind net_no_rows = {.name = "net_no_rows", .points = 2, .eval = net_gap_eval};
     static const sn_kind net_many_points = {.name = "net_many", .points = 99, .rows = 1, .eval = net_gap_eval};)

sn_field_fn *const net_field_function[NET_FIELDS] = {NULL,      net_wind,    net_drift, net_fails_later,
                                                     net_storm, net_intruder};
const char *const net_field_name[NET_FIELDS] = {
    "NULL", "net_wind", "net_drift", "net_fails_later", "net_storm", "net_drift /* one that calls the world */"};

sn_distance_fn *const net_distance_function[NET_DISTANCES] = {NULL, net_ball, net_slab};
const char *const net_distance_name[NET_DISTANCES] = {"NULL", "net_ball", "net_slab"};

sn_trace_fn *const net_trace_function[NET_TRACES] = {NULL, net_trace};
const char *const net_trace_name[NET_TRACES] = {"NULL", "net_trace"};

sn_cancel_fn *const net_cancel_function[NET_CANCELS] = {NULL, net_go_on, net_cancel};
const char *const net_cancel_name[NET_CANCELS] = {"NULL", "net_go_on", "net_cancel"};

sn_contact_filter_fn *const net_filter_function[NET_FILTERS] = {NULL, net_all_touch, net_some_touch};
const char *const net_filter_name[NET_FILTERS] = {"NULL", "net_all_touch", "net_some_touch"};

sn_tear_fn *const net_tear_function[NET_TEARS] = {NULL, net_all_tear, net_some_tear};
const char *const net_tear_name[NET_TEARS] = {"NULL", "net_all_tear", "net_some_tear"};

sn_pre_solve_fn *const net_pre_solve_function[NET_PRE_SOLVES] = {NULL, net_one_way, net_belt, net_bad_friction};
const char *const net_pre_solve_name[NET_PRE_SOLVES] = {"NULL", "net_one_way", "net_belt", "net_bad_friction"};

const sn_kind *const net_kind[NET_KINDS] = {NULL,       &net_gap,     &net_comb,    &net_pull,
                                            &net_taken, &net_no_eval, &net_no_rows, &net_many_points};
const char *const net_kind_name[NET_KINDS] = {"NULL",       "&net_gap",     "&net_comb",    "&net_pull",
                                              "&net_taken", "&net_no_eval", "&net_no_rows", "&net_many_points"};

const char *net_code(void)
{
    static char text[8192];
    const char *const parts[] = {text_wind,  text_drift, text_fails,  text_storm, text_ball,
                                 text_slab,  text_go_on, text_filter, text_tears, text_pre_solve,
                                 text_trace, text_gap,   text_comb,   text_pull,  text_bad};
    size_t at = 0;
    for (size_t i = 0; i < COUNT_OF(parts); ++i)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s", parts[i]);
    return text;
}
