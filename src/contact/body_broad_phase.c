/* Contact of bodies, the broad phase: finds contact pairs, once a step. */
#include "contact/body_search.h"

#include "base/sort.h"

#if !SINEW_DOUBLE && !defined(SINEW_SCALAR) && (defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__))
#define SN_VECTOR 16
#else
#define SN_VECTOR 0
#endif
#include <sinew/lanes.h>

#include <stddef.h>
#include <string.h>

#define SPARE 16u

void sn_body_contacts_init(sn_body_contacts *body_contacts)
{
    memset(body_contacts, 0, sizeof *body_contacts);
    sn_table_column(&body_contacts->kept_table, sizeof(sn_kept_manifold), true);
    sn_table_column(&body_contacts->kept_table, sizeof(sn_kept_manifold), false);
    sn_table_column(&body_contacts->kept_table, sizeof(sn_sort_item), false);
    sn_table_column(&body_contacts->kept_table, sizeof(sn_sort_item), false);
    sn_table_column(&body_contacts->mover_table, sizeof(sn_mover), false);
    sn_table_column(&body_contacts->box_table, sizeof(sn_bounds), false);
    sn_table_column(&body_contacts->box_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->box_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->box_table, sizeof(sn_body_contact_box), false);
    sn_table_column(&body_contacts->box_table, sizeof(sn_bounds), false);
    sn_table_column(&body_contacts->near_table, sizeof(sn_body_contact_near), false);
    sn_table_column(&body_contacts->ball_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->ball_way_table, sizeof(sn_vec4), false);
    sn_table_column(&body_contacts->ball_way_table, sizeof(sn_vec4), false);
    sn_table_column(&body_contacts->ball_way_table, sizeof(uint8_t), false);
    sn_table_column(&body_contacts->count_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->found_table, sizeof(sn_body_contact_found), false);
    sn_table_column(&body_contacts->spare_table, SPARE * sizeof(sn_body_contact_found), false);
    sn_table_column(&body_contacts->contact_table, sizeof(sn_body_contact), false);
    sn_table_column(&body_contacts->contact_table, sizeof(sn_body_contact), false);
    sn_table_column(&body_contacts->contact_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->contact_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->contact_table, sizeof(sn_body_contact_watch), false);
    sn_table_column(&body_contacts->contact_table, sizeof(sn_body_contact_ends), false);
    sn_table_column(&body_contacts->contact_table, 2 * sizeof(sn_real), false);
    sn_table_column(&body_contacts->cell_table, sizeof(sn_body_contact_cell), false);
    sn_table_column(&body_contacts->cell_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->cell_table, (SN_BODY_CONTACT_LEVELS - 1) * sizeof(sn_body_contact_position), false);
    sn_table_column(&body_contacts->cell_table, sizeof(sn_body_contact_throw), false);
    sn_table_column(&body_contacts->cell_table, sizeof(uint8_t), false);
    sn_table_column(&body_contacts->cell_table, sizeof(uint8_t), false);
    sn_table_column(&body_contacts->cell_table, SN_BODY_CONTACT_LEVELS * sizeof(uint32_t), false);
    sn_table_column(&body_contacts->cell_table, sizeof(uint64_t), false);
    sn_table_column(&body_contacts->cell_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->group_table, sizeof(sn_body_contact_group), false);
    sn_table_column(&body_contacts->group_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->group_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->group_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->group_table, sizeof(sn_body_contact_slice), false);
    sn_table_column(&body_contacts->batch_table, sizeof(sn_wide_body_contact), false);
    sn_table_column(&body_contacts->batch_table, sizeof(sn_wide_manifold), false);
    sn_table_column(&body_contacts->violent_table, sizeof(sn_wide_body_contact), false);
    sn_table_column(&body_contacts->fixed_shape_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->rank_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->apart_table, sizeof(sn_body_contact_apart), false);
    sn_table_column(&body_contacts->apart_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->record_table, sizeof(sn_vec4), false);
    sn_table_column(&body_contacts->expect_table, sizeof(sn_vec4), false);
    sn_table_column(&body_contacts->expect_table, sizeof(sn_vec4), false);
    for (uint32_t i = 0; i < SN_TREES; ++i) {
        sn_table_column(&body_contacts->leaf_table[i], sizeof(sn_bounds), false);
        sn_table_column(&body_contacts->leaf_table[i], sizeof(uint32_t), false);
    }
    sn_table_column(&body_contacts->row_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->row_table, sizeof(uint8_t), false);
    for (uint32_t i = 0; i < 3; ++i)
        sn_table_column(&body_contacts->left_table, sizeof(uint32_t), false);
    sn_table_column(&body_contacts->list_table, sizeof(uint32_t), false);
    sn_bvh_init(&body_contacts->tree);
    sn_bvh_init(&body_contacts->rest);
    sn_bvh_init(&body_contacts->stray);
}

void sn_body_contacts_release(sn_body_contacts *body_contacts, const sn_allocator *allocator)
{
    sn_table *tables[] = {
        &body_contacts->kept_table,        &body_contacts->mover_table,   &body_contacts->box_table,
        &body_contacts->ball_table,        &body_contacts->count_table,   &body_contacts->found_table,
        &body_contacts->contact_table,     &body_contacts->cell_table,    &body_contacts->group_table,
        &body_contacts->batch_table,       &body_contacts->record_table,  &body_contacts->spare_table,
        &body_contacts->fixed_shape_table, &body_contacts->rank_table,    &body_contacts->apart_table,
        &body_contacts->leaf_table[0],     &body_contacts->leaf_table[1], &body_contacts->row_table,
        &body_contacts->list_table,        &body_contacts->left_table,    &body_contacts->leaf_table[2],
        &body_contacts->violent_table,     &body_contacts->expect_table,  &body_contacts->near_table,
        &body_contacts->ball_way_table};
    for (uint32_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        sn_table_release(tables[i], allocator);
    sn_bvh_release(&body_contacts->tree, allocator);
    sn_bvh_release(&body_contacts->rest, allocator);
    sn_bvh_release(&body_contacts->stray, allocator);
}

/* ---- Helpers ----------------------------------------------------------------------------------------------------- */

const sn_fixed_shape *sn_body_contact_record(const sn_world *world, uint32_t number)
{
    return &contact_fixed_shapes(&world->contact)[world->contact.fixed_shape_ids.value[number]];
}

sn_vec3 sn_part_point(const sn_world *world, uint32_t part, sn_vec3 contact_point)
{
    const sn_body_part *p = &world->bodies.part[part];
    return p->plain ? contact_point : vec3_add(p->place, sn_quat_rotate(p->turn, contact_point));
}

/* ns, about: a contact or a mover in one loop */
#define WORK_OF_BODY_CONTACT 200.0

bool sn_body_contacts_share(sn_world *world, uint32_t count, sn_piece_fn *piece, void *data)
{
    return sn_parallel_few(&world->parallel, count, WORK_OF_BODY_CONTACT, piece, data);
}

/* ---- Candidate pairs --------------------------------------------------------------------------------------------- */

/* True if the filters of two parts agree. part_b: SN_ID_FREE for a ball. */
static bool filters_agree(const sn_world *world, uint32_t a, uint32_t part_a, uint32_t b, uint32_t part_b)
{
    const sn_group_contact *gb = sn_contact_group(&world->contact, world->particles.group[b]);
    const sn_filter fa = sn_part_filter(world, part_a, a);
    const sn_filter fb = part_b == SN_ID_FREE ? (sn_filter){gb->category, gb->mask} : sn_part_filter(world, part_b, b);
    if (part_b != SN_ID_FREE && world->bodies.part[part_a].sensor && world->bodies.part[part_b].sensor)
        return false; /* sensors do not detect each other */
    return sn_contacts_agree(fa.category, fa.mask, fb.category, fb.mask);
}

static bool groups_agree(const sn_world *world, uint32_t a, uint32_t b)
{
    const sn_particle_store *p = &world->particles;
    if (p->x[a].w == 0 && p->x[b].w == 0 && !sn_sleep_asks(world, (uint32_t[]){a, b}, 2))
        return false;
    if (p->group[a] == p->group[b] && !sn_contact_group(&world->contact, p->group[a])->self)
        return false;
    return !sn_incidence_joins(&world->incidence, &world->constraints, p->index[a], p->index[b]);
}

/* The search for one item of a loop. */
typedef struct looking {
    const sn_body_contact_finding *f;
    uint32_t item;
    uint32_t slot;        /* of the particle of the item */
    sn_bounds reach;      /* where it searches */
    const uint32_t *leaf; /* the boxes in the tree that is searched; */
    bool awake;           /* they are of awake bodies, all of which search when a step begins; */
    bool alone;           /* a ball that left its margin: it is searched for, whichever bodies left */
    bool old;             /* what it has of bodies that left in this step is outdated */
    uint32_t count, most; /* pairs found; room for them */
    sn_body_contact_found *to;
} looking;

static bool boxes_touch(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* True if one of the axes of a separates the two, wherever they move: each may be stopped anywhere on its path. */
static bool has_axis_between(const sn_body_contact_box *a, const sn_body_contact_box *b)
{
    const sn_vec3 between = vec3_sub(b->centre, a->centre);
    const sn_real stray = a->stray + b->stray;
    for (uint32_t i = 0; i < 3; ++i) {
        const sn_vec3 axis = a->axis[i];
        const sn_real along = vec3_dot(between, axis), sign = along < 0 ? -1 : 1;
        if (!(sign * along >
              a->half[i] + b->least + stray)) /* a quick test: b extends at least as far along any axis */
            continue;
        const sn_real displacement_a = sign * vec3_dot(a->displacement, axis),
                      displacement_b = -sign * vec3_dot(b->displacement, axis);
        const sn_real size = a->half[i] + b->half[0] * contact_magnitude(vec3_dot(b->axis[0], axis)) +
                             b->half[1] * contact_magnitude(vec3_dot(b->axis[1], axis)) +
                             b->half[2] * contact_magnitude(vec3_dot(b->axis[2], axis));
        if (sign * along >
            size + stray + (displacement_a > 0 ? displacement_a : 0) + (displacement_b > 0 ? displacement_b : 0))
            return true;
    }
    return false;
}

static bool are_apart(const sn_body_contact_finding *f, uint32_t a, uint32_t b)
{
    const sn_body_contact_box *box = f->body_contacts->box_table.column[3];
    return has_axis_between(&box[a], &box[b]) || has_axis_between(&box[b], &box[a]);
}

static void note(looking *l, uint32_t a, uint32_t other, uint32_t type)
{
    if (l->to && l->count < l->most)
        l->to[l->count] = (sn_body_contact_found){a, other, type};
    l->count++;
}

static bool has_left(const sn_body_contact_finding *f, uint32_t at)
{
    return contact_has_left(f->world, f->body[at]);
}

/* Calls visit for boxes of bodies that left in this step. */
static void look_at_strayed(looking *l, sn_bvh_visit *visit)
{
    const sn_body_contacts *body_contacts = l->f->body_contacts;
    l->leaf = body_contacts->leaf_table[SN_TREE_STRAY].column[1];
    l->awake = true;
    l->old = false;
    if (body_contacts->stray.items)
        sn_bvh_overlap(&body_contacts->stray, &l->reach, visit, l);
    else
        for (uint32_t i = 0; i < body_contacts->leaf_table[SN_TREE_STRAY].count; ++i)
            visit(l, i);
}

/* Calls visit for boxes of bodies, awake or not. */
static void look_in_trees(looking *l, sn_bvh_visit *visit)
{
    const sn_body_contacts *body_contacts = l->f->body_contacts;
    look_at_strayed(l, visit);
    l->leaf = body_contacts->leaf_table[SN_TREE_AWAKE].column[1];
    l->old = body_contacts->leaf_table[SN_TREE_STRAY].count > 0;
    sn_bvh_overlap(&body_contacts->tree, &l->reach, visit, l);
    l->old = false;
    l->leaf = body_contacts->leaf_table[SN_TREE_REST].column[1];
    l->awake = false;
    if (body_contacts->leaf_table[SN_TREE_REST].count)
        sn_bvh_overlap(&body_contacts->rest, &l->reach, visit, l);
}

/* Results are sorted, because the order in which trees visit leaves depends on their history. */
static bool comes_before(const sn_body_contact_found *a, const sn_body_contact_found *b)
{
    return a->a != b->a ? a->a < b->a : a->other != b->other ? a->other < b->other : a->type < b->type;
}

static void sort_found(looking *l, uint32_t first)
{
    sn_body_contact_found *all = l->to;
    for (uint32_t i = first + 1; l->to && l->count <= l->most && i < l->count; ++i) {
        const sn_body_contact_found here = all[i];
        uint32_t at = i;
        for (; at > first && comes_before(&here, &all[at - 1]); --at)
            all[at] = all[at - 1];
        all[at] = here;
    }
}

/* Of two parts, the one of the body with the lower row finds the pair; or, of two of which one left, that one. The part
   of the particle with the lower number is a. */
static void look_at_near(looking *l, uint32_t other)
{
    const sn_body_contact_finding *f = l->f;
    const uint32_t own = f->body[l->item], others = f->body[other];
    if (others == own || (others < own && (f->again ? has_left(f, other) : l->awake)) ||
        (l->old && contact_flags(f->world)[others] & SN_ROW_STRAYED) || are_apart(f, l->item, other))
        return;
    uint32_t b = contact_slot_of(f, other);
    const uint32_t *number = f->world->particles.index;
    bool lower = number[l->slot] < number[b];
    if (filters_agree(f->world, l->slot, f->part[l->item], b, f->part[other]) && groups_agree(f->world, l->slot, b))
        note(l, lower ? l->item : other, lower ? other : l->item, FOUND_PART);
}

static bool look_at_part(void *data, uint32_t leaf)
{
    looking *l = data;
    const uint32_t other = l->leaf[leaf];
    if (boxes_touch(&l->f->bounds[other], &l->reach))
        look_at_near(l, other);
    return true;
}

static void begin_part(looking *l)
{
    l->item = l->f->box[l->item];
    l->slot = contact_slot_of(l->f, l->item);
    l->reach = l->f->bounds[l->item];
}

static void look_for_parts(looking *l)
{
    begin_part(l);
    look_in_trees(l, look_at_part);
    sort_found(l, 0);
}

#define NEARS 128u /* boxes that are tested together, in whole leaves */

/* The search for all boxes of one leaf of the tree of awake bodies, among those of all leaves that it touches: the tree
   is descended once for all of them. */
typedef struct leaf_search {
    const sn_body_contact_finding *f;
    const sn_bvh_node *node, *own;
    looking look[SN_BVH_LEAF];
    /* boxes near each one are stored here instead of tested; NULL: they are tested */
    sn_body_contact_near *kept[SN_BVH_LEAF];
    uint32_t nears, near[NEARS];
    sn_real side[6][NEARS]; /* low x, y, z, high x, y, z */
} leaf_search;

static void keep_near(const looking *l, sn_body_contact_near *kept, uint32_t other)
{
    if (l->f->body[other] <= l->f->body[l->item])
        return;
    if (kept->count < SN_BODY_CONTACT_NEARS)
        kept->box[kept->count] = other;
    kept->count++;
}

static void look_through(leaf_search *s)
{
    for (; s->nears % SN_WIDTH; ++s->nears) /* empty */
        s->side[0][s->nears] = (sn_real)INFINITY;
    for (uint32_t k = 0; k < s->own->count; ++k) {
        looking *l = &s->look[k];
        const lanes low[3] = {lanes_all((double)l->reach.low.x), lanes_all((double)l->reach.low.y),
                              lanes_all((double)l->reach.low.z)};
        const lanes high[3] = {lanes_all((double)l->reach.high.x), lanes_all((double)l->reach.high.y),
                               lanes_all((double)l->reach.high.z)};
        for (uint32_t i = 0; i < s->nears; i += SN_WIDTH) {
            const flags touch = lanes_at_least(high[0], lanes_load(s->side[0] + i)) &
                                lanes_at_least(high[1], lanes_load(s->side[1] + i)) &
                                lanes_at_least(high[2], lanes_load(s->side[2] + i)) &
                                lanes_at_least(lanes_load(s->side[3] + i), low[0]) &
                                lanes_at_least(lanes_load(s->side[4] + i), low[1]) &
                                lanes_at_least(lanes_load(s->side[5] + i), low[2]);
            uint32_t bits = flags_bits(touch);
            for (uint32_t lane = 0; bits; ++lane, bits >>= 1)
                if (bits & 1 && SN_KEEPS_PAIRS && s->kept[k])
                    keep_near(l, s->kept[k], s->near[i + lane]);
                else if (bits & 1)
                    look_at_near(l, s->near[i + lane]);
        }
    }
    s->nears = 0;
}

static void add_nears(leaf_search *s, const sn_bvh_node *leaf)
{
    const uint32_t *item = s->f->body_contacts->tree.item_table.column[0], *box = s->look[0].leaf;
    if (s->nears + SN_BVH_LEAF > NEARS)
        look_through(s);
    for (uint32_t k = 0; k < leaf->count; ++k) {
        const uint32_t to = s->nears++;
        s->near[to] = box[item[leaf->left + k]];
        const sn_bounds *b = &(SN_KEEPS_PAIRS && s->kept[0] ? s->f->spans : s->f->bounds)[s->near[to]];
        const sn_real side[6] = {b->low.x, b->low.y, b->low.z, b->high.x, b->high.y, b->high.z};
        for (uint32_t i = 0; i < 6; ++i)
            s->side[i][to] = side[i];
    }
}

static void look_from_leaf(leaf_search *s)
{
    uint32_t waiting[SN_BVH_DEPTH + 1], waits = 0;
    waiting[waits++] = 0;
    while (waits) {
        const sn_bvh_node *n = &s->node[waiting[--waits]];
        while (boxes_touch(&n->bounds, &s->own->bounds)) {
            if (n->count) {
                add_nears(s, n);
                break;
            }
            waiting[waits++] = n->left + 1;
            n = &s->node[n->left];
        }
    }
    look_through(s);
}

static looking looking_of(const sn_body_contact_finding *f, uint32_t item)
{
    looking l = {.f = f,
                 .item = item,
                 .leaf = f->body_contacts->leaf_table[SN_TREE_AWAKE].column[1],
                 .awake = true,
                 .most = SPARE,
                 .to = f->spare + (size_t)SPARE * item};
    begin_part(&l);
    return l;
}

/* Searches for sleeping bodies last. */
static void end_part(looking *l, uint32_t item)
{
    const sn_body_contacts *body_contacts = l->f->body_contacts;
    l->leaf = body_contacts->leaf_table[SN_TREE_REST].column[1];
    l->awake = false;
    if (body_contacts->leaf_table[SN_TREE_REST].count)
        sn_bvh_overlap(&body_contacts->rest, &l->reach, look_at_part, l);
    sort_found(l, 0);
    l->f->start[item] = l->count;
}

/* Searches for all awake bodies, leaf by leaf, when a step begins. Finds what look_for_parts finds for each of them. */
static void leaves_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_body_contact_finding *f = data;
    const uint32_t *item = f->body_contacts->tree.item_table.column[0];
    leaf_search s = {.f = f, .node = f->body_contacts->tree.node_table.column[0]};
    for (uint32_t i = first; i < end; ++i) {
        s.own = &s.node[i];
        for (uint32_t k = 0; k < s.own->count; ++k)
            s.look[k] = looking_of(f, item[s.own->left + k]);
        if (s.own->count)
            look_from_leaf(&s);
        for (uint32_t k = 0; k < s.own->count; ++k)
            end_part(&s.look[k], item[s.own->left + k]);
    }
}

/* ---- Kept pairs -----------------------------------------------------------------------------------------------------

   Where most bodies are slow, their boxes are made wide enough for several steps. The wide boxes that touch are kept,
   by box, until a part leaves its wide box. Until then all contacts are among these. So the results are the same, in
   the same order, and none of this is state. */

static sn_body_contact_near *nears_of(const sn_body_contact_finding *f, uint32_t item)
{
    return (sn_body_contact_near *)f->body_contacts->near_table.column[0] + item;
}

static void keep_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_body_contact_finding *f = data;
    const uint32_t *item = f->body_contacts->tree.item_table.column[0];
    leaf_search s = {.f = f, .node = f->body_contacts->tree.node_table.column[0]};
    for (uint32_t i = first; i < end; ++i) {
        s.own = &s.node[i];
        for (uint32_t k = 0; k < s.own->count; ++k) {
            s.look[k] = looking_of(f, item[s.own->left + k]);
            s.look[k].reach = f->spans[s.look[k].item];
            s.kept[k] = nears_of(f, item[s.own->left + k]);
            s.kept[k]->count = 0;
        }
        if (s.own->count)
            look_from_leaf(&s);
    }
}

/* Finds the same as leaves_piece, from kept pairs. */
static void nears_piece(void *data, uint32_t first, uint32_t end)
{
    const sn_body_contact_finding *f = data;
    for (uint32_t i = first; i < end; ++i) {
        looking l = looking_of(f, i);
        const sn_body_contact_near *near = nears_of(f, i);
        if (near->count > SN_BODY_CONTACT_NEARS)
            sn_bvh_overlap(&f->body_contacts->tree, &l.reach, look_at_part, &l);
        for (uint32_t k = 0; near->count <= SN_BODY_CONTACT_NEARS && k < near->count; ++k)
            if (boxes_touch(&f->bounds[near->box[k]], &l.reach))
                look_at_near(&l, near->box[k]);
        end_part(&l, i);
    }
}

static bool look_from_leaves(sn_body_contact_finding *f, uint32_t items)
{
    sn_body_contacts *body_contacts = f->body_contacts;
    const uint32_t nodes = body_contacts->tree.node_table.count;
    if (!SN_KEEPS_PAIRS || !body_contacts->wide)
        return sn_body_contacts_share(f->world, nodes, leaves_piece, f);
    if (!body_contacts->near_known && !sn_body_contacts_share(f->world, nodes, keep_piece, f))
        return false;
    body_contacts->near_known = true;
    return sn_body_contacts_share(f->world, items, nears_piece, f);
}

/* True if rods keep a ball inside a part of a body, as where a rope is tied to a point within it. */
static bool is_leashed(const sn_world *world, uint32_t body, uint32_t part, uint32_t ball)
{
    const uint32_t *number = world->particles.index;
    const sn_body_part *p = &world->bodies.part[part];
    return sn_incidence_leashes(&world->incidence, &world->constraints, number[body], number[ball], p->place,
                                sn_convex_inner(&p->convex) + world->particles.radius[ball]);
}

static bool look_at_body(void *data, uint32_t leaf)
{
    looking *l = data;
    const uint32_t at = l->leaf[leaf];
    if ((has_left(l->f, at) || !l->f->again || l->alone) && boxes_touch(&l->f->bounds[at], &l->reach) &&
        filters_agree(l->f->world, contact_slot_of(l->f, at), l->f->part[at], l->slot, SN_ID_FREE) &&
        groups_agree(l->f->world, contact_slot_of(l->f, at), l->slot) &&
        !(l->old && contact_flags(l->f->world)[l->f->body[at]] & SN_ROW_STRAYED) &&
        !is_leashed(l->f->world, contact_slot_of(l->f, at), l->f->part[at], l->slot))
        note(l, at, l->slot, FOUND_BALL);
    return true;
}

static bool stop_looking(void *data, uint32_t at)
{
    (void)at;
    *(bool *)data = true;
    return false;
}

/* Searches for the bodies near a piece of particles. */
static void look_for_bodies(looking *l)
{
    const sn_particle_store *p = &l->f->world->particles;
    const sn_bounds *box = (const sn_bounds *)l->f->world->contacts.box_table.column[0] + l->item;
    const uint32_t first = l->item * SN_CONTACT_PIECE, count = p->table.count;
    const uint32_t end = count - first < SN_CONTACT_PIECE ? count : first + SN_CONTACT_PIECE;
    bool near = l->f->again; /* then particles may have left their box */
    if (!near)
        sn_bvh_overlap(&l->f->body_contacts->tree, box, stop_looking, &near);
    if (!near && l->f->body_contacts->leaf_table[SN_TREE_REST].count)
        sn_bvh_overlap(&l->f->body_contacts->rest, box, stop_looking, &near);
    for (l->slot = first; near && l->slot < end; ++l->slot) {
        if (p->body[l->slot])
            continue;
        sn_real by = p->radius[l->slot] + sn_contacts_displacement(l->f->world, l->slot, l->f->dt);
        sn_vec3 x = vec4_xyz(p->x[l->slot]);
        l->reach = contact_grow((sn_bounds){x, x}, by);
        const uint32_t before = l->count;
        l->alone = l->f->again && sn_body_ball_is_sought(l->f->world, l->slot, &l->reach);
        if (l->f->again && !l->alone)
            look_at_strayed(l, look_at_body);
        else
            look_in_trees(l, look_at_body);
        sort_found(l, before);
    }
}

/* True if a box, which includes the path of its contents, is entirely above a plane. */
static bool is_above(const sn_bounds *box, const sn_fixed_shape *r, const sn_fixed_motion *m, sn_real dt)
{
    if (!m->plain)
        return false;
    sn_vec3 n = m->normal, low = vec3(n.x > 0 ? box->low.x : box->high.x, n.y > 0 ? box->low.y : box->high.y,
                                      n.z > 0 ? box->low.z : box->high.z);
    return vec3_dot(vec3_sub(low, m->step_start.position), n) > r->shape.thickness + r->shape.guard + m->speed * dt;
}

static bool look_at_fixed_shape(void *data, uint32_t number)
{
    looking *l = data;
    const sn_world *world = l->f->world;
    const sn_fixed_shape *r = sn_body_contact_record(world, number);
    if (is_above(&l->reach, r, contact_motion(world, number), l->f->dt)) /* most are: no other test is needed */
        return true;
    const sn_filter own = sn_part_filter(world, l->f->part[l->item], l->slot),
                    filter = sn_fixed_shape_filter(&world->contact, r);
    if (!sn_contacts_agree(own.category, own.mask, filter.category, filter.mask) ||
        (r->def.sensor && world->bodies.part[l->f->part[l->item]].sensor) ||
        sn_fixed_joins(world, r->body, world->particles.index[l->slot]))
        return true;
    uint32_t layers = r->shape.type >= SN_SHAPE_MESH ? SN_BODY_CONTACT_LAYERS : 1;
    for (uint32_t k = 0; k < layers; ++k)
        note(l, l->item, number, FOUND_FIXED + k);
    return true;
}

/* Searches for the fixed shapes near a part. */
static void look_for_fixed_shapes(looking *l)
{
    const sn_world *world = l->f->world;
    l->item = l->f->box[l->item];
    l->slot = contact_slot_of(l->f, l->item);
    if (world->particles.x[l->slot].w == 0 && !sn_sleep_asks(world, (uint32_t[]){l->slot}, 1))
        return;
    l->reach = l->f->bounds[l->item];
    sn_fixed_tree_overlap(&world->contacts.fixed_shapes, &l->reach, look_at_fixed_shape, l);
    sort_found(l, 0);
}

typedef void look_fn(looking *l);

typedef struct look_loop {
    sn_body_contact_finding *f;
    look_fn *look;
} look_loop;

static void look_piece(void *data, uint32_t first, uint32_t end)
{
    const look_loop *loop = data;
    sn_body_contact_finding *f = loop->f;
    for (uint32_t i = first; i < end; ++i) {
        looking l = {.f = f, .item = i, .most = SPARE, .to = f->spare ? f->spare + (size_t)SPARE * i : NULL};
        loop->look(&l);
        f->start[i] = l.count;
    }
}

/* Writes the results, each at its place. */
static void write_piece(void *data, uint32_t first, uint32_t end)
{
    const look_loop *loop = data;
    const sn_body_contact_finding *f = loop->f;
    for (uint32_t i = first; i < end; ++i) {
        uint32_t count = f->start[i + 1] - f->start[i];
        if (count == 0)
            continue; /* there may be no room at all */
        looking l = {.f = f, .item = i, .most = count, .to = f->to + f->start[i]};
        if (f->spare && count <= SPARE)
            memcpy(l.to, f->spare + (size_t)SPARE * i, count * sizeof *l.to);
        else
            loop->look(&l);
    }
}

/* Counts first, then writes: results are in the order of the items. */
static sn_result look_around(sn_body_contact_finding *f, uint32_t items, look_fn *look)
{
    sn_world *world = f->world;
    sn_body_contacts *body_contacts = f->body_contacts;
    look_loop loop = {f, look};
    uint64_t total = body_contacts->found_table.count;
    bool spare = look == look_for_parts;
    if (!sn_table_reserve(&body_contacts->count_table, &world->allocator, (uint64_t)items + 1) ||
        (spare && !sn_table_reserve(&body_contacts->spare_table, &world->allocator, items)) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, 2 * items / SN_FEW + 1))
        return SN_ERROR_MEMORY;
    f->start = body_contacts->count_table.column[0];
    f->spare = spare ? body_contacts->spare_table.column[0] : NULL;
    const bool leaves = spare && !f->again && body_contacts->tree.items;
    if (leaves ? !look_from_leaves(f, items) : !sn_body_contacts_share(world, items, look_piece, &loop))
        return SN_ERROR_HOST;
    for (uint32_t i = 0; i < items; ++i) {
        uint32_t count = f->start[i];
        f->start[i] = (uint32_t)total;
        total += count;
        if (total > SN_MAX_COUNT)
            return SN_ERROR_MEMORY;
    }
    f->start[items] = (uint32_t)total;
    if (!sn_table_reserve(&body_contacts->found_table, &world->allocator, total + SN_BODY_CONTACTS_FEW))
        return SN_ERROR_MEMORY;
    f->to = body_contacts->found_table.column[0];
    body_contacts->found_table.count = (uint32_t)total;
    return sn_body_contacts_share(world, items, write_piece, &loop) ? SN_OK : SN_ERROR_HOST;
}

sn_result sn_body_contacts_search(sn_body_contact_finding *f)
{
    const uint32_t particles = f->world->particles.table.count;
    sn_result result = look_around(f, f->sought, look_for_parts);
    const uint32_t before = f->body_contacts->found_table.count;
    if (result == SN_OK && particles > f->world->bodies.ids.live)
        result = look_around(f, (particles + SN_CONTACT_PIECE - 1) / SN_CONTACT_PIECE, look_for_bodies);
    f->body_contacts->balls += f->body_contacts->found_table.count - before;
    if (result == SN_OK)
        result = look_around(f, f->sought, look_for_fixed_shapes);
    return result;
}
