/* prototype */
#include "contact/body_work.h"

#include "bodies/rotation.h"
#include "base/dvec.h"
#include "world/substep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double P_TOL, P_BETA, P_SLACK; static int P_IN, P_ROUNDS, P_MORE, P_ON = -1;
static void params(void)
{
    if (P_ON >= 0) return;
#define G(n, d) (getenv(n) ? atof(getenv(n)) : d)
    P_TOL = G("TOL", 0.005); P_SLACK = G("SLACK", 0.25); P_BETA = G("BETA", 0); P_IN = (int)G("IN", 2); P_ROUNDS = (int)G("ROUNDS", 16); P_MORE = (int)G("MORE_SW", 1); P_ON = (int)G("ON", 1);
}

typedef struct spot_now {
    const sn_spot *spot; /* of a body that moves; NULL */
    sn_vec4 *record;
    double arm[3], x[3], from[3], d[3];
    double w, inertia[6];
} spot_now;

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross3(const double a[3], const double b[3], double o[3])
{
    o[0] = a[1] * b[2] - a[2] * b[1]; o[1] = a[2] * b[0] - a[0] * b[2]; o[2] = a[0] * b[1] - a[1] * b[0];
}

static bool look_spot(const sn_world *world, const sn_pool *pool, uint32_t row, uint32_t k, spot_now *p)
{
    const sn_store *store = &world->constraints;
    const uint32_t code = pool->point[(size_t)row * pool->kind->points + k];
    if (!(code & SN_SPOT_BIT)) return false;
    const sn_spot *spot = &store->spot[code & ~SN_SPOT_BIT];
    if (spot->type == SN_POINT_PARTICLES) return false;
    *p = (spot_now){.spot = spot};
    double place[3] = {(double)spot->place.x, (double)spot->place.y, (double)spot->place.z};
    if (spot->type == SN_POINT_PLACE) {
        for (int i = 0; i < 3; ++i) p->x[i] = p->from[i] = place[i];
        p->spot = NULL;
        return true;
    }
    const sn_articulated *body = &sn_articulated_bodies(world)[spot->body];
    const uint32_t slot = world->ids.value[world->bodies.state[spot->body].particle];
    const sn_vec4 x = world->particles.x[slot], low = world->particles.x_low[slot];
    double start[3];
    if (!(x.w > 0)) { /* TODO moved */
        sn_rotate_vector(world->bodies.state[spot->body].q, place, p->arm);
        p->x[0] = p->from[0] = (double)x.x + p->arm[0]; p->x[1] = p->from[1] = (double)x.y + p->arm[1]; p->x[2] = p->from[2] = (double)x.z + p->arm[2];
        p->spot = NULL;
        return true;
    }
    p->record = contact_record(world, spot->body);
    sn_rotate_vector(world->bodies.state[spot->body].q, place, p->arm);
    sn_rotate_vector(body->start, place, start);
    p->x[0] = (double)x.x + (double)low.x + p->arm[0]; p->x[1] = (double)x.y + (double)low.y + p->arm[1]; p->x[2] = (double)x.z + (double)low.z + p->arm[2];
    for (int i = 0; i < 3; ++i) p->from[i] = (double)(&p->record[4].x)[i] + start[i];
    p->w = (double)x.w;
    return true;
}

/* how contact moves it */
static void change_of(const sn_world *world, const spot_now *p, double d[3])
{
    if (!p->spot) { d[0] = d[1] = d[2] = 0; return; }
    const sn_mover *m = &contact_movers(world)[p->spot->body];
    const sn_vec4 v = world->particles.v[m->slot];
    double s[3] = {(double)(p->record[1].x - m->spin.x), (double)(p->record[1].y - m->spin.y), (double)(p->record[1].z - m->spin.z)};
    cross3(s, p->arm, d);
    d[0] += (double)(p->record[0].x - v.x); d[1] += (double)(p->record[0].y - v.y); d[2] += (double)(p->record[0].z - v.z);
}

/* K += */
static void add_mass(const spot_now *p, double k[3][3])
{
    if (!p->spot) return;
    const sn_vec4 *r = p->record;
    const double I[3][3] = {{(double)r[2].x, (double)r[2].w, (double)r[3].x}, {(double)r[2].w, (double)r[2].y, (double)r[3].y}, {(double)r[3].x, (double)r[3].y, (double)r[2].z}};
    for (int c = 0; c < 3; ++c) {
        double e[3] = {c == 0, c == 1, c == 2}, t[3], u[3], s[3];
        cross3(p->arm, e, t);
        for (int i = 0; i < 3; ++i) u[i] = dot3(I[i], t);
        cross3(u, p->arm, s);
        for (int i = 0; i < 3; ++i) k[i][c] += s[i] + (i == c ? p->w : 0);
    }
}

static void push(const spot_now *p, const double P[3], double sign)
{
    if (!p->spot) return;
    sn_vec4 *r = p->record;
    const double I[3][3] = {{(double)r[2].x, (double)r[2].w, (double)r[3].x}, {(double)r[2].w, (double)r[2].y, (double)r[3].y}, {(double)r[3].x, (double)r[3].y, (double)r[2].z}};
    double t[3];
    cross3(p->arm, P, t);
    r[0].x += (sn_real)(sign * p->w * P[0]); r[0].y += (sn_real)(sign * p->w * P[1]); r[0].z += (sn_real)(sign * p->w * P[2]);
    r[1].x += (sn_real)(sign * dot3(I[0], t)); r[1].y += (sn_real)(sign * dot3(I[1], t)); r[1].z += (sn_real)(sign * dot3(I[2], t));
}

static bool solve3(double k[3][3], const double b[3], double x[3])
{
    double c0[3], c1[3], c2[3];
    cross3(k[1], k[2], c0); cross3(k[2], k[0], c1); cross3(k[0], k[1], c2);
    double det = dot3(k[0], c0);
    if (!(fabs(det) > 0)) return false;
    for (int i = 0; i < 3; ++i) x[i] = (c0[i] * b[0] + c1[i] * b[1] + c2[i] * b[2]) / det; /* symmetric */
    return true;
}

typedef struct holding {
    const sn_body_contact_substep *s;
    atomic_bool open;
    bool first;
    _Atomic uint32_t count;
} holding;



/* one visit; how far it was off, as a share of what is allowed */
static bool visit(const holding *h, const sn_visit *v, bool acts)
{
    const sn_world *world = h->s->world;
    const sn_pool *pool = world->constraints.pool[v->kind];
    spot_now a, b;
    if (!look_spot(world, pool, v->row, 0, &a) || !look_spot(world, pool, v->row, 1, &b)) return false;
    const double step = (double)h->s->h;
    double e[3], e0[3], da[3], db[3], left[3], size = sqrt(dot3(a.arm, a.arm)) + sqrt(dot3(b.arm, b.arm));
    if (a.spot && !(contact_marks(world)[a.spot->body] & 64)) da[0] = da[1] = da[2] = 0; else change_of(world, &a, da);
    if (b.spot && !(contact_marks(world)[b.spot->body] & 64)) db[0] = db[1] = db[2] = 0; else change_of(world, &b, db);
    for (int i = 0; i < 3; ++i) {
        e[i] = b.x[i] - a.x[i] + step * (db[i] - da[i]);
        e0[i] = b.from[i] - a.from[i];
    }
    const double now = sqrt(dot3(e, e)), was = sqrt(dot3(e0, e0));
    const double tol = P_TOL * size, kept = (1 - P_BETA) * was; bool far = now > (tol > kept + P_SLACK * tol ? tol : kept + P_SLACK * tol);
    if (!acts) return far;
    if (!(now > kept)) return false;
    for (int i = 0; i < 3; ++i) left[i] = -(e[i] - (1 - P_BETA) * e0[i]) / step;
    double k[3][3] = {{0}}, P[3];
    add_mass(&a, k); add_mass(&b, k);
    if (!solve3(k, left, P)) return false;
    push(&b, P, 1); push(&a, P, -1);
    if (far) {
        if (a.spot) a.record[1].w = h->s->run.sweep;
        if (b.spot) b.record[1].w = h->s->run.sweep;
    }
    return far;
}

static void hold_piece(void *data, uint32_t begin, uint32_t end)
{
    holding *h = data;
    sn_world *world = h->s->world;
    const sn_articulations *art = &world->articulations;
    const uint32_t *first = art->first_table.column[0], *pivot = art->first_table.column[1], *member = art->member_table.column[0];
    const sn_visit *visits = art->pivot_table.column[0];
    const sn_mover_columns c = contact_columns(world);
    for (uint32_t i = begin; i < end; ++i) {
        bool open = false;
        for (uint32_t k = first[i]; k < first[i + 1]; ++k) { /* 64: its record says how it moves */
            if (columns_have_impulse(&c, member[k])) c.mark[member[k]] |= 64; else if (!(c.mark[member[k]] & 32)) c.mark[member[k]] &= (uint8_t)~64;
        }
        for (uint32_t k = pivot[i]; !open && k < pivot[i + 1]; ++k) open = visit(h, &visits[k], false);
        if (!open) continue;
        for (uint32_t k = first[i]; k < first[i + 1]; ++k)
            if (!(c.mark[member[k]] & 64)) {
                c.mark[member[k]] |= 64 | 32; /* 32: held */
                sn_body_contacts_load(h->s, &member[k], 1);
                c.record[SN_BODY_CONTACT_RECORD * (size_t)member[k] + 1].w = 0;
            }
        contact_raise(&h->open);
        atomic_fetch_add(&h->count, 1);
        for (int n = 0; n < P_IN; ++n) {
            for (uint32_t k = pivot[i]; k < pivot[i + 1]; ++k) visit(h, &visits[k], true);
            for (uint32_t k = pivot[i + 1]; k > pivot[i]; --k) visit(h, &visits[k - 1], true);
        }
        for (uint32_t k = first[i]; k < first[i + 1]; ++k)
            if (c.mark[member[k]] & SN_MARK_TOUCHES && c.record[SN_BODY_CONTACT_RECORD * (size_t)member[k] + 1].w >= h->s->run.sweep) sn_body_contacts_stir_one(h->s, member[k]);
    }
}

extern unsigned long g_rounds, g_arts, g_first;
unsigned long g_rounds, g_arts, g_first;

bool sn_body_contacts_hold_joints(sn_body_contact_substep *s)
{
    sn_world *world = s->world;
    params();
    if (!P_ON || !world->articulations.count) return true;
    bool good = true;
    s->run.stirred_only = true;
    for (int round = 0; good && round < P_ROUNDS; ++round) {
        holding h = {.s = s, .first = round == 0};
        s->run.sweep += 1;
        good = sn_parallel_few(&world->parallel, world->articulations.count, 200, hold_piece, &h);
        if (!good || !h.open) break;
        g_rounds++; g_arts += h.count; if (round == 0) g_first += h.count;
        if (round + 1 == P_ROUNDS && getenv("TELL")) fprintf(stderr, "t %.4f still %u\n", world->state.time, h.count);
        s->run.since = s->run.sweep;
        for (int i = 0; good && i < P_MORE; ++i) {
            s->run.sweep += 1;
            sn_body_contacts_sweep_violent(s, &good);
            s->run.since = s->run.sweep;
            s->run.sweep += 4;
            if (!atomic_load(s->violent)) break;
        }
    }
    return good;
}

static double tell_e0[100000], tell_g1[100000], tell_c[100000], tell_h[100000];
void dbg_stage(const sn_body_contact_substep *s, int stage);
void dbg_stage(const sn_body_contact_substep *s, int stage)
{
    const sn_world *world = s->world;
    const sn_articulations *art = &world->articulations;
    static double limit = -1;
    if (limit < 0) limit = getenv("TELLGAP") ? atof(getenv("TELLGAP")) : 0;
    if (!(limit > 0) || !art->count) return;
    const uint32_t *pivot = art->first_table.column[1], *first = art->first_table.column[0], *member = art->member_table.column[0];
    const sn_visit *visits = art->pivot_table.column[0];
    const sn_mover_columns c = contact_columns(world);
    for (uint32_t i = 0; i < art->count; ++i) for (uint32_t k = pivot[i]; k < pivot[i + 1]; ++k) {
        spot_now a, b;
        const sn_pool *pool = world->constraints.pool[visits[k].kind];
        if (!look_spot(world, pool, visits[k].row, 0, &a) || !look_spot(world, pool, visits[k].row, 1, &b)) continue;
        double g[3], g0[3], da[3] = {0}, db[3] = {0}, e[3];
        if (stage < 2 && a.spot && columns_have_impulse(&c, a.spot->body)) change_of(world, &a, da);
        if (stage < 2 && b.spot && columns_have_impulse(&c, b.spot->body)) change_of(world, &b, db);
        for (int j = 0; j < 3; ++j) { g[j] = b.x[j] - a.x[j]; g0[j] = b.from[j] - a.from[j]; e[j] = g[j] + (double)s->h * (db[j] - da[j]); }
        if (stage == 0) { tell_e0[k] = sqrt(dot3(g0, g0)); tell_g1[k] = sqrt(dot3(g, g)); tell_c[k] = sqrt(dot3(e, e)); }
        if (stage == 1) tell_h[k] = sqrt(dot3(e, e));
        if (stage == 2 && sqrt(dot3(g, g)) > limit)
            printf("t %.4f (f%.1f) art %u %u-%u start %.2f joints %.2f contact %.2f held %.2f end %.2f  parted %.2f %.2f\n", world->state.time, world->state.time * 60, i, a.spot ? (a.spot->body - member[first[i]]) : 99, b.spot ? b.spot->body - member[first[i]] : 99, 1000 * tell_e0[k], 1000 * tell_g1[k], 1000 * tell_c[k], 1000 * tell_h[k], 1000 * sqrt(dot3(g, g)),
                   a.spot ? 1000 * (double)vec3_length(vec4_xyz(a.record[6])) : 0, b.spot ? 1000 * (double)vec3_length(vec4_xyz(b.record[6])) : 0);
    }
}
