/* Contact of particles with skins, the triangles between other particles.

   A particle stays on the side of a triangle that it is on, its radius and the skin's thickness away from it. As in
   wide/contact.h a contact is one-sided, warm started, and has friction; what it pushes, the particle and the three corners share
   by their inverse masses and by how much each corner counts at the spot b:

       W = w + sum b_i^2 w_i,    particle += w P n / W,    corner i -= b_i w_i P n / W,

   which keeps both momenta. A particle that comes fast is followed along its way and the triangle's. Contacts are coloured at
   the start of a step; those of one colour share no particle and run side by side. A skin does not meet particles of its own
   group.

   Directional rejection is here, too: two particles of different objects of which one has a skin and asks for it
   (sn_group_contact.directional) are pushed along the object's own normal instead of along the line between their centres. For a
   particle that has got behind another one's surface that line points farther in, and two objects hook into each other; the normal
   leads out. Such a pair is a contact with a triangle whose corners are all the other particle. */
#include "world/contacts.h"

#include "base/math.h"
#include "collision/triangle.h"
#include "world/world.h"

#include <string.h>

#define WORK_OF_GRAZE 100.0            /* ns, about */
#define WORK_OF_LOOK  100.0            /* a particle, looking for triangles */
#define REBUILD       32u              /* the tree is built anew after so many steps */
#define THINNEST      ((sn_real)0.005) /* of a triangle's longest edge: no contact is thinner */

typedef struct searching {
    sn_world *world;
    sn_contacts *contacts;
    sn_real dt;
    bool counting;
} searching;

static const uint32_t (*triangles(const sn_world *world))[3]
{
    return (const uint32_t(*)[3])world->contact.triangle_table.column[0];
}

static sn_bounds *triangle_bounds(const sn_contacts *c)
{
    return c->triangle_table.column[0];
}

static sn_vec3 place(const sn_world *world, uint32_t slot)
{
    return vec4_xyz(world->particles.x[slot]);
}

static sn_vec3 cross_of(sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    return vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
}

/* ---- The tree --------------------------------------------------------------------------------------------------------- */

static void include(sn_bounds *box, sn_vec3 p, sn_real by)
{
    sn_vec3 low = vec3_sub(p, vec3(by, by, by)), high = vec3_add(p, vec3(by, by, by));
    box->low = vec3(low.x < box->low.x ? low.x : box->low.x, low.y < box->low.y ? low.y : box->low.y,
                    low.z < box->low.z ? low.z : box->low.z);
    box->high = vec3(high.x > box->high.x ? high.x : box->high.x, high.y > box->high.y ? high.y : box->high.y,
                     high.z > box->high.z ? high.z : box->high.z);
}

/* The box of a triangle during the step. */
static void measure_triangles(void *data, uint32_t first, uint32_t end)
{
    const searching *s = data;
    const sn_world *world = s->world;
    const sn_real far = (sn_real)INFINITY;
    for (uint32_t t = first; t < end; ++t) {
        sn_bounds box = {{far, far, far}, {-far, -far, -far}};
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t slot = world->ids.value[triangles(world)[t][k]];
            include(&box, vec4_xyz(world->particles.x[slot]), sn_contacts_way(world, slot, s->dt));
        }
        triangle_bounds(s->contacts)[t] = box;
    }
}

static void note_skins(const sn_world *world, sn_contacts *c)
{
    const sn_skin_record *skin = world->contact.skin_table.column[0];
    uint32_t *of = c->triangle_table.column[1];
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i)
        for (uint32_t t = skin[i].first; t < skin[i].first + skin[i].count; ++t)
            of[t] = i;
}

/* Built now and then, and refitted in between: who is found does not depend on it. */
static bool prepare_tree(searching *s)
{
    sn_world *world = s->world;
    sn_contacts *c = s->contacts;
    uint32_t count = world->contact.triangle_table.count;
    if (!sn_table_reserve(&c->triangle_table, &world->allocator, count) ||
        !sn_table_reserve(&c->colour_table, &world->allocator, world->particles.table.count) ||
        !sn_parallel_reserve(&world->parallel, &world->allocator, count))
        return false;
    note_skins(world, c);
    if (!sn_parallel_for(&world->parallel, count, measure_triangles, s))
        sn_parallel_repair(&world->parallel);
    if (c->skin_tree.items == count && c->tree_edits == world->contact.edits && c->tree_age < REBUILD) {
        sn_bvh_refit(&c->skin_tree, triangle_bounds(c));
        c->tree_age++;
        return true;
    }
    c->tree_age = 0;
    c->tree_edits = world->contact.edits;
    return sn_bvh_build(&c->skin_tree, &world->allocator, triangle_bounds(c), count);
}

/* ---- Normals of objects --------------------------------------------------------------------------------------------------- */

static bool is_directional(const sn_world *world, uint32_t slot)
{
    return sn_contact_group(&world->contact, world->particles.group[slot])->directional;
}

static bool any_directional(const sn_world *world)
{
    const sn_group_record *group = world->contact.group_table.column[0];
    bool any = false;
    for (uint32_t i = 0; i < world->contact.group_table.count; ++i)
        any = any || group[i].contact.directional;
    return any && world->contact.triangle_table.count;
}

/* Corners get the normals of their triangles, by area; w is 1, for now. */
static void sum_normals(const sn_world *world, sn_vec4 *normal)
{
    for (uint32_t t = 0; t < world->contact.triangle_table.count; ++t) {
        uint32_t slot[3];
        for (uint32_t k = 0; k < 3; ++k)
            slot[k] = world->ids.value[triangles(world)[t][k]];
        if (!is_directional(world, slot[0]))
            continue;
        sn_vec3 n = cross_of(place(world, slot[0]), place(world, slot[1]), place(world, slot[2]));
        for (uint32_t k = 0; k < 3; ++k)
            normal[slot[k]] = vec4(vec3_add(vec4_xyz(normal[slot[k]]), n), 1);
    }
}

/* The corner of the same group that is nearest. */
static uint32_t nearest_corner(const sn_world *world, const sn_vec4 *normal, uint32_t slot, sn_real *distance)
{
    const sn_particle_store *p = &world->particles;
    uint32_t nearest = UINT32_MAX;
    *distance = (sn_real)INFINITY;
    for (uint32_t other = 0; other < p->table.count; ++other) {
        if (p->group[other] != p->group[slot] || normal[other].w != 1)
            continue;
        sn_real far = vec3_length(vec3_sub(place(world, other), place(world, slot)));
        if (far < *distance || (far == *distance && p->index[other] < p->index[nearest])) {
            *distance = far;
            nearest = other;
        }
    }
    return nearest;
}

/* Which way is out, for every particle of a directional object, and in w how deep it is: 0 for corners of the skin, and
   the distance to the nearest one for what is inside. -1: no such object. */
static bool make_normals(searching *s)
{
    sn_world *world = s->world;
    sn_contacts *c = s->contacts;
    uint32_t count = world->particles.table.count;
    c->directed = any_directional(world);
    if (!c->directed)
        return true;
    if (!sn_table_reserve(&c->normal_table, &world->allocator, count))
        return false;
    sn_vec4 *normal = c->normal_table.column[0];
    memset(normal, 0, count * sizeof *normal);
    sum_normals(world, normal);
    for (uint32_t slot = 0; slot < count; ++slot) {
        sn_real deep;
        uint32_t corner;
        if (normal[slot].w == 1 || !is_directional(world, slot))
            continue;
        corner = nearest_corner(world, normal, slot, &deep);
        if (corner != UINT32_MAX) /* beyond 1, which is for corners */
            normal[slot] = vec4(vec4_xyz(normal[corner]), 2 + deep);
    }
    for (uint32_t slot = 0; slot < count; ++slot) {
        sn_vec3 n = vec4_xyz(normal[slot]);
        sn_real length = vec3_length(n), w = normal[slot].w;
        normal[slot] = length > 0 ? vec4(vec3_scale(n, 1 / length), w == 1 ? 0 : w - 2) : vec4(n, -1);
    }
    return true;
}

/* The direction in which a is to be pushed from b, by the normal of whichever is nearer to its surface; false if neither has
   one. */
static bool way_out(const sn_contacts *c, uint32_t a, uint32_t b, sn_vec3 *out)
{
    const sn_vec4 *normal = c->normal_table.column[0];
    sn_vec4 na = normal[a], nb = normal[b];
    if (na.w < 0 && nb.w < 0)
        return false;
    *out = nb.w >= 0 && (na.w < 0 || nb.w <= na.w) ? vec4_xyz(nb) : vec3_scale(vec4_xyz(na), -1);
    return true;
}

/* ---- Finding ------------------------------------------------------------------------------------------------------------ */

typedef struct looking {
    const searching *s;
    uint32_t slot;
    sn_bounds box;
    sn_graze *to; /* NULL: only count */
    uint32_t found;
} looking;

static bool boxes_touch(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static sn_bounds grow(sn_bounds a, sn_real by)
{
    a.low = vec3_sub(a.low, vec3(by, by, by));
    a.high = vec3_add(a.high, vec3(by, by, by));
    return a;
}

static sn_real longest_edge(const sn_world *world, const uint32_t *slot)
{
    sn_real longest = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        sn_real edge = vec3_length(vec3_sub(place(world, slot[k]), place(world, slot[(k + 1) % 3])));
        longest = edge > longest ? edge : longest;
    }
    return longest;
}

static sn_graze make_graze(const looking *l, uint32_t triangle, const uint32_t *corner, const sn_skin_record *skin,
                           const sn_group_contact *own, const sn_group_contact *other)
{
    const sn_world *world = l->s->world;
    sn_graze g = {.slot = {l->slot, corner[0], corner[1], corner[2]}, .triangle = triangle};
    const sn_press *old = sn_contacts_recall(world, world->particles.index[l->slot], SN_PRESS_TRIANGLE | triangle);
    sn_real factor = sn_contacts_recall_factor(world, l->s->dt), least = THINNEST * longest_edge(world, corner);
    sn_vec3 a = place(world, corner[0]), n = cross_of(a, place(world, corner[1]), place(world, corner[2]));
    g.reach = world->particles.radius[l->slot] + skin->thickness;
    g.reach = g.reach > least ? g.reach : least;
    g.grip = sn_contacts_grip(&own->material, &other->material);
    g.side = skin->one_sided || vec3_dot(vec3_sub(place(world, l->slot), a), n) >= 0 ? 1 : -1;
    if (old) {
        g.side = old->normal.x;
        g.pressed = old->pressed * factor;
        g.last = old->last * factor;
        g.rubbed = vec3_scale(old->rubbed, factor);
    }
    g.weight[0] = g.weight[1] = g.weight[2] = (sn_real)1 / 3;
    return g;
}

static bool look_at(void *data, uint32_t triangle)
{
    looking *l = data;
    const sn_world *world = l->s->world;
    const sn_particle_store *p = &world->particles;
    const sn_skin_record *skin = (const sn_skin_record *)world->contact.skin_table.column[0] +
                                 ((const uint32_t *)l->s->contacts->triangle_table.column[1])[triangle];
    sn_bounds box = grow(triangle_bounds(l->s->contacts)[triangle], skin->thickness);
    uint32_t corner[3];
    bool moves = p->x[l->slot].w > 0;
    for (uint32_t k = 0; k < 3; ++k) {
        corner[k] = world->ids.value[triangles(world)[triangle][k]];
        moves = moves || p->x[corner[k]].w > 0;
        if (corner[k] == l->slot)
            return true;
    }
    if (!moves)
        moves = sn_sleep_asks(world, (uint32_t[]){l->slot, corner[0], corner[1], corner[2]}, 4);
    if (!moves || p->group[l->slot] == p->group[corner[0]] || !boxes_touch(&box, &l->box))
        return true;
    const sn_group_contact *own = sn_contact_group(&world->contact, p->group[l->slot]);
    const sn_group_contact *other = sn_contact_group(&world->contact, p->group[corner[0]]);
    if (!sn_contacts_agree(own->category, own->mask, other->category, other->mask))
        return true;
    if (other->directional && p->radius[l->slot] > 0 && p->radius[corner[0]] > 0)
        return true; /* they meet as particles, and the skin says which way is out */
    for (uint32_t k = 0; k < 3; ++k)
        if (sn_incidence_joins(&world->incidence, &world->constraints, p->index[l->slot], p->index[corner[k]]))
            return true;
    if (l->to)
        l->to[l->found] = make_graze(l, triangle, corner, skin, own, other);
    l->found++;
    return true;
}

static void sort_by_triangle(sn_graze *graze, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        sn_graze g = graze[i];
        uint32_t at = i;
        for (; at > 0 && graze[at - 1].triangle > g.triangle; --at)
            graze[at] = graze[at - 1];
        graze[at] = g;
    }
}

/* Thickness is added to the boxes of triangles when they are looked at, so the tree is asked with the thickest. */
static sn_real thickest(const sn_world *world)
{
    const sn_skin_record *skin = world->contact.skin_table.column[0];
    sn_real most = 0;
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i)
        most = skin[i].thickness > most ? skin[i].thickness : most;
    return most;
}

static void look_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const searching *s = data;
    const sn_particle_store *p = &s->world->particles;
    uint32_t *start = s->contacts->graze_start_table.column[0], count = p->table.count, found = 0;
    uint32_t first = index * SN_PIECE, end = count - first < SN_PIECE ? count : first + SN_PIECE;
    sn_graze *graze = s->counting ? NULL : (sn_graze *)s->contacts->graze_table.column[1] + start[index];
    sn_real thick = thickest(s->world);
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_vec3 x = vec4_xyz(p->x[slot]);
        sn_real reach = p->radius[slot] + sn_contacts_way(s->world, slot, s->dt);
        looking l = {.s = s, .slot = slot, .box = grow((sn_bounds){x, x}, reach), .to = graze ? graze + found : NULL};
        sn_bounds asked = grow(l.box, thick);
        sn_bvh_overlap(&s->contacts->skin_tree, &asked, look_at, &l);
        if (graze)
            sort_by_triangle(graze + found, l.found);
        found += l.found;
    }
    if (s->counting)
        start[index] = found;
}

/* Sorts the contacts by colour: those of one share no particle. */
static void colour(searching *s, uint32_t total)
{
    sn_contacts *c = s->contacts;
    sn_graze *from = c->graze_table.column[1], *to = c->graze_table.column[0];
    uint64_t *used = c->colour_table.column[0];
    uint32_t start[SN_GRAZE_COLOURS + 2] = {0}, *keep = c->graze_start_table.column[0];
    memset(used, 0, s->world->particles.table.count * sizeof *used);
    for (uint32_t i = 0; i < total; ++i) {
        uint64_t taken = 0;
        uint32_t colour = 0;
        for (uint32_t k = 0; k < 4; ++k)
            taken |= used[from[i].slot[k]];
        while (colour < SN_GRAZE_COLOURS && taken >> colour & 1)
            ++colour;
        for (uint32_t k = 0; colour < SN_GRAZE_COLOURS && k < 4; ++k)
            used[from[i].slot[k]] |= UINT64_C(1) << colour;
        from[i].touched = false;
        from[i].clear = (sn_real)colour; /* until they are sorted */
        start[colour + 1]++;
    }
    for (uint32_t i = 0; i <= SN_GRAZE_COLOURS; ++i)
        start[i + 1] += start[i];
    memcpy(keep, start, sizeof start);
    for (uint32_t i = 0; i < total; ++i) {
        uint32_t at = start[(uint32_t)from[i].clear]++;
        to[at] = from[i];
        to[at].clear = 0;
    }
}

/* Takes the pairs of particles that have a way out from those that are pushed along the line between them. to NULL: only
   counts. */
static uint32_t take_directed(searching *s, sn_graze *to)
{
    sn_world *world = s->world;
    sn_contacts *c = s->contacts;
    const sn_particle_store *p = &world->particles;
    uint32_t found = 0;
    sn_vec3 out;
    for (uint32_t b = 0; b < c->near.batches; ++b)
        for (uint32_t i = 0; i < c->near.lanes[b]; ++i) {
            uint32_t one = c->near.batch[b].a[i], other = c->near.batch[b].b[i];
            bool directed = c->directed && p->group[one] != p->group[other] && way_out(c, one, other, &out);
            if (!directed && !sn_spin_has(world, one) && !sn_spin_has(world, other))
                continue;
            if (p->x[one].w == 0 && p->x[other].w == 0)
                continue;
            if (to)
                to[found] = sn_contacts_take_pair(world, b, i);
            ++found;
        }
    return found;
}

static sn_result find_all(searching *s)
{
    sn_world *world = s->world;
    sn_contacts *c = s->contacts;
    uint32_t count = world->particles.table.count, pieces = (count + SN_PIECE - 1) / SN_PIECE, total = 0;
    uint32_t room = pieces > SN_GRAZE_COLOURS ? pieces + 1 : SN_GRAZE_COLOURS + 2;
    if (!sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count) ||
        !prepare_tree(s) || !make_normals(s) || !sn_table_reserve(&c->graze_start_table, &world->allocator, room) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, pieces))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact with skins");
    bool apart = c->near.batches && (c->directed || sn_spin_any(world));
    uint32_t *start = c->graze_start_table.column[0];
    sn_parallel *share = sn_parallel_wants(&world->parallel, count * WORK_OF_LOOK) ? &world->parallel : NULL;
    for (int round = 0; round < 2; ++round) { /* counted first, then written */
        s->counting = round == 0;
        if (!sn_parallel_tasks(share, pieces, look_piece, s))
            return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
        for (uint32_t i = 0; round == 0 && i < pieces; ++i) {
            uint32_t here = start[i];
            start[i] = total;
            total += here;
        }
        if (round == 0 && apart)
            total += take_directed(s, NULL);
        if (!sn_table_reserve(&c->graze_table, &world->allocator, total) ||
            !sn_parallel_reserve(&world->parallel, &world->allocator, total))
            return world_fail(world, SN_ERROR_MEMORY, "no memory for %u contacts with skins", total);
    }
    if (apart)
        take_directed(s, (sn_graze *)c->graze_table.column[1] + total - take_directed(s, NULL));
    colour(s, total);
    c->grazes = total;
    return SN_OK;
}

sn_result sn_grazes_find(sn_world *world, sn_real dt)
{
    searching s = {.world = world, .contacts = &world->contacts, .dt = dt};
    world->contacts.grazes = 0;
    bool skins = world->contact.triangle_table.count && world->dimensions == 3;
    return skins || (world->contacts.near.batches && sn_spin_any(world)) ? find_all(&s) : SN_OK;
}

/* ---- Solving -------------------------------------------------------------------------------------------------------------- */

/* One loop on its way. */
typedef struct passing {
    sn_world *world;
    const sn_graze_pass *pass;
    void (*one)(const struct passing *p, sn_graze *graze);
    sn_graze *graze; /* the first of the colour */
} passing;

static void run_piece(void *data, uint32_t first, uint32_t end)
{
    const passing *p = data;
    for (uint32_t i = first; i < end; ++i)
        p->one(p, &p->graze[i]);
}

static bool run(sn_world *world, const sn_graze_pass *pass, void (*one)(const passing *p, sn_graze *graze))
{
    const sn_contacts *c = &world->contacts;
    const uint32_t *start = c->graze_start_table.column[0];
    passing p = {.world = world, .pass = pass, .one = one};
    for (uint32_t k = 0; c->grazes && k <= SN_GRAZE_COLOURS && start[k] < c->grazes; ++k) {
        uint32_t count = start[k + 1] - start[k];
        p.graze = (sn_graze *)c->graze_table.column[0] + start[k];
        if (k == SN_GRAZE_COLOURS || !sn_parallel_wants(&world->parallel, count * WORK_OF_GRAZE))
            run_piece(&p, 0, count);
        else if (!sn_parallel_for(&world->parallel, count, run_piece, &p))
            return false;
    }
    return true;
}

/* The particle's less the spot's: of places or velocities. */
static sn_vec3 relative(const sn_vec4 *column, const sn_graze *g)
{
    sn_vec3 r = vec4_xyz(column[g->slot[0]]);
    for (uint32_t k = 0; k < 3; ++k)
        r = vec3_sub(r, vec3_scale(vec4_xyz(column[g->slot[k + 1]]), g->weight[k]));
    return r;
}

/* W: what a push is divided by. */
static sn_real mobility(const sn_world *world, const sn_graze *g)
{
    const sn_vec4 *x = world->particles.x;
    sn_real w = x[g->slot[0]].w;
    for (uint32_t k = 0; k < 3; ++k)
        w += g->weight[k] * g->weight[k] * x[g->slot[k + 1]].w;
    return w;
}

static void add(sn_vec4 *to, sn_vec3 by, sn_real share)
{
    *to = vec4(vec3_add(vec4_xyz(*to), vec3_scale(by, share)), to->w);
}

/* Moves all four, by changes of their relative place and velocity. */
static void move(sn_world *world, const sn_graze *g, sn_vec3 by, sn_vec3 speed)
{
    sn_vec4 *x = world->particles.x, *v = world->particles.v;
    sn_real give = mobility(world, g);
    if (!(give > 0))
        return;
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t slot = g->slot[k];
        sn_real share = (k == 0 ? 1 : -g->weight[k - 1]) * x[slot].w / give;
        sn_contacts_add(world, slot, vec3_scale(by, share));
        add(&v[slot], speed, share);
    }
}

/* Where the four were at the start of the substep. */
static void places(const sn_world *world, const sn_graze *g, sn_real h, sn_vec3 *start, sn_vec3 *end)
{
    for (uint32_t k = 0; k < 4; ++k) {
        end[k] = vec4_xyz(world->particles.x[g->slot[k]]);
        start[k] = vec3_sub(end[k], vec3_scale(vec4_xyz(world->particles.v[g->slot[k]]), h));
    }
}

/* The lecture's directional rejection: along the object's normal, or, where the other one has got behind it, along the line
   between them mirrored at it. */
static sn_real directed_gap(const sn_world *world, sn_graze *g)
{
    sn_vec3 d = vec3_sub(place(world, g->slot[0]), place(world, g->slot[1])), n = vec3(0, 1, 0);
    sn_real length = vec3_length(d);
    if (!world->contacts.directed || world->particles.group[g->slot[0]] == world->particles.group[g->slot[1]] ||
        !way_out(&world->contacts, g->slot[0], g->slot[1], &n)) { /* they only roll */
        g->normal = length > 0 ? vec3_scale(d, 1 / length) : n;
        return length - g->reach;
    }
    sn_real along = vec3_dot(d, n);
    if (along < 0) {
        sn_vec3 mirrored = vec3_sub(d, vec3_scale(n, 2 * along));
        n = vec3_scale(mirrored, 1 / vec3_length(mirrored));
    }
    g->normal = n;
    return length - g->reach;
}

/* The gap, negative when they overlap or the particle is on the wrong side; and the normal and weights that go with it. */
static sn_real gap_of(const sn_world *world, sn_graze *g, sn_real h)
{
    sn_vec3 start[4], end[4];
    if (g->triangle == SN_GRAZE_PAIR)
        return directed_gap(world, g);
    places(world, g, h, start, end);
    sn_vec3 n = cross_of(end[1], end[2], end[3]);
    sn_real area = vec3_length(n), t;
    if (!(area > 0))
        return g->reach; /* it has collapsed to a line: its neighbours are there */
    n = vec3_scale(n, g->side / area);
    sn_vec3 way = vec3_sub(vec3_sub(end[0], start[0]), vec3_sub(end[1], start[1]));
    if (vec3_length(way) > g->reach / 2 && sn_triangle_meets(start, end, g->reach, &t, g->weight)) {
        g->normal = n;
        return vec3_dot(relative(world->particles.x, g), n) - g->reach;
    }
    uint32_t feature = sn_triangle_near(end[0], end[1], end[2], end[3], g->weight);
    sn_vec3 d = relative(world->particles.x, g);
    sn_real distance = vec3_length(d), along = vec3_dot(d, n);
    if (feature == 0 || along < 0) { /* face to face, or behind it */
        g->normal = n;
        return along < 0 && feature != 0 ? g->reach : along - g->reach;
    }
    g->normal = distance > 0 ? vec3_scale(d, 1 / distance) : n;
    return distance - g->reach;
}

/* The other ball; a triangle does not turn. */
static sn_spinning other_spin(const sn_world *world, const sn_graze *g)
{
    return g->triangle == SN_GRAZE_PAIR ? sn_spin_of(world, g->slot[1]) : (sn_spinning){0};
}

static void warm(const passing *p, sn_graze *g)
{
    sn_real last = g->pressed, steady = last < 2 * g->last ? last : 2 * g->last;
    g->last = last;
    if (!(last > 0))
        return;
    g->pressed = steady;
    g->rubbed = vec3_scale(g->rubbed, steady / last);
    gap_of(p->world, g, p->pass->h);
    sn_vec3 push = vec3_add(vec3_scale(g->normal, steady), g->rubbed);
    const sn_spinning a = sn_spin_of(p->world, g->slot[0]), b = other_spin(p->world, g);
    sn_real give = mobility(p->world, g);
    if ((a.turns || b.turns) && give > 0) {
        sn_spin_push(p->world, &a, &b, g->normal, vec3_scale(g->rubbed, 1 / (give * p->pass->h)));
        sn_spin_warm(p->world, &a, &b, &g->rolled, steady / last);
    }
    g->clear = 0;
    move(p->world, g, push, vec3_scale(push, 1 / p->pass->h));
}

static void project(const passing *p, sn_graze *g)
{
    sn_real h = p->pass->h, gap = gap_of(p->world, g, h);
    if (!(gap < 0) && !(g->pressed > 0))
        return;
    g->touched = true;
    sn_vec3 n = g->normal, u = vec3_scale(relative(p->world->particles.v, g), h);
    sn_real along = vec3_dot(u, n), before = gap - along, pressed = g->pressed + (before < 0 ? before : 0) - gap;
    pressed = pressed > 0 ? pressed : 0;
    sn_vec3 rubbed = vec3_sub(g->rubbed, vec3_scale(n, vec3_dot(g->rubbed, n)));
    sn_real give = mobility(p->world, g);
    const sn_spinning a = sn_spin_of(p->world, g->slot[0]), b = other_spin(p->world, g);
    sn_vec3 slip = vec3_sub(u, vec3_scale(n, along));
    if (a.turns || b.turns)
        slip =
            vec3_scale(vec3_add(slip, vec3_scale(sn_spin_slip(p->world, &a, &b, n), h)), sn_spin_share(&a, &b, give));
    sn_vec3 rubs = vec3_sub(rubbed, slip);
    sn_real much = vec3_length(rubs);
    if (much > g->grip.hold * pressed)
        rubs = vec3_scale(rubs, g->grip.drag * pressed / much);
    if ((a.turns || b.turns) && give > 0) {
        sn_real radius = a.turns && b.turns ? a.radius * b.radius / (a.radius + b.radius)
                         : a.turns          ? a.radius
                                            : b.radius;
        sn_spin_push(p->world, &a, &b, n, vec3_scale(vec3_sub(rubs, rubbed), 1 / (give * h)));
        sn_spin_resist(p->world, &a, &b, g->grip.rolling * radius * pressed / (give * h), &g->rolled);
    }
    sn_vec3 push = vec3_add(vec3_scale(n, pressed - g->pressed), vec3_sub(rubs, rubbed));
    sn_real deep = before < 0 ? -before * p->pass->ease : 0;
    deep = deep > p->pass->part ? p->pass->part : deep;
    move(p->world, g, vec3_add(push, vec3_scale(n, deep)), vec3_scale(push, 1 / h));
    g->pressed = pressed;
    g->rubbed = rubs;
}

static void meet(const passing *p, sn_graze *g)
{
    g->before = relative(p->world->particles.v, g);
}

static void bounce(const passing *p, sn_graze *g)
{
    if (!(g->pressed > 0))
        return;
    sn_real give = mobility(p->world, g), along = vec3_dot(relative(p->world->particles.v, g), g->normal), wanted = 0;
    g->impulse += give > 0 ? g->pressed / (give * p->pass->h) : 0;
    if (g->grip.restitution > 0) {
        sn_real approach = -vec3_dot(g->before, g->normal);
        wanted = approach > p->pass->bounce_above ? g->grip.restitution * approach : 0;
    }
    if (wanted > 0 || along < 0) { /* what is still going in after a blow has come to a stop there */
        move(p->world, g, vec3(0, 0, 0), vec3_scale(g->normal, wanted - along));
        g->impulse += give > 0 ? (wanted - along) / give : 0;
    }
}

bool sn_grazes_meet(sn_world *world)
{
    return run(world, NULL, meet);
}

bool sn_grazes_warm(sn_world *world, const sn_graze_pass *pass)
{
    return run(world, pass, warm);
}

bool sn_grazes_project(sn_world *world, const sn_graze_pass *pass)
{
    return run(world, pass, project);
}

bool sn_grazes_bounce(sn_world *world, const sn_graze_pass *pass)
{
    return run(world, pass, bounce);
}
