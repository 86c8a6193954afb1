/* Balloons: a closed sheet of triangles and one constraint on the volume inside.

   The shapes are made as single triangles, which welding then joins: coinciding corners are computed from the same
   numbers in the same order, so that they are equal to the last bit. */
#include "scene/objects/balloon.h"

/* A surface whose volume is less than this share of that of a sphere of the same area counts as empty. */
#define EMPTY 1e-4
/* Particles within this distance of the highest one, as a share of the height, are the top. */
#define LEVEL 1e-5

sn_balloon_def sn_default_balloon_def(void)
{
    return (sn_balloon_def){.shape = SN_BALLOON_SPHERE,
                            .diameter = (sn_real)NAN,
                            .diameters = {(sn_real)NAN, (sn_real)NAN, (sn_real)NAN},
                            .subdivisions = 3,
                            .pressure = 1,
                            .method = SN_BALLOON_GRADIENT,
                            .bending = SN_BENDING_DIHEDRAL};
}

static void balloon_defaults(void *record)
{
    *(sn_balloon_def *)record = sn_default_balloon_def();
}

static const char *const shape_name[] = {"sphere", "ellipsoid", "cube"};
static const char *const shape_about[] = {"an icosahedron, subdivided, of that diameter",
                                          "a sphere with three diameters",
                                          "a cube whose edges have the length diameter"};
static const sn_choices shape_choices = {3, shape_name, shape_about};

static const char *const method_name[] = {"gradient", "scaling"};
static const char *const method_about[] = {"by the least displacement: the kind surface_volume",
                                           "by scaling about the centre of mass: the kind surface_scaling"};
static const sn_choices method_choices = {2, method_name, method_about};

static const sn_key balloon_keys[] = {
    {.name = "shape",
     .type = SN_KEY_CHOICE,
     .offset = offsetof(sn_balloon_def, shape),
     .of = &shape_choices,
     .about = "what it looks like when made, around the origin of its frame"},
    {.name = "diameter",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_balloon_def, diameter),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "the diameter of the sphere or the length of the edges of the cube; 1 m if not given"},
    {.name = "diameters",
     .type = SN_KEY_VECTOR,
     .offset = offsetof(sn_balloon_def, diameters),
     .unit = "m",
     .most = 1e6,
     .flags = SN_KEY_POSITIVE,
     .about = "the diameters of the ellipsoid along x, y and z of its frame"},
    {.name = "subdivisions",
     .type = SN_KEY_COUNT,
     .offset = offsetof(sn_balloon_def, subdivisions),
     .most = SN_BALLOON_MOST_SUBDIVISIONS,
     .about = "how fine the shape is: each adds three triangles for every one; 0 is an icosahedron or a cube of 12 "
              "triangles"},
    {.name = "mesh",
     .type = SN_KEY_TEXT,
     .offset = offsetof(sn_balloon_def, mesh),
     .about = "an OBJ or PLY file with a closed surface, instead of a shape"},
    {.name = "weld",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_balloon_def, weld),
     .unit = "m",
     .most = 1e6,
     .about = "vertices of the mesh that are at most this far apart become one; 0 merges equal ones only"},
    {.name = "pressure",
     .type = SN_KEY_REAL,
     .offset = offsetof(sn_balloon_def, pressure),
     .most = 1000,
     .flags = SN_KEY_POSITIVE,
     .about = "the volume that it keeps, as a multiple of its volume when made: above 1 it is inflated"},
    {.name = "method",
     .type = SN_KEY_CHOICE,
     .offset = offsetof(sn_balloon_def, method),
     .of = &method_choices,
     .about = "how the volume is kept"},
    {.name = "bending",
     .type = SN_KEY_CHOICE,
     .offset = offsetof(sn_balloon_def, bending),
     .of = &sn_bending_choices,
     .about = "how its skin resists bending, if its material has a `bend`"},
    {.name = NULL}};

static const sn_record balloon_record = {.name = "balloon",
                                         .about = "A closed surface that keeps the volume inside",
                                         .size = sizeof(sn_balloon_def),
                                         .keys = balloon_keys,
                                         .defaults = balloon_defaults};

/* ---- Shapes ----------------------------------------------------------------------------------------------------- */

/* A shape that is being made. */
typedef struct outline {
    sn_vec3 *next;
    double half[3]; /* m: half of its extents */
} outline;

static void put_corner(outline *shape, const double *p)
{
    *shape->next++ =
        (sn_vec3){(sn_real)(p[0] * shape->half[0]), (sn_real)(p[1] * shape->half[1]), (sn_real)(p[2] * shape->half[2])};
}

/* The midpoint of two points of the unit sphere, put back on the sphere; the same for either order. */
static void middle(const double *a, const double *b, double *out)
{
    double m[3] = {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
    double length = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
    for (int i = 0; i < 3; ++i)
        out[i] = m[i] / length;
}

static void divide(outline *shape, const double *a, const double *b, const double *c, uint32_t times)
{
    if (times == 0) {
        put_corner(shape, a);
        put_corner(shape, b);
        put_corner(shape, c);
        return;
    }
    double ab[3], bc[3], ca[3];
    middle(a, b, ab);
    middle(b, c, bc);
    middle(c, a, ca);
    divide(shape, a, ab, ca, times - 1);
    divide(shape, ab, b, bc, times - 1);
    divide(shape, ca, bc, c, times - 1);
    divide(shape, ab, bc, ca, times - 1);
}

/* An icosahedron with a corner at the top and one at the bottom: between them two rings of five at heights +-1 /
   sqrt(5), 2 / sqrt(5) from the axis, rotated by 36 degrees against each other. */
static void make_sphere(outline *shape, uint32_t subdivisions)
{
    static const double circle[10][2] = {{1, 0}, /* cosine and sine of multiples of 36 degrees */
                                         {0.80901699437494742, 0.58778525229247313},
                                         {0.30901699437494742, 0.95105651629515357},
                                         {-0.30901699437494742, 0.95105651629515357},
                                         {-0.80901699437494742, 0.58778525229247313},
                                         {-1, 0},
                                         {-0.80901699437494742, -0.58778525229247313},
                                         {-0.30901699437494742, -0.95105651629515357},
                                         {0.30901699437494742, -0.95105651629515357},
                                         {0.80901699437494742, -0.58778525229247313}};
    const double high = 1 / sqrt(5.0), wide = 2 / sqrt(5.0), top[3] = {0, 1, 0}, bottom[3] = {0, -1, 0};
    double ring[10][3]; /* alternating between the upper ring and the lower one */
    for (int i = 0; i < 10; ++i) {
        ring[i][0] = wide * circle[i][0];
        ring[i][1] = i % 2 ? -high : high;
        ring[i][2] = -wide * circle[i][1]; /* counter-clockwise seen from above */
    }
    for (int i = 0; i < 10; i += 2) {
        const double *upper = ring[i], *lower = ring[i + 1], *next_upper = ring[(i + 2) % 10];
        divide(shape, top, upper, next_upper, subdivisions);
        divide(shape, upper, lower, next_upper, subdivisions);
        divide(shape, next_upper, lower, ring[(i + 3) % 10], subdivisions);
        divide(shape, bottom, ring[(i + 3) % 10], lower, subdivisions);
    }
}

/* One side of a cube of n cells along each edge, across an axis. The direction of the diagonals alternates from cell
   to cell, and diagonals end where those of the other sides do, as in grid.c. */
static void make_cube_side(outline *shape, uint32_t n, uint32_t axis, bool upper)
{
    uint32_t u = (axis + (upper ? 1 : 2)) % 3, v = (axis + (upper ? 2 : 1)) % 3, end = upper ? n : 0;
    for (uint32_t j = 0; j < n; ++j)
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t t = 0; t < 6; ++t) {
                /* of the four of the cell, counter-clockwise */
                uint32_t corner = ((i + j + end) % 2 + t / 3 * 2 + t % 3) % 4;
                uint32_t at[3];
                at[axis] = end;
                at[u] = i + (corner == 1 || corner == 2);
                at[v] = j + (corner >= 2);
                double p[3] = {2.0 * at[0] / n - 1, 2.0 * at[1] / n - 1, 2.0 * at[2] / n - 1};
                put_corner(shape, p);
            }
}

static void make_cube(outline *shape, uint32_t subdivisions)
{
    for (uint32_t axis = 0; axis < 3; ++axis) {
        make_cube_side(shape, 1u << subdivisions, axis, false);
        make_cube_side(shape, 1u << subdivisions, axis, true);
    }
}

/* Joins the corners in `place`, three for each triangle. */
static bool join(sn_build *build, uint32_t corners, sn_vec3 *place, sn_sheet *sheet)
{
    uint32_t *triangle = sn_build_take(build, corners, sizeof *triangle);
    if (!triangle)
        return false;
    for (uint32_t i = 0; i < corners; ++i)
        triangle[i] = i;
    sheet->mesh =
        (sn_mesh){.vertex_count = corners, .vertex = place, .triangle_count = corners / 3, .triangle = triangle};
    if (!sn_mesh_weld(build->scratch, &sheet->mesh, 0, true, NULL))
        return sn_build_fail(build, NULL, "no memory for a surface of %u triangles", (unsigned)(corners / 3));
    return sn_sheet_connect(build, sheet);
}

static bool set_size(sn_build *build, const sn_balloon_def *def, outline *shape)
{
    const double edge = isnan(def->diameter) ? 1 : (double)def->diameter;
    double size[3] = {edge, edge, edge};
    const char *key = "diameter";
    if (def->shape == SN_BALLOON_ELLIPSOID) {
        key = "diameters";
        size[0] = (double)def->diameters.x;
        size[1] = (double)def->diameters.y;
        size[2] = (double)def->diameters.z;
        if (isnan(size[0]))
            return sn_build_fail(build, key, "is missing, expected the three diameters of the ellipsoid in m");
        if (!isnan(def->diameter))
            return sn_build_fail(build, "diameter", "is given for an ellipsoid, which has diameters");
    } else if (!isnan(def->diameters.x)) {
        return sn_build_fail(build, "diameters", "are those of an ellipsoid; a %s has one diameter",
                             shape_name[def->shape]);
    }
    for (uint32_t i = 0; i < 3; ++i) {
        if (!(size[i] > 0 && isfinite(size[i])))
            return sn_build_fail(build, key, "found %g m, expected more than 0", size[i]);
        shape->half[i] = size[i] / 2;
    }
    return true;
}

static bool check_choices(sn_build *build, const sn_balloon_def *def)
{
    if ((unsigned)def->shape > SN_BALLOON_CUBE)
        return sn_build_fail(build, "shape", "found number %u, expected one of the shapes", (unsigned)def->shape);
    if (def->subdivisions > SN_BALLOON_MOST_SUBDIVISIONS)
        return sn_build_fail(build, "subdivisions", "found %u, expected at most %u", (unsigned)def->subdivisions,
                             (unsigned)SN_BALLOON_MOST_SUBDIVISIONS);
    return true;
}

static bool make_shape(sn_build *build, const sn_balloon_def *def, sn_sheet *sheet)
{
    outline shape;
    if (!check_choices(build, def) || !set_size(build, def, &shape))
        return false;
    uint32_t triangles = (def->shape == SN_BALLOON_CUBE ? 12u : 20u) << 2 * def->subdivisions;
    sn_vec3 *place = sn_build_take(build, 3 * (uint64_t)triangles, sizeof *place);
    if (!place)
        return false;
    shape.next = place;
    if (def->shape == SN_BALLOON_CUBE)
        make_cube(&shape, def->subdivisions);
    else
        make_sphere(&shape, def->subdivisions);
    return join(build, 3 * triangles, place, sheet);
}

/* ---- From a mesh ------------------------------------------------------------------------------------------------ */

static bool check_mesh_keys(sn_build *build, const sn_balloon_def *def)
{
    sn_balloon_def usual = sn_default_balloon_def();
    const char *key = def->shape != usual.shape                 ? "shape"
                      : !isnan(def->diameter)                   ? "diameter"
                      : !isnan(def->diameters.x)                ? "diameters"
                      : def->subdivisions != usual.subdivisions ? "subdivisions"
                                                                : NULL;
    if (key)
        return sn_build_fail(build, key,
                             "is given beside mesh, expected one of them: a mesh has its own shape, and its "
                             "size is changed with scale");
    return true;
}

/* Reverses the orientation of every triangle. */
static void flip(sn_sheet *sheet)
{
    for (size_t t = 0; t < sheet->mesh.triangle_count; ++t) {
        uint32_t *corner = sheet->mesh.triangle + 3 * t, second = corner[1];
        corner[1] = corner[2];
        corner[2] = second;
    }
    for (uint32_t i = 0; i < sheet->topology.edge_count; ++i) {
        uint32_t *opposite = sheet->topology.edge[i].opposite, first = opposite[0];
        opposite[0] = opposite[1];
        opposite[1] = first;
    }
}

static bool read_surface(sn_build *build, const sn_balloon_def *def, sn_sheet *sheet)
{
    const sn_mesh_topology *topology = &sheet->topology;
    if (!check_mesh_keys(build, def) || !sn_sheet_read(build, def->mesh, def->weld, sheet))
        return false;
    if (!topology->closed)
        return sn_build_fail(build, "mesh",
                             "%s is not closed: %u of its %u edges have one triangle only, expected two; "
                             "weld may close seams",
                             def->mesh, (unsigned)topology->border_count, (unsigned)topology->edge_count);
    if (!topology->oriented)
        return sn_build_fail(build, "mesh",
                             "%s has no inside: neighbouring triangles do not agree which side is outside", def->mesh);
    double volume = sn_mesh_volume(&sheet->mesh), area = sn_mesh_area(&sheet->mesh);
    double sphere = area * sqrt(area) / 10.6347; /* the volume of a sphere is area^1.5 / (6 sqrt(pi)) */
    if (!(fabs(volume) > EMPTY * sphere))
        return sn_build_fail(build, "mesh", "%s holds no volume: found %g m^3 within %g m^2", def->mesh, volume, area);
    if (volume < 0) {
        flip(sheet);
        sn_build_note(build, "%s: its triangles face inwards; they were turned over", def->mesh);
    }
    if (topology->piece_count > 1)
        sn_build_note(build, "%s: %u separate pieces, which share one volume", def->mesh,
                      (unsigned)topology->piece_count);
    return true;
}

/* ---- The object ------------------------------------------------------------------------------------------------- */

/* Names the highest or lowest particles, by y of the frame. */
static bool add_end(sn_build *build, const sn_mesh *mesh, const char *name, double sign)
{
    double most = -(double)INFINITY, least = (double)INFINITY;
    uint32_t count = 0, *index = sn_build_take(build, mesh->vertex_count, sizeof *index);
    if (!index)
        return false;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        most = fmax(most, sign * (double)mesh->vertex[i].y);
        least = fmin(least, sign * (double)mesh->vertex[i].y);
    }
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        if (sign * (double)mesh->vertex[i].y >= most - LEVEL * (most - least))
            index[count++] = i;
    return sn_build_part(build, name, count, index);
}

static bool add_volume(sn_build *build, const sn_balloon_def *def, const sn_mesh *mesh)
{
    uint32_t kind = def->method == SN_BALLOON_SCALING ? SN_KIND_SURFACE_SCALING : SN_KIND_SURFACE_VOLUME;
    const sn_real param[2] = {SN_MEASURE, def->pressure};
    return sn_build_constraint_of(build, "volume", kind, 3 * mesh->triangle_count, mesh->triangle, param, 0);
}

/* Announces the size of the shape before it is made: V - E + F = 2, and 3 F = 2 E. */
static bool begin_shape(sn_build *build, const sn_balloon_def *def)
{
    double faces = def->shape == SN_BALLOON_CUBE ? 12 : 20;
    for (uint32_t i = 0; i < def->subdivisions && faces < 1e30; ++i)
        faces *= 4;
    bool bends = def->bending != SN_BENDING_NONE && !isnan(build->stuff->bend);
    return sn_build_begin(build, faces / 2 + 2, faces * (bends ? 3 : 1.5) + 1);
}

static bool get_surface(sn_build *build, const sn_balloon_def *def, sn_sheet *sheet)
{
    if (!def->mesh) {
        if (def->weld != 0)
            return sn_build_fail(build, "weld", "is given without mesh, which it is about");
        return begin_shape(build, def) && make_shape(build, def, sheet);
    }
    return read_surface(build, def, sheet) &&
           sn_build_begin(build, sheet->mesh.vertex_count, sn_sheet_constraint_count(build, sheet, def->bending) + 1);
}

static bool build_balloon(sn_build *build, const void *own)
{
    const sn_balloon_def *def = own;
    sn_sheet sheet;
    if (!(def->pressure > 0 && isfinite(def->pressure)))
        return sn_build_fail(build, "pressure", "found %g, expected more than 0", (double)def->pressure);
    if (!get_surface(build, def, &sheet))
        return false;
    bool bends = sn_sheet_bends(build, def->bending, SN_BENDING_DIHEDRAL);
    return sn_sheet_particles(build, &sheet) && add_end(build, &sheet.mesh, "top", 1) &&
           add_end(build, &sheet.mesh, "bottom", -1) && sn_sheet_rods(build, &sheet) &&
           (!bends || sn_sheet_bend(build, &sheet, def->bending)) && add_volume(build, def, &sheet.mesh);
}

const sn_object_type sn_object_balloon = {
    .name = "balloon",
    .about = "A closed surface that keeps the volume inside: a sphere, an ellipsoid, a cube or a mesh file.",
    .parts =
        "parts: top, bottom (the highest and lowest particles, by y of the frame); constraints: edges, bend, volume",
    .dimension = 2,
    .spatial = true,
    .record = &balloon_record,
    .build = build_balloon,
};
