/* Contact of bodies: balls near bodies.

   Pairs of a ball and a body are found once a step, within the margin of the ball. Fields, constraints and impacts take
   some balls farther. Where balls are when a substep begins is noted, and at its end those that left their margin are
   searched for again, along their paths. Then they stop before a body that they would have passed (body_sweep.c), and
   the next substep begins with the contact. */
#include "contact/body_work.h"
#include "contact/particle_work.h"

#include <string.h>

enum { FOUND = 1, SOUGHT }; /* a ball has a margin of its own; it has just left its margin, and is searched for */

static sn_vec4 *all_starts(const sn_world *world)
{
    return world->body_contacts.ball_way_table.column[0];
}

static sn_vec4 *own_margins(const sn_world *world)
{
    return world->body_contacts.ball_way_table.column[1];
}

static uint8_t *marks(const sn_world *world)
{
    return world->body_contacts.ball_way_table.column[2];
}

bool sn_body_balls_prepare(sn_world *world)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    const uint32_t count = world->particles.table.count;
    body_contacts->follows_balls = world->contacts.knows_margins && count > world->bodies.ids.live;
    body_contacts->balls_left = false;
    return !body_contacts->follows_balls || sn_table_reserve(&body_contacts->ball_way_table, &world->allocator, count);
}

static void note_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_world *world = data;
    memcpy(all_starts(world) + first, world->particles.x + first, (end - first) * sizeof(sn_vec4));
}

bool sn_body_balls_begin(sn_world *world)
{
    return !world->body_contacts.follows_balls ||
           sn_parallel_for(&world->parallel, world->particles.table.count, note_piece, world);
}

bool sn_body_balls_moved(sn_world *world)
{
    return atomic_exchange_explicit(&world->body_contacts.balls_moved, false, memory_order_relaxed);
}

void sn_body_balls_copy_starts(const sn_world *world, sn_vec4 *to)
{
    memcpy(to, all_starts(world), world->particles.table.count * sizeof *to);
}

sn_vec3 sn_body_ball_start(const sn_world *world, uint32_t slot)
{
    return vec4_xyz(all_starts(world)[slot]);
}

/* The margin in which bodies were searched for, as in sphere_table: its w is the radius and how far the ball may come.
   false: the search for other things has replaced it. */
static bool margin_in_step(const sn_world *world, uint32_t slot, sn_vec4 *margin)
{
    const sn_contacts *c = &world->contacts;
    const bool own = world->body_contacts.balls_left && marks(world)[slot];
    *margin = own ? own_margins(world)[slot] : spheres(c)[slot];
    return own || !c->late || !((const uint8_t *)c->left_table.column[0])[slot];
}

static bool has_left(const sn_world *world, uint32_t slot)
{
    const sn_particle_store *p = &world->particles;
    sn_vec4 margin;
    if (p->body[slot] || p->x[slot].w == 0)
        return false;
    if (!margin_in_step(world, slot, &margin))
        return true;
    const sn_vec3 displacement = vec3_sub(vec4_xyz(p->x[slot]), vec4_xyz(margin));
    const sn_real room = contact_magnitude(margin.w) - (1 - SN_BALL_LEAVES) * p->radius[slot];
    return vec3_dot(displacement, displacement) > room * room;
}

typedef struct leaving {
    sn_world *world;
    atomic_bool left;
} leaving;

static void look_piece(void *data, uint32_t first, uint32_t end)
{
    leaving *l = data;
    bool left = false;
    for (uint32_t from = first; from < end && !left; from += SN_CONTACT_PIECE) {
        const uint32_t to = end - from < SN_CONTACT_PIECE ? end : from + SN_CONTACT_PIECE;
        for (uint32_t slot = contact_is_still(&l->world->contacts, from) ? to : from; slot < to && !left; ++slot)
            left = has_left(l->world, slot);
    }
    if (left)
        contact_raise(&l->left);
}

bool sn_body_ball_is_sought(const sn_world *world, uint32_t slot, sn_bounds *around)
{
    if (!world->body_contacts.balls_left || marks(world)[slot] != SOUGHT)
        return false;
    const sn_vec4 m = own_margins(world)[slot];
    around->low = vec3_sub(vec4_xyz(m), vec3(m.w, m.w, m.w));
    around->high = vec3_add(vec4_xyz(m), vec3(m.w, m.w, m.w));
    return true;
}

static bool stop_looking(void *data, uint32_t at)
{
    (void)at;
    *(bool *)data = true;
    return false;
}

static bool is_near_body(const sn_world *world, const sn_bounds *around)
{
    const sn_body_contacts *c = &world->body_contacts;
    const sn_bvh *tree[] = {&c->tree, &c->rest, &c->stray};
    bool near = false;
    for (uint32_t i = 0; i < 3 && !near; ++i)
        if (tree[i]->items)
            sn_bvh_overlap(tree[i], around, stop_looking, &near);
    return near;
}

/* A margin around the path in this substep, and around what may follow in the step. True if there may be a body. */
static bool seek(sn_world *world, uint32_t slot)
{
    const sn_vec3 x = vec4_xyz(world->particles.x[slot]);
    const sn_real came = vec3_length(vec3_sub(x, sn_body_ball_start(world, slot)));
    const sn_real ahead = sn_contacts_displacement(world, slot, world->body_contacts.left);
    own_margins(world)[slot] = vec4(x, world->particles.radius[slot] + (came > ahead ? came : ahead));
    marks(world)[slot] = SOUGHT;
    sn_bounds around;
    if (sn_body_ball_is_sought(world, slot, &around) && is_near_body(world, &around))
        return true;
    marks(world)[slot] = FOUND;
    return false;
}

bool sn_body_balls_left(sn_world *world, bool *left)
{
    sn_body_contacts *body_contacts = &world->body_contacts;
    const uint32_t count = world->particles.table.count;
    leaving l = {.world = world};
    *left = false;
    if (!body_contacts->follows_balls)
        return true;
    if (!sn_parallel_for(&world->parallel, count, look_piece, &l))
        return false;
    if (!l.left)
        return true;
    if (!body_contacts->balls_left)
        memset(marks(world), 0, count);
    body_contacts->balls_left = true;
    for (uint32_t slot = 0; slot < count; ++slot)
        if (has_left(world, slot))
            *left = seek(world, slot) || *left;
        else if (marks(world)[slot])
            marks(world)[slot] = FOUND;
    return true;
}
