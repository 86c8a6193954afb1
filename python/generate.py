#!/usr/bin/env python3
"""Reads the public headers and writes the declarations of the Python package.

    python/generate.py OUTPUT.py [--check OUTPUT.c]

Structs, enums, constants and calls all come from include/sinew/*.h and scene/include/sinew/*.h. This is a parser for the regular style of these
headers, not for C: what it does not understand is an error that names it, so that nothing is left out silently. With --check it also writes a
C program that prints sizes and offsets of all structs, which a test compares with those of ctypes.
"""
from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {"lanes.h"}  # for formulas in C
BASIC = {
    "bool": "C.c_bool", "char": "C.c_char", "int": "C.c_int", "float": "C.c_float", "double": "C.c_double",
    "size_t": "C.c_size_t", "int32_t": "C.c_int32", "uint8_t": "C.c_uint8", "uint32_t": "C.c_uint32", "uint64_t": "C.c_uint64",
    "int64_t": "C.c_int64", "void": "None",
}


class Failure(Exception):
    pass


def headers() -> list[Path]:
    """The headers in an order in which each follows what it includes."""
    found: list[Path] = []
    folders = [ROOT / "include/sinew", ROOT / "scene/include/sinew"]

    def visit(path: Path) -> None:
        if path in found:
            return
        for name in re.findall(r"^#include <sinew/(\w+\.h)>", path.read_text(), re.M):
            for folder in folders:
                if (folder / name).exists():
                    visit(folder / name)
        found.append(path)

    for folder in folders:
        for path in sorted(folder.glob("*.h")):
            if path.name not in LEFT_OUT:
                visit(path)
    return found + [ROOT / "python/native/keep.h"]


def without_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def preprocess(text: str, constants: dict[str, str]) -> str:
    """Follows conditions as for C, single precision, a library that is used: not C++, not SINEW_DOUBLE, not Windows."""
    text = text.replace("\\\n", " ")
    lines: list[str] = []
    taken: list[list[bool]] = []  # of each open condition: this branch counts, one has counted
    for line in text.split("\n"):
        match = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if not match:
            if all(state[0] for state in taken):
                lines.append(line)
            continue
        word, rest = match.group(1), match.group(2).strip()
        if word in ("if", "ifdef", "ifndef"):
            yes = word == "ifndef" or (word == "if" and rest not in ("SINEW_DOUBLE",) and "defined" not in rest)
            if word == "if" and yes:
                raise Failure(f"a condition that is not known: {line}")
            taken.append([yes, yes])
        elif word == "elif":
            yes = not taken[-1][1] and "__GNUC__" in rest
            taken[-1] = [yes, taken[-1][1] or yes]
        elif word == "else":
            taken[-1] = [not taken[-1][1], True]
        elif word == "endif":
            taken.pop()
        elif not all(state[0] for state in taken):
            continue
        elif word == "define":
            name, value = re.match(r"(\w+(?:\([^)]*\))?)\s*(.*)", rest).groups()
            if "(" not in name and value and name.startswith("SN_") and name != "SN_API":
                constants[name] = value
        elif word == "include" and rest.endswith(".def>"):
            table = without_comments((ROOT / "include" / rest.strip("<>")).read_text())
            lines += [f"SN_KIND_{name}," for name in re.findall(r"^SN_KIND\((\w+),", table, re.M)]
        elif word not in ("include", "undef"):
            raise Failure(f"a line that is not known: {line}")
    if taken:
        raise Failure("a condition without an end")
    return "\n".join(lines)


def without_bodies(text: str) -> str:
    """Leaves out functions that are static inline: the package has its own."""
    while match := re.search(r"\bstatic inline\b[^;{]*\{", text):
        depth, at = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        text = text[: match.start()] + text[at:]
    return text


def statements(text: str) -> list[str]:
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == ";" and depth == 0:
            found.append(" ".join(text[begin:at].split()))
            begin = at + 1
    if text[begin:].strip():
        raise Failure(f"an end that is not known: {text[begin:].strip()[:80]}")
    return [statement for statement in found if statement]


def parts(text: str) -> list[str]:
    """Splits at commas that are not in parentheses."""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(text + ","):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [part for part in found if part]


def tidy(comment: str) -> str:
    """The words of a comment, paragraphs kept, and lines that are set in by four letters or more kept as they are."""
    text = re.sub(r"^/\*\s?|\s*\*/$", "", comment.strip())
    text = re.sub(r"^-{3,}.*?-{3,}$", "", text, flags=re.M).strip()
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip())


def described(text: str, pattern: str) -> list[tuple[str, str]]:
    """Declarations that match a pattern, each with what the comments say: that which ends on the line before or follows on the same line. A comment before
    several declarations without a blank line between them is of all of them."""
    found: list[tuple[str, str]] = []
    before, at = "", 0
    for match in re.finditer(rf"(/\*.*?\*/)|({pattern})", text, re.S | re.M):
        between = text[at : match.start()]
        at = match.end()
        if match[1]:
            if found and "\n" not in between and not between.strip(" ;,") and found[-1][2] != "done":
                name, words, _ = found[-1]
                found[-1] = name, f"{words} {tidy(match[1])}".strip(), "done"
            else:
                before = tidy(match[1])
            continue
        if re.search(r"\n\s*\n", between):
            before = ""
        found.append((match[2], before, ""))
    return [(name, words) for name, words, _ in found]


def documentation(paths: list[Path]) -> dict[str, str]:
    """What the headers say of calls, structs, their fields, enums and their members: 'sn_world_step', 'sn_settings', 'sn_settings.substeps', 'SN_SOLVER_TILED'."""
    docs: dict[str, str] = {}
    for path in paths:
        text = path.read_text()
        for declaration, words in described(text, r"^(?:SN_API )?(?:const )?\w+[ *]+sn_\w+\([^;{}]*\);"):
            docs[re.search(r"(sn_\w+)\(", declaration)[1]] = words
        for declaration, words in described(text, r"^typedef (?:struct|enum) \w+ \{"):
            docs[declaration.split()[2]] = words
        for body, name in re.findall(r"^typedef struct \w+ \{\n(.*?)^\} (\w+);", text, re.S | re.M):
            for declaration, words in described(body, r"\b[a-z]\w*[^;/]*;"):
                for part in parts(declaration.rstrip(";")):
                    if field := re.search(r"(\w+)\W*(?:\[[^\]]*\]\s*)*$|\(\*(\w+)\)", part):
                        docs[f"{name}.{field[1] or field[2]}"] = words
        for body in re.findall(r"^typedef enum \w+ \{(.*?)\} \w+;", text, re.S | re.M):
            for declaration, words in described(body, r"\bSN_\w+(?:\s*=\s*[^,/\n]*)?,?"):
                docs[re.match(r"\w+", declaration)[0]] = words
    return {name: words for name, words in docs.items() if words}


class Reader:
    def __init__(self) -> None:
        self.constants: dict[str, str] = {}
        self.enums: dict[str, list[tuple[str, str]]] = {}
        self.structs: dict[str, list[tuple[str, str, str]]] = {}  # name: field, type for ctypes, enum or ""
        self.opaque: list[str] = []
        self.functions: dict[str, str] = {}  # types of functions
        self.calls: dict[str, tuple[str, list[tuple[str, str, str]]]] = {}
        self.order: list[tuple[str, str]] = []

    # ---- Types

    def base(self, words: str) -> str:
        name = re.sub(r"\bconst\b", "", words).strip()
        if name in BASIC:
            return BASIC[name]
        if name in self.enums:
            return "C.c_uint32"
        if name in self.structs or name in self.functions or name == "sn_real":
            return name
        if name in self.opaque:
            return f"{name}"
        raise Failure(f"a type that is not known: '{words}'")

    def declare(self, base: str, declarator: str) -> tuple[str, str]:
        """The name and the type of one declarator, such as '*data' or 'matrix[3][3]'."""
        stars = declarator.count("*")
        match = re.match(r"(\w*)((?:\s*\[[^\]]*\])*)$", re.sub(r"\*|\bconst\b", " ", declarator).strip())
        if not match:
            raise Failure(f"a declarator that is not known: {base} {declarator}")
        name, sizes = match.groups()
        kind = self.base(base)
        if kind in self.functions:
            if stars != 1:
                raise Failure(f"a function is passed by value: {base} {declarator}")
            stars = 0
        if stars:
            name_of = re.sub(r"\bconst\b", "", base).strip()
            if kind == "None":
                kind, stars = "C.c_void_p", stars - 1
            elif name_of == "char":
                kind, stars = "C.c_char_p", stars - 1
            elif name_of in self.opaque:
                kind, stars = "C.c_void_p", stars - 1
            for _ in range(stars):
                kind = f"C.POINTER({kind})"
        elif kind in self.opaque:
            raise Failure(f"a struct that is not known by value: {base}")
        for size in reversed(re.findall(r"\[([^\]]*)\]", sizes)):
            kind = f"{kind} * {self.number(size)}"
        return name, kind

    def number(self, text: str) -> str:
        value = self.evaluate(text)
        return str(int(value))

    def evaluate(self, text: str):
        names = {name: value for members in self.enums.values() for name, value in members}
        text = self.constants.get(text, text)
        text = re.sub(r"\(sn_real\)", "", text)
        text = re.sub(r"\bINFINITY\b", "float('inf')", text)
        text = re.sub(r"\bUINT32_MAX\b", "0xffffffff", text)
        text = re.sub(r"\b(\d+)u\b", r"\1", text)
        text = re.sub(r"\bSN_\w+", lambda m: str(names[m[0]] if m[0] in names else self.evaluate(m[0])), text)
        if text.startswith('"'):
            return text.strip('"')
        if not re.fullmatch(r"[-+*/()<>|&~.\w' ]+", text):
            raise Failure(f"a number that is not known: {text}")
        return eval(text, {"float": float})  # what remains is arithmetic

    def parameter(self, text: str, i: int) -> tuple[str, str, str]:
        if "(*" in text:
            match = re.match(r"(.*?)\(\*(\w+)\)\((.*)\)$", text)
            return match[2], self.function_type(match[1], match[3]), ""
        match = re.match(r"((?:const )?\w+)\s*(.*)$", text)
        name, kind = self.declare(match[1], match[2])
        if " * " in kind and "POINTER" not in kind:  # an array that is a parameter is a pointer
            kind = f"C.POINTER({kind.rsplit(' * ', 1)[0]})"
        enum = match[1].strip()
        return name or f"argument{i}", kind, enum if enum in self.enums else ""

    def function_type(self, returns: str, arguments: str) -> str:
        result = self.returned(returns)
        kinds = [] if arguments == "void" else [self.parameter(part, i)[1] for i, part in enumerate(parts(arguments))]
        return f"C.CFUNCTYPE({', '.join([result] + kinds)})"

    def returned(self, text: str) -> str:
        text = text.strip()
        if "*" in text:
            return self.declare(text.replace("*", " ").strip(), "*" * text.count("*"))[1]
        return self.base(text)

    # ---- Statements

    def read(self, statement: str) -> None:
        if match := re.match(r"(?:typedef )?enum (\w+ )?\{(.*)\}( ?\w+)?$", statement):
            self.read_enum((match[3] or "").strip() or None, match[2])
        elif match := re.match(r"typedef struct (\w+) \{(.*)\} (\w+)$", statement):
            self.read_struct(match[3], match[2])
        elif match := re.match(r"typedef struct (\w+) (\w+)$", statement):
            self.opaque.append(match[2])
        elif match := re.match(r"typedef (?:float|double) sn_real$", statement):
            pass
        elif match := re.match(r"typedef (.*?)(\w+)\((.*)\)$", statement):
            self.functions[match[2]] = ""
            self.functions[match[2]] = self.function_type(match[1], match[3])
            self.order.append(("function", match[2]))
        elif match := re.match(r"(?:SN_API )?((?:const )?\w+[ *]+)(sn_\w+)\((.*)\)$", statement):
            arguments = [] if match[3] == "void" else [self.parameter(part, i) for i, part in enumerate(parts(match[3]))]
            returns = match[1].strip()
            self.calls[match[2]] = (self.returned(returns), arguments, returns)
        else:
            raise Failure(f"a declaration that is not known: {statement[:120]}")

    def read_enum(self, name: str | None, body: str) -> None:
        members, value = [], -1
        self.enums.setdefault(name or "", [])
        for part in parts(body):
            if "=" in part:
                part, text = (side.strip() for side in part.split("=", 1))
                known = dict(members)
                value = int(known.get(text, 0) if text in known else self.evaluate(text))
            else:
                value += 1
            members.append((part, value))
        if name is None and members[0][0] == "SN_KIND_NONE":
            name = "sn_kind_number"
        if name is None:
            self.constants.update({member: str(number) for member, number in members})
            return
        self.enums[name] = members
        self.order.append(("enum", name))

    def read_struct(self, name: str, body: str) -> None:
        fields = []
        self.structs[name] = fields
        for line in body.split(";"):
            line = line.strip()
            if not line:
                continue
            if "(*" in line:
                match = re.match(r"(.*?)\(\*(\w+)\)\((.*)\)$", line)
                fields.append((match[2], self.function_type(match[1], match[3]), ""))
                continue
            match = re.match(r"((?:const )?\w+)\s*(.*)$", line)
            for part in parts(match[2]):
                field, kind = self.declare(match[1], part)
                fields.append((field, kind, match[1].strip() if match[1].strip() in self.enums else ""))
        self.order.append(("struct", name))


def camel(name: str) -> str:
    if name == "sn_kind_number":
        return "Kind"
    return "".join(word.capitalize() for word in name.removeprefix("sn_").split("_"))


def members_of(name: str, members: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Members without what all of them begin with; one that would begin with a digit keeps a word more."""
    words = [member.split("_") for member, _ in members]
    common = 0
    while len({tuple(word[: common + 1]) for word in words}) == 1 and all(len(word) > common + 1 for word in words):
        common += 1
    if name == "sn_result":
        common = 1
    return [("_".join(word[common - 1 if word[common][0].isdigit() else common:]), value)
            for word, (member, value) in zip(words, members) if member != "SN_KIND_BUILTIN_END"]


HINTS = {"C.c_bool": "bool", "C.c_float": "float", "sn_real": "float", "C.c_double": "float", "C.c_char_p": "bytes"}


def hint(kind: str, enum: str) -> str:
    """What a field is for tools that check types."""
    if enum:
        return camel(enum)
    if " * " in kind or "(" in kind or kind == "C.c_void_p" or kind.endswith("_fn"):
        return "Any"
    return HINTS.get(kind, "int" if kind.startswith("C.c_") else kind)


def documented(name: str, docs: dict[str, str]) -> str:
    """The docstring of an enum."""
    return docs.get(name) or f"{name} of the headers: sinew.describe('{camel(name)}') tells what its values mean."


def write(reader: Reader, path: Path) -> None:
    docs = documentation(headers())
    out = ['"""The C interface: written by python/generate.py from the headers. Do not edit."""',
           "from __future__ import annotations", "", "import ctypes as C", "import enum", "import os", "from typing import Any", "",
           "from ._records import Record, checked", "", "sn_real = C.c_float", ""]
    for kind, name in reader.order:
        if kind == "enum":
            out.append(f"class {camel(name)}(enum.IntEnum):")
            out.append(f"    {documented(name, docs)!r}")
            out += [f"    {member} = {value}" for member, value in members_of(name, reader.enums[name])]
            out += ["", ""]
        elif kind == "function":
            out += [f"{name} = {reader.functions[name]}", ""]
        else:
            fields = reader.structs[name]
            out.append(f"class {name}(Record):")
            out.append("    _fields_ = [")
            out += [f'        ("{field}", {of}),' for field, of, _ in fields]
            out.append("    ]")
            out += [f"    {field}: {hint(of, enum)}" for field, of, enum in fields if not keyword.iskeyword(field)]
            enums = {field: enum for field, _, enum in fields if enum}
            if enums:
                out.append("    _enums_ = {" + ", ".join(f'"{field}": {camel(enum)}' for field, enum in enums.items()) + "}")
            out += ["", ""]
    for name, value in reader.constants.items():
        try:
            text = repr(reader.evaluate(name)).replace("inf", 'float("inf")')
        except (Failure, KeyError, SyntaxError, NameError) as error:
            raise Failure(f"a constant that is not known: {name} {value}: {error}")
        out.append(f"{name} = {text}")
    out += ["", 'lib = C.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_sinew.so"))', "",
            "# name: (type of the result, arguments, what the header says is returned)", "CALLS = {"]
    for name, (result, arguments, returns) in reader.calls.items():
        returns = " ".join(returns.split())
        listed = "".join(f'("{argument}", {kind}), ' for argument, kind, _ in arguments)
        out.append(f'    "{name}": ({result}, ({listed}), "{returns}"),')
    out += ["}", "", *(f"{name}: Any" for name in reader.calls), "for _name, (_result, _arguments, _returns) in CALLS.items():", "    _call = getattr(lib, _name)",
            "    _call.restype, _call.argtypes = _result, [checked(_kind) for _, _kind in _arguments]",
            '    _call.tells = _returns == "sn_result"', "    globals()[_name] = _call", ""]
    out += [f'STRUCTS = ({", ".join(reader.structs)},)', f'ENUMS = ({", ".join(camel(n) for n in reader.enums if n)},)',
            "# What the headers say; see sinew.describe.", "DOCS = {",
            *(f"    {name!r}: {words!r}," for name, words in docs.items()), "}",
            f'__all__ = [{", ".join(repr(camel(n)) for n in reader.enums if n)}]', ""]
    path.write_text("\n".join(out))


def write_check(reader: Reader, path: Path) -> None:
    out = ["#include <sinew/scene.h>", "#include <sinew/sinew.h>", '#include "python/native/keep.h"',
           "#include <stddef.h>", "#include <stdio.h>",
           "int main(void)", "{"]
    for name, fields in reader.structs.items():
        out.append(f'    printf("{name} %zu\\n", sizeof({name}));')
        out += [f'    printf("{name} {field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));'
                for field, _, _ in fields]
    for name, members in reader.enums.items():
        out += [f'    printf("{member} %ld\\n", (long){member});' for member, _ in members]
        if name and name != "sn_kind_number":
            out.append(f'    printf("{name} %zu\\n", sizeof({name}));')
    out += [f'    printf("{name} %.17g\\n", (double)({name}));' for name, value in reader.constants.items()
            if not value.startswith('"')]
    out += ["    return 0;", "}", ""]
    path.write_text("\n".join(out))


def main(arguments: list[str]) -> int:
    reader = Reader()
    try:
        for path in headers():
            try:
                text = preprocess(without_comments(path.read_text()), reader.constants)
                for statement in statements(without_bodies(text)):
                    reader.read(statement)
            except Failure as error:
                raise Failure(f"{path.relative_to(ROOT)}: {error}") from error
        write(reader, Path(arguments[0]))
        if len(arguments) == 3 and arguments[1] == "--check":
            write_check(reader, Path(arguments[2]))
    except Failure as error:
        print(f"generate: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
