/* Finding contacts of particles with triangles of skins, and colouring them: contacts of one colour share no particle
   and run in parallel. A skin does not collide with particles of its own group. skin_solve.c solves the contacts.

   The search finds all contacts that are possible while no particle leaves its margin, which is how far its velocity
   takes it in the step. Constraints and impacts can throw particles farther. Then contacts are searched for again,
   within the substep, and contacts that persist keep their impulses.

   Pairs of particles that rotate, or of which one has an outward normal (outward.c), are contacts with a triangle whose
   corners are all the other particle. */
#include "contact/callbacks.h"

#include <stdatomic.h>
#include <string.h>

#define WORK_OF_LOOK 100.0            /* ns, about: the search for the triangles near a particle */
#define REBUILD      32u              /* the tree is rebuilt after this many steps */
#define THINNEST     ((sn_real)0.005) /* relative to a triangle's longest edge: the least reach of a contact */

#define LONGER 1e-6 /* relative enlargement of displacements, against rounding */

typedef struct searching {
    sn_world *world;
    sn_contacts *contacts;
    sn_real dt;
    bool again; /* within a substep */
    bool counting;
    bool all_free;  /* all skins have self_collision: their vertices need no search */
    bool one_group; /* all skins are of this group, whose particles need no search */
    uint32_t group;
    atomic_bool noticed; /* by a loop over particles: what it looks for exists */
    /* m^2, as the bits of a double: the longest displacement seen, squared */
    atomic_ullong longest;
} searching;

void sn_skin_contacts_init(sn_contacts *c)
{
    sn_table_column(&c->skin_contact_table, sizeof(sn_skin_contact), false);
    sn_table_column(&c->path_table, sizeof(sn_vec4), false);
    sn_table_column(&c->path_table, sizeof(sn_vec4), false);
}

void sn_skin_contacts_release(sn_contacts *c, const sn_allocator *allocator)
{
    sn_table_release(&c->path_table, allocator);
}

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

/* ---- Margins ----------------------------------------------------------------------------------------------------- */

static const sn_vec4 *starts(const sn_contacts *c)
{
    return c->path_table.column[0];
}

/* Positions of particles at the last search, and in w how far from there they may move. */
static sn_vec4 *margins(const sn_contacts *c)
{
    return c->path_table.column[1];
}

static sn_bounds grow(sn_bounds a, sn_real by)
{
    a.low = vec3_sub(a.low, vec3(by, by, by));
    a.high = vec3_add(a.high, vec3(by, by, by));
    return a;
}

static uint32_t group_of(const sn_world *world, uint32_t triangle)
{
    return world->particles.group[world->ids.value[triangles(world)[triangle][0]]];
}

/* Fills in margins. Notices particles of other groups than that of the first triangle. */
static void measure_margins(void *data, uint32_t first, uint32_t end)
{
    searching *s = data;
    const sn_world *world = s->world;
    const sn_particle_store *p = &world->particles;
    uint32_t group = group_of(world, 0);
    bool others = false;
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_real displacement = sn_contacts_displacement(world, slot, s->dt);
        if (s->again) /* includes the displacement in this substep */
            displacement += vec3_length(vec3_sub(place(world, slot), vec4_xyz(starts(s->contacts)[slot])));
        margins(s->contacts)[slot] = vec4(place(world, slot), displacement);
        others = others || p->group[slot] != group;
    }
    if (others)
        atomic_store_explicit(&s->noticed, true, memory_order_relaxed);
}

/* The bits of doubles that are not negative have the order of the doubles. */
static void note_longest(searching *s, double square)
{
    unsigned long long bits = 0, known = atomic_load_explicit(&s->longest, memory_order_relaxed);
    memcpy(&bits, &square, sizeof square);
    while (bits > known && !atomic_compare_exchange_weak_explicit(&s->longest, &known, bits, memory_order_relaxed,
                                                                  memory_order_relaxed)) {
    }
}

static sn_real longest_displacement(searching *s)
{
    unsigned long long bits = atomic_load_explicit(&s->longest, memory_order_relaxed);
    double square;
    memcpy(&square, &bits, sizeof square);
    return (sn_real)(sqrt(square) * (1 + LONGER));
}

/* Notices a particle that left its margin, and measures the longest displacement in the substep. */
static void check_margins(void *data, uint32_t first, uint32_t end)
{
    searching *s = data;
    const sn_vec4 *margin = margins(s->contacts), *start = starts(s->contacts);
    bool left = false;
    sn_real longest = 0;
    for (uint32_t slot = first; slot < end; ++slot) {
        sn_vec3 x = place(s->world, slot), d = vec3_sub(x, vec4_xyz(margin[slot]));
        sn_vec3 displacement = vec3_sub(x, vec4_xyz(start[slot]));
        sn_real square = vec3_dot(displacement, displacement);
        left = left || vec3_dot(d, d) > margin[slot].w * margin[slot].w;
        longest = square > longest ? square : longest;
    }
    if (left)
        atomic_store_explicit(&s->noticed, true, memory_order_relaxed);
    note_longest(s, (double)longest);
}

/* True if the loop over all particles noticed something. Lost tasks are completed here. */
static bool notices(searching *s, sn_piece_fn *piece)
{
    sn_parallel *parallel = &s->world->parallel;
    atomic_store_explicit(&s->noticed, false, memory_order_relaxed);
    if (!sn_parallel_for(parallel, s->world->particles.table.count, piece, s))
        sn_parallel_repair(parallel);
    return atomic_load_explicit(&s->noticed, memory_order_relaxed);
}

/* ---- The tree ---------------------------------------------------------------------------------------------------- */

static void include(sn_bounds *box, sn_vec3 p, sn_real by)
{
    sn_vec3 low = vec3_sub(p, vec3(by, by, by)), high = vec3_add(p, vec3(by, by, by));
    box->low = vec3(low.x < box->low.x ? low.x : box->low.x, low.y < box->low.y ? low.y : box->low.y,
                    low.z < box->low.z ? low.z : box->low.z);
    box->high = vec3(high.x > box->high.x ? high.x : box->high.x, high.y > box->high.y ? high.y : box->high.y,
                     high.z > box->high.z ? high.z : box->high.z);
}

/* The bounds of a triangle during the step. */
static void measure_triangles(void *data, uint32_t first, uint32_t end)
{
    const searching *s = data;
    const sn_world *world = s->world;
    const sn_real far = (sn_real)INFINITY;
    for (uint32_t t = first; t < end; ++t) {
        sn_bounds box = {{far, far, far}, {-far, -far, -far}};
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t slot = world->ids.value[triangles(world)[t][k]];
            include(&box, vec4_xyz(margins(s->contacts)[slot]), margins(s->contacts)[slot].w);
        }
        triangle_bounds(s->contacts)[t] = box;
    }
}

static void note_skins(searching *s)
{
    const sn_world *world = s->world;
    const sn_skin_record *skin = world->contact.skin_table.column[0];
    uint32_t *of = s->contacts->triangle_table.column[1];
    s->group = group_of(world, 0);
    s->one_group = s->all_free = true;
    s->contacts->triangle_table.count = world->contact.triangle_table.count; /* entries are kept when the table grows */
    for (uint32_t i = 0; i < world->contact.skin_table.count; ++i) {
        s->all_free = s->all_free && skin[i].self_collision;
        for (uint32_t t = skin[i].first; t < skin[i].first + skin[i].count; ++t) {
            of[t] = i;
            s->one_group = s->one_group && group_of(world, t) == s->group;
        }
    }
}

#ifndef __wasm__

/* A cut appends triangles to a skin, so triangles of later skins get new numbers. Items of the tree are renumbered, and
   new triangles are added to it. The table still has the skin of each old triangle. False if there were other edits,
   too, or so many triangles were added that the tree is rebuilt. */
static bool follow_cuts(const sn_world *world, sn_contacts *c)
{
    const sn_skin_record *skin = world->contact.skin_table.column[0];
    const uint32_t before = c->skin_tree.items, count = world->contact.triangle_table.count;
    uint32_t *of = c->triangle_table.column[1], *item = c->skin_tree.item_table.column[0], t = 0;
    if (!before || count < before || count - before > before / REBUILD ||
        world->contact.edits - c->tree_edits != world->contact.tears - c->tree_tears)
        return false;
    if (count == before)
        return true;
    for (uint32_t s = 0; s < world->contact.skin_table.count; ++s)
        for (uint32_t place = skin[s].first; t < before && of[t] == s; ++t)
            of[t] = place++;
    for (uint32_t i = 0; i < before; ++i)
        item[i] = of[item[i]];
    for (uint32_t made = t = 0; made < count; ++made) /* numbers are in order: the missing ones are new */
        if (t < before && of[t] == made)
            ++t;
        else if (!sn_bvh_add(&c->skin_tree, &world->allocator, triangle_bounds(c), made))
            return false;
    return true;
}

#else /* where code has to be downloaded (WebAssembly) the tree is rebuilt */

static bool follow_cuts(const sn_world *world, const sn_contacts *c)
{
    return c->skin_tree.items == world->contact.triangle_table.count && c->tree_edits == world->contact.edits;
}

#endif

/* Rebuilds the tree now and then, and refits it in between. Results do not depend on it. */
static bool prepare_tree(searching *s)
{
    sn_world *world = s->world;
    sn_contacts *c = s->contacts;
    uint32_t count = world->contact.triangle_table.count;
    if (!sn_table_reserve(&c->triangle_table, &world->allocator, count) ||
        !sn_parallel_reserve(&world->parallel, &world->allocator, count))
        return false;
    if (!sn_parallel_for(&world->parallel, count, measure_triangles, s))
        sn_parallel_repair(&world->parallel);
    const bool follows = c->tree_age < REBUILD && follow_cuts(world, c);
    note_skins(s);
    c->tree_edits = world->contact.edits;
    c->tree_tears = world->contact.tears;
    if (follows) {
        sn_bvh_refit(&c->skin_tree, triangle_bounds(c));
        c->tree_age++;
        return true;
    }
    c->tree_age = 0;
    return sn_bvh_build(&c->skin_tree, &world->allocator, triangle_bounds(c), count);
}

/* ---- The search -------------------------------------------------------------------------------------------------- */

typedef struct looking {
    const searching *s;
    uint32_t slot;
    sn_bounds box;
    sn_skin_contact *to; /* NULL: only count */
    uint32_t found;
} looking;

static sn_real longest_edge(const sn_world *world, const uint32_t *slot)
{
    sn_real longest = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        sn_real edge = vec3_length(vec3_sub(place(world, slot[k]), place(world, slot[(k + 1) % 3])));
        longest = edge > longest ? edge : longest;
    }
    return longest;
}

/* Restores the impulses of the contact at the end of the step before. */
static void recall(const searching *s, sn_skin_contact *g)
{
    const sn_world *world = s->world;
    const sn_kept_impulse *old = sn_contacts_recall(world, g->slot[0], SN_IMPULSE_TRIANGLE | g->triangle);
    const sn_step_lengths *lengths = &world->contacts.lengths;
    if (!old)
        return;
    g->side = old->normal.x;
    g->normal_impulse = sn_contacts_push_again(lengths, old->normal_impulse, old->load.along);
    g->last = sn_contacts_push_again(lengths, old->last, old->load.along);
    g->tangent_impulse = sn_contacts_push_again_across(lengths, old->tangent_impulse, old->load.across);
    g->load = old->load;
}

/* The same within a step: the last column has the contacts found before, sorted by slot, then by triangle. */
static void keep(const searching *s, sn_skin_contact *g)
{
    const sn_skin_contact *old = s->contacts->skin_contact_table.column[2];
    uint32_t low = 0, high = s->contacts->skin_contacts - s->contacts->skin_contact_pairs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const sn_skin_contact *at = &old[middle];
        if (at->slot[0] < g->slot[0] || (at->slot[0] == g->slot[0] && at->triangle < g->triangle))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->contacts->skin_contacts - s->contacts->skin_contact_pairs && old[low].slot[0] == g->slot[0] &&
        old[low].triangle == g->triangle)
        *g = old[low];
}

static sn_skin_contact make_skin_contact(const looking *l, uint32_t triangle, const uint32_t *corner,
                                         const sn_skin_record *skin, const sn_group_contact *own,
                                         const sn_group_contact *other)
{
    const sn_world *world = l->s->world;
    sn_skin_contact g = {.slot = {l->slot, corner[0], corner[1], corner[2]}, .triangle = triangle};
    sn_real least = THINNEST * longest_edge(world, corner);
    sn_vec3 a = place(world, corner[0]), n = cross_of(a, place(world, corner[1]), place(world, corner[2]));
    g.reach = world->particles.radius[l->slot] + skin->thickness;
    g.reach = g.reach > least ? g.reach : least;
    g.friction = sn_contacts_friction(&own->material, &other->material);
    g.one_sided = skin->one_sided;
    g.side = vec3_dot(vec3_sub(place(world, l->slot), a), n) >= 0 ? 1 : -1;
    g.weight[0] = g.weight[1] = g.weight[2] = (sn_real)1 / 3;
    if (l->s->again)
        keep(l->s, &g);
    else
        recall(l->s, &g);
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
    if (p->group[l->slot] == group_of(world, triangle) || !bounds_touch(&box, &l->box) ||
        (skin->self_collision && sn_surfaces_has(world, p->index[l->slot])))
        return true;
    bool moves = p->x[l->slot].w > 0;
    for (uint32_t k = 0; k < 3; ++k) {
        corner[k] = world->ids.value[triangles(world)[triangle][k]];
        moves = moves || p->x[corner[k]].w > 0;
        if (corner[k] == l->slot)
            return true;
    }
    if (!moves)
        moves = sn_sleep_asks(world, (uint32_t[]){l->slot, corner[0], corner[1], corner[2]}, 4);
    if (!moves)
        return true;
    const sn_group_contact *own = sn_contact_group(&world->contact, p->group[l->slot]);
    const sn_group_contact *other = sn_contact_group(&world->contact, p->group[corner[0]]);
    if (!sn_contacts_agree(own->category, own->mask, other->category, other->mask))
        return true;
    if (other->directional && p->radius[l->slot] > 0 && p->radius[corner[0]] > 0)
        return true; /* they collide as particles, and the skin gives the outward normal */
    for (uint32_t k = 0; k < 3; ++k)
        if (sn_incidence_joins(&world->incidence, &world->constraints, p->index[l->slot], p->index[corner[k]]))
            return true;
    if (l->to)
        l->to[l->found] = make_skin_contact(l, triangle, corner, skin, own, other);
    l->found++;
    return true;
}

/* Shell sort with Ciura's gaps: most particles have a few contacts, a fast one hundreds. */
static void sort_by_triangle(sn_skin_contact *skin_contact, uint32_t count)
{
    static const uint32_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (uint32_t k = 0; k < sizeof gaps / sizeof *gaps; ++k)
        for (uint32_t i = gaps[k]; i < count; ++i) {
            sn_skin_contact g = skin_contact[i];
            uint32_t at = i;
            for (; at >= gaps[k] && skin_contact[at - gaps[k]].triangle > g.triangle; at -= gaps[k])
                skin_contact[at] = skin_contact[at - gaps[k]];
            skin_contact[at] = g;
        }
}

/* The largest thickness. The boxes of triangles in the tree do not include the thickness, so a query adds the largest
   one. */
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
    uint32_t *start = s->contacts->skin_contact_start_table.column[0], count = p->table.count, found = 0;
    uint32_t first = index * SN_PIECE, end = count - first < SN_PIECE ? count : first + SN_PIECE;
    sn_skin_contact *skin_contact =
        s->counting ? NULL : (sn_skin_contact *)s->contacts->skin_contact_table.column[1] + start[index];
    sn_real thick = thickest(s->world);
    for (uint32_t slot = first; slot < end; ++slot) {
        if (p->body[slot] || (s->one_group && p->group[slot] == s->group) ||
            (s->all_free && sn_surfaces_has(s->world, p->index[slot])))
            continue;
        sn_vec3 x = vec4_xyz(margins(s->contacts)[slot]);
        sn_real reach = p->radius[slot] + margins(s->contacts)[slot].w;
        looking l = {.s = s,
                     .slot = slot,
                     .box = grow((sn_bounds){x, x}, reach),
                     .to = skin_contact ? skin_contact + found : NULL};
        sn_bounds asked = grow(l.box, thick);
        sn_bvh_overlap(&s->contacts->skin_tree, &asked, look_at, &l);
        if (skin_contact)
            sort_by_triangle(skin_contact + found, l.found);
        found += l.found;
    }
    if (s->counting)
        start[index] = found;
}

/* Gives a contact the first colour that none of its particles has in another contact; the last one if none is free. */
static uint32_t choose_colour(uint64_t *used, const sn_skin_contact *g)
{
    uint64_t taken = 0;
    uint32_t colour = 0;
    for (uint32_t k = 0; k < 4; ++k)
        taken |= used[g->slot[k]];
    while (colour < SN_SKIN_CONTACT_COLOURS && taken >> colour & 1)
        ++colour;
    for (uint32_t k = 0; colour < SN_SKIN_CONTACT_COLOURS && k < 4; ++k)
        used[g->slot[k]] |= UINT64_C(1) << colour;
    return colour;
}

/* Sorts the contacts by colour. */
static void colour(searching *s, uint32_t total)
{
    sn_contacts *c = s->contacts;
    sn_skin_contact *from = c->skin_contact_table.column[1], *to = c->skin_contact_table.column[0];
    uint64_t *used = c->colour_table.column[0];
    uint32_t start[SN_SKIN_CONTACT_COLOURS + 2] = {0}, *keep_start = c->skin_contact_start_table.column[0];
    memset(used, 0, s->world->particles.table.count * sizeof *used);
    for (uint32_t i = 0; i < total; ++i) {
        from[i].colour = choose_colour(used, &from[i]);
        start[from[i].colour + 1]++;
    }
    for (uint32_t i = 0; i <= SN_SKIN_CONTACT_COLOURS; ++i)
        start[i + 1] += start[i];
    memcpy(keep_start, start, sizeof start);
    for (uint32_t i = 0; i < total; ++i) {
        from[i].row = start[from[i].colour]++;
        to[from[i].row] = from[i];
    }
}

/* Takes pairs with an outward normal or a rotating particle from the batches of pairs. to NULL: only counts them. */
static uint32_t take_directed(searching *s, sn_skin_contact *to)
{
    sn_world *world = s->world;
    sn_contacts *c = s->contacts;
    const sn_particle_store *p = &world->particles;
    uint32_t found = 0;
    sn_vec3 out;
    for (uint32_t b = 0; b < c->pairs[SN_PAIRS_FIRST].near.batches; ++b)
        for (uint32_t i = 0; i < c->pairs[SN_PAIRS_FIRST].near.lanes[b]; ++i) {
            uint32_t one = c->pairs[SN_PAIRS_FIRST].near.batch[b].a[i],
                     other = c->pairs[SN_PAIRS_FIRST].near.batch[b].b[i];
            bool directed =
                c->directed && p->group[one] != p->group[other] && sn_outward_direction(c, one, other, &out);
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

/* Counts or writes the contacts. After counting, every piece of particles has the index of its first contact. */
static bool look(searching *s, uint32_t *total)
{
    sn_world *world = s->world;
    uint32_t count = world->particles.table.count, pieces = (count + SN_PIECE - 1) / SN_PIECE;
    uint32_t *start = s->contacts->skin_contact_start_table.column[0];
    sn_parallel *share = sn_parallel_wants(&world->parallel, count * WORK_OF_LOOK) ? &world->parallel : NULL;
    if (!s->contacts->watches)
        return true;
    if (!sn_parallel_tasks(share, pieces, look_piece, s))
        return false;
    for (uint32_t i = 0; s->counting && i < pieces; ++i) {
        uint32_t here = start[i];
        start[i] = *total;
        *total += here;
    }
    return true;
}

static sn_result lost_tasks(const sn_world *world)
{
    return world_fail(world, SN_ERROR_HOST, "the task hook did not run all tasks of a loop");
}

static bool reserve(searching *s)
{
    sn_world *world = s->world;
    sn_contacts *c = s->contacts;
    uint32_t count = world->particles.table.count, pieces = (count + SN_PIECE - 1) / SN_PIECE;
    uint32_t room = pieces > SN_SKIN_CONTACT_COLOURS ? pieces + 1 : SN_SKIN_CONTACT_COLOURS + 2;
    return sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints,
                                    world->ids.table.count) &&
           sn_table_reserve(&c->skin_contact_start_table, &world->allocator, room) &&
           sn_table_reserve(&c->colour_table, &world->allocator, count) &&
           sn_table_reserve(&c->path_table, &world->allocator, count) &&
           sn_parallel_reserve(&world->parallel, &world->allocator, count) &&
           sn_parallel_reserve_tasks(&world->parallel, &world->allocator, pieces);
}

static bool has_skins(const sn_world *world)
{
    return world->contact.triangle_table.count && world->dimensions == 3;
}

/* Builds the tree, unless no search is needed: no particle is of another group than the skins, and there are no outward
   normals. */
static bool prepare(searching *s)
{
    const bool any = has_skins(s->world) && !s->contacts->surfaces.alone;
    s->contacts->watches = any && notices(s, measure_margins);
    return !(s->contacts->watches || (any && sn_outward_any(s->world))) || prepare_tree(s);
}

/* Counts contacts with triangles first, then writes them. Pairs of particles follow: taken from the batches, or, within
   a substep, those of the last search. */
static sn_result find_all(searching *s)
{
    sn_world *world = s->world;
    sn_contacts *c = s->contacts;
    uint32_t total = 0, pairs = s->again ? c->skin_contact_pairs : 0;
    if (!prepare(s) || (!s->again && !sn_outward_prepare(world)))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact with skins");
    s->counting = true;
    if (!look(s, &total))
        return lost_tasks(world);
    if (!s->again && c->pairs[SN_PAIRS_FIRST].near.batches && (c->directed || sn_spin_any(world)))
        pairs = take_directed(s, NULL);
    c->skin_contact_table.count = s->again ? c->skin_contacts : 0; /* these are kept when the table grows */
    if (!sn_table_reserve(&c->skin_contact_table, &world->allocator, (uint64_t)total + pairs) ||
        !sn_parallel_reserve(&world->parallel, &world->allocator, total + pairs))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for %u contacts with skins", total + pairs);
    s->counting = false;
    if (total && !look(s, &total)) /* without contacts there may be no room for them */
        return lost_tasks(world);
    sn_skin_contact *found = c->skin_contact_table.column[1];
    const sn_skin_contact *old = c->skin_contact_table.column[2];
    if (s->again && pairs)
        memcpy(found + total, old + c->skin_contacts - pairs, pairs * sizeof *found);
    else if (pairs)
        take_directed(s, found + total);
    c->skin_contacts = total + pairs;
    c->skin_contact_pairs = pairs;
    colour(s, c->skin_contacts);
    return SN_OK;
}

sn_result sn_skin_contacts_find(sn_world *world, sn_real dt)
{
    searching s = {.world = world, .contacts = &world->contacts, .dt = dt};
    world->contacts.skin_contacts = world->contacts.skin_contact_pairs = 0;
    world->contacts.watches = world->contacts.directed = false;
    if (!has_skins(world) &&
        !(world->contacts.pairs[SN_PAIRS_FIRST].near.batches && (sn_spin_any(world) || sn_outward_any(world))))
        return SN_OK;
    if (!reserve(&s))
        return world_fail(world, SN_ERROR_MEMORY, "no memory for contact with skins");
    return find_all(&s);
}

/* ---- Repeated searches ------------------------------------------------------------------------------------------- */

/* Copies the contacts to the last column, in the order in which they were found. */
static void set_aside(sn_contacts *c)
{
    const sn_skin_contact *now = c->skin_contact_table.column[0], *found = c->skin_contact_table.column[1];
    sn_skin_contact *aside = c->skin_contact_table.column[2];
    for (uint32_t i = 0; i < c->skin_contacts; ++i)
        aside[i] = now[found[i].row];
}

bool sn_skin_contacts_follow(sn_world *world)
{
    sn_contacts *c = &world->contacts;
    searching s = {.world = world, .contacts = c, .dt = c->time_left, .again = true};
    if (!c->watches)
        return true;
    bool left = notices(&s, check_margins);
    c->longest_displacement = longest_displacement(&s);
    if (!left)
        return true;
    set_aside(c);
    c->failed = find_all(&s);
    if (c->failed == SN_OK)
        c->failed = sn_callbacks_late_skins(world);
    if (c->failed == SN_OK && !(sn_contacts_reserve_memory(world) && sn_contact_events_reserve(world)))
        c->failed = world_fail(world, SN_ERROR_MEMORY, "no memory for contact");
    return c->failed == SN_OK;
}
