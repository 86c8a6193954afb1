/* Which features of surfaces may meet for some time to come.

   Every vertex gets two boxes in which it is expected: one seen from the mean of its skin, for pairs within the skin, and one seen from the mean of all
   skins: cloth that flies or falls as a whole then has boxes no larger than cloth that rests. Boxes of triangles are those of their corners, grown by the
   thickness. Pairs of triangles whose boxes touch give the pairs of features that they own. What is found holds as long as every vertex
   stays in its boxes, which is looked at in every substep; the search is then made anew. How large boxes are decides how often that is,
   and nothing else: more candidates than need be change no result. */
#include "contact/particle_contacts.h"

#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

#define TRIANGLES_A_PIECE 64u
#define SPARE_ROOM        32u    /* candidates: for what a piece may find more than last time */
#define WORK_OF_TRIANGLE  2000.0 /* ns, about: looking for the others */

#define FAR     ((sn_real)0.4)     /* of the mean edge: so far most vertices come before they leave their boxes */
#define SLACK   ((sn_real)0.05)    /* of the mean edge: boxes are so much larger on every side */
#define LONGEST ((sn_real)1)       /* s: boxes are for no longer than this */
#define LONGER  ((sn_real)1.00001) /* paths are taken to be longer by this, for what rounding loses */
#define ROUNDED                                                                                                        \
    (SINEW_DOUBLE ? (sn_real)1e-15 : (sn_real)5e-7) /* of the coordinates: what is lost by seeing places from a mean */
#define REST    ((sn_real)0.5) /* of their distance in the rest shape: nearer than that neighbours push each other */
#define REBUILT 64u            /* trees are built anew after so many searches */

typedef struct searching {
    sn_world *world;
    sn_surfaces *s;
    sn_real rounded; /* m */
} searching;

/* ---- Where things are ---------------------------------------------------------------------------------------------------- */

/* Where a view is seen from; and its velocity, and where that is at the end. */
static sn_dvec3 mean_of(const sn_surfaces *s, uint32_t skin, int view)
{
    return view == SN_SURFACE_ALL || s->joined ? s->mean : surface_skins(s)[skin].mean;
}

static sn_dvec3 velocity_of(const sn_surfaces *s, uint32_t skin, int view)
{
    return view == SN_SURFACE_ALL || s->joined ? s->velocity : surface_skins(s)[skin].velocity;
}

static sn_dvec3 end_of(const sn_surfaces *s, uint32_t skin, int view)
{
    return view == SN_SURFACE_ALL || s->joined ? s->end : surface_skins(s)[skin].end;
}

/* Of the vertices of each skin, and of all: in a fixed order. */
static void measure_means(sn_world *world, sn_surfaces *s)
{
    const sn_particle_store *p = &world->particles;
    const sn_surface_vertex *vertex = surface_vertices(s);
    sn_dvec3 all = {0, 0, 0}, all_velocity = {0, 0, 0};
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        sn_dvec3 sum = {0, 0, 0}, velocity = {0, 0, 0};
        const double share = skin->vertices ? 1.0 / skin->vertices : 0;
        for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k) {
            sum = dvec3_add(sum, dvec3_from(vec4_xyz(p->x[vertex[k].slot])));
            velocity = dvec3_add(velocity, dvec3_from(vec4_xyz(p->v[vertex[k].slot])));
        }
        skin->mean = dvec3_scale(sum, share);
        skin->velocity = dvec3_scale(velocity, share);
        all = dvec3_add(all, sum);
        all_velocity = dvec3_add(all_velocity, velocity);
    }
    s->mean = dvec3_scale(all, 1.0 / s->vertex_table.count);
    s->velocity = dvec3_scale(all_velocity, 1.0 / s->vertex_table.count);
}

static sn_real larger(sn_real a, sn_real b)
{
    return a > b ? a : b;
}

/* How much the way of each vertex differs from those at most two edges away: from its neighbours' itself, and theirs from their neighbours'. Gives the largest. */
static sn_real measure_spread(sn_surfaces *s)
{
    sn_surface_vertex *vertex = surface_vertices(s);
    const uint32_t *start = s->ring_start_table.column[0], *ring = s->ring_table.column[0];
    sn_real most = 0;
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        vertex[i].spread = 0;
    for (uint32_t i = 0; i < s->edge_table.count; ++i) {
        sn_surface_vertex *a = &vertex[surface_edges(s)[i].vertex[0]], *b = &vertex[surface_edges(s)[i].vertex[1]];
        const sn_vec3 d = vec3_sub(a->way, b->way);
        const sn_real square = vec3_dot(d, d);
        a->spread = larger(a->spread, square);
        b->spread = larger(b->spread, square);
    }
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        vertex[i].spread = real_sqrt(vertex[i].spread);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        sn_real around = 0;
        for (uint32_t k = start[i]; k < start[i + 1]; ++k)
            around = larger(around, vertex[ring[k]].spread);
        vertex[i].way.x = (vertex[i].spread + around) * LONGER;
        most = larger(most, vertex[i].way.x);
    }
    return most;
}

/* The same of the ways up to the start of this substep, and of velocities. */
static void measure_local(sn_world *world, sn_surfaces *s)
{
    const sn_particle_store *p = &world->particles;
    sn_surface_vertex *vertex = surface_vertices(s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        vertex[i].way = vec3_sub(vec4_xyz(p->x[vertex[i].slot]), vertex[i].start);
    s->path[SN_SURFACE_LOCAL] += (double)measure_spread(s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
        vertex[i].path[SN_SURFACE_LOCAL] += vertex[i].way.x;
        vertex[i].way = vec4_xyz(p->v[vertex[i].slot]);
    }
    s->speed[SN_SURFACE_LOCAL] = measure_spread(s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        vertex[i].speed[SN_SURFACE_LOCAL] = vertex[i].way.x;
}

/* Paths are added up from where substeps begin. What happens between two substeps, and between two steps, is part of them. */
void sn_surfaces_measure(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const sn_particle_store *p = &world->particles;
    sn_surface_vertex *vertex = surface_vertices(s);
    const sn_dvec3 before = s->mean;
    for (uint32_t i = 0; i < s->skin_table.count; ++i)
        surface_skins(s)[i].end = surface_skins(s)[i].mean; /* which was the start of the substep before */
    measure_means(world, s);
    sn_real longest[SN_SURFACE_VIEWS] = {0, 0}, fastest[SN_SURFACE_VIEWS] = {0, 0};
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        const sn_surface_skin *skin = &surface_skins(s)[i];
        for (int view = 0; view < surface_views(s); ++view) {
            const bool own = view == SN_SURFACE_OWN && !s->joined;
            const sn_vec3 drift = dvec3_round(dvec3_sub(mean_of(s, i, view), own ? skin->end : before));
            const sn_vec3 velocity = dvec3_round(velocity_of(s, i, view));
            for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k) {
                const sn_vec3 way = vec3_sub(vec4_xyz(p->x[vertex[k].slot]), vertex[k].start);
                const sn_real length = vec3_length(vec3_sub(way, drift)) * LONGER;
                vertex[k].path[view] += length;
                vertex[k].speed[view] = vec3_length(vec3_sub(vec4_xyz(p->v[vertex[k].slot]), velocity));
                longest[view] = larger(longest[view], length);
                fastest[view] = larger(fastest[view], vertex[k].speed[view]);
            }
        }
    }
    measure_local(world, s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        vertex[i].start = vec4_xyz(p->x[vertex[i].slot]);
    for (int view = 0; view < surface_views(s); ++view) {
        s->path[view] += (double)longest[view];
        s->speed[view] = fastest[view];
    }
}

static void measure_ahead(sn_surfaces *s)
{
    sn_surface_vertex *vertex = surface_vertices(s);
    for (int view = 0; view < surface_views(s); ++view)
        for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
            const sn_dvec3 drift = dvec3_sub(end_of(s, vertex[i].skin, view), mean_of(s, vertex[i].skin, view));
            const sn_vec3 way = vec3_sub(vertex[i].end, vertex[i].start);
            vertex[i].ahead[view] = vec3_length(vec3_sub(way, dvec3_round(drift))) * LONGER;
        }
}

void sn_surfaces_measure_ends(sn_world *world)
{
    sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_vertex *vertex = surface_vertices(s);
    sn_dvec3 all = {0, 0, 0};
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        sn_dvec3 sum = {0, 0, 0};
        for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k)
            sum = dvec3_add(sum, dvec3_from(vertex[k].end));
        skin->end = dvec3_scale(sum, skin->vertices ? 1.0 / skin->vertices : 0);
        all = dvec3_add(all, sum);
    }
    s->end = dvec3_scale(all, 1.0 / s->vertex_table.count);
    measure_ahead(s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        surface_vertices(s)[i].way = vec3_sub(vertex[i].end, vertex[i].start);
    measure_spread(s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i)
        surface_vertices(s)[i].ahead[SN_SURFACE_LOCAL] = vertex[i].way.x;
}

void sn_surfaces_stand_still(sn_surfaces *s)
{
    s->end = s->mean;
    for (uint32_t i = 0; i < s->skin_table.count; ++i)
        surface_skins(s)[i].end = surface_skins(s)[i].mean;
    measure_ahead(s);
    for (uint32_t i = 0; i < s->vertex_table.count; ++i) { /* neighbours may stop, each elsewhere */
        sn_surface_vertex *v = &surface_vertices(s)[i];
        v->ahead[SN_SURFACE_LOCAL] = vec3_length(vec3_sub(v->end, v->start)) * LONGER;
    }
}

static bool is_inside(const sn_bounds *b, sn_vec3 p)
{
    return p.x >= b->low.x && p.x <= b->high.x && p.y >= b->low.y && p.y <= b->high.y && p.z >= b->low.z &&
           p.z <= b->high.z;
}

/* Where a vertex is in a view as the substep begins, and how fast. */
static sn_vec3 seen(const sn_world *world, const sn_surface_vertex *v, int view, sn_vec3 *velocity)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    *velocity = vec3_sub(vec4_xyz(world->particles.v[v->slot]), dvec3_round(velocity_of(s, v->skin, view)));
    return vec3_sub(v->start, dvec3_round(mean_of(s, v->skin, view)));
}

bool sn_surfaces_stay(const sn_world *world, sn_real h, bool ends)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const sn_surface_vertex *vertex = surface_vertices(s);
    if (!s->searched)
        return false;
    for (int view = 0; view < surface_views(s); ++view)
        for (uint32_t i = 0; i < s->vertex_table.count; ++i) {
            const sn_surface_vertex *v = &vertex[i];
            if (ends) {
                if (!is_inside(&v->box[view], vec3_sub(v->end, dvec3_round(end_of(s, v->skin, view)))))
                    return false;
                continue;
            }
            sn_vec3 u;
            const sn_vec3 at = seen(world, v, view, &u);
            if (!is_inside(&v->box[view], at) || !is_inside(&v->box[view], vec3_add(at, vec3_scale(u, h))))
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

bool sn_surface_may_meet(const sn_world *world, const sn_surface_candidate *c, sn_real h)
{
    const sn_surfaces *s = &world->contacts.surfaces;
    const uint32_t second = c->edges ? 2 : 1;
    const sn_real far = (sn_real)INFINITY;
    sn_bounds box[2];
    for (uint32_t k = 0; k < 2; ++k)
        box[k] = (sn_bounds){{far, far, far}, {-far, -far, -far}};
    for (uint32_t k = 0; k < 4; ++k) {
        const sn_surface_vertex *v = &surface_vertices(s)[c->vertex[k]];
        sn_vec3 u;
        const sn_vec3 at = seen(world, v, c->view, &u);
        include(&box[k >= second], at);
        include(&box[k >= second], vec3_add(at, vec3_scale(u, h)));
    }
    box[0] = grown(box[0], c->thickness);
    return boxes_touch(&box[0], &box[1]);
}

/* s: for so long boxes are to last: until most vertices have come as far as a share of an edge, but for a substep at least. */
static sn_real horizon(const sn_surfaces *s, const sn_surface_skin *skin, sn_real h, int view)
{
    const sn_surface_vertex *vertex = surface_vertices(s);
    double square = 0;
    for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k)
        square += (double)vertex[k].speed[view] * (double)vertex[k].speed[view];
    const sn_real typical = (sn_real)sqrt(square / (skin->vertices ? skin->vertices : 1)), far = FAR * skin->edge;
    const sn_real time = far < typical * LONGEST ? far / typical : LONGEST;
    return time > h ? time : h;
}

static void expect_vertices(searching *f, sn_real h, bool ends, int view)
{
    sn_surfaces *s = f->s;
    sn_surface_vertex *vertex = surface_vertices(s);
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        const sn_surface_skin *skin = &surface_skins(s)[i];
        const sn_real time = horizon(s, skin, h, view), slack = SLACK * skin->edge;
        const sn_vec3 c = dvec3_round(mean_of(s, i, view)), drift = dvec3_round(velocity_of(s, i, view));
        for (uint32_t k = skin->first_vertex; k < skin->first_vertex + skin->vertices; ++k) {
            const sn_vec3 v = vec4_xyz(f->world->particles.v[vertex[k].slot]), x = vec3_sub(vertex[k].start, c);
            sn_bounds box = {x, x};
            include(&box, vec3_add(x, vec3_scale(vec3_sub(v, drift), time)));
            if (ends)
                include(&box, vec3_sub(vertex[k].end, dvec3_round(end_of(s, i, view))));
            vertex[k].box[view] = grown(box, slack);
            vertex[k].path[view] = vertex[k].path[SN_SURFACE_LOCAL] = 0;
            f->rounded = larger(f->rounded, ROUNDED * larger(vec3_length(vertex[k].start), vec3_length(x)));
        }
    }
    s->path[view] = s->path[SN_SURFACE_LOCAL] = 0;
}

static sn_bounds *boxes(const sn_surfaces *s, int view)
{
    return s->triangle_table.column[1 + view];
}

static sn_bounds *edge_boxes(const sn_surfaces *s, int view)
{
    return s->edge_table.column[1 + view];
}

static void expect_features(searching *f, int view)
{
    sn_surfaces *s = f->s;
    const sn_surface_vertex *vertex = surface_vertices(s);
    for (uint32_t i = 0; i < s->edge_table.count; ++i) {
        const sn_surface_edge *edge = &surface_edges(s)[i];
        const sn_bounds box = united(vertex[edge->vertex[0]].box[view], &vertex[edge->vertex[1]].box[view]);
        edge_boxes(s, view)[i] =
            grown(box, surface_skins(s)[surface_triangles(s)[edge->triangle].skin].thickness + f->rounded);
    }
    for (uint32_t t = 0; t < s->triangle_table.count; ++t) {
        const sn_surface_triangle *triangle = &surface_triangles(s)[t];
        sn_bounds box = vertex[triangle->vertex[0]].box[view];
        for (uint32_t k = 1; k < 3; ++k)
            box = united(box, &vertex[triangle->vertex[k]].box[view]);
        boxes(s, view)[t] = grown(box, surface_skins(s)[triangle->skin].thickness + f->rounded);
    }
}

static bool fit_trees(searching *f)
{
    sn_surfaces *s = f->s;
    for (uint32_t i = 0; i < s->skin_table.count; ++i) {
        sn_surface_skin *skin = &surface_skins(s)[i];
        for (uint32_t k = 0; k < 2; ++k) {
            sn_bvh *tree = (sn_bvh *)s->tree_table.column[k] + i;
            const sn_bounds *box = boxes(s, (int)k) + skin->first;
            if (k == SN_SURFACE_ALL && s->skin_table.count == 1)
                continue;
            if (tree->items == skin->count && s->searches % REBUILT)
                sn_bvh_refit(tree, box);
            else if (!sn_bvh_build(tree, &f->world->allocator, box, skin->count))
                return false;
        }
        skin->reach = boxes(s, SN_SURFACE_ALL)[skin->first];
        for (uint32_t t = skin->first + 1; t < skin->first + skin->count; ++t)
            skin->reach = united(skin->reach, &boxes(s, SN_SURFACE_ALL)[t]);
    }
    return true;
}

/* ---- Pairs -------------------------------------------------------------------------------------------------------------------- */

typedef struct looking {
    searching *f;
    uint32_t triangle; /* that looks for others */
    uint32_t base;     /* items of the tree are triangles from here on */
    int view;
    sn_surface_candidate *to;
    uint32_t room, found; /* what finds no room is counted only */
} looking;

/* What is near in the rest shape of a skin may come nearer than its thickness. */
void sn_surface_take_reach(const sn_world *world, sn_surface_candidate *c)
{
    const sn_contact_world *contact = &world->contact;
    const sn_vec4 *rest = contact->rest_table.column[0];
    sn_dvec3 x[4];
    c->rested = true;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t number = surface_vertices(&world->contacts.surfaces)[c->vertex[k]].number;
        if (c->view != SN_SURFACE_OWN || number >= contact->rest_table.count || rest[number].w == 0)
            return;
        x[k] = dvec3_from(vec4_xyz(rest[number]));
    }
    const sn_real far = REST * (sn_real)sn_surface_nearest(c->edges, x).distance;
    c->reach = far < c->thickness ? far : c->thickness;
}

bool sn_surface_is_joined(const sn_world *world, sn_surface_candidate *c)
{
    const sn_surface_vertex *vertex = surface_vertices(&world->contacts.surfaces);
    if (c->view == SN_SURFACE_OWN || c->asked)
        return c->joined;
    for (uint32_t i = 0; i < (c->edges ? 2u : 1u) && !c->joined; ++i)
        for (uint32_t k = c->edges ? 2 : 1; k < 4 && !c->joined; ++k)
            c->joined = sn_incidence_joins(&world->incidence, &world->constraints, vertex[c->vertex[i]].number,
                                           vertex[c->vertex[k]].number);
    c->asked = true;
    return c->joined;
}

static void emit(looking *l, sn_surface_candidate c, uint32_t other)
{
    searching *f = l->f;
    if (l->found < l->room) {
        const sn_surface_skin *one = &surface_skins(f->s)[surface_triangles(f->s)[l->triangle].skin];
        const sn_surface_skin *two = &surface_skins(f->s)[surface_triangles(f->s)[other].skin];
        c.triangle = l->triangle;
        c.pair = other;
        c.view = c.measure = (uint8_t)l->view;
        c.reach = c.thickness = one->thickness + two->thickness;
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
        const sn_bounds box = grown(surface_vertices(s)[v].box[l->view], surface_skins(s)[a->skin].thickness);
        if (boxes_touch(&box, &boxes(s, l->view)[other]))
            emit(l,
                 (sn_surface_candidate){
                     .vertex = {v, b->vertex[0], b->vertex[1], b->vertex[2]}, .one = v, .other = other},
                 pair);
    }
}

static void pair_edges(looking *l, uint32_t other)
{
    const sn_surfaces *s = l->f->s;
    const sn_surface_triangle *a = &surface_triangles(s)[l->triangle], *b = &surface_triangles(s)[other];
    for (uint32_t i = 0; i < 3; ++i) {
        if (!(a->owns >> (3 + i) & 1))
            continue;
        const sn_surface_edge *one = &surface_edges(s)[a->edge[i]];
        const sn_bounds *box = &edge_boxes(s, l->view)[a->edge[i]];
        if (!boxes_touch(box, &boxes(s, l->view)[other]))
            continue;
        for (uint32_t k = 0; k < 3; ++k) {
            if (!(b->owns >> (3 + k) & 1))
                continue;
            const sn_surface_edge *two = &surface_edges(s)[b->edge[k]];
            if (one->vertex[0] == two->vertex[0] || one->vertex[0] == two->vertex[1] ||
                one->vertex[1] == two->vertex[0] || one->vertex[1] == two->vertex[1] ||
                !boxes_touch(box, &edge_boxes(s, l->view)[b->edge[k]]))
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
    if ((l->view == SN_SURFACE_OWN && other <= l->triangle) ||
        !boxes_touch(&boxes(s, l->view)[l->triangle], &boxes(s, l->view)[other]))
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
    const uint32_t *start = s->piece_table.column[0], *room = s->piece_table.column[1];
    const uint32_t first = index * TRIANGLES_A_PIECE;
    uint32_t found = 0;
    for (uint32_t t = first; t < first + TRIANGLES_A_PIECE && t < s->triangle_table.count; ++t) {
        const uint32_t skin = surface_triangles(s)[t].skin;
        looking l = {.f = f,
                     .triangle = t,
                     .to = found < room[index] ? surface_candidates(s) + start[index] + found : NULL,
                     .room = found < room[index] ? room[index] - found : 0};
        for (uint32_t other = skin; other < s->skin_table.count; ++other) {
            const sn_surface_skin *its = &surface_skins(s)[other];
            l.view = other == skin ? SN_SURFACE_OWN : SN_SURFACE_ALL;
            l.base = its->first;
            if (other != skin && (!boxes_touch(&boxes(s, SN_SURFACE_ALL)[t], &its->reach) ||
                                  !skins_agree(f->world, &surface_skins(s)[skin], its)))
                continue;
            sn_bvh_overlap((const sn_bvh *)s->tree_table.column[l.view] + other, &boxes(s, l.view)[t], look_at, &l);
        }
        if (l.found <= l.room)
            sort(l.to, l.found);
        found += l.found;
    }
    ((uint32_t *)s->piece_table.column[2])[index] = found;
}

/* Pieces get room for what they found last time and a little more, and all is written there. If some find more, there is room for that next time;
   at last all is moved together. *fits: whether there was room for all. */
static bool look(searching *f, uint32_t pieces, bool *fits)
{
    sn_world *world = f->world;
    sn_surfaces *s = f->s;
    uint32_t *start = s->piece_table.column[0], *room = s->piece_table.column[1], *found = s->piece_table.column[2];
    sn_parallel *share =
        sn_parallel_wants(&world->parallel, s->triangle_table.count * WORK_OF_TRIANGLE) ? &world->parallel : NULL;
    uint64_t total = 0;
    for (uint32_t i = 0; i < pieces; ++i) {
        start[i] = (uint32_t)total;
        total += room[i];
    }
    if (total > SN_MAX_COUNT || !sn_table_reserve(&s->candidate_table, &world->allocator, total)) {
        world->contacts.failed = world_fail(
            world, SN_ERROR_MEMORY, "no memory for %llu pairs of surfaces that may touch", (unsigned long long)total);
        return false;
    }
    if (!sn_parallel_tasks(share, pieces, look_piece, f))
        return false;
    *fits = true;
    for (uint32_t i = 0; i < pieces; ++i) {
        *fits = *fits && found[i] <= room[i];
        room[i] = found[i] + found[i] / 8 + SPARE_ROOM;
    }
    return true;
}

static void move_together(sn_surfaces *s, uint32_t pieces)
{
    const uint32_t *start = s->piece_table.column[0], *found = s->piece_table.column[2];
    uint32_t total = 0;
    for (uint32_t i = 0; i < pieces; ++i) {
        if (total != start[i])
            memmove(surface_candidates(s) + total, surface_candidates(s) + start[i],
                    found[i] * sizeof(sn_surface_candidate));
        total += found[i];
    }
    s->candidate_table.count = total;
}

static bool fail(sn_world *world, sn_result result)
{
    world->contacts.failed = result;
    return false;
}

/* What is known of candidates that were there before: both lists are in the same order. Paths begin anew. */
static void carry_over(sn_surfaces *s, uint32_t known)
{
    const sn_surface_candidate *old = s->candidate_table.column[2];
    sn_surface_candidate *c = surface_candidates(s);
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->candidate_table.count; ++i) {
        surface_due(s)[i] = -1;
        surface_measure(s)[i] = c[i].measure;
        while (at < known &&
               (old[at].triangle < c[i].triangle || (old[at].triangle == c[i].triangle && precedes(&old[at], &c[i]))))
            ++at;
        if (at == known || old[at].triangle != c[i].triangle || precedes(&c[i], &old[at]))
            continue;
        c[i] = old[at];
        surface_measure(s)[i] = c[i].measure;
        memset(c[i].path, 0, sizeof c[i].path);
        if (c[i].clear < 0)
            continue;
        const sn_real spare = c[i].clear - c[i].reach;
        surface_due(s)[i] = spare > 0 ? spare / 2 / LONGER : 0;
    }
}

/* Sets candidates aside, with how far they are apart now at least; -1: that is not known. */
static uint32_t set_aside(sn_surfaces *s)
{
    sn_surface_candidate *old = s->candidate_table.column[2];
    const uint32_t count = s->searched ? s->candidate_table.count : 0;
    for (uint32_t i = 0; i < count; ++i) {
        old[i] = surface_candidates(s)[i];
        const bool known = surface_due(s)[i] >= 0 && !old[i].joined;
        old[i].clear = known ? old[i].clear - sn_surface_closer(s, &old[i], false) : -1;
        old[i].asked = old[i].joined = false;
    }
    return count;
}

bool sn_surfaces_search(sn_world *world, sn_real h, bool ends)
{
    sn_surfaces *s = &world->contacts.surfaces;
    searching f = {.world = world, .s = s};
    const uint32_t pieces = (s->triangle_table.count + TRIANGLES_A_PIECE - 1) / TRIANGLES_A_PIECE;
    const uint32_t known = set_aside(s);
    s->searched = false;
    s->near_table.count = 0;
    for (int view = 0; view < surface_views(s); ++view)
        expect_vertices(&f, h, ends, view);
    for (int view = 0; view < surface_views(s); ++view)
        expect_features(&f, view);
    if (!fit_trees(&f) || !sn_table_reserve(&s->piece_table, &world->allocator, pieces) ||
        !sn_parallel_reserve_tasks(&world->parallel, &world->allocator, pieces) ||
        (s->skin_table.count > 1 &&
         !sn_incidence_prepare_all(&world->incidence, &world->allocator, &world->constraints, world->ids.table.count)))
        return fail(world, world_fail(world, SN_ERROR_MEMORY, "no memory for contact of surfaces"));
    s->searches++;
    if (s->piece_table.count != pieces)
        memset(s->piece_table.column[1], 0, pieces * sizeof(uint32_t));
    s->piece_table.count = pieces;
    for (bool fits = false; !fits;)
        if (!look(&f, pieces, &fits))
            return false;
    move_together(s, pieces);
    carry_over(s, known);
    s->searched = true;
    return true;
}
