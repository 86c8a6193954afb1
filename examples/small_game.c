/* A small game in one file: a ragdoll falls onto a cloth that hangs between four posts, contact events report
   impacts, the mouse picks the ragdoll up by its head, and rollback restores the last second and runs it again, bit
   for bit. */
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 17, FRAMES = 120, LATER = 60 };
enum { GROUP_DOLL = 1, GROUP_CLOTH = 2 };

static void must(const sn_world *world, bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, sn_world_error(world));
    exit(1);
}

/* A sheet of 1.6 m in the xz plane, held at its corners. */
static sn_particles add_cloth(sn_world *world, sn_real height)
{
    static sn_real xyz[SIDE * SIDE][3];
    static uint32_t edge[2 * SIDE * SIDE][2], triangle[2 * SIDE * SIDE][3];
    uint32_t edges = 0, triangles = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        xyz[i][0] = (sn_real)(i % SIDE) / 10 - (sn_real)0.8;
        xyz[i][1] = height;
        xyz[i][2] = (sn_real)(i / SIDE) / 10 - (sn_real)0.8;
    }
    sn_particle_def like = sn_default_particle_def();
    like.mass = (sn_real)0.01;
    like.radius = (sn_real)0.02;
    like.group = GROUP_CLOTH;
    sn_particles cloth = sn_particles_add_like(world, &like, SIDE * SIDE, &xyz[0][0], 0);
    must(world, cloth.count, "cloth");
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        const uint32_t here = cloth.first + i;
        const bool right = i % SIDE + 1 < SIDE, below = i / SIDE + 1 < SIDE;
        if (right)
            edge[edges][0] = here, edge[edges++][1] = here + 1;
        if (below)
            edge[edges][0] = here, edge[edges++][1] = here + SIDE;
        if (!right || !below)
            continue;
        const uint32_t corner[6] = {here, here + SIDE, here + 1, here + 1, here + SIDE, here + SIDE + 1};
        for (uint32_t k = 0; k < 6; ++k)
            triangle[triangles + k / 3][k % 3] = corner[k];
        triangles += 2;
    }
    must(world, sn_constraints_add_kind(world, SN_KIND_DISTANCE, edges, &edge[0][0], NULL, NULL).count, "threads");
    sn_skin_def skin = sn_default_skin_def();
    skin.triangles = &triangle[0][0];
    skin.triangle_count = triangles;
    must(world, sn_skin_add(world, &skin, NULL) == SN_OK, "skin");
    const uint32_t corners[4] = {0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1};
    for (int i = 0; i < 4; ++i)
        must(world, sn_constraint_add_pin(world, sn_particles_at(cloth, corners[i])).kind, "pin");
    return cloth;
}

static sn_body add_limb(sn_world *world, sn_vec3 from, sn_vec3 to, sn_real radius, uint64_t name)
{
    sn_body limb = sn_body_add_capsule(world, from, to, radius, 1000);
    must(world, sn_body_set_group(world, limb, GROUP_DOLL) == SN_OK && sn_body_set_user(world, limb, name) == SN_OK,
         "limb");
    return limb;
}

/* A trunk, a head, two arms and two legs. Names are user data, of bodies and of joints. */
static sn_body add_doll(sn_world *world, sn_real y)
{
    static const struct {
        sn_real x0, y0, x1, y1, radius, swing;
        uint64_t name;
    } limb[] = {{0, 0.42f, 0, 0.5f, 0.09f, 0.5f, 'h'},
                {-0.2f, 0.25f, -0.55f, 0.25f, 0.05f, 1.2f, 'a'},
                {0.2f, 0.25f, 0.55f, 0.25f, 0.05f, 1.2f, 'b'},
                {-0.1f, -0.3f, -0.1f, -0.75f, 0.06f, 0.8f, 'l'},
                {0.1f, -0.3f, 0.1f, -0.75f, 0.06f, 0.8f, 'r'}};
    sn_body trunk = add_limb(world, (sn_vec3){0, y - 0.1f, 0}, (sn_vec3){0, y + 0.2f, 0}, 0.12f, 't'), head = {0, 0};
    for (size_t i = 0; i < sizeof limb / sizeof *limb; ++i) {
        const sn_vec3 from = {limb[i].x0, y + limb[i].y0, 0}, to = {limb[i].x1, y + limb[i].y1, 0};
        sn_body one = add_limb(world, from, to, limb[i].radius, limb[i].name);
        sn_joint_def joint = sn_default_joint_def(SN_KIND_JOINT_CONE_TWIST);
        joint.a = trunk, joint.b = one;
        joint.anchor = from;
        joint.axis = (sn_vec3){to.x - from.x, to.y - from.y, 0};
        joint.swing = limb[i].swing;
        joint.least = -0.5f, joint.most = 0.5f;
        joint.user = limb[i].name;
        must(world, sn_constraint_is_valid(world, sn_joint_add(world, &joint)), "joint");
        if (limb[i].name == 'h')
            head = one;
    }
    return head;
}

/* Steps one frame, and prints its first impact. */
static void step(sn_world *world, bool tell, int frame)
{
    uint32_t count;
    must(world, sn_world_step(world, 1 / (sn_real)60) == SN_OK, "step");
    const sn_contact_event *event = sn_world_contact_events(world, &count);
    for (uint32_t i = 0; i < count && tell; ++i)
        if (event[i].phase == SN_CONTACT_BEGIN && event[i].impact > 1) {
            const sn_body body = event[i].body.generation ? event[i].body : event[i].other_body;
            if (!sn_body_user(world, body))
                continue; /* the cloth on the floor, which has no name */
            const bool sheet = event[i].skin.generation || sn_particle_group(world, event[i].particle) == GROUP_CLOTH;
            printf("frame %3d: '%c' meets the %s at %.1f m/s\n", frame, (int)sn_body_user(world, body),
                   sheet ? "cloth" : "floor", (double)event[i].impact);
            tell = false; /* one line per frame */
        }
}

int main(void)
{
    sn_world_def def = sn_default_world_def();
    def.contact.events = true;
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        return 1;
    sn_static_add_plane(world, (sn_vec3){0}, (sn_vec3){.y = 1});
    sn_particles cloth = add_cloth(world, 1);
    sn_body head = add_doll(world, 2.5f);
    for (int frame = 0; frame < FRAMES; ++frame)
        step(world, true, frame);
    sn_vec3 middle = sn_particle_position(world, sn_particles_at(cloth, SIDE * SIDE / 2));
    printf("the middle of the cloth is at %.2f m, the head at %.2f m\n", (double)middle.y,
           (double)sn_body_centre(world, head).y);

    /* The mouse: a ray at the head, and a soft pin at the hit, which is moved up. */
    const sn_vec3 at = sn_body_centre(world, head);
    sn_real far;
    sn_point grip = sn_query_pick(world, (sn_vec3){at.x, at.y + 3, at.z}, (sn_vec3){.y = -1}, 10, 0.01f, &far);
    must(world, grip.type == SN_POINT_BODY, "nothing was picked");
    printf("picked '%c', %.2f m below the mouse\n", (int)sn_body_user(world, grip.body), (double)far);
    sn_snapshot *then = sn_world_save(world);
    uint64_t end[2];
    for (int round = 0; round < 2; ++round) { /* the second time from the snapshot: rollback */
        sn_vec3 target = sn_point_position(world, grip);
        sn_constraint hold = sn_constraint_add_pin_at(world, grip, target);
        must(world, sn_constraint_set_material(world, hold, (sn_material){.compliance = 1e-4f}) == SN_OK, "hold");
        for (int frame = 0; frame < LATER; ++frame) {
            target.y += 0.02f;
            must(world, sn_constraint_set_param(world, hold, "target", &target.x, 3) == SN_OK, "target");
            step(world, false, 0);
        }
        end[round] = sn_world_hash(world);
        printf("%s: the head is at %.2f m, hash %016llx\n", round ? "again" : "pulled up",
               (double)sn_body_centre(world, head).y, (unsigned long long)end[round]);
        must(world, sn_world_load(world, then) == SN_OK, "load");
    }
    sn_snapshot_destroy(then);
    sn_world_destroy(world);
    return end[0] == end[1] ? 0 : 1;
}
