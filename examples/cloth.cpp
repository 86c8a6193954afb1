// C++: a cloth falls on a ball, with sinew.hpp: no world to destroy, errors as exceptions, views and events in a range-based for.
#include <sinew/sinew.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace
{

constexpr int side = 20;
constexpr sn_real dt = sn_real(1) / 60;

sn_particles add_cloth(sinew::world &world)
{
    std::vector<sn_real> xyz;
    for (int i = 0; i < side * side; ++i)
        xyz.insert(xyz.end(), {sn_real(0.05) * sn_real(i % side), 1, sn_real(0.05) * sn_real(i / side)});
    sn_particles grid = world.need(sn_particles_add(world, side * side, xyz.data(), 0, sn_real(0.002)));
    for (uint32_t i = 0; i < grid.count; ++i)
        world.check(sn_particle_set_radius(world, sn_particles_at(grid, i), sn_real(0.02)));

    std::vector<uint32_t> edges;
    for (uint32_t i = 0; i < grid.count; ++i) {
        if (i % side + 1 < side)
            edges.insert(edges.end(), {grid.first + i, grid.first + i + 1});
        if (i / side + 1 < side)
            edges.insert(edges.end(), {grid.first + i, grid.first + i + side});
    }
    const sn_constraint_def rod = sn_default_constraint_def(SN_KIND_DISTANCE);
    world.check(sn_constraints_add(world, &rod, uint32_t(edges.size() / 2), edges.data(), nullptr, nullptr));
    return grid;
}

int play()
{
    sn_world_def def = sn_default_world_def();
    sinew::world world(def);
    sn_contact_settings contact = sn_world_contact_settings(world);
    contact.events = true;
    world.check(sn_world_set_contact_settings(world, &contact));
    world.need(sn_static_add_sphere(world, {sn_real(0.475), sn_real(0.5), sn_real(0.475)}, sn_real(0.25)));
    const sn_particles grid = add_cloth(world);

    unsigned begun = 0;
    sinew::snapshot middle;
    for (int frame = 0; frame < 90; ++frame) {
        if (frame == 45)
            middle = world.save();
        world.step(dt);
        for (const sn_contact_event &event : world.contact_events())
            begun += event.phase == SN_CONTACT_BEGIN;
    }

    sn_real lowest = INFINITY;
    for (sn_vec3 x : world.positions())
        lowest = std::fmin(lowest, x.y);
    const auto hit = world.ray({sn_real(0.475), 2, sn_real(0.475)}, {0, -1, 0}, 5);
    unsigned rods = 0;
    for (sn_constraint c : sinew::constraints(world))
        rods += c.kind == SN_KIND_DISTANCE;
    std::printf("%u rods; %u contacts began; the lowest corner is at %.3f m; a ray meets something at %.3f m\n", rods,
                begun, double(lowest), hit ? double(hit->point.y) : NAN);

    // Back to the middle: the same bits follow.
    const uint64_t after = sn_world_hash(world);
    world.load(middle);
    for (int frame = 45; frame < 90; ++frame)
        world.step(dt);
    const bool same = sn_world_hash(world) == after;
    std::printf("played again from the middle: %s\n", same ? "the same" : "something else");

    try { // an error says what is wrong
        world.check(sn_particle_set_mass(world, sn_particles_at(grid, 0), -1));
        return 1;
    } catch (const sinew::error &e) {
        std::printf("refused: %s\n", e.what());
    }
    return same && hit && begun > 0 && lowest < sn_real(0.9) && rods == 2 * side * (side - 1) ? 0 : 1;
}

} // namespace

int main()
{
    try {
        return play();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
