/* GET and HEAD of the plain files of a folder, for a browser on the same machine. libmicrohttpd implements HTTP,
   waits for all connections at once and closes silent ones. This file decides which requests are answered, and how.
   The Cross-Origin headers isolate the page; without them browsers give it no threads. */
#include "cli/serve.h"

#if SINEW_MICROHTTPD

#include "scene/folder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CONNECTIONS  256   /* at once; browsers open some in advance and send nothing on them */
#define REQUEST_SIZE 16384 /* bytes of a request, including headers */
#define PATIENCE     10    /* s: a silent connection is closed after this time */
#define LOOK_AROUND  500   /* ms: interval of looking for signals */

struct sn_server {
    sn_folder *folder;
    struct MHD_Daemon *daemon;
    const char *page_path, *page;
    size_t page_length;
};

/* ---- Responses --------------------------------------------------------------------------------------------------- */

/* Takes ownership of the response. */
static enum MHD_Result send_response(struct MHD_Connection *to, unsigned status, const char *type,
                                     struct MHD_Response *response)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-cache"},
        {"X-Content-Type-Options", "nosniff"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Embedder-Policy", "require-corp"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    if (!response)
        return MHD_NO; /* no memory: closes the connection */
    enum MHD_Result good = MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i)
        good = good == MHD_YES ? MHD_add_response_header(response, headers[i][0], headers[i][1]) : MHD_NO;
    if (good == MHD_YES)
        good = MHD_queue_response(to, status, response);
    MHD_destroy_response(response);
    return good;
}

static enum MHD_Result refuse(struct MHD_Connection *to, unsigned status, const char *text)
{
    return send_response(to, status, "text/plain; charset=utf-8",
                         MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT));
}

static const char *type_of(const char *path)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript"},
        {".mjs", "text/javascript"},
        {".css", "text/css"},
        {".wasm", "application/wasm"},
        {".json", "application/json"},
        {".webp", "image/webp"},
        {".png", "image/png"},
        {".svg", "image/svg+xml"},
        {".ico", "image/x-icon"},
        {".map", "application/json"},
        {".glb", "model/gltf-binary"},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (sn_ends_with(path, types[i][0]))
            return types[i][1];
    return "application/octet-stream";
}

static enum MHD_Result send_file(const sn_server *server, struct MHD_Connection *to, const char *name)
{
    char message[256];
    uint64_t length;
    int file = sn_folder_open(server->folder, name, INT64_MAX, &length, message, sizeof message);
    if (file < 0)
        return refuse(to, MHD_HTTP_NOT_FOUND, "404 Not Found");
    struct MHD_Response *response = MHD_create_response_from_fd64(length, file); /* it closes the file */
    if (!response)
        close(file);
    return send_response(to, MHD_HTTP_OK, type_of(name), response);
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Leaves paths escaped; libmicrohttpd would otherwise end them at %00. */
static size_t leave_escapes(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

/* Decodes %-escapes of a path. False if an escape is invalid or stands for a zero, if the path is too long, or if a
   part of it begins with a dot: hidden files are not served, and no path leads upwards. */
static bool clean_path(const char *path, char *clean, size_t size)
{
    size_t length = 0;
    for (const char *at = path; *at && *at != '#'; ++at) {
        int c = (unsigned char)*at;
        if (c == '%') {
            int high = hex(at[1]), low = high < 0 ? -1 : hex(at[2]);
            c = high * 16 + low;
            if (low < 0 || c == 0)
                return false;
            at += 2;
        }
        if (length + 1 >= size)
            return false;
        clean[length++] = (char)c;
    }
    clean[length] = 0;
    return clean[0] == '/' && !strstr(clean, "/.") && !strchr(clean, '\\');
}

typedef struct asked_of {
    uint32_t us, others;
} asked_of;

static enum MHD_Result look_at_header(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
    asked_of *asked = context;
    (void)kind;
    if (strcasecmp(key, "Host") != 0)
        return MHD_YES;
    size_t length = value ? strcspn(value, ":") : 0;
    bool us = length == 9 && (strncasecmp(value, "127.0.0.1", 9) == 0 || strncasecmp(value, "localhost", 9) == 0);
    asked->us += us;
    asked->others += !us;
    return MHD_YES;
}

/* Whether the request has exactly one Host header, which names this machine. A foreign page may let its own name
   point to 127.0.0.1 to read what is served here (DNS rebinding); its requests have that name. */
static bool is_for_us(struct MHD_Connection *connection)
{
    asked_of asked = {0, 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, look_at_header, &asked);
    return asked.us == 1 && asked.others == 0;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *to, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    const sn_server *server = context;
    char path[REQUEST_SIZE];
    (void)version;
    (void)upload;
    (void)upload_size; /* the body of a request is not read: the answer comes first, and ends the connection */
    (void)state;
    if (!is_for_us(to))
        return refuse(to, MHD_HTTP_FORBIDDEN, "403 Forbidden");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return refuse(to, MHD_HTTP_METHOD_NOT_ALLOWED, "405 Method Not Allowed");
    if (!clean_path(url, path, sizeof path))
        return refuse(to, MHD_HTTP_NOT_FOUND, "404 Not Found");
    if (server->page_path && strcmp(path, server->page_path) == 0)
        return send_response(
            to, MHD_HTTP_OK, "text/html; charset=utf-8",
            MHD_create_response_from_buffer(server->page_length, (void *)server->page, MHD_RESPMEM_PERSISTENT));
    return send_file(server, to, strcmp(path, "/") == 0 ? "index.html" : path + 1);
}

/* ---- The server -------------------------------------------------------------------------------------------------- */

sn_server *sn_server_open(const char *folder, uint32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sn_server *server = calloc(1, sizeof *server);
    char *inside = sn_path_join(folder, "");
    errno = 0;
    if (server && inside && (server->folder = sn_folder_of(inside, false)))
        server->daemon = MHD_start_daemon(
            MHD_USE_AUTO, (uint16_t)port, NULL, NULL, answer, server, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
            MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_SIZE, MHD_OPTION_STRICT_FOR_CLIENT, 1,
            MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, NULL, MHD_OPTION_END);
    free(inside);
    if (server && server->daemon)
        return server;
    sn_complain(0, "cannot listen on port %u: %s", (unsigned)port, errno ? strerror(errno) : "out of memory");
    if (server)
        sn_folder_release(server->folder);
    free(server);
    return NULL;
}

uint32_t sn_server_port(const sn_server *server)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

void sn_server_add(sn_server *server, const char *path, const char *html, size_t length)
{
    server->page_path = path;
    server->page = html;
    server->page_length = length;
}

bool sn_server_turn(sn_server *server, int32_t milliseconds)
{
    return MHD_run_wait(server->daemon, milliseconds) == MHD_YES;
}

void sn_server_close(sn_server *server)
{
    MHD_stop_daemon(server->daemon);
    sn_folder_release(server->folder);
    free(server);
}

#else

#define LOOK_AROUND 0

sn_server *sn_server_open(const char *folder, uint32_t port)
{
    (void)folder;
    (void)port;
    sn_complain(0, "this program was built without libmicrohttpd, which serves the page; install it (Debian: "
                   "libmicrohttpd-dev) and build anew");
    return NULL;
}

uint32_t sn_server_port(const sn_server *server)
{
    (void)server;
    return 0;
}

void sn_server_add(sn_server *server, const char *path, const char *html, size_t length)
{
    (void)server, (void)path, (void)html, (void)length;
}

bool sn_server_turn(sn_server *server, int32_t milliseconds)
{
    (void)server, (void)milliseconds;
    return false;
}

void sn_server_close(sn_server *server)
{
    (void)server;
}

#endif

void sn_server_run(sn_server *server)
{
    while (!sn_signals_came() && sn_server_turn(server, LOOK_AROUND)) {
    }
}
