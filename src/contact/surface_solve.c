/* Solving the contacts of surfaces, after every pass over the constraints. As in wide/contact.h: with P and T what was
   pushed along the normal n and across it in this substep, r the sum of weight times place, u the same of velocities
   times h, g = r n - reach the gap and g0 = g - u n that at the start,

       P' = max(0, P + min(g0, 0) - g)        no deeper than before, and not into each other
       T' = T - u_t, cut to the length mu P'

   where of u_t that part is taken which is no overshoot: across the normal the inverse mass of a body that turns may be
   larger. What changes is shared by weight and inverse mass, w_k = weight_k / m_k / sum weight^2 / m, which keeps both
   momenta. What overlapped when the substep began is parted without leaving velocity behind. Contacts of one colour
   share no particle and run side by side. */
#include "contact/particle_contacts.h"
#include "contact/surface_pieces.h"

#include "contact/restitution.h"
#include "contact/surface_loads.h"
#include "contact/surface_shells.h"
#include "world/world.h"

#define WORK_OF_CONTACT 60.0            /* ns, about */
#define FAR             ((sn_real)0.05) /* of the reach: contacts that push farther in a pass ask for another one */
#define MANY            32u             /*   if more than one in so many of a piece do */
#define MOST            ((sn_real)4)    /* reaches: contacts begin with no more than this */
#define SWEEPS          2u              /* after a pass: sheets that lie on each other hand on what they carry */

typedef struct passing {
    sn_world *world;
    sn_real h, part, ease, bounce_above;
    void (*one)(const struct passing *p, sn_surface_contact *c);
    sn_surface_contact *contact; /* the first of the colour */
    bool first;                  /* the first sweep after a pass */
} passing;

/* m/s: of the point of a shell. */
static sn_vec3 drift_of(const sn_vec4 *v, const sn_surface_contact *c)
{
    return !c->body
               ? c->drift
               : vec3_add(vec4_xyz(v[c->body->slot]), vec3_add(c->drift, vec3_cross(c->body->twist, c->contact_point)));
}

/* m: where it is as the substep ends, seen from somewhere. */
static sn_vec3 surface_point(const sn_vec4 *x, const sn_surface_contact *c, sn_vec3 from, sn_real h)
{
    if (!c->body)
        return vec3_sub(c->contact_point, from);
    const sn_vec3 turned = vec3_scale(vec3_add(c->drift, vec3_cross(c->body->twist, c->contact_point)), h);
    return vec3_add(vec3_sub(vec4_xyz(x[c->body->slot]), from), vec3_add(c->contact_point, turned));
}

sn_vec3 sn_surface_contact_velocity(const sn_world *world, const sn_surface_contact *c)
{
    const sn_vec4 *v = world->particles.v;
    sn_vec3 r = vec3_scale(vec4_xyz(v[c->slot[0]]), c->own[0]);
    for (uint32_t k = 1; k < 4; ++k)
        r = vec3_add(r, vec3_scale(vec4_xyz(v[c->slot[k]]), c->own[k]));
    return c->shell ? vec3_add(r, vec3_scale(drift_of(v, c), c->side)) : r;
}

/* Of places, seen from one of them: so that no digits are lost far from the origin. */
sn_vec3 sn_surface_contact_apart(const sn_world *world, const sn_surface_contact *c, sn_real h)
{
    const sn_vec4 *x = world->particles.x;
    const sn_vec3 from = vec4_xyz(x[c->slot[3]]);
    sn_vec3 r = vec3_scale(vec3_sub(vec4_xyz(x[c->slot[0]]), from), c->own[0]);
    for (uint32_t k = 1; k < 3; ++k)
        r = vec3_add(r, vec3_scale(vec3_sub(vec4_xyz(x[c->slot[k]]), from), c->own[k]));
    return c->shell ? vec3_add(r, vec3_scale(surface_point(x, c, from, h), c->side)) : r;
}

static void move(sn_world *world, const sn_surface_contact *c, sn_vec3 by, sn_vec3 speed)
{
    sn_vec4 *x = world->particles.x, *v = world->particles.v;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t slot = c->slot[k];
        const sn_real share = c->own[k] * x[slot].w / c->give;
        if (share == 0)
            continue;
        sn_contacts_add(world, slot, vec3_scale(by, share));
        v[slot] = vec4(vec3_add(vec4_xyz(v[slot]), vec3_scale(speed, share)), v[slot].w);
    }
    if (!c->body)
        return;
    const uint32_t slot = c->body->slot;
    const sn_real share = c->side * x[slot].w / c->give;
    sn_contacts_add(world, slot, vec3_scale(by, share));
    v[slot] = vec4(vec3_add(vec4_xyz(v[slot]), vec3_scale(speed, share)), v[slot].w);
    const sn_vec3 throw = vec3_cross(c->contact_point, vec3_scale(speed, c->side / c->give));
    c->body->twist = vec3_add(c->body->twist, sn_surface_shell_gives(c->body, throw));
}

void sn_surface_contact_warm(sn_world *world, sn_surface_contact *c, const sn_surface_contact *before, sn_real h)
{
    const sn_real most = c->loaded ? (sn_real)INFINITY : MOST * c->reach;
    const sn_real share = before->normal_impulse > most ? most / before->normal_impulse : 1;
    c->normal_impulse = before->normal_impulse * share;
    c->tangent_impulse = vec3_scale(before->tangent_impulse, share);
    c->tangent_impulse = vec3_sub(c->tangent_impulse, vec3_scale(c->normal, vec3_dot(c->tangent_impulse, c->normal)));
    if (c->loaded)
        return;                                                              /* surface_loads.c begins with it */
    const sn_vec3 tangential = c->rope ? c->tangent_impulse : vec3(0, 0, 0); /* sheets: later, see friction */
    move(world, c, vec3(0, 0, 0), vec3_scale(vec3_add(vec3_scale(c->normal, c->normal_impulse), tangential), 1 / h));
}

/* The friction of a contact of sheets in the substep before, once constraints have been solved for the first time. If
   it came before them, as that of ropes does, they would take back what is against them, and the next
   substep would add to it, until friction is at its limit everywhere and slips at every push: stacks crept down
   slopes that way, by millimetres a second. */
static void friction_impulses(const passing *p, sn_surface_contact *c)
{
    const sn_vec3 tangential = c->tangent_impulse;
    if (!c->rope && (tangential.x != 0 || tangential.y != 0 || tangential.z != 0))
        move(p->world, c, tangential, vec3_scale(tangential, 1 / p->h));
}

static void project(const passing *p, sn_surface_contact *c)
{
    if (c->loaded)
        return;
    if (p->first)
        c->known = c->normal_impulse;
    const sn_vec3 n = c->normal;
    const sn_real gap = vec3_dot(sn_surface_contact_apart(p->world, c, p->h), n) - c->reach;
    if (!(gap < 0) && !(c->normal_impulse > 0))
        return;
    const sn_vec3 u = vec3_scale(sn_surface_contact_velocity(p->world, c), p->h),
                  slip = vec3_sub(u, vec3_scale(c->belt, p->h));
    const sn_real along = vec3_dot(u, n), before = gap - along;
    sn_real normal_impulse = c->normal_impulse + (before < 0 ? before : 0) - gap;
    normal_impulse = normal_impulse > 0 ? normal_impulse : 0;
    sn_vec3 tangential =
        vec3_sub(c->tangent_impulse, vec3_scale(vec3_sub(slip, vec3_scale(n, vec3_dot(slip, n))), c->tangential));
    const sn_real much = vec3_length(tangential);
    if (much > c->friction.static_friction * normal_impulse)
        tangential = vec3_scale(tangential, c->friction.dynamic_friction * normal_impulse / much);
    const sn_vec3 push =
        vec3_add(vec3_scale(n, normal_impulse - c->normal_impulse), vec3_sub(tangential, c->tangent_impulse));
    sn_real deep = before < 0 ? -before * p->ease : 0;
    deep = deep > p->part ? p->part : deep;
    move(p->world, c, vec3_add(push, vec3_scale(n, deep)), vec3_scale(push, 1 / p->h));
    c->normal_impulse = normal_impulse;
    c->tangent_impulse = tangential;
}

static void bounce(const passing *p, sn_surface_contact *c)
{
    if (!(c->normal_impulse > 0))
        return;
    const sn_real along = vec3_dot(sn_surface_contact_velocity(p->world, c), c->normal);
    const sn_real wanted = -c->before > p->bounce_above ? -c->before * c->friction.restitution : 0;
    c->throws = wanted > along ? wanted - along : 0;
    if (c->throws > 0)
        move(p->world, c, vec3(0, 0, 0), vec3_scale(c->normal, c->throws));
}

static void run_piece(void *data, uint32_t first, uint32_t end)
{
    const passing *p = data;
    for (uint32_t i = first; i < end; ++i)
        p->one(p, &p->contact[i]);
}

static bool run(passing p)
{
    sn_surfaces *s = &p.world->contacts.surfaces;
    for (uint32_t k = 0; k <= SN_SURFACE_COLOURS && s->colour_start[k] < s->contact_table.count; ++k) {
        const uint32_t count = s->colour_start[k + 1] - s->colour_start[k];
        p.contact = (sn_surface_contact *)s->contact_table.column[0] + s->colour_start[k];
        if (k == SN_SURFACE_COLOURS || !sn_parallel_wants(&p.world->parallel, count * WORK_OF_CONTACT))
            run_piece(&p, 0, count);
        else if (!sn_parallel_for(&p.world->parallel, count, run_piece, &p))
            return false;
    }
    return true;
}

bool sn_surfaces_pass(sn_world *world, sn_real h, sn_real part, sn_real ease)
{
    sn_surfaces *s = &world->contacts.surfaces;
    if (s->on && !s->by_friction && !run((passing){.world = world, .h = h, .one = friction_impulses}))
        return false;
    s->by_friction = true;
    if (s->on)
        sn_surface_loads_pass(world, h, part, ease);
    for (uint32_t i = 0; s->on && s->contact_table.count && i < SWEEPS; ++i)
        if (!run(
                (passing){.world = world, .h = h, .part = i ? 0 : part, .ease = ease, .one = project, .first = i == 0}))
            return false;
    if (s->on && s->tangle_table.count)
        sn_surface_tangles_pull(world);
    return true;
}

bool sn_surfaces_touch(const sn_world *world)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    return s->on && (s->contact_table.count || s->tangle_table.count);
}

/* Counts for one piece after the other: neighbouring contacts are often of the same piece. */
typedef struct counting {
    sn_surface_piece *piece;
    uint32_t pushes, far;
} counting;

static void count(counting *c, sn_surface_piece *piece, bool far)
{
    if (c->piece && c->piece != piece) {
        atomic_fetch_add_explicit(&c->piece->pushes, c->pushes, memory_order_relaxed);
        atomic_fetch_add_explicit(&c->piece->far, c->far, memory_order_relaxed);
        c->pushes = c->far = 0;
    }
    c->piece = piece;
    c->pushes++;
    c->far += far;
}

static void push_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_surfaces *s = data;
    const sn_surface_contact *contact = s->contact_table.column[0];
    counting side[2] = {{0}};
    for (uint32_t i = first; i < end; ++i) {
        const sn_surface_contact *c = &contact[i];
        if (c->loaded || !(c->normal_impulse > 0))
            continue;
        for (uint32_t k = 0; k < 2; ++k) /* the one and the other */
            count(&side[k], &surface_pieces(s)[surface_vertices(s)[c->vertex[3 * k]].piece],
                  c->normal_impulse - c->known > FAR * c->reach);
    }
    for (uint32_t k = 0; k < 2; ++k)
        count(&side[k], NULL, false);
}

/* By piece: a few contacts that hang in a large cloth are left to the next substep, a knot in a rope is not. */
bool sn_surfaces_push(sn_world *world, bool *lost)
{
    sn_surfaces *s = &world->contacts.surfaces;
    sn_surface_piece *piece = surface_pieces(s);
    *lost = false;
    if (!s->on || !s->contact_table.count)
        return false;
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        piece[i].pushes = piece[i].far = 0;
    if (!sn_parallel_for(&world->parallel, s->contact_table.count, push_piece, s)) {
        *lost = true;
        return false;
    }
    for (uint32_t i = 0; i < s->piece_table.count; ++i)
        if (piece[i].far > piece[i].pushes / MANY)
            return true;
    return false;
}

bool sn_surfaces_bounce(sn_world *world, sn_real h, sn_real bounce_above)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    if (!s->on || !s->contact_table.count)
        return true;
    sn_surface_shells_turn(world, h, true);
    if (!run((passing){.world = world, .h = h, .bounce_above = bounce_above, .one = bounce}))
        return false;
    sn_surface_shells_turn(world, h, false);
    return true;
}

void sn_surfaces_forget(sn_world *world)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_contact *c = s->contact_table.column[0];
    for (uint32_t i = 0; s->on && i < s->contact_table.count; ++i)
        for (uint32_t k = 0; c[i].normal_impulse > 0 && k < 4; ++k)
            sn_history_forget(&world->history, c[i].slot[k]);
}
