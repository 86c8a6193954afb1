/* The scene library (sinew/scene.h): a flag and its cord from builders, wind from a text, and an event that releases
   the flag. */
#include <sinew/scene.h>
#include <stdio.h>

static const char weather[] =
    "{\"forces\": [{\"type\": \"wind\", \"of\": \"flag\", \"value\": [6, 0, 2], \"gust\": 0.5}],"
    " \"attachments\": [{\"between\": [\"cord.start\", \"flag.bottom_right\"]}],"
    " \"events\": [{\"time\": 4, \"type\": \"release\", \"of\": \"flag.bottom_left\"}]}";

static sn_result build(sn_scene *scene)
{
    sn_object_def common = sn_default_object_def();
    sn_cloth_def cloth = sn_default_cloth_def();
    common.name = "flag";
    common.position = (sn_vec3){(sn_real)0.75, 2, 0};
    common.stuff.density = (sn_real)0.15; /* kg/m^2 */
    common.stuff.stretch = (sn_real)1e-4; /* m/N */
    cloth.width = (sn_real)1.5;
    cloth.columns = 45;
    cloth.rows = 30;
    if (!sn_scene_add_cloth(scene, &common, &cloth))
        return SN_ERROR_ARGUMENT;

    sn_rope_def rope = sn_default_rope_def();
    common = sn_default_object_def();
    common.name = "cord";
    common.mass = (sn_real)0.05;
    rope.from = (sn_vec3){(sn_real)1.5, (sn_real)1.5, 0};
    rope.length = (sn_real)0.5;
    if (!sn_scene_add_rope(scene, &common, &rope))
        return SN_ERROR_ARGUMENT;

    sn_result result = sn_scene_pin_selected(scene, "[\"flag.top_left\", \"flag.bottom_left\"]");
    return result == SN_OK ? sn_scene_extend_text(scene, "weather", weather, SIZE_MAX) : result;
}

int main(void)
{
    char why[1000];
    sn_scene *scene;
    if (sn_scene_create_empty(NULL, NULL, &scene, why, sizeof why) != SN_OK) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    sn_result result = build(scene);
    sn_particle tip = sn_scene_find_particle(scene, "cord.end");
    for (int frame = 0; frame < 300 && result == SN_OK; ++frame) {
        result = sn_scene_step(scene);
        sn_vec3 x = sn_particle_position(sn_scene_world(scene), tip);
        if (result == SN_OK && frame % 60 == 59)
            printf("%g s: the end of the cord is at %.3f %.3f %.3f\n", sn_scene_time(scene), (double)x.x, (double)x.y,
                   (double)x.z);
    }
    if (result != SN_OK)
        fprintf(stderr, "%s\n", sn_scene_error(scene));
    sn_scene_destroy(scene);
    return result != SN_OK;
}
