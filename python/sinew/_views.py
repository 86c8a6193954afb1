"""Positions and velocities as arrays: the engine's own memory, without a copy."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _api as api
from ._core import Core, Error, Turn, pointer

_READ = {"positions": api.sn_world_view_positions, "velocities": api.sn_world_view_velocities}
_WRITE = {"positions": api.sn_python_write_positions, "velocities": api.sn_python_write_velocities}
_STRIDE = 16  # bytes from one vector to the next; View.of looks whether that is so
_READ_RUN = {"positions": api.sn_particles_read_positions, "velocities": api.sn_particles_read_velocities}


class _Memory:
    """Memory of a world that an array shows. While this lives, the engine's allocator does not give the memory back."""

    def __init__(self, core: Core, address: int, shape: tuple, strides: tuple, kind: str) -> None:
        self.keep = core.keep
        api.sn_python_keep_pin(self.keep)
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "strides": strides, "typestr": kind}

    def __del__(self, unpin: Callable = api.sn_python_keep_unpin) -> None:
        unpin(self.keep)


def _address(view: api.sn_view) -> int:
    return api.C.cast(view.data, api.C.c_void_p).value or 0


def _shown(core: Core, address: int, shape: tuple, strides: tuple, kind: str) -> np.ndarray:
    return np.asarray(_Memory(core, address, shape, strides, kind)) if address else np.empty((0, *shape[1:]), kind)


def storage_numbers(core: Core) -> np.ndarray:
    """Which particle lies in each row of a View: its number."""
    with Turn(core):
        view = core.call(api.sn_world_view_positions)
        address = api.C.cast(view.index, api.C.c_void_p).value or 0
        return _shown(core, address, (view.count,), (4,), "<u4")


def storage_rows(core: Core, numbers: np.ndarray) -> np.ndarray:
    """In which row of a View each of these particles lies now."""
    with Turn(core):
        view = core.call(api.sn_world_view_positions)
        address = api.C.cast(view.slot, api.C.c_void_p).value or 0
        slots = _shown(core, address, (view.slot_count,), (4,), "<u4")
    if numbers.size and numbers.max() >= view.slot_count:
        raise Error(f"there is no particle with the number {numbers.max()}", api.Result.ERROR_STALE)
    rows = slots[numbers]
    if rows.size and rows.max() == api.SN_NO_SLOT:
        raise Error(f"there is no particle with the number {numbers[rows == api.SN_NO_SLOT][0]}", api.Result.ERROR_STALE)
    return rows


def write(core: Core, what: str, numbers: np.ndarray, rows: np.ndarray) -> None:
    """Moves particles by number, all or none of them."""
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    numbers = np.ascontiguousarray(numbers, dtype=np.uint32)
    wrong = ~np.isfinite(rows).all(axis=1)
    word = what[:-1] if what == "positions" else "velocity"
    if wrong.any():
        i = int(np.argmax(wrong))
        raise Error(f"{word} is ({', '.join(f'{x:g}' for x in rows[i])}) of particle {numbers[i]}; it must be finite",
                    api.Result.ERROR_ARGUMENT)
    if (rows[:, 2] != 0).any() and core.call(api.sn_world_dimensions) == 2:
        i = int(np.argmax(rows[:, 2] != 0))
        raise Error(f"{word} has z = {rows[i, 2]:g} of particle {numbers[i]}; in a 2D world it must be 0", api.Result.ERROR_ARGUMENT)
    if len(rows):
        core.call(_WRITE[what], len(rows), pointer(numbers, api.C.c_uint32), pointer(rows, api.sn_real))


class View(np.ndarray):
    """Positions or velocities of all particles of a world: an array of NumPy that is the engine's own memory. It shows what each step did
    without being asked for again. Writing to it, or to a slice of it, moves the particles, as World.particle(...).position = ... does.

    A row is a place in storage, and a step may store particles elsewhere: World.numbers tells which particle each row is now, and
    Particles.rows where those of a run are. (Particles.positions has the order of the run.)

    It dies when particles are added or removed, also by tears and cuts, at load, and with the world. What is done with a dead view is an Error: take a
    new one. A plain array that was made of it (numpy.asarray) goes on to show what there was."""

    _core: Core | None = None  # None: an array of its own memory, such as a copy
    _what = ""
    _address = 0
    _count = 0

    @classmethod
    def of(cls, core: Core, what: str) -> "View":
        """The view of a world, "positions" or "velocities"."""
        with Turn(core):
            view = core.call(_READ[what])
            if view.count and view.stride != _STRIDE:
                raise Error(f"this library has vectors {view.stride} bytes apart; the package expects {_STRIDE}")
            array = _shown(core, _address(view), (view.count, 3), (view.stride, 4), "<f4").view(cls)
        array._core, array._what, array._address, array._count = core, what, _address(view), view.count
        return array

    def __array_finalize__(self, parent: Any) -> None:
        """Whatever shows the same memory, such as a slice, is a view, too."""
        if isinstance(parent, View) and parent._core is not None:
            address = self.__array_interface__["data"][0]
            if parent._address <= address < parent._address + _STRIDE * parent._count:
                self._core, self._what, self._address, self._count = parent._core, parent._what, parent._address, parent._count

    def _places(self) -> np.ndarray:
        """Of each number of this array: where it is, in numbers from the first one of the world's."""
        places = np.array((self.__array_interface__["data"][0] - self._address) // 4)
        for size, stride in zip(self.shape, self.strides):
            places = places[..., np.newaxis] + np.arange(size) * (stride // 4)
        return places

    def _alive(self) -> Core | None:
        """The world, or None for an array of its own memory; an Error if the view is dead."""
        core = self._core
        if core is not None:
            view = core.call(_READ[self._what])
            if view.count != self._count or _address(view) != self._address:
                raise Error(f"this view of {self._what} is dead: particles were added or removed, something tore, or a snapshot was "
                            "loaded since it was taken. Take a new one")
        return core

    def __getitem__(self, key: Any) -> Any:
        self._alive()
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._core is None:
            super().__setitem__(key, value)
            return
        value = _plain(value)
        with Turn(self._core):
            self._write(self._core, key, value)

    def _write(self, core: Core, key: Any, value: Any) -> None:
        self._alive()
        keys = key if isinstance(key, tuple) else (key,)
        part = super().__getitem__(keys if any(one is Ellipsis for one in keys) else (*keys, ...))  # no scalar: then it shows memory, too
        slices = isinstance(part, View) and part._core is not None  # otherwise lists or masks
        places = part._places() if slices else np.asarray(self._places()[key])
        if slices and part.ndim == 2 and part.shape[1] == 3 and part.strides[1] == 4:  # whole vectors
            rows, moved = places[:, 0] // (_STRIDE // 4), np.empty(part.shape, np.float32)
            _put(moved, ..., value)
        else:
            rows, at = np.unique(places // (_STRIDE // 4), return_inverse=True)
            moved = _shown(core, self._address, (self._count, 3), (_STRIDE, 4), "<f4")[rows]  # alive, so there
            _put(moved, (at.reshape(places.shape), places % (_STRIDE // 4)), value)
        write(core, self._what, storage_numbers(core)[rows], moved)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple = (), **rest: Any) -> Any:
        if method == "at":
            raise TypeError(f"{ufunc.__name__}.at cannot write to a view; use view[i] += ...")
        return _through(ufunc, method, inputs, out, rest)

    def __array_function__(self, function: Callable, types: Any, arguments: tuple, named: dict) -> Any:
        def deep(item: Any) -> Any:
            return type(item)(deep(part) for part in item) if isinstance(item, (list, tuple)) else _plain(item)
        return function(*deep(arguments), **{name: _plain(value) for name, value in named.items()})

    def __reduce__(self) -> Any:
        return np.array(_plain(self)).__reduce__()

    def __repr__(self) -> str:
        return repr(_plain(self)).replace("array", "View", 1)


def _plain(item: Any) -> Any:
    """A view as an ordinary array, if it is alive."""
    if isinstance(item, View):
        item._alive()
        return item.view(np.ndarray)
    if isinstance(item, RunPart):
        return item.view(np.ndarray)
    return np.asarray(item) if isinstance(item, RunView) else item


def _put(array: np.ndarray, key: Any, value: Any) -> None:
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused as that
        array[key] = _plain(value)


class RunView(NDArrayOperatorsMixin):
    """Positions or velocities of a run of particles, in its order: a window. What is read through it is what is there now, as a copy, since storage
    has another order (see View); writing to it, or to a part of it, moves the particles. It never dies, but with the run. What arrays have
    otherwise, such as mean() or T, it has of what is there now."""

    __slots__ = ("_core", "_run", "_what")

    def __init__(self, core: Core, run: api.sn_particles, what: str) -> None:
        self._core, self._run, self._what = core, run, what

    @property
    def shape(self) -> tuple[int, int]:
        """(n, 3), as of an array."""
        return (self._run.count, 3)

    def __len__(self) -> int:
        return self._run.count

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        array = np.empty((self._run.count, 3), np.float32)
        if len(array):
            self._core.call(_READ_RUN[self._what], self._run, pointer(array, api.sn_real), 0)
        return array if dtype is None else array.astype(dtype, copy=False)

    def _places(self) -> np.ndarray:
        return np.arange(3 * self._run.count).reshape(-1, 3)

    def _put(self, places: np.ndarray, values: np.ndarray) -> None:
        """Writes numbers to places, counted through the run."""
        array = self.__array__()
        array.reshape(-1)[places] = values
        rows = np.unique(places // 3)
        write(self._core, self._what, rows + self._run.first, array[rows])

    def __getitem__(self, key: Any) -> Any:
        return RunPart.of(self, self.__array__()[key], self._places()[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        array, places = self.__array__(), self._places()
        _put(array, key, value)
        self._put(places[key], array[key])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        array = self.__array__()
        array.flags.writeable = False
        return getattr(array, name)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple = (), **rest: Any) -> Any:
        return _through(ufunc, method, inputs, out, rest)

    def __repr__(self) -> str:
        return repr(self.__array__()).replace("array", "RunView", 1)


class RunPart(np.ndarray):
    """What was read through a window: an array of its own, but writing to it moves the particles as well."""

    _window: RunView | None = None
    _at: Any = None

    @staticmethod
    def of(window: RunView, values: Any, places: Any) -> Any:
        if not isinstance(values, np.ndarray):
            return values
        part = values.view(RunPart)
        part._window, part._at = window, places
        return part

    def __getitem__(self, key: Any) -> Any:
        found = self.view(np.ndarray)[key]
        return found if self._window is None else RunPart.of(self._window, found, self._at[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._window is None:
            super().__setitem__(key, value)
            return
        plain = self.view(np.ndarray)
        before = plain.copy()
        _put(plain, key, value)
        try:
            self._window._put(self._at[key], plain[key])
        except BaseException:
            plain[...] = before
            raise

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple = (), **rest: Any) -> Any:
        return _through(ufunc, method, inputs, out, rest)

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def _through(ufunc: np.ufunc, method: str, inputs: tuple, out: tuple, rest: dict) -> Any:
    """A ufunc on windows, parts and views: the results are plain arrays, and what `out` names is written to by way of the engine."""
    result = getattr(ufunc, method)(*(_plain(item) for item in inputs), **rest)
    if not out:
        return result
    for target, value in zip(out, result if isinstance(result, tuple) else (result,)):
        target[...] = value
    return out[0] if len(out) == 1 else out
