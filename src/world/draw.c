/* Debug drawing: particles, bodies' axes, velocities, names; and what all layers share. */
#include "world/draw.h"

#include "world/query_tree.h"

#include <stdio.h>

sn_draw sn_default_draw(void)
{
    const sn_real inf = (sn_real)INFINITY;
    return (sn_draw){.layers = SN_DRAW_PARTICLES | SN_DRAW_CONSTRAINTS | SN_DRAW_SKINS | SN_DRAW_SHAPES,
                     .low = {-inf, -inf, -inf},
                     .high = {inf, inf, inf},
                     .axis_length = (sn_real)0.2,
                     .velocity_length = (sn_real)0.1,
                     .force_length = (sn_real)0.01,
                     .full_strain = (sn_real)0.01,
                     .plane_size = 5};
}

/* ---- Calls of the caller's functions ----------------------------------------------------------------------------- */

static inline bool is_between(sn_real a, sn_real b, sn_real low, sn_real high)
{
    return (a < b ? b : a) >= low && (a < b ? a : b) <= high;
}

/* True if a box is finite, and overlaps the box that is drawn. */
static bool is_seen(const sn_drawing *d, sn_vec3 a, sn_vec3 b)
{
    const sn_vec3 low = d->draw->low, high = d->draw->high;
    return vec3_is_finite(a) && vec3_is_finite(b) && is_between(a.x, b.x, low.x, high.x) &&
           is_between(a.y, b.y, low.y, high.y) && is_between(a.z, b.z, low.z, high.z);
}

static inline sn_real least(sn_real a, sn_real b, sn_real c)
{
    sn_real ab = a < b ? a : b;
    return ab < c ? ab : c;
}

void sn_drawing_point(const sn_drawing *d, sn_vec3 place, sn_real radius, uint32_t colour)
{
    const sn_vec3 r = vec3(radius, radius, radius);
    if (d->draw->point && is_seen(d, vec3_sub(place, r), vec3_add(place, r)))
        d->draw->point(d->draw->context, place, radius, colour);
}

void sn_drawing_line(const sn_drawing *d, sn_vec3 from, sn_vec3 to, uint32_t colour)
{
    if (d->draw->line && is_seen(d, from, to))
        d->draw->line(d->draw->context, from, to, colour);
}

void sn_drawing_triangle(const sn_drawing *d, sn_vec3 a, sn_vec3 b, sn_vec3 c, uint32_t colour)
{
    sn_vec3 low = vec3(least(a.x, b.x, c.x), least(a.y, b.y, c.y), least(a.z, b.z, c.z));
    sn_vec3 high = vec3(-least(-a.x, -b.x, -c.x), -least(-a.y, -b.y, -c.y), -least(-a.z, -b.z, -c.z));
    if (d->draw->triangle && is_seen(d, low, high) && vec3_is_finite(vec3_add(a, vec3_add(b, c))))
        d->draw->triangle(d->draw->context, a, b, c, colour);
}

void sn_drawing_text(const sn_drawing *d, sn_vec3 place, const char *text, uint32_t colour)
{
    if (d->draw->text && is_seen(d, place, place))
        d->draw->text(d->draw->context, place, text, colour);
}

void sn_drawing_box(const sn_drawing *d, const sn_bounds *b, uint32_t colour)
{
    for (uint32_t corner = 0; corner < 8; ++corner)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            const uint32_t other = corner | 1u << axis;
            if (other == corner)
                continue;
            sn_vec3 from = vec3(corner & 1 ? b->high.x : b->low.x, corner & 2 ? b->high.y : b->low.y,
                                corner & 4 ? b->high.z : b->low.z);
            sn_vec3 to = vec3(other & 1 ? b->high.x : b->low.x, other & 2 ? b->high.y : b->low.y,
                              other & 4 ? b->high.z : b->low.z);
            sn_drawing_line(d, from, to, colour);
        }
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

/* Steps around the circle of hues by the golden ratio, so that colours of nearby numbers differ. */
uint32_t sn_drawing_hue(uint32_t number)
{
    const uint32_t turn = number * 0x9e3779b9u, sixth = (uint32_t)(((uint64_t)turn * 6) >> 32);
    const uint32_t share = (uint32_t)((((uint64_t)turn * 6) & 0xffffffffu) >> 25), low = 0x60;
    const uint32_t up = low + share, down = 0xe0 - share, high = 0xe0;
    const uint32_t rgb[6][3] = {{high, up, low},   {down, high, low}, {low, high, up},
                                {low, down, high}, {up, low, high},   {high, low, down}};
    return rgb[sixth][0] << 16 | rgb[sixth][1] << 8 | rgb[sixth][2];
}

uint32_t sn_drawing_tile(const sn_drawing *d, uint32_t slot)
{
    const sn_plan *plan = &d->world->plan;
    if (!plan->made || slot >= plan->particles || plan->layer_table.count < 2)
        return SN_ID_FREE;
    const uint32_t owner = sn_plan_owner(plan, slot);
    return owner < plan->layer[1] && slot - plan->tile[owner].first < plan->tile[owner].count ? owner : SN_ID_FREE;
}

uint32_t sn_drawing_colour(const sn_drawing *d, uint32_t slot, uint32_t usual)
{
    const sn_world *world = d->world;
    const uint32_t number = world->particles.index[slot];
    const bool asleep = sn_sleep_has(&world->contact.sleep, number), still = world->particles.x[slot].w == 0;
    if (drawing_wants(d, SN_DRAW_ISLANDS) && !still) {
        uint32_t hue = sn_drawing_hue(sn_sleep_island(world, number));
        return asleep ? hue >> 1 & 0x7f7f7f : hue; /* darker */
    }
    if (!drawing_wants(d, SN_DRAW_ISLANDS) && drawing_wants(d, SN_DRAW_TILES)) {
        uint32_t tile = sn_drawing_tile(d, slot);
        return tile == SN_ID_FREE ? SN_COLOUR_STILL : sn_drawing_hue(tile);
    }
    return still ? SN_COLOUR_STILL : asleep ? SN_COLOUR_ASLEEP : usual;
}

/* ---- Particles and bodies ---------------------------------------------------------------------------------------- */

static bool is_body_with_shape(const sn_world *world, uint32_t slot)
{
    uint32_t body = world->particles.body[slot];
    return body && world->bodies.state[body - 1].parts;
}

static void draw_particles(const sn_drawing *d)
{
    const sn_world *world = d->world;
    for (uint32_t number = 0; number < world->ids.table.count; ++number) {
        if (!sn_ids_is_live(&world->ids, number))
            continue;
        uint32_t slot = world->ids.value[number];
        if (!is_body_with_shape(world, slot))
            sn_drawing_point(d, vec4_xyz(world->particles.x[slot]), world->particles.radius[slot],
                             sn_drawing_colour(d, slot, SN_COLOUR_PARTICLE));
    }
}

static void draw_velocities(const sn_drawing *d)
{
    const sn_world *world = d->world;
    for (uint32_t number = 0; number < world->ids.table.count; ++number) {
        if (!sn_ids_is_live(&world->ids, number))
            continue;
        uint32_t slot = world->ids.value[number];
        sn_vec3 x = vec4_xyz(world->particles.x[slot]), v = vec4_xyz(world->particles.v[slot]);
        if (v.x != 0 || v.y != 0 || v.z != 0)
            sn_drawing_line(d, x, vec3_add(x, vec3_scale(v, d->draw->velocity_length)), SN_COLOUR_VELOCITY);
    }
}

static void draw_axes(const sn_drawing *d)
{
    const sn_world *world = d->world;
    const sn_real length = d->draw->axis_length;
    for (uint32_t row = 0; row < bodies_rows(&world->bodies); ++row) {
        if (!bodies_has(&world->bodies, row))
            continue;
        const sn_body body = sn_body_of_row(world, row);
        const sn_vec3 at = sn_body_position(world, body);
        sn_drawing_line(d, at, sn_body_to_world(world, body, vec3(length, 0, 0)), 0xff0000);
        sn_drawing_line(d, at, sn_body_to_world(world, body, vec3(0, length, 0)), 0x00c000);
        sn_drawing_line(d, at, sn_body_to_world(world, body, vec3(0, 0, length)), 0x3060ff);
        sn_drawing_point(d, sn_body_centre(world, body), 0, SN_COLOUR_TEXT);
    }
}

static void draw_name(const sn_drawing *d, const char *what, uint32_t number, sn_vec3 place)
{
    char text[32];
    snprintf(text, sizeof text, "%s%u", what, number);
    sn_drawing_text(d, place, text, SN_COLOUR_TEXT);
}

static void draw_names(const sn_drawing *d)
{
    const sn_world *world = d->world;
    for (uint32_t number = 0; d->draw->text && number < world->ids.table.count; ++number) {
        if (!sn_ids_is_live(&world->ids, number))
            continue;
        uint32_t slot = world->ids.value[number], body = world->particles.body[slot];
        draw_name(d, body ? "body " : "", body ? world->bodies.state[body - 1].number : number,
                  vec4_xyz(world->particles.x[slot]));
    }
    for (uint32_t i = 0; i < world->contact.fixed_shape_table.count; ++i) {
        const sn_fixed_shape *record = &contact_fixed_shapes(&world->contact)[i];
        draw_name(d, "body ", record->body, record->pose.position);
    }
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static bool check_draw(const sn_world *world, const sn_draw *draw)
{
    const uint32_t known = SN_DRAW_ALL | SN_DRAW_STRAIN | SN_DRAW_ISLANDS | SN_DRAW_TILES | SN_DRAW_BATCHES;
    if (!draw) {
        sn_query_refuse(world, "draw is NULL");
        return false;
    }
    const struct {
        const char *name;
        sn_real value;
        bool positive;
    } numbers[] = {{"axis_length", draw->axis_length, false},
                   {"velocity_length", draw->velocity_length, false},
                   {"force_length", draw->force_length, false},
                   {"full_strain", draw->full_strain, true},
                   {"plane_size", draw->plane_size, true}};
    if (draw->layers & ~known) {
        sn_query_refuse(world, "draw.layers is 0x%x, which has bits that are no sn_draw_layer (0x%x)", draw->layers,
                        known);
        return false;
    }
    for (uint32_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        if (!isfinite(numbers[i].value) || numbers[i].value < 0 || (numbers[i].positive && numbers[i].value == 0)) {
            sn_query_refuse(world, "draw.%s is %g; it must be finite and %s", numbers[i].name, (double)numbers[i].value,
                            numbers[i].positive ? "positive" : "not negative");
            return false;
        }
    return true;
}

sn_result sn_world_draw(const sn_world *world, const sn_draw *draw)
{
    if (!world || !check_draw(world, draw))
        return SN_ERROR_ARGUMENT;
    const sn_drawing d = {world, draw};
    sn_query_enter_callback(world);
    sn_draw_shapes(&d);
    sn_draw_constraints(&d);
    if (drawing_wants(&d, SN_DRAW_PARTICLES))
        draw_particles(&d);
    if (drawing_wants(&d, SN_DRAW_AXES))
        draw_axes(&d);
    sn_draw_contacts(&d);
    if (drawing_wants(&d, SN_DRAW_VELOCITIES))
        draw_velocities(&d);
    if (drawing_wants(&d, SN_DRAW_NAMES))
        draw_names(&d);
    sn_query_leave_callback(world);
    return SN_OK;
}
