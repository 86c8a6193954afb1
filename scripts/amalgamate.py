"""Makes two files of the library: sinew.h, the public headers, and sinew.c, all sources, to be dropped into a project and compiled like its own.

    python3 scripts/amalgamate.py CALLS OUT      CALLS: the folder with calls.h and calls.c of a configured build (build/release/calls)

One source file means one scope for everything that was private to a file. So names at file scope that occur in several files get the name of their file behind
them, and macros end with their file. Headers are written once, before the sources; those that depend on the size of vectors (SN_VECTOR) are part of each file
that includes them. Kernels for AVX2 and AVX-512 are left out: they need flags of their own. The results are the same to the bit.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBC = {"write", "read", "wait", "link", "pipe", "index", "select", "y0", "y1", "j0", "j1"}  # that we use otherwise
TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|->|\.\.\.|##|\s+|.", re.S)
NARROW = ("src/wide/avx2.c", "src/wide/avx512.c", "src/wide/chain_avx2.c")  # of these only what stands behind their #else
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<(sinew/[^>]+)>)[^\n]*\n', re.M)
NAME = re.compile(r"[A-Za-z_]\w*$")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)


def fail(text):
    sys.exit(f"amalgamate: {text}")


def read(path):
    with open(path) as file:
        text = file.read()
    if path.endswith(NARROW):
        text, count = re.subn(r"^#if .*?^#else\n(.*?)^#endif\n", r"\1", text, flags=re.S | re.M)
        if count != 1:
            fail(f"{path} has no #if ... #else ... #endif around its kernels")
    return text


def resolve(name, inside):
    for folder in (os.path.dirname(inside), f"{ROOT}/src", f"{ROOT}/include", f"{ROOT}/include/sinew"):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(path):
            return path
    fail(f"{inside} includes {name}, which is not there")


def includes(path):
    return [resolve(m[1] or m[2], path) for m in INCLUDE.finditer(read(path))]


def is_public(path):
    return path.startswith(f"{ROOT}/include/")


_private = {}


def is_private(path):
    """Whether a header depends on the size of vectors, or on one that does."""
    if path not in _private:
        _private[path] = False  # includes do not run in circles
        text = read(path)
        _private[path] = "SN_VECTOR" in text or any(is_private(p) for p in includes(path) if p.endswith(".h"))
    return _private[path]


# ---- Names at file scope ------------------------------------------------------------------------------------------------


def tokens(text):
    return TOKEN.findall(text)


def plain(text):
    """Tokens that the compiler sees, without lines for the preprocessor."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", "", text, flags=re.M)
    return [t for t in tokens(text) if not t.isspace() and not t.startswith(("//", "/*"))]


def statements(words):
    """Lists of words at file scope, each with its braces and parentheses."""
    depth, statement = 0, []
    for i, word in enumerate(words):
        statement.append(word)
        depth += word in "([{" and len(word) == 1
        depth -= word in ")]}" and len(word) == 1
        after = words[i + 1] if i + 1 < len(words) else ""
        ends = word == ";" or (word == "}" and after not in (";", ",", "=", "[") and not NAME.match(after or " ") or
                               (word == "}" and is_function(statement)))
        if depth == 0 and ends:
            yield statement
            statement = []


def flat(statement):
    """Without what is in braces, brackets and parentheses; an empty pair of each is left."""
    depth, result = 0, []
    for word in statement:
        if word in ")]}" and len(word) == 1:
            depth -= 1
        if depth == 0:
            result.append(word)
        if word in "([{" and len(word) == 1:
            depth += 1
    return result


def is_function(statement):
    """A definition: ... name ( ... ) { ... }"""
    outer = flat(statement)
    return len(outer) > 3 and outer[-2:] == ["{", "}"] and outer[-3] in (")", "]") and outer[0] not in ("struct", "enum", "union", "typedef") or \
        (len(outer) > 3 and outer[-2:] == ["{", "}"] and outer[-3] in (")", "]"))


def names_of(statement, static_words):
    outer = flat(statement)
    while "__attribute__" in outer:
        at = outer.index("__attribute__")
        del outer[at:at + 3]
    found = set()
    for i, word in enumerate(statement[:-2]):
        if word in ("struct", "union", "enum"):
            tag = statement[i + 1] if NAME.match(statement[i + 1]) else None
            at = i + 2 if tag else i + 1
            if statement[at] != "{":
                continue
            if tag:
                found.add(tag)
            if word == "enum":
                depth, start = 0, True
                for inner in statement[at:]:
                    depth += inner in ("{", "(")
                    depth -= inner in ("}", ")")
                    if start and depth == 1 and NAME.match(inner):
                        found.add(inner)
                        start = False
                    start = start or (depth == 1 and inner == ",")
                    if depth == 0:
                        break
    if outer[0] == "typedef":
        pointer = re.search(r"\( \* (\w+) \)", " ".join(statement))
        called = [outer[i - 1] for i, w in enumerate(outer) if w == "(" and NAME.match(outer[i - 1])]
        last = [w for w in outer if NAME.match(w)]
        found.add(called[0] if called else pointer[1] if pointer and outer[-2] == ")" else last[-1])
    elif any(w in static_words for w in outer):
        # what stands before may be a macro that defines something and ends without a semicolon
        outer = outer[max(i for i, w in enumerate(outer) if w in static_words):]
        of_array = re.search(r"\b(?:%s) (?:\w+ |\* )+\( \* (\w+) \(" % "|".join(static_words), " ".join(statement))  # a function that gives a pointer to an array
        if of_array:
            return found | {of_array[1]}
        before_value = outer[:outer.index("=") + 1] if "=" in outer else outer
        for i, word in enumerate(before_value[:-1]):
            if NAME.match(word) and outer[i + 1] == "(" and word not in ("__attribute__", "_Alignas", "alignas", "_Static_assert"):
                found.add(word)
                break
        else:
            for i, word in enumerate(outer[:-1]):
                if NAME.match(word) and outer[i + 1] in ("=", "[", ";", ","):
                    found.add(word)
                    if outer[i + 1] == "=" and "," not in outer[i:]:
                        break
    return found


def definers(text, static_words):
    """Macros that define functions: their parameters, and the names as parts that are pasted together."""
    found = {}
    for name, parameters, body in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)]*)\)((?:[^\n\\]|\\\n|\\.)*)", text, flags=re.M):
        body = re.sub(r"/\*.*?\*/", " ", body, flags=re.S).replace("\\\n", " ")
        made = re.findall(r"\b(?:%s)\b[^;{}()]*?([\w#]+)\s*\(" % "|".join(static_words), body)
        if made:
            found.setdefault(name, []).append(([p.strip() for p in parameters.split(",")], [m.split("##") for m in made]))
    return found


def defined_by_macros(words, macros):
    found, depth = set(), 0
    for i, word in enumerate(words[:-1]):
        depth += word in ("(", "{")
        depth -= word in (")", "}")
        if depth or word not in macros or words[i + 1] != "(":
            continue
        end = words.index(")", i)
        given = [w for w in " ".join(words[i + 2:end]).split(" , ")]
        for parameters, made in macros[word]:
            value = dict(zip(parameters, given))
            found |= {"".join(value.get(part, part) for part in parts) for parts in made}
    return {name for name in found if NAME.match(name)}


def scope(text, static_words, macros=None):
    found = defined_by_macros(plain(text), macros) if macros else set()
    for statement in statements(plain(text)):
        if statement != [";"]:
            found |= names_of(statement, static_words)
    return found


# ---- Renaming -----------------------------------------------------------------------------------------------------------


def pasted(text):
    """Beginnings and ends of names that macros of a text paste together: records_load_##suffix, name##_share."""
    defines = "\n".join(re.findall(r"^[ \t]*#[ \t]*define(?:[^\n\\]|\\\n|\\.)*", text, flags=re.M))
    beginnings = {w for w in re.findall(r"\b([a-z]\w*_)[ \t]*##", defines) if not w.startswith("sn_")}
    return beginnings, set(re.findall(r"##[ \t]*(_[a-z]\w*)\b(?![ \t]*##)", defines))


def rename(text, names, suffix):
    words, result, stack, before = tokens(text), [], [], ""
    beginnings, ends = pasted(text)
    beginnings = tuple(beginnings)
    family = {name for name in names if beginnings and name.startswith(beginnings)}
    ends = {end for end in ends if any(name.endswith(end) for name in names - family)}
    for i, word in enumerate(words):
        if word.isspace() or word.startswith(("/*", "//")):
            result.append(word)
            continue
        if word == "{":
            back = "".join(words[max(0, i - 8):i])
            stack.append("S" if re.search(r"\b(struct|union)(\s+\w+)?\s*$", back) else "B")
        elif word == "}" and stack:
            stack.pop()
        after = next((w for w in words[i + 1:i + 4] if not w.isspace()), "")
        member = before in (".", "->", "#") or (stack and stack[-1] == "S" and after in (";", ",", "[", ":", ")"))
        if beginnings and not member and NAME.match(word) and word.startswith(beginnings):
            word = f"{suffix}_{word}"
        elif (word in names and not member) or (before == "##" and word in ends):
            word = f"{word}_{suffix}"
        result.append(word)
        before = word
    return "".join(result)


# ---- The files ----------------------------------------------------------------------------------------------------------


def write_header(out):
    done = set()

    def add(path):
        text = read(path)
        if path.endswith(".h"):
            if path in done:
                return ""
            done.add(path)
        return INCLUDE.sub(lambda m: add(resolve(m[1] or m[2], path)), text.replace("#pragma once\n", ""))

    text = add(f"{ROOT}/include/sinew/sinew.h")
    with open(f"{out}/sinew.h", "w") as file:
        file.write("/* Sinew in two files: sinew.h and sinew.c. Made of include/sinew by scripts/amalgamate.py; LICENSE has the terms. */\n"
                   "#ifndef SN_SINEW_H\n#define SN_SINEW_H\n" + text + "#endif\n")
    return done


def write_source(calls, out, in_header):
    sources = sorted(f"{folder}/{name}" for folder in os.listdir(f"{ROOT}/src") for name in os.listdir(f"{ROOT}/src/{folder}")
                     if name.endswith(".c"))
    shared, order = set(in_header), []

    def take(path):
        if path in shared or is_private(path) or not path.endswith(".h"):
            return
        shared.add(path)
        for other in includes(path):
            take(other)
        order.append(path)

    def inline(path, private):
        def replace(m):
            other = resolve(m[1] or m[2], path)
            if other.endswith(".def"):
                return inline(other, private)
            if not is_private(other):
                return ""
            if other in private:
                return ""
            private.add(other)
            return re.sub(r"/\*.*?\*/", " ", inline(other, private), flags=re.S)  # it comes often

        return INCLUDE.sub(replace, read(path))

    def all_headers(path, seen):
        for other in includes(path):
            if other.endswith(".h") and other not in seen:
                seen.add(other)
                all_headers(other, seen)
        return seen

    for source in sources:
        for header in sorted(all_headers(f"{ROOT}/src/{source}", set())):
            take(header)
    headers = "".join(f"\n/* ---- {os.path.relpath(p, ROOT + '/src')} ---- */\n" + inline(p, set()) for p in order)
    sections = {}
    for source in sources:
        text = inline(f"{ROOT}/src/{source}", set())
        text = re.sub(r"^#define (_GNU_SOURCE|__USE_MINGW_ANSI_STDIO)[^\n]*\n", "", text, flags=re.M)
        sections[source] = text
    everything = headers + "".join(sections.values()) + read(f"{out}/sinew.h")
    static_words = {"static"} | set(re.findall(r"#[ \t]*define[ \t]+(\w+)(?:\([^)]*\))?(?:[ \t]|\\\n)+static\b", everything))
    common = scope(headers, static_words) | scope(read(f"{out}/sinew.h"), static_words)
    own = {source: scope(text, static_words, definers(headers + text, static_words)) for source, text in sections.items()}
    common |= set(DEFINE.findall(headers)) | LIBC
    for source, text in sections.items():
        own[source] |= set(DEFINE.findall(text)) & common
    count = {}
    for names in own.values():
        for name in names:
            count[name] = count.get(name, 0) + 1
    with open(f"{out}/sinew.c", "w") as file:
        file.write(PREFACE)
        file.write(read(f"{calls}/calls.h"))
        file.write('#include "sinew.h"\n' + headers)
        for source, text in sections.items():
            again = {name for name in own[source] if not name.startswith("sn_") and (count[name] > 1 or name in common)}
            suffix = source[:-2].replace("/", "_")
            file.write(f"\n/* ---- {source} ---- */\n" + rename(text, again, suffix))
            macros = sorted(set(DEFINE.findall(text)))
            file.write("".join(f"#undef {name}_{suffix}\n" if name in again else f"#undef {name}\n" for name in macros))
        inner = re.findall(r"#define (sn_\w+) sn_inner_\w+", read(f"{calls}/calls.h"))
        file.write("\n/* ---- public calls ---- */\n" + "".join(f"#undef {name}\n" for name in inner))
        outer = INCLUDE.sub("", read(f"{calls}/calls.c"))
        file.write(re.sub(r"^(SN_API [^{;]*?\))\n\{", r"\1;\n\1\n{", outer, flags=re.M))


PREFACE = """/* Sinew in two files: sinew.h and sinew.c. Made of the sources by scripts/amalgamate.py; LICENSE has the terms.

       cc -O2 -c sinew.c           gcc or clang, C11 or later; link with -lm and, on systems with pthreads, -pthread

   Names that end with that of a file were private to it. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#elif !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#if defined(_WIN32) && !defined(__USE_MINGW_ANSI_STDIO)
#define __USE_MINGW_ANSI_STDIO 1
#endif
/* Same scene, same bits: a*b+c is rounded twice; and gcc 12 takes x - (double)(float)x for 0 where it makes vectors of straight code. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wunused-function" /* those of headers: here they stand in the file itself */
#elif defined(__GNUC__)
#pragma GCC optimize("-ffp-contract=off", "-fno-tree-slp-vectorize", "-fno-math-errno")
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
"""


def main():
    if len(sys.argv) != 3:
        fail("expected CALLS OUT")
    calls, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    write_source(calls, out, write_header(out))
    print(f"{out}/sinew.h {os.path.getsize(f'{out}/sinew.h') // 1024} KiB, {out}/sinew.c {os.path.getsize(f'{out}/sinew.c') // 1024} KiB")


if __name__ == "__main__":
    main()
