/* Sheets of triangles, and the stiffness of their edges.

   Stretching. Rods along the edges of a mesh have the energy 1/2 k (l strain_n)^2, with strain_n the strain along
   the edge. Let k = E t (A + B) / l^2, with A and B the areas of the triangles beside it (one of them at the
   border). Each triangle shares its area with three edges, so the energy per area is 3/2 E t <strain_n^2>, the mean
   over the edges. If their directions are distributed evenly, <n_x^4> = 3/8 and <n_x^2 n_y^2> = 1/8, so that C_11 =
   9/8 E t, C_12 = 3/8 E t. The sheet, pulled with free sides, then has the stiffness C_11 - C_12^2 / C_11 = E t, and
   Poisson's ratio 1/3. This is exact for equilateral triangles. So compliance = stretch l^2 / (A + B).

   Bending. A mesh of the kind `bending` bends like a plate of stiffness D = 3 / compliance (see
   sn_constraint_add_bending); hence compliance = 3 bend. Its energy for a small fold is 3 l^2 / (2 (A + B)) theta^2
   / compliance = 1/2 D l^2 / (A + B) theta^2, and a dihedral angle with compliance = bend (A + B) / l^2 has the
   same. Check: a grid of squares bent to a cylinder of curvature q folds by q l at its edges across, one for each
   square, and (A + B) = l^2: the energy per area is 1/2 D (q l)^2 / l^2, that of a plate.

   A rod from a to b across the edge has no stiffness against small folds: it shortens with the square of the angle.
   Its stiffness is such that at a fold by a right angle the energy is that of a plate: softer before, stiffer after. */
#include "scene/objects/sheet.h"

/* A triangle whose height is less than this share of its longest side counts as one without area. */
#define FLAT 1e-6

static const char *const bending_name[] = {"isometric", "dihedral", "distance", "none"};
static const char *const bending_about[] = {
    "wants to be flat: linear and cheap, for what hardly stretches", "keeps the angles that it has when made",
    "rods across the edges: no resistance against slight bending", "does not resist bending"};
const sn_choices sn_bending_choices = {4, bending_name, bending_about};

/* ---- Geometry --------------------------------------------------------------------------------------------------- */

typedef struct dvec {
    double x, y, z;
} dvec;

static dvec between(sn_vec3 a, sn_vec3 b)
{
    return (dvec){(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
}

static double dot(dvec a, dvec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Twice the area of the triangle that two sides span. */
static double twice_area(dvec a, dvec b)
{
    dvec c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return sqrt(dot(c, c));
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static bool check_triangles(sn_build *build, const sn_mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t *c = mesh->triangle + 3 * (size_t)t;
        dvec ab = between(mesh->vertex[c[0]], mesh->vertex[c[1]]), ac = between(mesh->vertex[c[0]], mesh->vertex[c[2]]);
        dvec bc = between(mesh->vertex[c[1]], mesh->vertex[c[2]]);
        double longest2 = fmax(dot(ab, ab), fmax(dot(ac, ac), dot(bc, bc)));
        if (!(twice_area(ab, ac) > FLAT * longest2))
            return sn_build_fail(build, "mesh", "triangle %u (vertices %u, %u and %u, counted from 0) has no area",
                                 (unsigned)t, (unsigned)c[0], (unsigned)c[1], (unsigned)c[2]);
    }
    return true;
}

static void note_reading(sn_build *build, const char *file, const sn_sheet *sheet, const sn_mesh_notes *notes)
{
    sn_build_note(build, "%s: %u vertices, %u triangles, %u edges", file, (unsigned)sheet->mesh.vertex_count,
                  (unsigned)sheet->mesh.triangle_count, (unsigned)sheet->topology.edge_count);
    if (notes->polygons)
        sn_build_note(build, "%s: %u faces with more than three corners cut into triangles", file,
                      (unsigned)notes->polygons);
    if (notes->merged)
        sn_build_note(build, "%s: welding merged %u vertices into others", file, (unsigned)notes->merged);
    if (notes->degenerate)
        sn_build_note(build, "%s: %u triangles lost a corner by welding and were dropped", file,
                      (unsigned)notes->degenerate);
    if (notes->unused)
        sn_build_note(build, "%s: %u vertices without a triangle were dropped", file, (unsigned)notes->unused);
}

bool sn_sheet_connect(sn_build *build, sn_sheet *sheet)
{
    char message[512] = "";
    if (!sn_mesh_connect(build->scratch, &sheet->mesh, &sheet->topology, message, sizeof message))
        return sn_build_fail(build, "mesh", "%s", message);
    return true;
}

bool sn_sheet_read(sn_build *build, const char *file, sn_real weld, sn_sheet *sheet)
{
    sn_mesh_notes notes = {0};
    if (!(weld >= 0 && isfinite(weld)))
        return sn_build_fail(build, "weld", "found %g m, expected 0 or more", (double)weld);
    if (!sn_build_mesh(build, "mesh", file, &sheet->mesh, &notes))
        return false;
    if (!sheet->mesh.triangle_count)
        return sn_build_fail(build, "mesh", "%s has no triangles", file);
    if (!sn_mesh_weld(build->scratch, &sheet->mesh, weld, true, &notes))
        return sn_build_fail(build, "mesh", "no memory for welding %s", file);
    if (!sheet->mesh.triangle_count)
        return sn_build_fail(build, "weld", "welding within %g m left no triangle of %s", (double)weld, file);
    if (!check_triangles(build, &sheet->mesh) || !sn_sheet_connect(build, sheet))
        return false;
    note_reading(build, file, sheet, &notes);
    return true;
}

/* ---- Particles and rods ----------------------------------------------------------------------------------------- */

double sn_sheet_constraint_count(const sn_build *build, const sn_sheet *sheet, sn_bending_method method)
{
    double edges = sheet->topology.edge_count;
    bool bends = method != SN_BENDING_NONE && !isnan(build->stuff->bend);
    return edges + (bends ? edges - sheet->topology.border_count : 0);
}

bool sn_sheet_particles(sn_build *build, const sn_sheet *sheet)
{
    const sn_mesh *mesh = &sheet->mesh;
    double scale = sn_build_scale(build), area = sn_mesh_area(mesh);
    double total = (double)sn_build_mass(build, area * scale * scale);
    double *share = sn_build_take(build, mesh->vertex_count, sizeof *share);
    sn_real *mass = sn_build_take(build, mesh->vertex_count, sizeof *mass);
    if (!share || !mass)
        return false;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (uint32_t corner = 0; corner < 3; ++corner)
            share[mesh->triangle[3 * (size_t)t + corner]] += sn_mesh_triangle_area(mesh, t) / 3;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i)
        mass[i] = (sn_real)(total * (share[i] / area));
    return sn_build_particles(build, mesh->vertex_count, mesh->vertex, mass, (sn_real)total) &&
           sn_build_triangles(build, mesh->triangle_count, mesh->triangle);
}

/* The area of the triangles beside an edge. */
static double area_beside(const sn_mesh *mesh, const sn_mesh_edge *edge)
{
    dvec ab = between(mesh->vertex[edge->a], mesh->vertex[edge->b]);
    double sum = 0;
    for (uint32_t side = 0; side < 2; ++side)
        if (edge->opposite[side] != SN_NO_VERTEX)
            sum += twice_area(ab, between(mesh->vertex[edge->a], mesh->vertex[edge->opposite[side]])) / 2;
    return sum;
}

bool sn_sheet_rods(sn_build *build, const sn_sheet *sheet)
{
    const sn_mesh *mesh = &sheet->mesh;
    uint32_t count = sheet->topology.edge_count;
    double stretch = (double)build->stuff->stretch;
    uint32_t *index = sn_build_take(build, 2 * (uint64_t)count, sizeof *index);
    sn_real *factor = sn_build_take(build, count, sizeof *factor);
    if (!index || !factor)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const sn_mesh_edge *edge = &sheet->topology.edge[i];
        dvec ab = between(mesh->vertex[edge->a], mesh->vertex[edge->b]);
        index[2 * (size_t)i] = edge->a;
        index[2 * (size_t)i + 1] = edge->b;
        factor[i] = (sn_real)(dot(ab, ab) / area_beside(mesh, edge));
    }
    sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    return sn_build_constraints(build, "edges", &rod, count, index, NULL, stretch, stretch > 0 ? factor : NULL);
}

/* ---- Bending ---------------------------------------------------------------------------------------------------- */

bool sn_sheet_bends(sn_build *build, sn_bending_method method, sn_bending_method usual)
{
    if (method == SN_BENDING_NONE)
        return false;
    if (!isnan(build->stuff->bend))
        return true;
    if (method != usual)
        sn_build_note(build, "bending is %s, but the material has no `bend`: it does not resist bending",
                      bending_name[method]);
    return false;
}

/* (A + B) / l^2 of a hinge, and by how much a fold by a right angle shortens the distance of a and b in the unfolded
   hinge. */
static double hinge_shape(const sn_vec3 *place, const uint32_t *hinge, double *shortening)
{
    dvec e = between(place[hinge[2]], place[hinge[3]]), ca = between(place[hinge[2]], place[hinge[0]]);
    dvec cb = between(place[hinge[2]], place[hinge[1]]);
    double l2 = dot(e, e), length = sqrt(l2), a = twice_area(e, ca), b = twice_area(e, cb);
    double along = (dot(ca, e) - dot(cb, e)) / length, over_a = a / length, over_b = b / length;
    *shortening = sqrt(along * along + (over_a + over_b) * (over_a + over_b)) -
                  sqrt(along * along + over_a * over_a + over_b * over_b);
    return (a + b) / 2 / l2;
}

double sn_sheet_rod_over_hinge(double shape, double shortening)
{
    const double right_angle = 1.5707963267948966;
    return shape * right_angle * right_angle / (shortening * shortening);
}

/* Adds rods across the edges. */
static bool add_rods_over(sn_build *build, const sn_vec3 *place, uint32_t count, const uint32_t *hinge)
{
    double bend = (double)build->stuff->bend, scale = sn_build_scale(build);
    uint32_t *index = sn_build_take(build, 2 * (uint64_t)count, sizeof *index);
    sn_real *factor = sn_build_take(build, count, sizeof *factor);
    if (!index || !factor)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        double shortening, shape = hinge_shape(place, hinge + 4 * (size_t)i, &shortening);
        index[2 * (size_t)i] = hinge[4 * (size_t)i];
        index[2 * (size_t)i + 1] = hinge[4 * (size_t)i + 1];
        factor[i] = (sn_real)(1 / sn_sheet_rod_over_hinge(1 / shape, shortening * scale));
    }
    sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    return sn_build_constraints(build, "bend", &rod, count, index, NULL, bend, bend > 0 ? factor : NULL);
}

static bool add_dihedrals(sn_build *build, const sn_vec3 *place, uint32_t count, const uint32_t *hinge)
{
    double bend = (double)build->stuff->bend, unused;
    sn_real *factor = sn_build_take(build, count, sizeof *factor);
    if (!factor)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        factor[i] = (sn_real)hinge_shape(place, hinge + 4 * (size_t)i, &unused);
    sn_constraint_def fold = sn_default_constraint_def(SN_KIND_DIHEDRAL);
    return sn_build_constraints(build, "bend", &fold, count, hinge, NULL, bend, bend > 0 ? factor : NULL);
}

bool sn_sheet_hinges(sn_build *build, sn_bending_method method, const sn_vec3 *place, uint32_t count,
                     const uint32_t *hinge)
{
    if (count == 0)
        return true;
    switch (method) {
    case SN_BENDING_ISOMETRIC:
        return sn_build_ties(build, "bend", SN_KIND_BENDING, count, hinge, 3 * (double)build->stuff->bend);
    case SN_BENDING_DIHEDRAL:
        return add_dihedrals(build, place, count, hinge);
    case SN_BENDING_DISTANCE:
        return add_rods_over(build, place, count, hinge);
    case SN_BENDING_NONE:
        break;
    }
    return true;
}

bool sn_sheet_bend(sn_build *build, const sn_sheet *sheet, sn_bending_method method)
{
    uint32_t count = sheet->topology.edge_count - sheet->topology.border_count;
    uint32_t *hinge = sn_build_take(build, 4 * (uint64_t)count, sizeof *hinge), *next = hinge;
    if (!hinge)
        return false;
    for (uint32_t i = 0; i < sheet->topology.edge_count; ++i) {
        const sn_mesh_edge *edge = &sheet->topology.edge[i];
        if (edge->opposite[0] == SN_NO_VERTEX || edge->opposite[1] == SN_NO_VERTEX)
            continue;
        *next++ = edge->opposite[0];
        *next++ = edge->opposite[1];
        *next++ = edge->a;
        *next++ = edge->b;
    }
    return sn_sheet_hinges(build, method, sheet->mesh.vertex, count, hinge);
}
