// A standard scene of the benchmark on Bullet. 'sinew bench' starts it for every scene that it compares:
//
//     sinew-bench-bullet SCENE N PASSES FRAMES SECONDS SETTLE PLACES
//
// It prints one row as JSON. One thread, CPU time. As Bullet has no substeps of its own, a frame is one step with
// PASSES iterations.
//
// Scenes of links are soft bodies, their links in the order that Bullet's own helper makes fast: no collisions, no
// damping, links as stiff as they get. Piles are rigid spheres with everything at Bullet's default (friction 0.5, the
// sequential impulse solver with warm starting), except that none of them sleeps. They start at rest where they
// settled in the other engine, in the file that was inherited under the number PLACES: 20,000 that were dropped as
// there took it gigabytes and more than four minutes.
//
// Bodies are rigid boxes, or figures of capsules held by btConeTwistConstraint and btHingeConstraint, with everything at
// Bullet's default and nothing asleep. As they fall (SETTLE is 0) they start as in the other engine; as they lie, they start at rest
// where they settled there.
#include "cli/bench_scenes.h"
#include "cli/bench_time.h"

#include <btBulletDynamicsCommon.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

namespace
{

double cpu_seconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What a world of Bullet needs around it. Members die in reverse order, the world before what it uses.
struct Scene {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSoftBody *body = nullptr;

    Scene(const sn_bench_model &model, int passes)
    {
        btVector3 gravity(0, btScalar(-SN_BENCH_GRAVITY), 0);
        world.setGravity(gravity);
        btSoftBodyWorldInfo &info = world.getWorldInfo();
        info.m_gravity = gravity;
        info.air_density = 0;
        info.water_density = 0;
        info.m_sparsesdf.Initialize();
        add_nodes(model, info);
        add_links(model);
        body->m_cfg.piterations = passes;
        body->m_cfg.viterations = 0;
        body->m_cfg.diterations = 0;
        body->m_cfg.citerations = 0;
        body->m_cfg.kDP = 0;
        body->m_cfg.collisions = 0;
        btSoftBodyHelpers::ReoptimizeLinkOrder(body); // the same results, up to a third sooner
        world.addSoftBody(body);
    }

    ~Scene()
    {
        world.removeSoftBody(body);
        delete body;
    }

    void add_nodes(const sn_bench_model &model, btSoftBodyWorldInfo &info)
    {
        std::vector<btVector3> place(model.particles);
        std::vector<btScalar> mass(model.particles);
        for (uint32_t i = 0; i < model.particles; ++i) {
            const double *p = &model.xyz[3 * static_cast<size_t>(i)];
            place[i].setValue(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]));
            mass[i] = std::isinf(model.mass[i]) ? btScalar(0) : btScalar(model.mass[i]); // 0 holds it
        }
        body = new btSoftBody(&info, static_cast<int>(model.particles), place.data(), mass.data());
    }

    void add_links(const sn_bench_model &model)
    {
        btSoftBody::Material *material = body->m_materials[0];
        material->m_kLST = 1;
        material->m_kAST = 1;
        material->m_kVST = 1;
        body->m_links.reserve(static_cast<int>(model.edges));
        for (uint32_t i = 0; i < model.edges; ++i)
            body->appendLink(static_cast<int>(model.edge[i].a), static_cast<int>(model.edge[i].b), material);
    }

    static bool step(void *context)
    {
        Scene *scene = static_cast<Scene *>(context);
        scene->world.stepSimulation(btScalar(SN_BENCH_DT), 0); // no clock of its own: exactly one step
        return true;
    }

    void stretch(const sn_bench_model &model, double *mean, double *largest) const
    {
        std::vector<double> xyz(3 * static_cast<size_t>(model.particles));
        for (size_t i = 0; i < model.particles; ++i)
            for (size_t k = 0; k < 3; ++k)
                xyz[3 * i + k] = body->m_nodes[static_cast<int>(i)].m_x[static_cast<int>(k)];
        sn_bench_model_stretch(&model, xyz.data(), mean, largest);
    }
};

// Spheres in a box. Walls are boxes instead of planes: a plane of Bullet's has no bounds, so that every sphere would be
// tested against all of them in every step.
struct Pile {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSphereShape sphere;
    std::vector<std::unique_ptr<btCollisionShape>> walls;
    std::vector<std::unique_ptr<btRigidBody>> bodies; // the spheres first, by number

    explicit Pile(int passes, double radius = 1) : sphere(btScalar(radius))
    {
        world.setGravity(btVector3(0, btScalar(-SN_BENCH_GRAVITY), 0));
        world.getSolverInfo().m_numIterations = passes;
    }

    Pile(const sn_bench_model &model, int passes) : Pile(passes, model.radius)
    {
        for (uint32_t i = 0; i < model.particles; ++i) {
            const double *p = &model.xyz[3 * static_cast<size_t>(i)];
            add(&sphere, btScalar(model.mass[i]), at(btVector3(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]))));
        }
        double top = 0;
        for (uint32_t i = 0; i < model.particles; ++i)
            top = std::max(top, model.xyz[3 * static_cast<size_t>(i) + 1]);
        add_walls(btScalar(model.box / 2), btScalar(top / 2 + 1));
    }

    ~Pile()
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }

    static btTransform at(const btVector3 &place)
    {
        return btTransform(btQuaternion::getIdentity(), place);
    }

    void add(btCollisionShape *shape, btScalar mass, const btTransform &place)
    {
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            shape->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        info.m_startWorldTransform = place;
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    }

    void add_wall(const btVector3 &size, const btVector3 &place)
    {
        walls.push_back(std::make_unique<btBoxShape>(size));
        add(walls.back().get(), 0, at(place));
    }

    void add_floor(btScalar half)
    {
        add_wall(btVector3(half, 1, half), btVector3(0, -1, 0));
    }

    void add_walls(btScalar half, btScalar height)
    {
        const btScalar thick = 1; // m, half of it
        add_floor(half + 2 * thick);
        for (btScalar side : {btScalar(-1), btScalar(1)}) {
            add_wall(btVector3(thick, height, half + 2 * thick), btVector3(side * (half + thick), height, 0));
            add_wall(btVector3(half + 2 * thick, height, thick), btVector3(0, height, side * (half + thick)));
        }
    }

    static bool step(void *context)
    {
        static_cast<Pile *>(context)->world.stepSimulation(btScalar(SN_BENCH_DT), 0);
        return true;
    }

    bool overlap(const sn_bench_model &model, sn_bench_overlap *result) const
    {
        std::vector<double> xyz(3 * static_cast<size_t>(model.particles));
        for (size_t i = 0; i < model.particles; ++i)
            for (size_t k = 0; k < 3; ++k)
                xyz[3 * i + k] = bodies[i]->getWorldTransform().getOrigin()[static_cast<int>(k)];
        return sn_bench_model_overlap(&model, xyz.data(), result);
    }

    // J a sphere, without what turns it, and the fastest of them.
    void motion(const sn_bench_model &model, double *kinetic, double *fastest) const
    {
        double sum = 0, most = 0;
        for (size_t i = 0; i < model.particles; ++i) {
            double square = bodies[i]->getLinearVelocity().length2();
            sum += model.mass[i] * square / 2;
            most = std::max(most, square);
        }
        *kinetic = sum / model.particles;
        *fastest = std::sqrt(most);
    }
};

btTransform transform_of(const double pose[7])
{
    return btTransform(btQuaternion(btScalar(pose[3]), btScalar(pose[4]), btScalar(pose[5]), btScalar(pose[6])),
                       btVector3(btScalar(pose[0]), btScalar(pose[1]), btScalar(pose[2])));
}

// Rigid bodies with joints. Those that a joint joins do not collide, as in the other engine.
struct Bodies : Pile {
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;

    Bodies(const sn_bench_model &model, int passes, const double *pose) : Pile(passes)
    {
        double top = 0;
        for (uint32_t i = 0; i < model.bodies; ++i) {
            const sn_bench_body &body = model.body[i];
            shapes.push_back(shape_of(body));
            add(shapes.back().get(), btScalar(body.mass), transform_of(pose + 7 * static_cast<size_t>(i)));
            top = std::max(top, pose[7 * static_cast<size_t>(i) + 1]);
        }
        for (uint32_t i = 0; i < model.joints; ++i)
            add_joint(model.joint[i]);
        if (model.box > 0)
            add_walls(btScalar(model.box / 2), btScalar(top / 2 + 1));
        else
            add_floor(200);
    }

    ~Bodies()
    {
        for (auto &joint : joints)
            world.removeConstraint(joint.get());
    }

    static std::unique_ptr<btCollisionShape> shape_of(const sn_bench_body &body)
    {
        if (body.half[0] > 0)
            return std::make_unique<btBoxShape>(
                btVector3(btScalar(body.half[0]), btScalar(body.half[1]), btScalar(body.half[2])));
        return std::make_unique<btCapsuleShape>(btScalar(body.radius), btScalar(2 * body.half[1]));
    }

    // The axis of a cone and twist is x, that of a hinge z; the angle of a hinge counts the other way round.
    void add_joint(const sn_bench_joint &joint)
    {
        btTransform frame[2];
        for (int i = 0; i < 2; ++i) {
            const double *spot = joint.spot[i], *turn = joint.frame[i];
            const double pose[7] = {spot[0], spot[1], spot[2], turn[0], turn[1], turn[2], turn[3]};
            frame[i] = transform_of(pose);
        }
        btRigidBody &a = *bodies[joint.a], &b = *bodies[joint.b];
        if (joint.swing > 0) {
            auto cone = std::make_unique<btConeTwistConstraint>(a, b, frame[0], frame[1]);
            cone->setLimit(btScalar(joint.swing), btScalar(joint.swing), btScalar(joint.most));
            joints.push_back(std::move(cone));
        } else {
            const btTransform z_to_x(btQuaternion(btVector3(0, 1, 0), SIMD_HALF_PI));
            auto hinge = std::make_unique<btHingeConstraint>(a, b, frame[0] * z_to_x, frame[1] * z_to_x);
            hinge->setLimit(btScalar(-joint.most), btScalar(-joint.least));
            joints.push_back(std::move(hinge));
        }
        world.addConstraint(joints.back().get(), true);
    }

    bool hold(const sn_bench_model &model, sn_bench_overlap *result) const
    {
        std::vector<double> pose(7 * static_cast<size_t>(model.bodies));
        for (size_t i = 0; i < model.bodies; ++i) {
            const btTransform &t = bodies[i]->getWorldTransform();
            const btQuaternion q = t.getRotation();
            double *to = &pose[7 * i];
            for (size_t k = 0; k < 3; ++k)
                to[k] = t.getOrigin()[static_cast<int>(k)];
            to[3] = q.x(), to[4] = q.y(), to[5] = q.z(), to[6] = q.w();
        }
        return sn_bench_model_bodies_hold(&model, pose.data(), result);
    }
};

// JSON knows no NaN.
void print_number(const char *key, double value)
{
    if (std::isfinite(value))
        std::printf(", \"%s\": %.9g", key, value);
    else
        std::printf(", \"%s\": null", key);
}

void print_row(const sn_bench_case &c, const sn_bench_model &model, const char *path, int passes, uint32_t frames,
               sn_bench_samples &samples)
{
    double frame = sn_bench_median(&samples), visited = model.edges > 0 ? model.edges : model.particles;
    std::printf("{\"scene\": \"%s\", \"n\": %u, \"engine\": \"bullet\", \"version\": \"%d.%02d\", \"path\": \"%s\", "
                "\"threads\": 1, \"particles\": %u, \"constraints\": %u, \"substeps\": 1, \"iterations\": %d, "
                "\"frames\": %u, \"blocks\": %u",
                c.scene, c.n, btGetVersion() / 100, btGetVersion() % 100, path, model.particles,
                model.edges + model.joints, passes, frames < SN_BENCH_LEAST + 1 ? SN_BENCH_LEAST + 1 : frames,
                samples.count);
    print_number("ns_per_projection", 1e9 * frame / (passes * visited));
    print_number("ms_per_frame", 1e3 * frame);
    print_number("spread", sn_bench_spread(&samples));
    print_number("first_ms", 1e3 * samples.first);
}

void measure_links(const sn_bench_case &c, const sn_bench_model &model, int passes, uint32_t frames, double seconds)
{
    sn_bench_samples samples = {};
    double mean = 0, largest = 0;
    do {
        bool first = samples.count == 0;
        Scene scene(model, passes);
        sn_bench_run_blocks(&samples, frames, Scene::step, &scene, cpu_seconds);
        if (first)
            scene.stretch(model, &mean, &largest);
    } while (sn_bench_wants_more(&samples, seconds));
    print_row(c, model, "links", passes, frames, samples);
    print_number("stretch_mean", mean);
    print_number("stretch_max", largest);
    std::printf("}\n");
}

// As the start has settled already, and a frame takes long: fewer frames to settle again, and fewer that are measured.
const uint32_t most_settled = 30, most_measured = 11;

bool read_places(const char *number, double *place, size_t count)
{
    FILE *file = fdopen(std::atoi(number), "rb");
    bool good = file && std::fread(place, sizeof(double), count, file) == count;
    if (file)
        std::fclose(file);
    return good;
}

bool measure_pile(const sn_bench_case &c, const sn_bench_model &model, int passes, uint32_t frames, uint32_t settle)
{
    sn_bench_samples samples = {};
    sn_bench_overlap overlap;
    double kinetic, fastest;
    Pile pile(model, passes);
    frames = std::min(frames, most_measured);
    settle = std::min(settle, most_settled);
    for (uint32_t i = 0; i < settle; ++i)
        Pile::step(&pile);
    sn_bench_run_blocks(&samples, frames, Pile::step, &pile, cpu_seconds);
    if (!pile.overlap(model, &overlap))
        return false;
    pile.motion(model, &kinetic, &fastest);
    print_row(c, model, "spheres", passes, frames, samples);
    std::printf(", \"settle_frames\": %u", settle);
    print_number("stretch_mean", overlap.mean);
    print_number("stretch_max", overlap.largest);
    print_number("contacts_per_particle", overlap.contacts);
    print_number("kinetic_per_particle", kinetic);
    print_number("speed_max", fastest);
    std::printf("}\n");
    return true;
}

// As they lie, as piles are; as they fall, all frames, which are those of the other engine.
bool measure_bodies(const sn_bench_case &c, const sn_bench_model &model, const double *pose, int passes,
                    uint32_t frames, uint32_t settle)
{
    sn_bench_samples samples = {};
    sn_bench_overlap overlap;
    double kinetic, fastest;
    Bodies bodies(model, passes, pose);
    frames = settle > 0 ? std::min(frames, most_measured) : frames;
    settle = std::min(settle, most_settled);
    for (uint32_t i = 0; i < settle; ++i)
        Pile::step(static_cast<Pile *>(&bodies));
    sn_bench_run_blocks(&samples, frames, Pile::step, static_cast<Pile *>(&bodies), cpu_seconds);
    if (!bodies.hold(model, &overlap))
        return false;
    bodies.motion(model, &kinetic, &fastest);
    print_row(c, model, settle > 0 ? "settled" : "falling", passes, frames, samples);
    if (settle > 0)
        std::printf(", \"settle_frames\": %u", settle);
    print_number("stretch_mean", overlap.mean);
    print_number("stretch_max", overlap.largest);
    print_number("contacts_per_particle", overlap.contacts);
    print_number("kinetic_per_particle", kinetic);
    print_number("speed_max", fastest);
    std::printf("}\n");
    return true;
}

bool read_count(const char *text, unsigned long most, unsigned long *value)
{
    char *end;
    *value = std::strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == 0 && *value > 0 && *value <= most;
}

} // namespace

int main(int argc, char **argv)
{
    unsigned long n, passes, frames;
    sn_bench_case c;
    if (argc != 8 || !read_count(argv[2], 1u << 30, &n) || !read_count(argv[3], 100000, &passes) ||
        !read_count(argv[4], 1000000, &frames)) {
        std::fprintf(stderr, "usage: sinew-bench-bullet SCENE N PASSES FRAMES SECONDS SETTLE PLACES\n");
        return 2;
    }
    if (!sn_bench_case_find(argv[1], static_cast<uint32_t>(n), &c)) {
        std::fprintf(stderr, "sinew-bench-bullet: there is no scene '%s' of size %lu\n", argv[1], n);
        return 2;
    }
    sn_bench_model model = {};
    bool good = sn_bench_model_build(&c, SN_BENCH_GRID, &model), pile = good && sn_bench_case_is_pile(&c);
    uint32_t settle = static_cast<uint32_t>(std::strtoul(argv[6], nullptr, 10));
    std::vector<double> pose(7 * static_cast<size_t>(model.bodies));
    for (size_t i = 0; i < pose.size(); ++i)
        pose[i] = model.body[i / 7].pose[i % 7];
    double *places = pile ? model.xyz : pose.data();
    size_t count = pile ? 3 * static_cast<size_t>(model.particles) : pose.size();
    if ((pile || (model.bodies > 0 && settle > 0)) && !read_places(argv[7], places, count)) {
        std::fprintf(stderr, "sinew-bench-bullet: %zu numbers cannot be read from file %s\n", count, argv[7]);
        sn_bench_model_release(&model);
        return 1;
    }
    if (pile)
        good = measure_pile(c, model, static_cast<int>(passes), static_cast<uint32_t>(frames), settle);
    else if (good && model.bodies > 0)
        good = measure_bodies(c, model, places, static_cast<int>(passes), static_cast<uint32_t>(frames), settle);
    else if (good)
        measure_links(c, model, static_cast<int>(passes), static_cast<uint32_t>(frames), std::atof(argv[5]));
    if (!good)
        std::fprintf(stderr, "sinew-bench-bullet: out of memory\n");
    sn_bench_model_release(&model);
    return good ? 0 : 1;
}
