/* A program of somebody else that uses the scene library: a scene from a text, objects from C, selectors, events, a mesh. As C and as C++, so it
   keeps to what both languages understand. */
#include <sinew/scene.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what, const char *why)
{
    printf("consumer: %s: %s\n", what, why);
    return 1;
}

/* A flag of cloth on a pole of rope, made in C, with a wind from a text and an event that lets it go. */
static int fly(void)
{
    static const char wind[] = "{\"forces\": [{\"type\": \"wind\", \"of\": \"flag\", \"value\": [8, 0, 1]}],"
                               " \"events\": [{\"type\": \"release\", \"of\": \"flag\", \"time\": 1}]}";
    char why[400];
    sn_scene *scene = NULL;
    sn_object_def def = sn_default_object_def();
    sn_cloth_def cloth = sn_default_cloth_def();
    sn_rope_def rope = sn_default_rope_def();
    const sn_object *flag;
    sn_object_info info;
    sn_particle corner;
    sn_scene_moment *moment;
    sn_vec3 before, after;
    sn_real least;
    int i;

    if (sn_scene_create_empty(NULL, NULL, &scene, why, sizeof why) != SN_OK)
        return fail("no empty scene", why);
    cloth.columns = cloth.rows = 12;
    def.name = "flag";
    def.position.y = 3;
    flag = sn_scene_add_cloth(scene, &def, &cloth);
    if (flag == NULL)
        return fail("no cloth", sn_scene_error(scene));
    info = sn_object_describe(flag);
    if (info.particles.count != 144 || info.triangle_count != 2 * 11 * 11 || strcmp(info.type, "cloth") != 0)
        return fail("the cloth is not what was asked for", info.type);
    rope.segments = 0;
    if (sn_scene_add_rope(scene, NULL, &rope) != NULL || strstr(sn_scene_error(scene), "segments") == NULL)
        return fail("a rope of no segments was not refused by its name", sn_scene_error(scene));
    if (sn_scene_pin_selected(scene, "flag.left") != SN_OK)
        return fail("not pinned", sn_scene_error(scene));
    if (sn_scene_pin_selected(scene, "flag.lft") == SN_OK || strstr(sn_scene_error(scene), "left") == NULL)
        return fail("a part that is not there was pinned", sn_scene_error(scene));
    if (sn_scene_extend_text(scene, "wind", wind, SIZE_MAX) != SN_OK)
        return fail("no wind", sn_scene_error(scene));
    corner = sn_scene_find_particle(scene, "flag.top_left");
    if (sn_scene_select(scene, "flag.left", 0, NULL) != 12)
        return fail("a side of 12 particles has another number", sn_scene_error(scene));
    moment = sn_scene_mark(scene);
    for (i = 0; i < 60; ++i)
        if (sn_scene_step(scene) != SN_OK)
            return fail("a step failed", sn_scene_error(scene));
    before = sn_particle_position(sn_scene_world(scene), corner);
    for (i = 0; i < 60; ++i)
        if (sn_scene_step(scene) != SN_OK)
            return fail("a step failed", sn_scene_error(scene));
    after = sn_particle_position(sn_scene_world(scene), corner);
    if (before.y != (sn_real)3.5 || !(after.y < 3))
        return fail("the flag was not held, or not let go by its event", "");
    if (sn_scene_return(scene, moment) != SN_OK || sn_scene_frame(scene) != 0)
        return fail("it did not go back", sn_scene_error(scene));
    least = sn_particle_position(sn_scene_world(scene), corner).y;
    printf("after 2 s the corner of the flag was at %g %g %g, and is at y = %g again\n", (double)after.x,
           (double)after.y, (double)after.z, (double)least);
    sn_scene_moment_destroy(moment);
    sn_scene_destroy(scene);
    return 0;
}

int main(int count, char **argument)
{
    char why[400];
    sn_scene *scene = NULL;
    sn_mesh_file *mesh = NULL;
    sn_body crate;
    int i;

    if (count < 3)
        return fail("usage", "scene SCENE.json MESH.obj");
    if (sn_scene_open(argument[1], NULL, &scene, why, sizeof why) != SN_OK)
        return fail("the scene cannot be opened", why);
    for (i = 0; i < 3; ++i)
        if (sn_scene_step(scene) != SN_OK)
            return fail("a step failed", sn_scene_error(scene));
    printf("%s: %u particles\n", sn_scene_describe(scene).title,
           (unsigned)sn_world_particle_count(sn_scene_world(scene)));
    sn_scene_destroy(scene);
    if (sn_scene_open_text("mine", "{\"objects\": [{\"type\": \"rop\"}]}", SIZE_MAX, NULL, &scene, why, sizeof why) ==
            SN_OK ||
        scene != NULL || strstr(why, "mine:1:23: error: objects[0].type") == NULL)
        return fail("a mistake was not told with its place", why);
    if (sn_scene_open_text("mine", "{\"bodies\": [{\"name\": \"crate\", \"shapes\": {\"type\": \"box\"}}]}", SIZE_MAX,
                           NULL, &scene, why, sizeof why) != SN_OK)
        return fail("no crate", why);
    crate = sn_scene_find_body(scene, "crate");
    if (!sn_body_is_valid(sn_scene_world(scene), crate))
        return fail("the crate is not found", sn_scene_error(scene));
    sn_scene_destroy(scene);
    if (sn_mesh_file_open(argument[2], 0, &mesh, why, sizeof why) != SN_OK)
        return fail("the mesh cannot be read", why);
    printf("the mesh has %u triangles\n", (unsigned)sn_mesh_file_mesh(mesh)->triangle_count);
    sn_mesh_file_destroy(mesh);
    return fly();
}
