"""What all structs of the C interface have in common in Python."""
from __future__ import annotations

import ctypes as C
import difflib
import math
from typing import Any, Iterable, Iterator

_RANGES = {C.c_uint8: (0, 2**8 - 1), C.c_uint32: (0, 2**32 - 1), C.c_uint64: (0, 2**64 - 1), C.c_int32: (-(2**31), 2**31 - 1),
           C.c_int64: (-(2**63), 2**63 - 1), C.c_size_t: (0, 2 ** (8 * C.sizeof(C.c_size_t)) - 1), C.c_int: (-(2**31), 2**31 - 1)}


def whole(value: Any, kind: type, what: str) -> int:
    """The value as an integer that the C type can hold; ctypes itself would cut off what does not fit."""
    least, most = _RANGES[kind]
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{what}: found {value!r}, expected a whole number") from None
    if not least <= number <= most:
        raise ValueError(f"{what}: found {number}, expected {least} to {most}")
    return number


def real(value: Any, what: str) -> float:
    """The value as a number; one that is too large for single precision is refused instead of becoming infinite."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what}: found {value!r}, expected a number") from None
    if math.isfinite(number) and abs(number) > 3.4028235677973366e38:
        raise ValueError(f"{what}: found {number}, which is too large for single precision")
    return number


_checked: dict[type, type] = {}


def checked(kind: type) -> type:
    """The type of an argument of a call: as kind, but whole numbers are looked at before they are passed."""
    if kind not in _RANGES:
        return kind
    if kind not in _checked:
        def from_param(cls: type, value: Any) -> Any:
            return kind(whole(value, kind, "argument"))
        _checked[kind] = type(f"checked_{kind.__name__}", (kind,), {"from_param": classmethod(from_param)})
    return _checked[kind]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The names that are nearest to one that is none, for the end of a message."""
    near = difflib.get_close_matches(name, list(known), 3, 0.6)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def choice(value: Any, of: type, what: str) -> int:
    """A value of an enum: itself, its number, or its name in small letters."""
    if isinstance(value, str):
        try:
            return of[value.upper()]
        except KeyError:
            names = ", ".join(member.name.lower() for member in of)
            raise ValueError(f"{what}: found '{value}', expected one of {names}") from None
    return whole(value, C.c_uint32, what)


class Record(C.Structure):
    """A struct of the C interface. Fields are set by name; a name that is none is an error, and so is a number that does not fit. Values of
    enums may be given by name, and vectors as any three numbers."""

    _enums_: dict[str, type] = {}

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls._types_ = dict(cls.__dict__.get("_fields_", ()))

    def __setattr__(self, name: str, value: Any) -> None:
        kind = self._types_.get(name)
        if kind is None:
            near = did_you_mean(name, self._types_) or f"; it has {', '.join(self._types_)}"
            raise AttributeError(f"{type(self).__name__.removeprefix('sn_')} has no '{name}'{near}")
        if name in self._enums_:
            value = choice(value, self._enums_[name], name)
        elif kind in _RANGES:
            value = whole(value, kind, name)
        elif kind in (C.c_float, C.c_double):
            value = real(value, name)
        elif kind is C.c_bool:
            value = bool(value)
        elif isinstance(kind, type) and issubclass(kind, Record) and not isinstance(value, kind):
            value = kind.of(value, name)
        super().__setattr__(name, value)

    @classmethod
    def of(cls, values: Any, what: str) -> Any:
        """From a sequence of as many values as there are fields, or from a dict of some of them."""
        record = cls()
        if isinstance(values, dict):
            for name, value in values.items():
                setattr(record, name, value)
            return record
        try:
            listed = list(values)
        except TypeError:
            listed = []
        if len(listed) != len(cls._types_):
            raise ValueError(f"{what}: found {values!r}, expected {len(cls._types_)} numbers ({', '.join(cls._types_)})")
        for name, value in zip(cls._types_, listed):
            setattr(record, name, value)
        return record

    def update(self, **values: Any) -> "Record":
        for name, value in values.items():
            setattr(self, name, value)
        return self

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self._types_)

    def __len__(self) -> int:
        return len(self._types_)

    def __getitem__(self, i: int) -> Any:
        return list(self)[i]

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, Record):
            return type(self) is type(other) and list(self) == list(other)
        try:
            return list(self) == list(other)
        except TypeError:
            return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.plain().items())})"

    def plain(self) -> dict[str, Any]:
        """The fields as a dict of plain values: texts, numbers, lists, members of enums. Pointers and functions are left out."""
        values = {}
        for name in self._types_:
            known, value = plain(getattr(self, name))
            if known:
                values[name] = self._enums_[name](value) if name in self._enums_ else value
        return values


def plain(value: Any) -> tuple[bool, Any]:
    """Whether a value can be said in Python alone, and as what."""
    if isinstance(value, Record):
        fields = value._types_
        if set(fields.values()) == {C.c_float} and len(fields) <= 4:
            return True, tuple(value)
        return True, value.plain()
    if isinstance(value, C.Array):
        if isinstance(value, (C.c_char * len(value))):
            return True, value.value.decode(errors="replace")
        return True, [plain(item)[1] for item in value]
    if isinstance(value, bytes):
        return True, value.decode(errors="replace")
    if value is None or isinstance(value, (bool, int, float)):
        return value is not None, value
    return False, None


class Answer(dict):
    """A dict whose items are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no '{name}'; there are {', '.join(self)}") from None

    @classmethod
    def of(cls, value: Any) -> Any:
        """A dict, and the dicts in it, as answers."""
        if isinstance(value, dict):
            return cls({name: cls.of(item) for name, item in value.items()})
        return [cls.of(item) for item in value] if isinstance(value, list) else value
