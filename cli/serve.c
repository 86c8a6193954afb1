/* HTTP, as much of it as a browser on the same machine needs: GET and HEAD of the plain files of a folder, one answer a connection.
   The two Cross-Origin headers isolate the page, without which browsers give it no threads. */
#include "cli/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    CONNECTIONS = 64,    /* at once; browsers open some ahead of need, and say nothing on them */
    REQUEST_SIZE = 8192, /* bytes of a request */
    LOOK_AROUND = 500    /* ms between looks whether a signal has come */
};

/* Silent connections are closed after this many seconds, and so are those that do not take what they asked for. */
#define PATIENCE 30

typedef struct connection {
    int socket;
    size_t length;
    double since;
    char request[REQUEST_SIZE];
} connection;

struct sn_server {
    const char *folder;
    int socket;
    uint32_t count;
    connection *connection[CONNECTIONS];
    const char *page_path, *page;
    size_t page_length;
};

/* ---- Opening ----------------------------------------------------------------------------------------------------------- */

sn_server *sn_server_open(const char *folder, uint32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sn_server *server = calloc(1, sizeof *server);
    int s = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    if (server && s >= 0)
        setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (!server || s < 0 || bind(s, (struct sockaddr *)&address, sizeof address) != 0 || listen(s, 32) != 0) {
        sn_complain(0, "cannot listen on port %u: %s", (unsigned)port, strerror(errno));
        if (s >= 0)
            close(s);
        free(server);
        return NULL;
    }
    fcntl(s, F_SETFD, FD_CLOEXEC);
    fcntl(s, F_SETFL, O_NONBLOCK);
    server->folder = folder;
    server->socket = s;
    return server;
}

uint32_t sn_server_port(const sn_server *server)
{
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    return getsockname(server->socket, (struct sockaddr *)&address, &size) == 0 ? ntohs(address.sin_port) : 0;
}

void sn_server_add(sn_server *server, const char *path, const char *html, size_t length)
{
    server->page_path = path;
    server->page = html;
    server->page_length = length;
}

/* ---- Answering ------------------------------------------------------------------------------------------------------------ */

static bool send_all(int to, const char *bytes, size_t length)
{
    while (length) {
        ssize_t sent = send(to, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR && !sn_signals_came())
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool send_head(int to, const char *status, const char *type, size_t length)
{
    char head[512];
    int size = snprintf(head, sizeof head,
                        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                        "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n"
                        "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n"
                        "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
                        status, type, length);
    return send_all(to, head, (size_t)size);
}

static void send_text(int to, bool body, const char *status, const char *type, const char *text, size_t length)
{
    if (send_head(to, status, type, length) && body)
        send_all(to, text, length);
}

static void refuse(int to, bool body, const char *status)
{
    send_text(to, body, status, "text/plain; charset=utf-8", status, strlen(status));
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

static void send_file(const sn_server *server, int to, bool body, const char *name)
{
    char *path = sn_path_join(server->folder, name), block[65536];
    struct stat about;
    int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (file < 0 || fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        refuse(to, body, "404 Not Found");
    } else if (send_head(to, "200 OK", type_of(name), (size_t)about.st_size) && body) {
        ssize_t count;
        while ((count = read(file, block, sizeof block)) > 0 && send_all(to, block, (size_t)count)) {
        }
    }
    if (file >= 0)
        close(file);
    free(path);
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Takes the escapes out of a path, and what follows a question mark off it. False if it is none, or goes up, or names something
   hidden. */
static bool clean_path(char *path)
{
    char *to = path;
    path[strcspn(path, "?#")] = 0;
    for (const char *at = path; *at; ++at) {
        if (*at == '%') {
            int high = hex(at[1]), low = high < 0 ? -1 : hex(at[2]);
            if (low < 0 || high * 16 + low == 0)
                return false;
            *to++ = (char)(high * 16 + low);
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = 0;
    return path[0] == '/' && !strstr(path, "/.") && !strchr(path, '\\');
}

/* The one who asks must have meant this machine: a page from elsewhere whose name was made to point here has not. */
static bool is_for_us(const char *request)
{
    for (const char *line = request; (line = strstr(line, "\r\n")) && line[2] != '\r'; line += 2) {
        if (strncasecmp(line + 2, "host:", 5) != 0)
            continue;
        const char *host = line + 7 + strspn(line + 7, " ");
        size_t length = strcspn(host, ":\r");
        return (length == 9 && strncasecmp(host, "127.0.0.1", 9) == 0) ||
               (length == 9 && strncasecmp(host, "localhost", 9) == 0);
    }
    return false;
}

static void answer(const sn_server *server, int to, char *request)
{
    bool head = strncmp(request, "HEAD ", 5) == 0;
    if (!is_for_us(request)) {
        refuse(to, !head, "403 Forbidden");
        return;
    }
    if (!head && strncmp(request, "GET ", 4) != 0) {
        refuse(to, true, "405 Method Not Allowed");
        return;
    }
    char *path = request + (head ? 5 : 4);
    path[strcspn(path, " \r\n")] = 0;
    if (!clean_path(path))
        refuse(to, !head, "404 Not Found");
    else if (server->page_path && strcmp(path, server->page_path) == 0)
        send_text(to, !head, "200 OK", "text/html; charset=utf-8", server->page, server->page_length);
    else
        send_file(server, to, !head, strcmp(path, "/") == 0 ? "index.html" : path + 1);
}

/* ---- Connections ------------------------------------------------------------------------------------------------------------ */

static void drop(sn_server *server, uint32_t i)
{
    connection *c = server->connection[i];
    shutdown(c->socket, SHUT_WR);
    close(c->socket);
    free(c);
    server->connection[i] = server->connection[--server->count];
}

static void welcome(sn_server *server)
{
    int s = accept(server->socket, NULL, NULL);
    connection *c = s >= 0 ? calloc(1, sizeof *c) : NULL;
    if (s >= 0 && !c)
        close(s);
    if (!c)
        return;
    struct timeval most = {.tv_sec = PATIENCE};
    fcntl(s, F_SETFD, FD_CLOEXEC);
    setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    c->socket = s;
    c->since = sn_seconds_now();
    server->connection[server->count++] = c;
}

/* Something has come. False: the connection is done with. */
static bool hear(const sn_server *server, connection *c)
{
    ssize_t count = recv(c->socket, c->request + c->length, REQUEST_SIZE - 1 - c->length, MSG_DONTWAIT);
    if (count <= 0)
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    c->length += (size_t)count;
    c->request[c->length] = 0;
    if (strstr(c->request, "\r\n\r\n"))
        answer(server, c->socket, c->request);
    else if (c->length < REQUEST_SIZE - 1)
        return true;
    else
        refuse(c->socket, true, "431 Request Header Fields Too Large");
    return false;
}

void sn_server_run(sn_server *server)
{
    struct pollfd ready[CONNECTIONS + 1];
    while (!sn_signals_came()) {
        bool room = server->count < CONNECTIONS;
        ready[0] = (struct pollfd){room ? server->socket : -1, POLLIN, 0};
        for (uint32_t i = 0; i < server->count; ++i)
            ready[i + 1] = (struct pollfd){server->connection[i]->socket, POLLIN, 0};
        uint32_t count = server->count;
        if (poll(ready, count + 1, LOOK_AROUND) < 0 && errno != EINTR)
            break;
        double now = sn_seconds_now();
        for (uint32_t i = count; i-- > 0;) { /* backwards: who is dropped gives his place to the last */
            connection *c = server->connection[i];
            bool stays = !ready[i + 1].revents || hear(server, c);
            if (!stays || now - c->since > PATIENCE)
                drop(server, i);
        }
        if (ready[0].revents)
            welcome(server);
    }
}

void sn_server_close(sn_server *server)
{
    while (server->count)
        drop(server, server->count - 1);
    close(server->socket);
    free(server);
}
