/* The slope of a heap.

   The heap is seen from above, around an axis through its middle. Rings about the axis, each one grain diameter
   wide, are cut into sectors, and the highest grain of a sector is the surface there. The height of a ring is the
   mean of its sectors; a sector without a grain has the height of the floor. The slope is that of a least-squares
   line through the rings between a fifth and four fifths of the height of the heap, so that neither the blunt tip
   nor grains that rolled away at the foot count. */
#include "scene/state.h"

#include <math.h>
#include <string.h>

enum { SECTORS = 12, MOST_RINGS = 256, LEAST_GRAINS = 20 };

#define LEAST_SHARE 0.2 /* of the height: the range that counts as the side of the heap */
#define MOST_SHARE  0.8

typedef struct heap {
    double up[3];
    double middle[3]; /* of the heap; its component along up is not used */
    double floor;     /* m along up: the lowest point of the lowest grain */
    double width;     /* m: of a ring */
    uint32_t rings;
    double height[MOST_RINGS]; /* m above the floor */
} heap;

typedef struct grain {
    double x[3], height, radius;
} grain;

static grain look(const sn_scene *scene, const sn_object *object, uint32_t i, const double up[3])
{
    sn_particle p = sn_particles_at(object->run, i);
    sn_vec3 x = sn_particle_position(scene->world, p);
    grain g = {{(double)x.x, (double)x.y, (double)x.z}, 0, (double)sn_particle_radius(scene->world, p)};
    g.height = g.x[0] * up[0] + g.x[1] * up[1] + g.x[2] * up[2];
    return g;
}

static void find_up(const sn_scene *scene, double up[3])
{
    sn_vec3 g = sn_world_settings(scene->world).gravity;
    double a[3] = {-(double)g.x, -(double)g.y, -(double)g.z}, length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; ++k)
        up[k] = length > 0 ? a[k] / length : k == 1;
}

/* Finds floor and middle. Grains are weighted by the square of their height, so that those that rolled away hardly
   count. */
static bool find_middle(const sn_scene *scene, const sn_object *object, heap *h)
{
    double sum = 0, radii = 0;
    h->floor = INFINITY;
    for (uint32_t i = 0; i < object->run.count; ++i) {
        grain g = look(scene, object, i, h->up);
        h->floor = fmin(h->floor, g.height - g.radius);
        radii += g.radius;
    }
    for (uint32_t i = 0; i < object->run.count; ++i) {
        grain g = look(scene, object, i, h->up);
        double weight = (g.height - h->floor) * (g.height - h->floor);
        sum += weight;
        for (int k = 0; k < 3; ++k)
            h->middle[k] += weight * g.x[k];
    }
    for (int k = 0; k < 3; ++k)
        h->middle[k] /= sum;
    h->width = 2 * radii / object->run.count;
    return h->width > 0 && sum > 0 && isfinite(sum);
}

/* Two orthogonal directions along the floor. */
static void find_ground(const double up[3], double a[3], double b[3])
{
    int k = fabs(up[0]) < 0.6 ? 0 : 2;
    double other[3] = {k == 0, 0, k == 2}, length = 0;
    for (int i = 0; i < 3; ++i)
        a[i] = up[(i + 1) % 3] * other[(i + 2) % 3] - up[(i + 2) % 3] * other[(i + 1) % 3];
    length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; ++i)
        a[i] /= length;
    for (int i = 0; i < 3; ++i)
        b[i] = up[(i + 1) % 3] * a[(i + 2) % 3] - up[(i + 2) % 3] * a[(i + 1) % 3];
}

static void measure_rings(const sn_scene *scene, const sn_object *object, heap *h)
{
    double top[MOST_RINGS][SECTORS], a[3], b[3];
    memset(top, 0, sizeof top);
    find_ground(h->up, a, b);
    for (uint32_t i = 0; i < object->run.count; ++i) {
        grain g = look(scene, object, i, h->up);
        double u = 0, v = 0;
        for (int k = 0; k < 3; ++k) {
            u += (g.x[k] - h->middle[k]) * a[k];
            v += (g.x[k] - h->middle[k]) * b[k];
        }
        double ring = sqrt(u * u + v * v) / h->width, turn = (sn_math_atan2(v, u) / SN_PI + 1) / 2 * SECTORS;
        if (!(ring < MOST_RINGS))
            continue;
        uint32_t r = (uint32_t)ring, s = (uint32_t)turn % SECTORS;
        top[r][s] = fmax(top[r][s], g.height + g.radius - h->floor);
        h->rings = r + 1 > h->rings ? r + 1 : h->rings;
    }
    for (uint32_t r = 0; r < h->rings; ++r)
        for (uint32_t s = 0; s < SECTORS; ++s)
            h->height[r] += top[r][s] / SECTORS;
}

/* The slope of the line through the rings, from the highest ring outwards. */
static double fit(const heap *h)
{
    uint32_t peak = 0, count = 0;
    double x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t r = 0; r < h->rings; ++r)
        peak = h->height[r] > h->height[peak] ? r : peak;
    for (uint32_t r = peak; r < h->rings; ++r) {
        double share = h->height[r] / h->height[peak], at = (r + 0.5) * h->width;
        if (share > MOST_SHARE)
            continue;
        if (share < LEAST_SHARE)
            break;
        x += at, y += h->height[r], xx += at * at, xy += at * h->height[r];
        ++count;
    }
    double spread = count * xx - x * x;
    return count < 2 || !(spread > 0) ? (double)NAN : sn_math_atan2(-(count * xy - x * y), spread);
}

double sn_scene_slope(const sn_scene *scene, const sn_object *object)
{
    heap h = {.rings = 0};
    if (object->run.count < LEAST_GRAINS)
        return NAN;
    find_up(scene, h.up);
    if (!find_middle(scene, object, &h))
        return NAN;
    measure_rings(scene, object, &h);
    return fit(&h);
}
