/* The server of `sinew view`: what it answers, what it does not, and that nobody who is slow keeps the others waiting. Server
   and clients are one thread, so nothing depends on how busy the machine is. */
#include "cli/serve.h"
#include "support/support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define BIG        (32 << 20) /* bytes: more than all buffers between the two */
#define MANY       300        /* connections: more than the server takes */
#define ANSWER_MAX 400000

static char root[64], page[96];

static void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", root, name);
}

static void put(const char *name, const char *text, off_t length)
{
    char path[256];
    path_of(path, sizeof path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    if (length)
        assert_int_equal(truncate(path, length), 0);
}

static void make_link(const char *to, const char *name)
{
    char path[256];
    path_of(path, sizeof path, name);
    assert_int_equal(symlink(to, path), 0);
}

/* A page, and beside and inside of its folder what must not be had. */
static int make_folders(void **state)
{
    char path[256];
    (void)state;
    strcpy(root, "/tmp/sinew_serve_XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(page, sizeof page, "%s/page", root);
    assert_int_equal(mkdir(page, 0700), 0);
    path_of(path, sizeof path, "page/assets");
    assert_int_equal(mkdir(path, 0700), 0);
    path_of(path, sizeof path, "page2"); /* begins like the folder that is served */
    assert_int_equal(mkdir(path, 0700), 0);
    put("secret", "not for the page", 0);
    put("page2/secret", "not for the page", 0);
    put("page/index.html", "<!doctype html>the page", 0);
    put("page/sinew.wasm", "", 300000);
    put("page/big.bin", "", BIG);
    put("page/assets/a b.js", "the script", 0);
    put("page/.hidden", "not for the page", 0);
    make_link("../secret", "page/link");
    make_link("..", "page/up");
    make_link("../page2", "page/beside");
    make_link("/", "page/top");
    make_link("/dev/zero", "page/zero");
    make_link("loop", "page/loop");
    make_link("index.html", "page/home"); /* stays inside */
    path_of(path, sizeof path, "page/pipe");
    return mkfifo(path, 0600);
}

static int remove_folders(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* ---- Clients --------------------------------------------------------------------------------------------------------- */

typedef struct client {
    int socket;
    size_t length;
    bool ended;
    char answer[ANSWER_MAX];
} client;

static client *meet(const sn_server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)sn_server_port(server))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    client *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->socket = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(c->socket >= 0);
    assert_int_equal(connect(c->socket, (struct sockaddr *)&address, sizeof address), 0);
    fcntl(c->socket, F_SETFL, O_NONBLOCK);
    return c;
}

static void leave(client *c)
{
    close(c->socket);
    free(c);
}

static void say(sn_server *server, client *c, const char *text)
{
    for (size_t length = strlen(text); length;) {
        ssize_t sent = send(c->socket, text, length, MSG_NOSIGNAL);
        if (sent > 0) {
            text += sent;
            length -= (size_t)sent;
        } else if (errno != EAGAIN) {
            return; /* the server has had enough */
        }
        assert_true(sn_server_turn(server, 0));
    }
}

static void hear(client *c)
{
    ssize_t count = recv(c->socket, c->answer + c->length, ANSWER_MAX - 1 - c->length, 0);
    if (count > 0)
        c->length += (size_t)count;
    c->ended = c->ended || count == 0 || (count < 0 && errno != EAGAIN);
}

/* The whole answer to a request; its status. */
static int ask(sn_server *server, client *c, const char *request)
{
    int status = 0;
    say(server, c, request);
    while (!c->ended) {
        assert_true(sn_server_turn(server, 10));
        hear(c);
    }
    sscanf(c->answer, "HTTP/1.1 %d", &status);
    return status;
}

static int ask_path(sn_server *server, client *c, const char *path)
{
    char request[1024];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", path);
    return ask(server, c, request);
}

/* That an honest client gets the page. */
static void check_served(sn_server *server)
{
    client *c = meet(server);
    assert_int_equal(ask_path(server, c, "/"), 200);
    assert_non_null(strstr(c->answer, "the page"));
    leave(c);
}

static sn_server *serve(void)
{
    sn_server *server = sn_server_open(page, 0);
    assert_non_null(server);
    assert_true(sn_server_port(server) > 0);
    sn_server_add(server, "/view", "one's own", 9);
    return server;
}

/* ---- What is served ---------------------------------------------------------------------------------------------------- */

static void test_files(void **state)
{
    (void)state;
    static const struct {
        const char *path, *type, *text;
        size_t length;
    } files[] = {{"/", "text/html; charset=utf-8", "the page", 23},
                 {"/index.html?x=1", "text/html; charset=utf-8", "the page", 23},
                 {"/home", "application/octet-stream", "the page", 23},
                 {"/view", "text/html; charset=utf-8", "one's own", 9},
                 {"/assets/a%20b.js", "text/javascript", "the script", 10},
                 {"/sinew.wasm", "application/wasm", "", 300000}};
    static const char *const headers[] = {"Cross-Origin-Opener-Policy: same-origin\r\n",
                                          "Cross-Origin-Embedder-Policy: require-corp\r\n",
                                          "Cross-Origin-Resource-Policy: same-origin\r\n",
                                          "X-Content-Type-Options: nosniff\r\n", "Cache-Control: no-cache\r\n"};
    sn_server *server = serve();
    for (size_t i = 0; i < COUNT_OF(files); ++i) {
        char text[128];
        client *c = meet(server);
        assert_int_equal(ask_path(server, c, files[i].path), 200);
        snprintf(text, sizeof text, "Content-Type: %s\r\n", files[i].type);
        assert_non_null(strstr(c->answer, text));
        for (size_t k = 0; k < COUNT_OF(headers); ++k)
            assert_non_null(strstr(c->answer, headers[k]));
        const char *body = strstr(c->answer, "\r\n\r\n");
        assert_non_null(body);
        assert_non_null(strstr(body, files[i].text));
        assert_int_equal(c->answer + c->length - (body + 4), files[i].length);
        leave(c);
    }
    sn_server_close(server);
}

static void test_head(void **state)
{
    (void)state;
    sn_server *server = serve();
    client *c = meet(server);
    assert_int_equal(ask(server, c, "HEAD /sinew.wasm HTTP/1.1\r\nHost: LOCALHOST:80\r\nConnection: close\r\n\r\n"),
                     200);
    assert_non_null(strstr(c->answer, "Content-Length: 300000\r\n"));
    assert_string_equal(strstr(c->answer, "\r\n\r\n"), "\r\n\r\n");
    leave(c);
    sn_server_close(server);
}

/* ---- What is not ---------------------------------------------------------------------------------------------------------- */

static void test_hostile_paths(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/../secret",
        "/%2e%2e/secret",
        "/..%2fsecret",
        "/%2E%2E%2Fsecret",
        "/assets/../../secret",
        "/assets/..%2f..%2fsecret",
        "/./../secret",
        "/assets/./../index.html",
        "//../secret",
        "/..\\secret",
        "/..%5csecret",
        "/%5c..%5csecret",
        "/%",
        "/%2",
        "/%zz",
        "/%00",
        "/index.html%00",
        "/index.html%00.js",
        "/%c0%ae%c0%ae/secret",
        "/%252e%252e/secret",
        "/.hidden",
        "/%2ehidden",
        "/assets",
        "/assets/",
        "/nothing",
        "//",
        "/link",      /* to a file outside */
        "/up/secret", /* through a folder that is a link */
        "/up/page/index.html/x",
        "/beside/secret",
        "/top/etc/passwd",
        "/zero",        /* a device */
        "/pipe",        /* which nobody writes to */
        "/loop",        /* a link to itself */
        "/index.html/", /* no folder */
        "/file:///etc/passwd",
        "/etc/passwd",
        "//etc/passwd",
        "/?/../secret/..",
        "index.html",
        "http://127.0.0.1/../secret",
    };
    sn_server *server = serve();
    for (size_t i = 0; i < COUNT_OF(paths); ++i) {
        client *c = meet(server);
        int status = ask_path(server, c, paths[i]);
        bool page_itself = strncmp(paths[i], "/?", 2) == 0;
        if (page_itself ? status != 200 : status != 404 && status != 400)
            fail_msg("%s: status %d", paths[i], status);
        if (strstr(c->answer, "not for the page") || strstr(c->answer, "root:"))
            fail_msg("%s: it was served", paths[i]);
        leave(c);
    }
    check_served(server);
    sn_server_close(server);
}

static void test_hostile_requests(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        int status;
    } requests[] = {
        {"GET / HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n", 403},
        {"GET / HTTP/1.1\r\nHost: 127.0.0.1.elsewhere.example\r\nConnection: close\r\n\r\n", 403},
        {"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n", 403},
        {"GET / HTTP/1.0\r\n\r\n", 403}, /* without a Host nobody can tell */
        {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", 405},
        {"DELETE /index.html HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405},
    };
    sn_server *server = serve();
    for (size_t i = 0; i < COUNT_OF(requests); ++i) {
        client *c = meet(server);
        assert_int_equal(ask(server, c, requests[i].request), requests[i].status);
        assert_null(strstr(c->answer, "the page"));
        leave(c);
    }
    client *c = meet(server); /* not HTTP at all */
    assert_true(ask(server, c, "\x16\x03\x01\x02 hello\r\n\r\n\r\n") != 200);
    leave(c);
    check_served(server);
    sn_server_close(server);
}

/* More than a request may be, as a path and as a header: refused, and the connection ends. */
static void test_too_long(void **state)
{
    (void)state;
    sn_server *server = serve();
    char *many = malloc(100001);
    assert_non_null(many);
    memset(many, 'x', 100000);
    many[100000] = 0;
    for (int as_header = 0; as_header < 2; ++as_header) {
        client *c = meet(server);
        say(server, c, as_header ? "GET / HTTP/1.1\r\nHost: localhost\r\nX: " : "GET /");
        int status = ask(server, c, many);
        assert_true(status == 0 || (status >= 400 && status < 500));
        leave(c);
    }
    free(many);
    check_served(server);
    sn_server_close(server);
}

/* ---- Others are answered --------------------------------------------------------------------------------------------------- */

static void test_slow_and_silent(void **state)
{
    (void)state;
    sn_server *server = serve();
    client *deaf = meet(server), *silent = meet(server), *halting = meet(server);
    say(server, deaf, "GET /big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
    say(server, halting, "GET / HTTP/1.1\r\nHo");
    for (int i = 0; i < 100; ++i) /* until everything between the two is full */
        assert_true(sn_server_turn(server, 0));
    for (int i = 0; i < 3; ++i)
        check_served(server);
    assert_int_equal(ask(server, halting, "st: localhost\r\nConnection: close\r\n\r\n"), 200);
    hear(deaf);
    assert_true(deaf->length > 0 && !deaf->ended);
    assert_int_equal(strncmp(deaf->answer, "HTTP/1.1 200", 12), 0);
    leave(deaf);
    leave(silent);
    leave(halting);
    check_served(server);
    sn_server_close(server);
}

static void test_too_many(void **state)
{
    (void)state;
    sn_server *server = serve();
    client *many[MANY];
    for (int i = 0; i < MANY; ++i) {
        many[i] = meet(server);
        assert_true(sn_server_turn(server, 0));
    }
    for (int i = 0; i < MANY; ++i)
        leave(many[i]);
    check_served(server);
    sn_server_close(server);
}

/* A port that is taken. */
static void test_taken(void **state)
{
    (void)state;
    sn_server *server = serve();
    assert_null(sn_server_open(page, sn_server_port(server)));
    check_served(server);
    sn_server_close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),         cmocka_unit_test(test_head),
        cmocka_unit_test(test_hostile_paths), cmocka_unit_test(test_hostile_requests),
        cmocka_unit_test(test_too_long),      cmocka_unit_test(test_slow_and_silent),
        cmocka_unit_test(test_too_many),      cmocka_unit_test(test_taken),
    };
    if (!SINEW_MICROHTTPD) {
        print_message("built without libmicrohttpd: nothing is served\n");
        return 0;
    }
    return cmocka_run_group_tests_name("serve", tests, make_folders, remove_folders);
}
