/* Which features of surfaces may meet for some time to come.

   Every vertex gets two boxes in which it is expected: one in the world, and one seen from the mean of its skin, for pairs within the skin: a cloth
   that flies or falls as a whole then has boxes no larger than one that rests. Boxes of triangles are those of their corners, grown by the
   thickness. Pairs of triangles whose boxes touch give the pairs of features that they own. What is found holds as long as every vertex
   stays in its boxes, which is looked at in every substep; the search is then made anew. How large boxes are decides how often that is,
   and nothing else: more candidates than need be change no result. */
#include "contact/particle_contacts.h"

#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

#define TRIANGLES_A_PIECE 64u
#define WORK_OF_TRIANGLE  2000.0 /* ns, about: looking for the others */

#define SLACK ((sn_real)0.2) /* of the mean edge: boxes are so much larger on every side */
#define ROUNDED                                                                                                        \
    (SINEW_DOUBLE ? (sn_real)1e-15 : (sn_real)5e-7) /* of the coordinates: what is lost by seeing places from a mean */
#define REST    ((sn_real)0.5) /* of their distance in the rest shape: nearer than that neighbours push each other */
#define REBUILT 64u            /* trees are built anew after so many searches */

typedef struct searching {
    sn_world *world;
    sn_surfaces *s;
    bool counting;
    sn_real rounded; /* m */
} searching;

/* ---- Where things are ---------------------------------------------------------------------------------------------------- */

/* All skins that share particles have the same mean. */
static void share_means(sn_surfaces *s)
{
    sn_surface_skin *skin = surface_skins(s);
    sn_dvec3 mean = {0, 0, 0}, velocity = {0, 0, 0};
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        mean = dvec3_add(mean, dvec3_scale(skin[i].mean, skin[i].vertices));
        velocity = dvec3_add(velocity, dvec3_scale(skin[i].mean_velocity, skin[i].vertices));
    }
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        skin[i].mean = dvec3_scale(mean, 1.0 / s->vertex_table.count);
        skin[i].mean_velocity = dvec3_scale(velocity, 1.0 / s->vertex_table.count);
    }
}

static void set_mean(sn_surface_skin *skin, sn_dvec3 sum, sn_dvec3 velocity)
{
    const double share = skin->vertices ? 1.0 / skin->vertices : 0;
    skin->mean = dvec3_scale(sum, share);
    skin->mean_velocity = dvec3_scale(velocity, share);
}

void sn_surfaces_measure(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const sn_particle_store *p = &world->particles;
    sn_surface_vertex *vertex = surface_vertices(s);
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        sn_dvec3 sum = {0, 0, 0}, velocity = {0, 0, 0};
        for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k) {
            vertex[k].start = vec4_xyz(p->x[vertex[k].slot]);
            sum = dvec3_add(sum, dvec3_from(vertex[k].start));
            velocity = dvec3_add(velocity, dvec3_from(vec4_xyz(p->v[vertex[k].slot])));
        }
        set_mean(skin, sum, velocity);
    }
    if (s->joined)
        share_means(s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const sn_vec3 v = vec4_xyz(p->v[vertex[i].slot]);
        vertex[i].fast = vec3_length(v);
        vertex[i].speed = vec3_length(vec3_sub(v, dvec3_round(surface_skins(s)[vertex[i].skin].mean_velocity)));
    }
}

void sn_surfaces_measure_ends(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    sn_surface_vertex *vertex = surface_vertices(s);
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        sn_dvec3 sum = {0, 0, 0};
        for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k)
            sum = dvec3_add(sum, dvec3_from(vertex[k].end));
        set_mean(skin, sum, dvec3_scale(skin->mean_velocity, skin->vertices));
    }
    if (s->joined)
        share_means(s);
}

static bool is_inside(const sn_bounds *b, sn_vec3 p)
{
    return p.x >= b->low.x && p.x <= b->high.x && p.y >= b->low.y && p.y <= b->high.y && p.z >= b->low.z &&
           p.z <= b->high.z;
}

bool sn_surfaces_stay(const sn_world *world, sn_real h, bool ends)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_vertex *vertex = surface_vertices(s);
    const bool others = s->skin_table.count > 1;
    if (!s->searched)
        return false;
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        const sn_surface_skin *skin = &surface_skins(s)[vertex[i].skin];
        const sn_vec3 c = dvec3_round(skin->mean);
        if (ends) {
            if (!is_inside(&vertex[i].own, vec3_sub(vertex[i].end, c)) ||
                (others && !is_inside(&vertex[i].world, vertex[i].end)))
                return false;
            continue;
        }
        const sn_vec3 way = vec3_scale(vec4_xyz(world->particles.v[vertex[i].slot]), h);
        const sn_vec3 own_way = vec3_sub(way, vec3_scale(dvec3_round(skin->mean_velocity), h));
        const sn_vec3 own = vec3_sub(vertex[i].start, c);
        if (!is_inside(&vertex[i].own, own) || !is_inside(&vertex[i].own, vec3_add(own, own_way)))
            return false;
        if (others && (!is_inside(&vertex[i].world, vertex[i].start) ||
                       !is_inside(&vertex[i].world, vec3_add(vertex[i].start, way))))
            return false;
    }
    return true;
}

/* ---- Boxes ------------------------------------------------------------------------------------------------------------------ */

static sn_real lower(sn_real a, sn_real b)
{
    return b < a ? b : a;
}

static sn_real higher(sn_real a, sn_real b)
{
    return b > a ? b : a;
}

static void include(sn_bounds *box, sn_vec3 p)
{
    box->low = vec3(lower(box->low.x, p.x), lower(box->low.y, p.y), lower(box->low.z, p.z));
    box->high = vec3(higher(box->high.x, p.x), higher(box->high.y, p.y), higher(box->high.z, p.z));
}

static sn_bounds united(sn_bounds a, const sn_bounds *b)
{
    include(&a, b->low);
    include(&a, b->high);
    return a;
}

static sn_bounds grown(sn_bounds a, sn_real by)
{
    a.low = vec3_sub(a.low, vec3(by, by, by));
    a.high = vec3_add(a.high, vec3(by, by, by));
    return a;
}

static bool boxes_touch(const sn_bounds *a, const sn_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* s: for so long boxes are to last: until most vertices have come as far as an edge is long, but for the rest of the step at most and for a substep
   at least. */
static sn_real horizon(const sn_surfaces *s, const sn_surface_skin *skin, sn_real h, bool own)
{
    const sn_surface_vertex *vertex = surface_vertices(s);
    double square = 0;
    for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k) {
        const double speed = (double)(own ? vertex[k].speed : vertex[k].fast);
        square += speed * speed;
    }
    const sn_real typical = (sn_real)sqrt(square / (skin->vertices ? skin->vertices : 1));
    const sn_real time = skin->edge < typical * s->time_left ? skin->edge / typical : s->time_left;
    return time > h ? time : h;
}

static void expect_vertices(searching *f, sn_real h, bool ends)
{
    sn_surfaces *s = f->s;
    sn_surface_vertex *vertex = surface_vertices(s);
    sn_real largest = 0;
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        const sn_real own_time = horizon(s, skin, h, true), time = horizon(s, skin, h, false),
                      slack = SLACK * skin->edge;
        const sn_vec3 c = dvec3_round(skin->mean), drift = dvec3_round(skin->mean_velocity);
        for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k) {
            const sn_vec3 v = vec4_xyz(f->world->particles.v[vertex[k].slot]), x = vertex[k].start;
            vertex[k].own = (sn_bounds){vec3_sub(x, c), vec3_sub(x, c)};
            vertex[k].world = (sn_bounds){x, x};
            include(&vertex[k].own, vec3_add(vec3_sub(x, c), vec3_scale(vec3_sub(v, drift), own_time)));
            include(&vertex[k].world, vec3_add(x, vec3_scale(v, time)));
            if (ends) {
                include(&vertex[k].own, vec3_sub(vertex[k].end, c));
                include(&vertex[k].world, vertex[k].end);
            }
            vertex[k].own = grown(vertex[k].own, slack);
            vertex[k].world = grown(vertex[k].world, slack);
            largest = higher(largest, higher(vec3_length(x), vec3_length(vec3_sub(x, c))));
        }
        skin->searched = skin->mean;
    }
    f->rounded = ROUNDED * largest;
}

static sn_bounds *boxes(const sn_surfaces *s, bool own)
{
    return s->triangle_table.column[own ? 1 : 2];
}

static const sn_bounds *expected(const sn_surface_vertex *v, bool own)
{
    return own ? &v->own : &v->world;
}

static void expect_triangles(searching *f)
{
    sn_surfaces *s = f->s;
    const sn_surface_vertex *vertex = surface_vertices(s);
    for (uint32_t t = 0; t < s->triangle_table.count; ++t) {
        const sn_surface_triangle *triangle = &surface_triangles(s)[t];
        const sn_real by = surface_skins(s)[triangle->skin].thickness + f->rounded;
        for (int own = 0; own < 2; ++own) {
            sn_bounds box = *expected(&vertex[triangle->vertex[0]], own);
            for (uint32_t k = 1; k < 3; ++k)
                box = united(box, expected(&vertex[triangle->vertex[k]], own));
            boxes(s, own)[t] = grown(box, by);
        }
    }
}

static bool fit_trees(searching *f)
{
    sn_surfaces *s = f->s;
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        for (uint32_t k = 0; k < 2; ++k) {
            sn_bvh *tree = (sn_bvh *)s->tree_table.column[k] + i;
            const sn_bounds *box = boxes(s, k == 0) + skin->first;
            if (k == 1 && s->skin_table.count == 1)
                continue;
            if (tree->items == skin->count && s->searches % REBUILT)
                sn_bvh_refit(tree, box);
            else if (!sn_bvh_build(tree, &f->world->allocator, box, skin->count))
                return false;
        }
        skin->reach = boxes(s, false)[skin->first];
        for (uint32_t t = skin->first + 1; t < skin->first + skin->count; ++t)
            skin->reach = united(skin->reach, &boxes(s, false)[t]);
    }
    return true;
}

/* ---- Pairs -------------------------------------------------------------------------------------------------------------------- */

typedef struct looking {
    searching *f;
    uint32_t triangle; /* that looks for others */
    uint32_t base;     /* items of the tree are triangles from here on */
    bool own;
    sn_surface_candidate *to; /* NULL: only count */
    uint32_t found;
} looking;

/* m: nearer than this they push each other. What is near in the rest shape may come nearer. */
static sn_real reach_of(const searching *f, bool edges, const uint32_t *vertex, sn_real thickness, bool one_group)
{
    const sn_contact_world *contact = &f->world->contact;
    const sn_vec4 *rest = contact->rest_table.column[0];
    sn_dvec3 x[4];
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t number = surface_vertices(f->s)[vertex[k]].number;
        if (!one_group || number >= contact->rest_table.count || rest[number].w == 0)
            return thickness;
        x[k] = dvec3_from(vec4_xyz(rest[number]));
    }
    const sn_real far = REST * (sn_real)sn_surface_nearest(edges, x).distance;
    return far < thickness ? far : thickness;
}

/* Two of different skins that a constraint joins are left alone. */
static bool are_joined(const searching *f, bool edges, const uint32_t *vertex)
{
    const sn_world *world = f->world;
    for (uint32_t i = 0; i < (edges ? 2u : 1u); ++i)
        for (uint32_t k = edges ? 2 : 1; k < 4; ++k)
            if (sn_incidence_joins(&world->incidence, &world->constraints, surface_vertices(f->s)[vertex[i]].number,
                                   surface_vertices(f->s)[vertex[k]].number))
                return true;
    return false;
}

static void emit(looking *l, sn_surface_candidate c, uint32_t other)
{
    searching *f = l->f;
    if (!l->own && are_joined(f, c.edges, c.vertex))
        return;
    if (l->to) {
        const sn_surface_skin *one = &surface_skins(f->s)[surface_triangles(f->s)[l->triangle].skin];
        const sn_surface_skin *two = &surface_skins(f->s)[surface_triangles(f->s)[other].skin];
        c.pair = other;
        c.own = l->own;
        c.reach = reach_of(f, c.edges, c.vertex, one->thickness + two->thickness, one->group == two->group);
        l->to[l->found] = c;
    }
    l->found++;
}

static bool has_vertex(const sn_surface_triangle *triangle, uint32_t vertex)
{
    return triangle->vertex[0] == vertex || triangle->vertex[1] == vertex || triangle->vertex[2] == vertex;
}

/* Vertices that one owns, with the other. */
static void pair_vertices(looking *l, uint32_t one, uint32_t other, uint32_t pair)
{
    const sn_surfaces *s = l->f->s;
    const sn_surface_triangle *a = &surface_triangles(s)[one], *b = &surface_triangles(s)[other];
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t v = a->vertex[k];
        if (!(a->owns >> k & 1) || has_vertex(b, v))
            continue;
        const sn_bounds box = grown(*expected(&surface_vertices(s)[v], l->own), surface_skins(s)[a->skin].thickness);
        if (boxes_touch(&box, &boxes(s, l->own)[other]))
            emit(l,
                 (sn_surface_candidate){
                     .vertex = {v, b->vertex[0], b->vertex[1], b->vertex[2]}, .one = v, .other = other},
                 pair);
    }
}

static sn_bounds edge_box(const looking *l, const sn_surface_edge *edge, sn_real by)
{
    const sn_surface_vertex *vertex = surface_vertices(l->f->s);
    return grown(united(*expected(&vertex[edge->vertex[0]], l->own), expected(&vertex[edge->vertex[1]], l->own)), by);
}

static void pair_edges(looking *l, uint32_t other)
{
    const sn_surfaces *s = l->f->s;
    const sn_surface_triangle *a = &surface_triangles(s)[l->triangle], *b = &surface_triangles(s)[other];
    for (uint32_t i = 0; i < 3; ++i) {
        if (!(a->owns >> (3 + i) & 1))
            continue;
        const sn_surface_edge *one = &surface_edges(s)[a->edge[i]];
        const sn_bounds box = edge_box(l, one, surface_skins(s)[a->skin].thickness + l->f->rounded);
        if (!boxes_touch(&box, &boxes(s, l->own)[other]))
            continue;
        for (uint32_t k = 0; k < 3; ++k) {
            if (!(b->owns >> (3 + k) & 1))
                continue;
            const sn_surface_edge *two = &surface_edges(s)[b->edge[k]];
            const sn_bounds its = edge_box(l, two, surface_skins(s)[b->skin].thickness);
            if (one->vertex[0] == two->vertex[0] || one->vertex[0] == two->vertex[1] ||
                one->vertex[1] == two->vertex[0] || one->vertex[1] == two->vertex[1] || !boxes_touch(&box, &its))
                continue;
            emit(l,
                 (sn_surface_candidate){.vertex = {one->vertex[0], one->vertex[1], two->vertex[0], two->vertex[1]},
                                        .one = a->edge[i],
                                        .other = b->edge[k],
                                        .edges = true},
                 other);
        }
    }
}

static bool look_at(void *data, uint32_t item)
{
    looking *l = data;
    const uint32_t other = l->base + item;
    const sn_surfaces *s = l->f->s;
    if ((l->own && other <= l->triangle) || !boxes_touch(&boxes(s, l->own)[l->triangle], &boxes(s, l->own)[other]))
        return true;
    pair_vertices(l, l->triangle, other, other);
    pair_vertices(l, other, l->triangle, other);
    pair_edges(l, other);
    return true;
}

/* Whether one comes before the other in the list: by triangles, then vertices before edges. */
static bool precedes(const sn_surface_candidate *a, const sn_surface_candidate *b)
{
    if (a->pair != b->pair)
        return a->pair < b->pair;
    if (a->edges != b->edges)
        return b->edges;
    return a->one != b->one ? a->one < b->one : a->other < b->other;
}

/* The order of a tree is nothing that results may depend on. Shell's way, with Ciura's gaps. */
static void sort(sn_surface_candidate *item, uint32_t count)
{
    static const uint32_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (uint32_t k = 0; k < sizeof gaps / sizeof *gaps; ++k)
        for (uint32_t i = gaps[k]; i < count; ++i) {
            const sn_surface_candidate moved = item[i];
            uint32_t at = i;
            for (; at >= gaps[k] && precedes(&moved, &item[at - gaps[k]]); at -= gaps[k])
                item[at] = item[at - gaps[k]];
            item[at] = moved;
        }
}

/* Whether the groups of two skins let each other collide. */
static bool skins_agree(const sn_world *world, const sn_surface_skin *a, const sn_surface_skin *b)
{
    const sn_group_contact *one = sn_contact_group(&world->contact, a->group),
                           *two = sn_contact_group(&world->contact, b->group);
    return sn_contacts_agree(one->category, one->mask, two->category, two->mask);
}

static void look_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    searching *f = data;
    sn_surfaces *s = f->s;
    uint32_t *start = s->piece_table.column[0], found = 0;
    const uint32_t first = index * TRIANGLES_A_PIECE;
    for (uint32_t t = first; t < first + TRIANGLES_A_PIECE && t < s->triangle_table.count; ++t) {
        const uint32_t skin = surface_triangles(s)[t].skin;
        looking l = {.f = f, .triangle = t, .to = f->counting ? NULL : surface_candidates(s) + start[index] + found};
        for (uint32_t other = skin; other < s->skin_table.count; ++other) {
            const sn_surface_skin *its = &surface_skins(s)[other];
            l.own = other == skin;
            l.base = its->first;
            if (!l.own && (!boxes_touch(&boxes(s, false)[t], &its->reach) ||
                           !skins_agree(f->world, &surface_skins(s)[skin], its)))
                continue;
            sn_bvh_overlap((const sn_bvh *)s->tree_table.column[l.own ? 0 : 1] + other, &boxes(s, l.own)[t], look_at,
                           &l);
        }
        if (l.to)
            sort(l.to, l.found);
        found += l.found;
    }
    if (f->counting)
        start[index] = found;
}

static bool look(searching *f, uint32_t pieces)
{
    sn_world *world = f->world;
    sn_parallel *share =
        sn_parallel_wants(&world->parallel, f->s->triangle_table.count * WORK_OF_TRIANGLE) ? &world->parallel : NULL;
    return sn_parallel_tasks(share, pieces, look_piece, f);
}

static bool fail(sn_world *world, sn_result result)
{
    world->contacts.failed = result;
    return false;
}

bool sn_surfaces_search(sn_world *world, sn_real h, bool ends)
{
    sn_surfaces *s = &world->contacts.surfaces;
    searching f = {.world = world, .s = s, .counting = true};
    const uint32_t pieces = (s->triangle_table.count + TRIANGLES_A_PIECE - 1) / TRIANGLES_A_PIECE;
    s->searched = s->chosen = false;
    s->candidate_table.count = 0;
    expect_vertices(&f, h, ends);
    expect_triangles(&f);
    if (!fit_trees(&f) || !sn_table_reserve(&s->piece_table, &world->allocator, pieces) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, pieces) ||
        (s->skin_table.count > 1 &&
         !sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count)))
        return fail(world, world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces"));
    s->searches++;
    if (!look(&f, pieces))
        return false;
    uint32_t *start = s->piece_table.column[0];
    uint64_t total = 0;
    for (uint32_t i = 0; i < pieces; ++i) {
        const uint32_t here = start[i];
        start[i] = (uint32_t)total;
        total += here;
    }
    if (total > SN_MAX_COUNT || !sn_table_reserve(&s->candidate_table, &world->allocator, total))
        return fail(world, world_fail(world, SN_ERROR_MEMORY, "no memory for %llu pairs of surfaces that may touch",
                                      (unsigned long long)total));
    f.counting = false;
    if (!look(&f, pieces))
        return false;
    s->candidate_table.count = (uint32_t)total;
    s->searched = true;
    return true;
}
