/* Sinew's side of the scorecard: reads a scene as numbers, runs it, and writes poses. tools/scorecard/native.mjs has the format. */
#include <sinew/sinew.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double next(void)
{
    double value;
    if (scanf("%lf", &value) != 1)
        exit(2);
    return value;
}

static sn_vec3 next_vector(void)
{
    const double x = next(), y = next(), z = next();
    return (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
}

/* The same for every case: substeps of the length that was asked for, `frame` seconds a step. */
static sn_world *make_world(const char *how, double h, double frame, bool forces)
{
    sn_world_def def = sn_default_world_def();
    def.settings.substeps = (uint32_t)(frame / h + 0.5);
    def.settings.gravity = next_vector();
    if (strstr(how, "direct"))
        def.settings.solver = SN_SOLVER_DIRECT;
    if (strstr(how, "bdf2"))
        def.settings.integrator = SN_INTEGRATOR_BDF2;
    def.contact.events = forces;
    sn_world *world;
    if (sn_world_create(&def, &world) != SN_OK)
        exit(3);
    return world;
}

static sn_body add_body(sn_world *world)
{
    sn_body_def def = sn_default_body_def();
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_BOX);
    const int kind = (int)next();
    const sn_vec3 size = next_vector();
    def.mass = (sn_real)next();
    def.moments = next_vector();
    def.position = next_vector();
    def.rotation.x = (sn_real)next();
    def.rotation.y = (sn_real)next();
    def.rotation.z = (sn_real)next();
    def.rotation.w = (sn_real)next();
    def.velocity = next_vector();
    def.spin = next_vector();
    const sn_real friction = (sn_real)next(), restitution = (sn_real)next();
    shape.type = kind == 2 ? SN_SHAPE_SPHERE : SN_SHAPE_BOX;
    if (kind == 2)
        shape.radius = size.x;
    else
        shape.half = size;
    sn_contact_material material = sn_default_contact_material();
    material.static_friction = material.dynamic_friction = friction;
    material.restitution = restitution;
    shape.material = &material;
    def.centre = (sn_vec3){0};
    def.shapes = kind ? &shape : NULL;
    def.shape_count = kind ? 1 : 0;
    sn_body body = {0};
    sn_body_add(world, &def, &body);
    return body;
}

static void add_ground(sn_world *world, sn_real friction, sn_real restitution)
{
    sn_body_def def = sn_default_body_def();
    sn_shape_def shape = sn_default_shape_def(SN_SHAPE_PLANE);
    def.type = SN_BODY_STATIC;
    sn_contact_material material = sn_default_contact_material();
    material.static_friction = material.dynamic_friction = friction;
    material.restitution = restitution;
    shape.material = &material;
    def.shapes = &shape;
    def.shape_count = 1;
    sn_body_add(world, &def, NULL);
}

static void add_joint(sn_world *world, const sn_body *body)
{
    const int hinge = (int)next(), a = (int)next(), b = (int)next();
    sn_joint_def def = sn_default_joint_def(hinge ? SN_KIND_JOINT_HINGE : SN_KIND_JOINT_BALL);
    def.anchor = next_vector();
    const sn_vec3 axis = next_vector();
    const double stiffness = next(), damping = next();
    if (hinge)
        def.axis = axis;
    if (stiffness > 0) { /* a drive towards the angle that it has */
        def.target_most = (sn_real)1e30;
        def.target_compliance = (sn_real)(1 / stiffness);
        def.target_damping = (sn_real)damping;
    }
    def.a = body[b];
    if (a >= 0)
        def.b = body[a];
    sn_joint_add(world, &def);
}

static void put(const sn_world *world, const sn_body *body, int count)
{
    for (int i = 0; i < count; ++i) {
        const sn_vec3 x = sn_body_position(world, body[i]), v = sn_body_velocity(world, body[i]), w = sn_body_spin(world, body[i]);
        const sn_quat q = sn_body_rotation(world, body[i]);
        printf("%.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", (double)x.x, (double)x.y, (double)x.z, (double)q.x,
               (double)q.y, (double)q.z, (double)q.w, (double)v.x, (double)v.y, (double)v.z, (double)w.x, (double)w.y, (double)w.z);
    }
}

/* By body, what it is pushed up with by what is below it: the one before, or the ground; the mean over the step. */
static void put_forces(const sn_world *world, const sn_body *body, int count, double frame)
{
    uint32_t events;
    const sn_contact_event *event = sn_world_contact_events(world, &events);
    for (int i = 0; i < count; ++i) {
        double sum = 0;
        for (uint32_t e = 0; event && e < events; ++e) {
            const bool own = event[e].body.index == body[i].index && event[e].body.generation == body[i].generation;
            const sn_body other = own ? event[e].other_body : event[e].body;
            if ((own || event[e].other_body.index == body[i].index) && sn_body_position(world, other).y < sn_body_position(world, body[i]).y)
                sum += (double)event[e].impulse;
        }
        printf("%.9g ", sum / frame);
    }
    printf("\n");
}

int main(int count, char **argument)
{
    const char *how = count > 1 ? argument[1] : "";
    const double h = next(), frame = next();
    const int frames = (int)next(), forces = (int)next();
    sn_world *world = make_world(how, h, frame, forces != 0);
    const int ground = (int)next();
    const sn_real friction = (sn_real)next(), restitution = (sn_real)next();
    if (ground)
        add_ground(world, friction, restitution);
    const int bodies = (int)next();
    sn_body *body = calloc((size_t)bodies, sizeof *body);
    for (int i = 0; i < bodies; ++i)
        body[i] = add_body(world);
    for (int joints = (int)next(); joints > 0; --joints)
        add_joint(world, body);
    if (sn_world_error(world)[0]) {
        fprintf(stderr, "%s\n", sn_world_error(world));
        return 4;
    }
    put(world, body, bodies);
    if (forces)
        put_forces(world, body, bodies, frame);
    double seconds = 0;
    for (int i = 0; i < frames; ++i) {
        const clock_t start = clock();
        if (sn_world_step(world, (sn_real)frame) != SN_OK) {
            fprintf(stderr, "%s\n", sn_world_error(world));
            return 5;
        }
        seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
        put(world, body, bodies);
        if (forces)
            put_forces(world, body, bodies, frame);
    }
    printf("%.9g\n", seconds);
    free(body);
    sn_world_destroy(world);
    return 0;
}
