/* Debug drawing: the shapes of bodies, skins, and boxes of the broad phase. */
#include "base/math.h"
#include "collision/convex.h"
#include "world/draw.h"
#include "world/query_tree.h"

#define SIDES       24u /* of a circle */
/* The surface of a sphere or capsule: sides around the axis, and steps from pole to pole. In a capsule one of the steps
   is the cylinder. */
#define ROUND_SIDES 16u
#define LEVELS      9u

#define GRID_LINES 10u /* squares of a plane, in each direction */

typedef struct brush {
    const sn_drawing *d;
    sn_pose pose;
    uint32_t colour;
} brush;

static sn_vec3 placed(const brush *b, sn_vec3 own)
{
    return sn_pose_to_world(&b->pose, own);
}

static void stroke(const brush *b, sn_vec3 from, sn_vec3 to)
{
    sn_drawing_line(b->d, placed(b, from), placed(b, to), b->colour);
}

/* ---- Round shapes ------------------------------------------------------------------------------------------------ */

/* A circle, or a part of one, about a centre: radius times (u cos + v sin). */
static void draw_arc(const brush *b, sn_vec3 centre, sn_vec3 u, sn_vec3 v, sn_real radius, uint32_t sides)
{
    sn_vec3 last = vec3_add(centre, vec3_scale(u, radius));
    for (uint32_t i = 1; i <= sides; ++i) {
        const double angle = 2 * SN_PI * i / SIDES;
        const sn_real along = radius * (sn_real)sn_math_cos(angle), across = radius * (sn_real)sn_math_sin(angle);
        sn_vec3 next = vec3_add(centre, vec3_add(vec3_scale(u, along), vec3_scale(v, across)));
        stroke(b, last, next);
        last = next;
    }
}

/* A point on the surface of a capsule: `level` counts from the lowest to the highest, and `side` around the axis. */
static sn_vec3 round_place(const brush *b, sn_real half, sn_real radius, uint32_t level, uint32_t side)
{
    const bool above = level > LEVELS / 2;
    const double tilt = SN_PI * ((above ? level - 1 : level) / (double)(LEVELS - 1) - 0.5);
    const double angle = 2 * SN_PI * side / ROUND_SIDES;
    const sn_real around = radius * (sn_real)sn_math_cos(tilt);
    return placed(b, vec3(around * (sn_real)sn_math_cos(angle),
                          radius * (sn_real)sn_math_sin(tilt) + (above ? half : -half),
                          around * (sn_real)sn_math_sin(angle)));
}

/* The surface of a capsule; of a sphere if half is 0. */
static void draw_round_surface(const brush *b, sn_real half, sn_real radius)
{
    for (uint32_t level = 0; b->d->draw->triangle && level < LEVELS; ++level)
        for (uint32_t side = 0; side < ROUND_SIDES; ++side) {
            const sn_vec3 low = round_place(b, half, radius, level, side);
            const sn_vec3 next = round_place(b, half, radius, level, side + 1);
            const sn_vec3 high = round_place(b, half, radius, level + 1, side);
            const sn_vec3 beyond = round_place(b, half, radius, level + 1, side + 1);
            if (level > 0)
                sn_drawing_triangle(b->d, low, high, next, b->colour);
            if (level + 1 < LEVELS)
                sn_drawing_triangle(b->d, next, high, beyond, b->colour);
        }
}

static void draw_sphere(const brush *b, sn_real radius)
{
    const sn_vec3 x = vec3(1, 0, 0), y = vec3(0, 1, 0), z = vec3(0, 0, 1), centre = vec3(0, 0, 0);
    draw_round_surface(b, 0, radius);
    draw_arc(b, centre, x, y, radius, SIDES);
    draw_arc(b, centre, y, z, radius, SIDES);
    draw_arc(b, centre, z, x, radius, SIDES);
}

static void draw_capsule(const brush *b, sn_real half, sn_real radius)
{
    const sn_vec3 x = vec3(1, 0, 0), y = vec3(0, 1, 0), z = vec3(0, 0, 1);
    draw_round_surface(b, half, radius);
    for (int end = -1; end <= 1; end += 2) {
        const sn_vec3 centre = vec3(0, half * (sn_real)end, 0), out = vec3_scale(y, (sn_real)end);
        draw_arc(b, centre, x, z, radius, SIDES);
        draw_arc(b, centre, x, out, radius, SIDES / 2);
        draw_arc(b, centre, z, out, radius, SIDES / 2);
        stroke(b, vec3(radius * (sn_real)end, -half, 0), vec3(radius * (sn_real)end, half, 0));
        stroke(b, vec3(0, -half, radius * (sn_real)end), vec3(0, half, radius * (sn_real)end));
    }
}

/* ---- Flat shapes ------------------------------------------------------------------------------------------------- */

static void draw_faces(const brush *b, const sn_hull *hull)
{
    for (uint32_t f = 0; f < hull->faces; ++f) {
        const uint8_t *loop = hull->loop + hull->face[f].first;
        const sn_vec3 first = placed(b, dvec3_round(hull->vertex[loop[0]]));
        for (uint32_t i = 2; i < hull->face[f].count; ++i)
            sn_drawing_triangle(b->d, first, placed(b, dvec3_round(hull->vertex[loop[i - 1]])),
                                placed(b, dvec3_round(hull->vertex[loop[i]])), b->colour);
    }
}

static void draw_hull(const brush *b, const sn_hull *hull)
{
    draw_faces(b, hull);
    for (uint32_t f = 0; f < hull->faces; ++f) {
        const uint8_t *loop = hull->loop + hull->face[f].first;
        for (uint32_t i = 0; i < hull->face[f].count; ++i) {
            const uint32_t from = loop[i], to = loop[i + 1 < hull->face[f].count ? i + 1 : 0];
            if (from < to) /* draws each edge once: its two faces have it in opposite directions */
                stroke(b, dvec3_round(hull->vertex[from]), dvec3_round(hull->vertex[to]));
        }
    }
}

/* Its rounding is omitted. */
static void draw_revolved(const brush *b, const sn_convex *convex)
{
    const sn_vec3 x = vec3(1, 0, 0), z = vec3(0, 0, 1);
    const sn_real radius = convex->half.x, half = convex->half.y, top = convex->type == SN_SHAPE_CONE ? 0 : radius;
    sn_convex_room room;
    const sn_hull core = sn_convex_core(convex, &room);
    draw_faces(b, &core);
    draw_arc(b, vec3(0, -half, 0), x, z, radius, SIDES);
    if (top > 0)
        draw_arc(b, vec3(0, half, 0), x, z, top, SIDES);
    for (int side = -1; side <= 1; side += 2) {
        stroke(b, vec3(radius * (sn_real)side, -half, 0), vec3(top * (sn_real)side, half, 0));
        stroke(b, vec3(0, -half, radius * (sn_real)side), vec3(0, half, top * (sn_real)side));
    }
}

static void draw_convex(const brush *b, const sn_convex *convex)
{
    sn_hull_box_room room;
    const sn_vec3 half = convex->half;
    const double round = (double)convex->radius;
    sn_hull box;
    switch (convex->type) {
    case SN_SHAPE_SPHERE:
        draw_sphere(b, convex->radius);
        break;
    case SN_SHAPE_CAPSULE:
        draw_capsule(b, half.y, convex->radius);
        break;
    case SN_SHAPE_BOX:
        box = sn_hull_box(dvec3((double)half.x + round, (double)half.y + round, (double)half.z + round), &room);
        draw_hull(b, &box);
        break;
    case SN_SHAPE_HULL:
        draw_hull(b, convex->hull);
        break;
    default:
        draw_revolved(b, convex);
    }
}

/* A piece of the plane, as a grid. */
static void draw_plane(const brush *b, sn_real height)
{
    const sn_real size = b->d->draw->plane_size;
    for (uint32_t i = 0; i <= GRID_LINES; ++i) {
        const sn_real at = size * ((sn_real)2 * (sn_real)i / (sn_real)GRID_LINES - 1);
        stroke(b, vec3(at, height, -size), vec3(at, height, size));
        stroke(b, vec3(-size, height, at), vec3(size, height, at));
    }
}

static void draw_mesh(const brush *b, const sn_trimesh *mesh)
{
    const sn_vec3 *vertex = sn_trimesh_vertex(mesh);
    const uint32_t *index = sn_trimesh_index(mesh);
    for (uint32_t i = 0; i < sn_trimesh_triangles(mesh); ++i, index += 3) {
        sn_vec3 x[3];
        for (uint32_t k = 0; k < 3; ++k)
            x[k] = placed(b, vertex[index[k]]);
        sn_drawing_triangle(b->d, x[0], x[1], x[2], b->colour);
        for (uint32_t k = 0; k < 3; ++k)
            sn_drawing_line(b->d, x[k], x[k == 2 ? 0 : k + 1], b->colour);
    }
}

/* The box of the field in its own frame. */
static void draw_field(const brush *b, const sn_shape *shape)
{
    const sn_bounds own = sn_shape_bounds(shape);
    sn_hull_box_room room;
    const sn_hull box = sn_hull_box(dvec3_scale(dvec3_sub(dvec3_from(own.high), dvec3_from(own.low)), 0.5), &room);
    brush moved = *b;
    moved.pose.position = placed(b, vec3_scale(vec3_add(own.low, own.high), (sn_real)0.5));
    draw_hull(&moved, &box);
}

/* ---- Layers ------------------------------------------------------------------------------------------------------ */

static void draw_fixed_shapes(const sn_drawing *d)
{
    for (uint32_t i = 0; i < d->world->contact.fixed_shape_table.count; ++i) {
        const sn_fixed_shape *record = &contact_fixed_shapes(&d->world->contact)[i];
        const sn_shape *shape = &record->shape;
        const brush b = {d, record->pose, record->def.sensor ? SN_COLOUR_SENSOR : SN_COLOUR_FIXED};
        if (shape->type == SN_SHAPE_PLANE) {
            draw_plane(&b, shape->thickness);
        } else if (shape->type == SN_SHAPE_MESH) {
            draw_mesh(&b, shape->data->mesh);
        } else if (shape->type == SN_SHAPE_FIELD) {
            draw_field(&b, shape);
        } else {
            const sn_convex convex = sn_shape_solid(shape);
            draw_convex(&b, &convex);
        }
    }
}

static void draw_bodies(const sn_drawing *d)
{
    const sn_world *world = d->world;
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row) {
        if (!bodies_has(&world->bodies, row))
            continue;
        const sn_body_state *body = &world->bodies.state[row];
        const uint32_t colour = sn_drawing_colour(d, world->ids.value[body->particle], SN_COLOUR_BODY);
        for (uint32_t i = body->part; i < body->part + body->parts; ++i) {
            const sn_body_part *part = &world->bodies.part[i];
            const brush b = {d, sn_query_part_pose(world, row, i), part->sensor ? SN_COLOUR_SENSOR : colour};
            draw_convex(&b, &part->convex);
        }
    }
}

static void draw_skins(const sn_drawing *d)
{
    const sn_world *world = d->world;
    const uint32_t *corner = world->contact.triangle_table.column[0];
    for (uint32_t i = 0; i < world->contact.triangle_table.count; ++i, corner += 3) {
        sn_vec3 x[3];
        for (uint32_t k = 0; k < 3; ++k)
            x[k] = vec4_xyz(world->particles.x[world->ids.value[corner[k]]]);
        sn_drawing_triangle(d, x[0], x[1], x[2], SN_COLOUR_SKIN);
        for (uint32_t k = 0; k < 3; ++k)
            sn_drawing_line(d, x[k], x[k == 2 ? 0 : k + 1], SN_COLOUR_SKIN);
    }
}

static void draw_boxes(const sn_drawing *d, sn_query_set set)
{
    for (uint32_t i = 0; i < sn_query_items(d->world, set); ++i) {
        if (set == SN_SET_BODIES && (!bodies_has(&d->world->bodies, i) || !d->world->bodies.state[i].parts))
            continue;
        const sn_bounds bounds = sn_query_bounds(d->world, set, i);
        sn_drawing_box(d, &bounds, SN_COLOUR_BOUNDS);
    }
}

void sn_draw_shapes(const sn_drawing *d)
{
    if (drawing_wants(d, SN_DRAW_SHAPES)) {
        draw_fixed_shapes(d);
        draw_bodies(d);
    }
    if (drawing_wants(d, SN_DRAW_SKINS))
        draw_skins(d);
    if (drawing_wants(d, SN_DRAW_BOUNDS)) {
        draw_boxes(d, SN_SET_FIXED);
        draw_boxes(d, SN_SET_BODIES);
        draw_boxes(d, SN_SET_SKINS);
    }
}
