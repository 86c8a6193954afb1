/* Contact of particles with fixed shapes, each particle by itself: gaps and clearances, the warm start, the pass, and
   restitution. Balls on planes are solved eight at a time. */
#include "contact/particle_work.h"

#include "contact/particle_supports.h"
#include "contact/restitution.h"

#include <string.h>

/* ns, about: to decide whether threads pay. */
#define WORK_OF_STATIC 40.0

static void run_statics_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const sn_contact_pass *p = data;
    const uint32_t *start = p->contacts->piece_table.column[0];
    sn_static_contact *contact = p->contacts->static_table.column[0];
    for (uint32_t i = start[index]; i < start[index + 1]; ++i)
        p->contact(p, &contact[i]);
}

/* Late contacts come last, on one thread: other contacts of the same particles are in the pieces. */
bool sn_contacts_run_statics(sn_contact_pass *p, void (*one)(const sn_contact_pass *p, sn_static_contact *contact))
{
    const sn_contacts *c = p->contacts;
    p->contact = one;
    if (!c->static_contacts)
        return true;
    if (!sn_parallel_tasks(share(p->world, c->static_contacts * WORK_OF_STATIC), c->pieces, run_statics_piece, p))
        return false;
    for (uint32_t i = ((const uint32_t *)c->piece_table.column[0])[c->pieces]; i < c->static_contacts; ++i)
        one(p, (sn_static_contact *)c->static_table.column[0] + i);
    return true;
}

static sn_vec3 surface_velocity(const sn_fixed_motion *m, sn_vec3 p)
{
    if (!m->moves)
        return vec3(0, 0, 0);
    return vec3_add(m->velocity, vec3_cross(m->spin, vec3_sub(p, m->end.position)));
}

/* The time of first contact of a particle on its path with a fixed shape, both in the frame of the shape. A particle
   that begins inside, if only by rounding, is in contact at once if it goes deeper: the casts of meshes and fields see
   surfaces from outside only. */
bool sn_contacts_first_touch(const sn_shape *shape, const sn_path *path, sn_real *t, sn_touch *touch)
{
    if (sn_shape_cast(shape, path, t, touch))
        return true;
    if (shape->type < SN_SHAPE_MESH || (shape->type == SN_SHAPE_MESH && !shape->data->closed))
        return false;
    *t = 0;
    return sn_shape_near(shape, path->from, path->radius, touch) && touch->distance <= path->radius &&
           vec3_dot(path->displacement, touch->normal) < 0;
}

/* The gap between a particle and a fixed shape, negative if they overlap. If the particle moved far, its path relative
   to the shape is swept, and the gap is measured to the tangent plane at the point of entry. */
static sn_real gap_to(const sn_shape *shape, const sn_fixed_motion *m, sn_vec3 from, sn_vec3 to, sn_real radius,
                      sn_touch *touch)
{
    if (shape->type == SN_SHAPE_PLANE) { /* a plane needs no sweep: it has no other side */
        touch->normal = vec3(0, 1, 0);
        touch->distance = vec3_dot(vec3_sub(to, m->end.position), m->normal) - shape->thickness;
        return touch->distance - radius;
    }
    sn_vec3 own = sn_pose_to_own(&m->end, to), start = sn_pose_to_own(&m->start, from),
            displacement = vec3_sub(own, start);
    sn_real length = vec3_length(displacement), t;
    if (length > (radius + shape->thickness) / 2) {
        sn_path path = {start, displacement, radius};
        if (sn_contacts_first_touch(shape, &path, &t, touch)) {
            sn_vec3 centre = vec3_add(start, vec3_scale(displacement, t));
            return vec3_dot(vec3_sub(own, centre), touch->normal);
        }
    }
    sn_real reach = 2 * radius + length + shape->thickness;
    if (!sn_shape_near(shape, own, reach, touch)) {
        touch->distance = (sn_real)INFINITY;
        return reach - radius;
    }
    return touch->distance - radius;
}

/* Adds to a position, and adds the rounding error to its remainder; see wide/contact.h. */
void sn_contacts_add(const sn_world *world, uint32_t slot, sn_vec3 by)
{
    sn_vec4 *x = &world->particles.x[slot], *low = &world->particles.x_low[slot];
    sn_vec3 was = vec4_xyz(*x), sum = vec3_add(was, by), dropped = vec3_sub(by, vec3_sub(sum, was));
    *x = vec4(sum, x->w);
    *low = vec4(vec3_add(vec4_xyz(*low), dropped), low->w);
}

void sn_contacts_move(const sn_contact_pass *p, const sn_static_contact *contact, sn_vec3 place, sn_vec3 push)
{
    sn_vec4 *v = &p->world->particles.v[contact->slot];
    sn_contacts_add(p->world, contact->slot, place);
    *v = vec4(vec3_add(vec4_xyz(*v), vec3_scale(push, p->pairs.inverse_h)), v->w);
}

sn_vec3 sn_contacts_surface_way(const sn_contact_pass *p, const sn_static_contact *contact)
{
    return surface_displacement(&motions(p->contacts)[contact->number], contact->point, p->h);
}

void sn_contacts_warm_static(const sn_contact_pass *p, sn_static_contact *contact)
{
    contact->held = sn_supports_take_over(p->contacts, contact);
    if (contact->held)
        return;
    sn_real last = contact->normal_impulse, steady = last < 2 * contact->last ? last : 2 * contact->last;
    contact->last = last;
    if (!(last > 0))
        return;
    contact->normal_impulse = steady;
    contact->tangent_impulse = vec3_scale(contact->tangent_impulse, steady / last);
    sn_vec3 push = vec3_add(vec3_scale(contact->normal, steady), contact->tangent_impulse);
    const sn_spinning ball = sn_spin_of(p->world, contact->slot), none = {0};
    if (ball.turns) {
        sn_spin_push(p->world, &ball, &none, contact->normal,
                     vec3_scale(contact->tangent_impulse, p->pairs.inverse_h / ball.w));
        sn_spin_warm(p->world, &ball, &none, &contact->rolled, steady / last);
    }
    contact->clear = 0;
    if (contact->ahead > 0)
        push = vec3_sub(push, vec3_add(vec3_scale(contact->normal, contact->ahead), contact->ahead_across));
    sn_contacts_move(p, contact, push, push);
}

/* True if the two cannot have come together since their gap was measured. Where the particle is now counts, not how
   fast it is: other contacts and constraints may have moved it since. */
static bool is_clear(const sn_contact_pass *p, sn_static_contact *contact, const sn_fixed_motion *m)
{
    if (!p->first || !(contact->clear > 0))
        return false;
    const sn_real moves = m->speed * p->h;
    const sn_vec3 x = vec4_xyz(p->world->particles.x[contact->slot]);
    if (!(contact->clear > moves + vec3_length(vec3_sub(x, contact->seen))))
        return false;
    contact->clear -= moves;
    return true;
}

#define CORNER_TRIES 8u
#define CORNER_SLACK ((sn_real)0.01) /* relative to the radius */
#define SAME_FACE    ((sn_real)0.9)  /* the least cosine between two normals that count as one face */

/* Balls against planes, eight at a time. */
typedef struct plane_batch {
    sn_wide_plane run;
    sn_static_contact *contact[SN_NEAR];
} plane_batch;

static void flush(const sn_contact_pass *p, plane_batch *b)
{
    sn_wide_plane *run = &b->run;
    if (!run->lanes)
        return;
    for (uint32_t i = run->lanes; i < SN_NEAR; ++i)
        run->slot[i] = run->slot[0];
    p->wide->plane(run);
    for (uint32_t i = 0; i < run->lanes; ++i) {
        sn_static_contact *contact = b->contact[i];
        bool acts = run->gap[i] < 0 || contact->normal_impulse > 0;
        contact->clear = acts ? 0 : run->gap[i]; /* an active contact may move in any pass */
        contact->seen = vec4_xyz(run->x[contact->slot]);
        if (!acts)
            continue;
        contact->touched = true;
        contact->normal = run->normal;
        contact->point = vec3_sub(vec4_xyz(run->x[contact->slot]), vec3_scale(run->normal, run->radius[i]));
        contact->normal_impulse = run->normal_impulse[i];
        contact->tangent_impulse =
            vec3(run->tangent_impulse[i], run->tangent_impulse[SN_NEAR + i], run->tangent_impulse[2 * SN_NEAR + i]);
    }
    run->lanes = 0;
}

/* True if a contact can be solved eight at a time: of a plane and a ball that do not rotate. */
static bool is_plain(const sn_contact_pass *p, const sn_static_contact *contact)
{
    const sn_fixed_motion *m = &motions(p->contacts)[contact->number];
    return m->plain && !contact->sensor && !contact->belted && !contact->held &&
           !(p->contacts->spins && sn_spin_has(p->world, contact->slot));
}

static void add_plane(const sn_contact_pass *p, plane_batch *b, sn_static_contact *contact)
{
    const sn_particle_store *store = &p->world->particles;
    const sn_fixed_motion *m = &motions(p->contacts)[contact->number];
    sn_wide_plane *run = &b->run;
    if (is_clear(p, contact, m))
        return;
    if (run->lanes == SN_NEAR || (run->lanes && b->contact[0]->number != contact->number))
        flush(p, b);
    if (!run->lanes) {
        run->normal = m->normal;
        run->velocity = m->velocity;
        run->offset = vec3_dot(m->normal, m->end.position) + record_of(p->world, contact->number)->shape.thickness;
    }
    uint32_t i = run->lanes++;
    b->contact[i] = contact;
    run->slot[i] = contact->slot;
    run->radius[i] = store->radius[contact->slot];
    run->static_friction[i] = contact->friction.static_friction;
    run->dynamic_friction[i] = contact->friction.dynamic_friction;
    run->normal_impulse[i] = contact->normal_impulse;
    for (uint32_t k = 0; k < 3; ++k)
        run->tangent_impulse[k * SN_NEAR + i] = vec3_part(&contact->tangent_impulse, k);
}

/* The last step for meshes. A ball that slides along one face touches it from the start of its path, and this hides
   later faces from a cast. The centre of the ball does not touch the face: if the path of the centre hits the surface
   itself, the ball continues along that face. After a few such faces it stays where the substep began. */
#define FACES_TO_TRY 4

static void keep_out(const sn_contact_pass *p, const sn_static_contact *contact, const sn_shape *shape,
                     const sn_fixed_motion *m, sn_vec3 from, sn_real radius)
{
    sn_particle_store *store = &p->world->particles;
    sn_vec3 start = sn_pose_to_own(&m->start, from);
    for (int i = 0; i <= FACES_TO_TRY; ++i) {
        sn_real t;
        sn_touch touch;
        sn_vec3 own = sn_pose_to_own(&m->end, vec4_xyz(store->x[contact->slot]));
        sn_path path = {start, vec3_sub(own, start), 0};
        sn_shape thin = *shape;
        thin.thickness = 0; /* the surface itself; `radius` includes guard and thickness */
        if (!sn_shape_cast(&thin, &path, &t, &touch))
            return;
        sn_vec3 n = touch.normal;
        sn_real side = vec3_dot(vec3_sub(start, touch.point), n), gap = vec3_dot(vec3_sub(own, touch.point), n);
        sn_real want = radius < side ? radius : side;
        sn_vec3 push = sn_quat_rotate(m->end.rotation, vec3_scale(n, want - gap));
        if (i == FACES_TO_TRY)
            push = vec3_sub(sn_pose_to_world(&m->end, start), vec4_xyz(store->x[contact->slot]));
        sn_contacts_move(p, contact, push, push);
    }
}

static bool has_faces(const sn_shape *shape)
{
    return shape->type != SN_SHAPE_SPHERE && shape->type != SN_SHAPE_CAPSULE && shape->type != SN_SHAPE_PLANE;
}

/* Undoes a warm start. */
static void take_back(const sn_contact_pass *p, sn_static_contact *contact)
{
    sn_vec3 push =
        vec3_scale(vec3_add(vec3_scale(contact->normal, contact->normal_impulse), contact->tangent_impulse), -1);
    sn_contacts_move(p, contact, push, push);
    contact->normal_impulse = 0;
    contact->tangent_impulse = vec3(0, 0, 0);
}

/* A push away from one face may lead through another one: removes what overlap is left. */
static void hold_in_corner(const sn_contact_pass *p, sn_static_contact *contact, sn_vec3 from, sn_real radius)
{
    const sn_fixed_motion *m = &motions(p->contacts)[contact->number];
    const sn_shape *shape = &record_of(p->world, contact->number)->shape;
    sn_touch touch;
    for (uint32_t i = 0; i < CORNER_TRIES; ++i) {
        sn_vec3 x = vec4_xyz(p->world->particles.x[contact->slot]);
        sn_real gap = gap_to(shape, m, from, x, radius, &touch);
        if (!(gap < -CORNER_SLACK * radius))
            return;
        sn_vec3 n = sn_quat_rotate(m->end.rotation, touch.normal);
        if (i == 0 && vec3_dot(n, contact->normal) > SAME_FACE)
            return; /* the face just handled, which may overlap a little */
        sn_vec3 push = vec3_scale(n, -gap);
        sn_contacts_move(p, contact, push, push);
        contact->normal_impulse =
            0; /* no impulse is kept: between several faces none of them is the one of the next substep */
        contact->tangent_impulse = vec3(0, 0, 0);
    }
    if (!m->moves) { /* too narrow: back to the position when the substep began */
        sn_vec3 back = vec3_sub(from, vec4_xyz(p->world->particles.x[contact->slot]));
        sn_contacts_move(p, contact, back, back);
    }
}

/* Overlaps are removed without a velocity. Overlap removal by other contacts must not push a particle into a fixed
   shape: in this way a light ball under a heavy one went through a thin box. That displacement is taken back here. */
void sn_contacts_project_static(const sn_contact_pass *p, sn_static_contact *contact)
{
    const sn_particle_store *store = &p->world->particles;
    const sn_fixed_motion *m = &motions(p->contacts)[contact->number];
    sn_vec3 x = vec4_xyz(store->x[contact->slot]), u = vec3_scale(vec4_xyz(store->v[contact->slot]), p->h);
    const sn_vec3 came_from = p->contacts->has_starts ? vec4_xyz(starts(p->contacts)[contact->slot]) : vec3_sub(x, u);
    if (is_clear(p, contact, m))
        return;
    sn_touch touch;
    const sn_shape *shape = &record_of(p->world, contact->number)->shape;
    sn_real radius = store->radius[contact->slot] + shape->guard, gap = gap_to(shape, m, came_from, x, radius, &touch);
    if (contact->normal_impulse > 0 && shape->type != SN_SHAPE_PLANE && touch.distance < (sn_real)INFINITY &&
        vec3_dot(sn_quat_rotate(m->end.rotation, touch.normal), contact->normal) < SAME_FACE) {
        take_back(p, contact); /* the contact is with another face now */
        x = vec4_xyz(store->x[contact->slot]);
        u = vec3_scale(vec4_xyz(store->v[contact->slot]), p->h);
        gap = gap_to(shape, m, came_from, x, radius, &touch);
    }
    contact->clear = gap;
    contact->seen = x;
    bool sheet = shape->type == SN_SHAPE_MESH && !contact->sensor;
    if (!(gap < 0) && !(contact->normal_impulse > 0)) {
        if (sheet && vec3_length(u) + m->speed * p->h > radius / 2)
            keep_out(p, contact, shape, m, came_from, radius + shape->thickness);
        return;
    }
    contact->clear = 0; /* an active contact may move in any pass */
    if (shape->type == SN_SHAPE_PLANE) {
        contact->normal = m->normal;
        contact->point = vec3_sub(x, vec3_scale(m->normal, touch.distance));
    } else if (touch.distance < (sn_real)INFINITY) { /* otherwise it is far away, and got there by the last normal */
        contact->normal = sn_quat_rotate(m->end.rotation, touch.normal);
        contact->point = sn_pose_to_world(&m->end, touch.point);
        contact->triangle = touch.part;
    }
    contact->touched = true;
    if (contact->sensor)
        return;
    const sn_vec3 n = contact->normal, came = u;
    u = vec3_sub(u, surface_displacement(m, contact->point, p->h));
    if (contact->belted)
        u = vec3_sub(u, vec3_scale(across(contact->belt, n), p->h));
    sn_real along = vec3_dot(u, n), before = gap - along,
            normal_impulse = contact->normal_impulse + (before < 0 ? before : 0) - gap;
    normal_impulse = normal_impulse > 0 ? normal_impulse : 0;
    sn_vec3 tangent_impulse = vec3_sub(contact->tangent_impulse, vec3_scale(n, vec3_dot(contact->tangent_impulse, n)));
    const sn_spinning ball = sn_spin_of(p->world, contact->slot), none = {0};
    sn_vec3 slip = vec3_sub(u, vec3_scale(n, along));
    if (ball.turns)
        slip = vec3_scale(vec3_add(slip, vec3_scale(sn_spin_slip(p->world, &ball, &none, n), p->h)),
                          sn_spin_share(&ball, &none, ball.w));
    sn_vec3 tangential = vec3_sub(tangent_impulse, slip);
    sn_real much = vec3_length(tangential);
    if (contact->held)
        tangential = tangent_impulse;
    else if (much > contact->friction.static_friction * normal_impulse)
        tangential = vec3_scale(tangential, contact->friction.dynamic_friction * normal_impulse / much);
    if (ball.turns) {
        sn_real impulse = p->pairs.inverse_h / ball.w;
        sn_spin_push(p->world, &ball, &none, n, vec3_scale(vec3_sub(tangential, tangent_impulse), impulse));
        sn_spin_resist(p->world, &ball, &none, contact->friction.rolling * ball.radius * normal_impulse * impulse,
                       &contact->rolled);
    }
    sn_vec3 push =
        vec3_add(vec3_scale(n, normal_impulse - contact->normal_impulse), vec3_sub(tangential, tangent_impulse));
    sn_real deep = -before - p->pairs.slop * radius;
    deep = deep < 0 ? 0 : deep * p->pairs.ease < p->pairs.part ? deep * p->pairs.ease : p->pairs.part;
    const sn_real parted =
        -vec3_dot(vec3_sub(vec3_sub(x, came_from), came), n); /* displacement into the shape by others */
    if (before < 0 && parted > deep && parted > p->pairs.slop * radius)
        deep = parted < -before ? parted : -before;
    sn_contacts_move(p, contact, vec3_add(push, vec3_scale(n, deep)), push);
    contact->normal_impulse = normal_impulse;
    contact->tangent_impulse = tangential;
    if (has_faces(shape))
        hold_in_corner(p, contact, came_from, radius);
    if (sheet)
        keep_out(p, contact, shape, m, came_from, radius + shape->thickness);
}

void sn_contacts_note_static(const sn_contact_pass *p, sn_static_contact *contact)
{
    contact->before = vec4_xyz(p->world->particles.v[contact->slot]);
}

void sn_contacts_bounce_static(const sn_contact_pass *p, sn_static_contact *contact)
{
    contact->stopped = 0;
    if (!(contact->normal_impulse > 0))
        return;
    sn_particle_store *store = &p->world->particles;
    sn_vec3 v = vec4_xyz(store->v[contact->slot]), n = contact->normal;
    sn_vec3 surface = surface_velocity(&motions(p->contacts)[contact->number], contact->point);
    sn_real along = vec3_dot(vec3_sub(v, surface), n), wanted = 0;
    const sn_real came = (contact->normal_impulse - contact->last) * p->pairs.inverse_h - along;
    contact->impact = came > contact->impact ? came : contact->impact;
    contact->impulse += contact->normal_impulse * p->pairs.inverse_h * store->v[contact->slot].w;
    if (contact->friction.restitution > 0) {
        const sn_real approach = -vec3_dot(vec3_sub(contact->before, surface), n);
        if (approach > p->pairs.bounce_above)
            wanted = sn_restitution(contact->friction.restitution, approach, along,
                                    vec3_dot(p->world->state.settings.gravity, n), p->h, contact_is_behind(p->world));
    }
    if (wanted > 0 || along < 0) { /* the speed that still approaches after an impact is removed */
        store->v[contact->slot] = vec4(vec3_add(v, vec3_scale(n, wanted - along)), store->v[contact->slot].w);
        contact->impulse += (wanted - along) * store->v[contact->slot].w;
        contact->stopped = wanted - along;
    }
}

/* Static contacts of a piece are in the order of fixed shapes, and no particle has two with the same shape. So
   neighbours in this order with the same shape have different particles. */
static void project_statics_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const sn_contact_pass *p = data;
    const uint32_t *start = p->contacts->piece_table.column[0];
    sn_static_contact *contact = p->contacts->static_table.column[0];
    plane_batch b = {.run = {.x = p->world->particles.x,
                             .x_low = p->world->particles.x_low,
                             .v = p->world->particles.v,
                             .h = p->h,
                             .inverse_h = p->pairs.inverse_h,
                             .part = p->pairs.part,
                             .ease = p->pairs.ease,
                             .slop = p->pairs.slop}};
    for (uint32_t i = start[index]; i < start[index + 1]; ++i) {
        if (is_plain(p, &contact[i])) {
            add_plane(p, &b, &contact[i]);
        } else {
            flush(p, &b);
            sn_contacts_project_static(p, &contact[i]);
        }
    }
    flush(p, &b);
}

bool sn_contacts_project_statics(sn_contact_pass *p)
{
    const sn_contacts *c = p->contacts;
    if (!c->static_contacts)
        return true;
    if (!sn_parallel_tasks(share(p->world, c->static_contacts * WORK_OF_STATIC), c->pieces, project_statics_piece, p))
        return false;
    for (uint32_t i = ((const uint32_t *)c->piece_table.column[0])[c->pieces]; i < c->static_contacts; ++i)
        sn_contacts_project_static(p, (sn_static_contact *)c->static_table.column[0] + i);
    return true;
}
