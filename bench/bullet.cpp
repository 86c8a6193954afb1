// A standard scene of the benchmark on Bullet's soft bodies. 'sinew bench' starts it for every scene that it compares:
//
//     sinew-bench-bullet SCENE N PASSES FRAMES SECONDS
//
// It prints one row as JSON. As Bullet has no substeps of its own, a frame is one step with PASSES iterations over the
// links, in the order that Bullet's own helper makes fast. No collisions, no damping, links as stiff as they get; one
// thread, CPU time.
#include "cli/bench_scenes.h"
#include "cli/bench_time.h"

#include <btBulletDynamicsCommon.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
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

// JSON knows no NaN.
void print_number(const char *key, double value)
{
    if (std::isfinite(value))
        std::printf(", \"%s\": %.9g", key, value);
    else
        std::printf(", \"%s\": null", key);
}

void measure(const sn_bench_case &c, const sn_bench_model &model, int passes, uint32_t frames, double seconds)
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
    double frame = sn_bench_median(&samples);
    std::printf("{\"scene\": \"%s\", \"n\": %u, \"engine\": \"bullet\", \"version\": \"%d.%02d\", \"path\": \"links\", "
                "\"threads\": 1, \"particles\": %u, \"constraints\": %u, \"substeps\": 1, \"iterations\": %d, "
                "\"frames\": %u, \"blocks\": %u",
                c.scene, c.n, btGetVersion() / 100, btGetVersion() % 100, model.particles, model.edges, passes,
                frames < SN_BENCH_LEAST + 1 ? SN_BENCH_LEAST + 1 : frames, samples.count);
    print_number("ns_per_projection", 1e9 * frame / (static_cast<double>(passes) * model.edges));
    print_number("ms_per_frame", 1e3 * frame);
    print_number("spread", sn_bench_spread(&samples));
    print_number("first_ms", 1e3 * samples.first);
    print_number("stretch_mean", mean);
    print_number("stretch_max", largest);
    std::printf("}\n");
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
    if (argc != 6 || !read_count(argv[2], 1u << 30, &n) || !read_count(argv[3], 100000, &passes) ||
        !read_count(argv[4], 1000000, &frames)) {
        std::fprintf(stderr, "usage: sinew-bench-bullet SCENE N PASSES FRAMES SECONDS\n");
        return 2;
    }
    if (!sn_bench_case_find(argv[1], static_cast<uint32_t>(n), &c)) {
        std::fprintf(stderr, "sinew-bench-bullet: there is no scene '%s' of size %lu\n", argv[1], n);
        return 2;
    }
    sn_bench_model model = {};
    bool built = sn_bench_model_build(&c, SN_BENCH_GRID, &model);
    if (built)
        measure(c, model, static_cast<int>(passes), static_cast<uint32_t>(frames), std::atof(argv[5]));
    else
        std::fprintf(stderr, "sinew-bench-bullet: out of memory\n");
    sn_bench_model_release(&model);
    return built ? 0 : 1;
}
