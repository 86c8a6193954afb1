"""What the headers say, from Python."""
from __future__ import annotations

import difflib

from . import _api as api


def describe(name: str) -> str:
    """What the C headers say of a call, a struct with its fields, a field, or a value of an enum: describe("settings"), describe("settings.substeps"),
    describe("world_step"), describe("Solver"), describe("SN_SOLVER_TILED"). The prefix sn_ may be left out."""
    enums = {enum.__name__: enum for enum in api.ENUMS}
    if name in enums:
        return "\n".join(f"{member.name.lower()} = {member.value}{_of_member(name, member.name)}" for member in enums[name])
    structs = {struct.__name__: struct for struct in api.STRUCTS}
    for full in (name, f"sn_{name}"):
        if full in structs:
            lines = [full, api.DOCS.get(full, "")] + [f"    {field}: {api.DOCS.get(f'{full}.{field}', '')}" for field, _ in structs[full]._fields_]
            return "\n".join(line.rstrip(": ") for line in lines if line)
        if full in api.CALLS:
            _, arguments, returns = api.CALLS[full]
            return f"{returns} {full}({', '.join(argument for argument, _ in arguments)})\n{api.DOCS.get(full, '')}".strip()
        if full in api.DOCS:
            return api.DOCS[full]
        struct, _, field = full.partition(".")
        if struct in structs and field in dict(structs[struct]._fields_):
            return f"{full}: nothing is said of it"
    known = [*enums, *structs, *api.CALLS, *api.DOCS]
    near = difflib.get_close_matches(name, known, 5, 0.5) + difflib.get_close_matches(f"sn_{name}", known, 5, 0.5)
    raise KeyError(f"nothing is called '{name}'" + (f"; did you mean {', '.join(dict.fromkeys(near))}?" if near else ""))


def _of_member(enum: str, member: str) -> str:
    """What is said of a member: that of the constant whose name ends so."""
    words = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in enum).strip("_").upper()
    for constant in (f"SN_{words}_{member}", f"SN_{words.split('_')[0]}_{member}", f"SN_{member}"):
        if constant in api.DOCS:
            return f": {api.DOCS[constant]}"
    return ""
