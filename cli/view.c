#include "cli/serve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct view_options {
    uint32_t port;
    bool no_open;
    bool help;
} view_options;

#define FIELD(name) offsetof(view_options, name)

static const sn_option options[] = {
    {"port", 'p', SN_OPTION_COUNT, FIELD(port), 0, "N", "listen on this port instead of any that is free"},
    {"no-open", 0, SN_OPTION_FLAG, FIELD(no_open), 0, NULL, "print the address, and do not open a browser"},
    SN_OPTION_END(view_options)};

/* A file that a scene names is passed to the page up to this size. */
#define MOST_BYTES ((uint64_t)16 << 20)

/* ---- A user's own scene, in the address of the page -----------------------------------------------------------------
   The page takes a state from the part of its address after #: JSON, deflated, in base64. Stored blocks are valid
   deflate, too. */

static void put_base64(FILE *file, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (size_t i = 0; i < length; i += 3) {
        size_t count = length - i < 3 ? length - i : 3;
        uint32_t three =
            (uint32_t)bytes[i] << 16 | (count > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (count > 2 ? bytes[i + 2] : 0);
        for (size_t k = 0; k <= count; ++k)
            fputc(digits[three >> (18 - 6 * k) & 63], file);
    }
}

/* Deflate (RFC 1951) without compression: blocks of at most 65535 bytes, each with its length and the complement of
   that. */
static bool put_stored(FILE *file, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length || i == 0;) {
        size_t count = length - i < 65535 ? length - i : 65535;
        unsigned n = (unsigned)count;
        const unsigned char head[5] = {i + count == length, n & 255, n >> 8, ~n & 255, ~n >> 8 & 255};
        if (fwrite(head, 1, sizeof head, file) != sizeof head || fwrite(bytes + i, 1, count, file) != count)
            return false;
        i += count;
        if (!count)
            break;
    }
    return true;
}

/* Adds the files that the scene has read, under the same rules of access. */
static void put_files(sn_document *d, sn_value *files, const sn_loaded *loaded)
{
    const char *name;
    for (uint32_t i = 0; (name = sn_loaded_file(loaded, i)); ++i) {
        char message[256];
        size_t length;
        char *text = sn_loaded_read(loaded, name, MOST_BYTES, &length, message, sizeof message);
        bool whole = text && strlen(text) == length;
        if (whole)
            sn_document_text(d, files, name, text);
        else
            sn_complain(0, "warning: the page does not get %s: %s", name,
                        text ? "it is binary, and only text fits into an address" : message);
        free(text);
    }
}

/* {"name", "text", "files"} as one line of JSON. To be freed. */
static char *write_state(const sn_loaded *loaded, size_t *length)
{
    sn_document d;
    char *text = NULL;
    const char *slash = strrchr(loaded->path, '/');
    sn_document_init(&d, NULL);
    sn_value *root = sn_document_record(&d, NULL, NULL);
    sn_document_text(&d, root, "name", slash ? slash + 1 : loaded->path);
    sn_document_text(&d, root, "text", loaded->text);
    sn_value *files = sn_document_record(&d, root, "files");
    if (files)
        put_files(&d, files, loaded);
    FILE *file = d.failed ? NULL : open_memstream(&text, length);
    bool good = file && sn_json_write_line(file, root);
    if (file)
        good = fclose(file) == 0 && good;
    sn_document_release(&d);
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

/* A page that redirects the browser to the state. To be freed; NULL when memory runs out. */
static char *write_page(const sn_loaded *loaded, size_t *length)
{
    char *state, *packed = NULL, *page = NULL;
    size_t size, packed_size = 0;
    if (!(state = write_state(loaded, &size)))
        return NULL;
    FILE *file = open_memstream(&packed, &packed_size);
    bool good = file && put_stored(file, state, size);
    if (file)
        good = fclose(file) == 0 && good;
    file = good ? open_memstream(&page, length) : NULL;
    if (file) {
        fputs("<!doctype html><meta charset=\"utf-8\"><title>Sinew</title><script>location.replace(\"./#z=", file);
        put_base64(file, (const unsigned char *)packed, packed_size);
        fputs("\")</script>\n", file);
        good = fclose(file) == 0;
    }
    free(state);
    free(packed);
    return good ? page : NULL;
}

/* ---- The browser ------------------------------------------------------------------------------------------------- */

/* Opens an address in the user's browser, from a grandchild process for which this program need not wait. */
static void open_browser(const char *address)
{
    fflush(stdout);
    pid_t child = fork();
    if (child > 0)
        waitpid(child, NULL, 0);
    if (child != 0)
        return;
    if (fork() == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(1);
        execlp("xdg-open", "xdg-open", address, (char *)NULL);
        _exit(127);
    }
    _exit(0);
}

/* The folder of the web page; NULL, after a message. To be freed. */
static char *find_page(void)
{
    char *index = sn_find_shared("playground/index.html", "web/playground/dist/index.html");
    if (!index) {
        sn_complain(0, "the page is not there; 'make install' in the sources of Sinew builds and installs it, and "
                       "'make playground' builds it for ./sinew");
        return NULL;
    }
    *strrchr(index, '/') = 0;
    return index;
}

/* Whether a path is that of a scene that comes with Sinew, which the page already has. */
static bool comes_with_sinew(const char *path, const char *name)
{
    sn_scene_names names;
    bool found = false;
    if (!sn_scene_names_find("", &names))
        return false;
    for (uint32_t i = 0; i < names.count && !found; ++i)
        found = strcmp(names.path[i], path) == 0 && strcmp(names.name[i], name) == 0;
    sn_scene_names_release(&names);
    return found;
}

static int serve(const view_options *o, const char *fragment, const char *page, size_t length)
{
    char *folder = find_page();
    if (!folder)
        return SN_EXIT_FAILED;
    sn_signals_catch();
    sn_signals_ignore_pipe();
    sn_server *server = sn_server_open(folder, o->port);
    free(folder);
    if (!server)
        return SN_EXIT_FAILED;
    char address[512];
    if (page)
        sn_server_add(server, "/view", page, length);
    snprintf(address, sizeof address, "http://127.0.0.1:%u/%s", (unsigned)sn_server_port(server), fragment);
    printf("%s\nCtrl-C ends it.\n", address);
    fflush(stdout);
    if (!o->no_open)
        open_browser(address);
    sn_server_run(server);
    sn_server_close(server);
    return SN_EXIT_FINE;
}

/* The user's own scene is loaded here first, so that its mistakes are reported here. */
static int view_file(const view_options *o, const char *scene)
{
    sn_loading loading = {.scene = scene, .quiet = true};
    sn_loaded loaded;
    char *path, *page = NULL;
    size_t length = 0;
    int code = sn_load(&loading, &loaded, &path);
    char *name = code == SN_EXIT_FINE ? sn_path_stem(path) : NULL;
    if (code == SN_EXIT_FINE && name && comes_with_sinew(path, name)) {
        char fragment[300];
        snprintf(fragment, sizeof fragment, "#scene=%.200s", name);
        sn_loaded_release(&loaded);
        code = serve(o, fragment, NULL, 0);
    } else if (code == SN_EXIT_FINE) {
        page = write_page(&loaded, &length);
        sn_loaded_release(&loaded);
        code = page ? serve(o, "view", page, length) : sn_complain(SN_EXIT_FAILED, "out of memory");
    } else {
        sn_loaded_release(&loaded);
    }
    free(page);
    free(name);
    free(path);
    return code;
}

static int run(const void *given, const sn_texts *operands)
{
    const view_options *o = given;
    if (o->port > 65535)
        return sn_complain(SN_EXIT_USAGE, "--port: expected 0 to 65535, found %u", (unsigned)o->port);
    return operands->count ? view_file(o, operands->item[0]) : serve(o, "", NULL, 0);
}

const sn_command sn_command_view = {
    .name = "view",
    .operands = "[SCENE]",
    .about = "Opens a scene in the browser, in the playground served on this machine",
    .details = "SCENE is a file, - for standard input, or the name of a scene that comes with\n"
               "Sinew; without SCENE the playground opens its first scene.\n\n"
               "'make install' installs the page; for ./sinew in the sources, 'make playground'\n"
               "builds it. It is served on 127.0.0.1 only, with the headers that browsers require\n"
               "for threads, and with the meshes that the scene reads. Ctrl-C ends it.\n\n"
               "Examples:\n"
               "  sinew view curtain\n"
               "  sinew view mine.json --port 8000 --no-open\n",
    .least = 0,
    .most = 1,
    .options = options,
    .run = run};
