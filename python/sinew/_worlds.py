"""Many worlds, stepped together."""
from __future__ import annotations

import ctypes as C
import weakref
from typing import Any, Callable, Iterable, Sequence

import numpy as np

from . import _api as api
from ._core import Core, Error, Turn, pointer
from ._records import choice, real, whole
from ._things import Body, Constraint, Particle, Particles
from ._world import World

Channel = Sequence[Any]  # (name, thing) or (name, thing, axes), see Worlds

_AXES = "xyzw"


class _Member(Core):
    """One of the worlds. It ends when they do, and what its functions raise is raised by the call on whichever of them ran."""

    def __init__(self, all_of: "_Core", world: int, number: int) -> None:  # not that of Core: nothing is made here
        self.all_of, self.what, self.number = all_of, f"world {number}", number
        self.pointer, self.scene, self.moments = world, None, set()
        self.lock, self.log, self.functions = all_of.lock, all_of.log, all_of.functions
        self.keep, self.allocator = all_of.keep, all_of.allocator
        api.sn_python_keep_hold(self.keep)

    raised = property(lambda self: self.all_of.raised, lambda self, value: setattr(self.all_of, "raised", value))  # type: ignore[assignment]
    inside = property(lambda self: self.all_of.inside, lambda self, value: setattr(self.all_of, "inside", value))  # type: ignore[assignment]

    def __del__(self) -> None:
        keep, self.keep = getattr(self, "keep", None), None
        if keep is not None:
            api.sn_python_keep_drop(keep)

    def close(self) -> None:
        if self.pointer is not None:
            raise Error(f"{self.what} belongs to the worlds that it was made with; close those")


class _Core(Core):
    """All of them."""

    def __init__(self) -> None:
        super().__init__("worlds")
        self.members: weakref.WeakValueDictionary[int, _Member] = weakref.WeakValueDictionary()  # that Python knows

    def member(self, world: int, number: int) -> _Member:
        known = self.members.get(number)
        if known is None:
            known = self.members[number] = _Member(self, world, number)
        return known

    def end_members(self) -> None:
        for member in list(self.members.values()):
            member.pointer = None

    def close(self) -> None:
        keep = getattr(self, "keep", None)
        if keep is None:
            return
        with Turn(self):
            if self.pointer:
                self.log.failed = None
                api.sn_worlds_destroy(self.pointer)
                if self.log.failed:
                    raise Error(self.log.failed, api.Result.ERROR_BUSY)
            self.keep = self.pointer = None
            self.end_members()
            api.sn_python_keep_drop(keep)


class Worlds:
    """Thousands of small worlds that are stepped together, on all cores, those that are built alike side by side in the lanes of the processor. Each goes, to the
    bit, where it would go alone.

        def build(world, number):
            cart = world.add_particle((0, 0, 0), mass=1)
            pole = world.add_particle((0, 1, 0), mass=0.1)
            world.add_constraint("on_line", cart, origin=(0, 0, 0), direction=(1, 0, 0))
            world.add_constraint("distance", cart, pole)
            return cart, pole

        worlds = sinew.Worlds(4096, build)
        cart, pole = worlds.built
        worlds.observations = [("position", cart, "x"), ("position", pole, "xy"), ("velocity", pole, "xy")]
        worlds.actions = [("force", cart, "x")]
        seen = worlds.step(forces)             # forces: (4096, 1), seen: (4096, 5)

    `build` fills an empty world; what it returns for world 0 is kept in `built`. Its handles stand for the same things in all worlds, which is why all must be built in
    the same order. Keywords are those of World, and side_by_side=False, to compare. A channel is (name, thing), (name, thing, axes) or, for a motor, (name, thing, most): names are those of
    sinew.ChannelType in small letters, axes some of "xyz" ("xyzw" for rotations); "time" has no thing."""

    def __init__(self, count: int, build: Callable[[World, int], Any], *, dimensions: int = 3, threads: int = 0, simd: str | int = "auto",
                 side_by_side: bool = True, contact: dict[str, Any] | None = None, **settings: Any) -> None:
        core = _Core()
        made = api.sn_default_worlds_def().update(count=count, threads=threads, side_by_side=side_by_side)
        made.world.update(dimensions=dimensions, simd=simd)
        made.world.settings.update(**settings)
        made.world.contact.update(**(contact or {}))
        made.world.allocator, made.world.log = core.allocator, core.log.hook
        self._core = core
        self._channels: dict[str, list[Channel]] = {"observations": [], "actions": []}
        self.built: Any = None

        def build_one(_context: Any, world: int, number: int) -> int:
            answer = build(World._of(core.member(world, number)), number)
            if number == 0:
                self.built = answer
            return 0

        made.build = api.sn_worlds_build_fn(core.guard(build_one, lambda *_: api.Result.ERROR_ARGUMENT))
        created = C.c_void_p()
        result = api.sn_worlds_create(C.byref(made), C.cast(C.byref(created), api.sn_worlds_create.argtypes[1]))
        if core.raised is not None:
            core.end_members()
            raised, core.raised = core.raised, None
            raise raised
        if result:
            core.end_members()
            raise Error(core.log.failed or api.sn_result_text(result).decode(), api.Result(result))
        core.pointer = created.value
        core.log.failed = None

    def __enter__(self) -> "Worlds":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Frees all worlds. What is used of them afterwards gives an Error."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """Whether `close` has freed them."""
        return self._core.pointer is None

    def __len__(self) -> int:
        return self._core.call(api.sn_worlds_count)

    def __repr__(self) -> str:
        return "<sinew.Worlds, closed>" if self.closed else f"<sinew.Worlds of {len(self)}>"

    def __getitem__(self, number: int) -> World:
        """One of them, for anything that can be done to a world. Negative numbers count from the end."""
        count = len(self)
        at = whole(number + count if isinstance(number, int) and number < 0 else number, C.c_uint32, "number")
        if at >= count:
            raise IndexError(f"there is no world {number}; there are {count}")
        return World._of(self._core.member(self._core.call(api.sn_worlds_at, at), at))

    # ---- Arrays

    @property
    def observations(self) -> list[Channel]:
        """What is seen of each world: a list of channels, which may be set."""
        return list(self._channels["observations"])

    @observations.setter
    def observations(self, channels: Iterable[Channel]) -> None:
        self._set("observations", api.sn_worlds_set_observations, channels)

    @property
    def actions(self) -> list[Channel]:
        """What is done to each world: a list of channels, which may be set."""
        return list(self._channels["actions"])

    @actions.setter
    def actions(self, channels: Iterable[Channel]) -> None:
        self._set("actions", api.sn_worlds_set_actions, channels)

    def _set(self, name: str, call: Any, channels: Iterable[Channel]) -> None:
        listed = list(channels)
        records = (api.sn_channel * max(len(listed), 1))(*[_channel(channel) for channel in listed])
        self._core.call(call, records, len(listed))
        self._channels[name] = listed

    def observe(self, out: np.ndarray | None = None) -> np.ndarray:
        """What the channels of `observations` show: a row for each world. out: an array to write it to, of single precision, packed."""
        with Turn(self._core):
            shape = (len(self), self._core.call(api.sn_worlds_observation_size))
            if out is None:
                out = np.empty(shape, np.float32)
            elif not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != np.float32 or not out.flags.c_contiguous:
                raise ValueError(f"out: expected a packed array of float32 of shape {shape}")
            self._core.call(api.sn_worlds_observe, pointer(out, C.c_float))
        return out

    def act(self, numbers: Any) -> None:
        """Does what the channels of `actions` say with a row for each world; a single row is for all of them."""
        with Turn(self._core):
            self._core.call(api.sn_worlds_act, pointer(self._rows(numbers), C.c_float))

    def _rows(self, numbers: Any) -> np.ndarray:
        shape = (len(self), self._core.call(api.sn_worlds_action_size))
        with np.errstate(over="ignore"):
            array = np.asarray(numbers, np.float32)
        if array.ndim == 1 and shape[1] == 1 and array.shape[0] == shape[0]:
            array = array.reshape(shape)
        try:
            return np.ascontiguousarray(np.broadcast_to(array, shape))
        except ValueError:
            raise ValueError(f"actions: found an array of shape {array.shape}, expected {shape}") from None

    # ---- Time

    def step(self, actions: Any = None, dt: float = 1 / 60, count: int = 1) -> np.ndarray:
        """`count` steps of all worlds, with the same actions before each; what is seen afterwards. Several steps in one call are faster than as many calls, and give the
        same. If a step of some world fails, that world stays as it was before it and takes no more, the others take all, and an Error names world and step; `results` tells
        of all."""
        steps = whole(count, C.c_uint32, "count")
        with Turn(self._core):
            rows = None if actions is None or not steps else self._rows(actions)
            self._core.call(api.sn_worlds_step_many, real(dt, "dt"), steps, pointer(rows, C.c_float))
            return self.observe()

    @property
    def results(self) -> np.ndarray:
        """How the last step of each went: values of sinew.Result, 0 where all is well."""
        with Turn(self._core):
            return np.array([api.sn_worlds_result(self._core.pointer, i) for i in range(len(self))], np.uint32)

    @property
    def side_by_side(self) -> int:
        """How many worlds the last step took side by side. The others were stepped one by one."""
        return self._core.call(api.sn_worlds_beside_count)

    def reset(self, which: Any = None) -> None:
        """Puts worlds back to what they were when built, or kept: all, or those that an array of truth values says, or of numbers."""
        with Turn(self._core):
            self._core.call(api.sn_worlds_reset, pointer(None if which is None else self._flags(which), C.c_uint8))

    def keep(self, which: Any = None) -> None:
        """What worlds are now is what they are reset to from now on."""
        with Turn(self._core):
            for number in np.flatnonzero(np.ones(len(self)) if which is None else self._flags(which)):
                self._core.call(api.sn_worlds_keep, int(number))

    def _flags(self, which: Any) -> np.ndarray:
        array, count = np.asarray(which), len(self)
        if array.dtype == bool:
            if array.shape != (count,):
                raise ValueError(f"which: found truth values of shape {array.shape}, expected ({count},)")
            return np.ascontiguousarray(array, np.uint8)
        flags = np.zeros(count, np.uint8)
        if array.size:
            if array.dtype.kind not in "iu":
                raise TypeError(f"which: found {array.dtype}, expected truth values or numbers of worlds")
            if array.min() < -count or array.max() >= count:
                raise IndexError(f"which: found {array.min()} to {array.max()}; there are {count} worlds")
            flags[array.ravel()] = 1
        return flags


def _channel(given: Channel) -> api.sn_channel:
    """(name, thing, axes) as the engine has it."""
    if isinstance(given, str):
        given = (given,)
    name, thing, more = (*given, None, None)[:3]
    if len(given) > 3:
        raise ValueError(f"channel: found {len(given)} parts, expected a name, a thing and axes")
    made = api.sn_channel()
    made.type = choice(name, api.ChannelType, "channel")
    if isinstance(thing, Particle):
        made.particles = api.sn_particles(thing._handle.index, 1, thing._handle.generation)
    elif isinstance(thing, Particles):
        made.particles = thing._run
    elif isinstance(thing, Body):
        made.body = thing._handle
    elif isinstance(thing, Constraint):
        made.constraint = thing._handle
    elif thing is not None:
        raise TypeError(f"channel '{name}': found {thing!r}, expected a particle, particles, a body, a constraint or a joint")
    if made.type == api.ChannelType.MOTOR:
        made.most = real(0 if more is None else more, "most")
    elif more is not None:
        if not isinstance(more, str) or not more or any(axis not in _AXES for axis in more):
            raise ValueError(f"channel '{name}': found axes {more!r}, expected some of 'xyz'")
        made.axes = sum({1 << _AXES.index(axis) for axis in more})
    return made
