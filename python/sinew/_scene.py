"""Scenes: what a scene file describes, and builders of ropes, cloth and the like."""
from __future__ import annotations

import ctypes as C
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from . import _api as api
from ._core import Core, Error, Turn, _logger
from ._records import Answer, did_you_mean
from ._things import Body, Constraint, Particle, Particles, Skin, constraint_of
from ._world import Budget, World

SCENES = Path(__file__).resolve().parent / "scenes"
_MESSAGE = 20000


def scene_names() -> list[str]:
    """The scenes that come with the package."""
    return sorted(path.stem for path in SCENES.glob("*.json"))


class Object:
    """An object of a scene, such as a cloth, with its particles, bodies, triangles and lines."""

    __slots__ = ("_core", "_pointer")

    def __init__(self, core: Core, pointer_: int) -> None:
        self._core, self._pointer = core, pointer_

    def _info(self) -> api.sn_object_info:
        with Turn(self._core):
            if self._core.pointer is None:
                raise Error("the scene is closed")
            return api.sn_object_describe(self._pointer)

    @property
    def name(self) -> str:
        """As the scene calls it."""
        with Turn(self._core):
            return self._info().name.decode()

    @property
    def type(self) -> str:
        """"rope", "cloth", ..."""
        with Turn(self._core):
            return self._info().type.decode()

    @property
    def group(self) -> int:
        """The group of its particles and bodies."""
        return self._info().group

    @property
    def particles(self) -> Particles | None:
        """All of them; None if it has bodies only."""
        run = self._info().particles
        return Particles(self._core, run) if run.count else None

    @property
    def bodies(self) -> list[Body]:
        """All of them, in the order of its parts."""
        with Turn(self._core):
            return [Body(self._core, api.sn_object_nth_body(self._pointer, i)) for i in range(self._info().body_count)]

    @property
    def triangles(self) -> np.ndarray:
        """Its surface, (n, 3): indices into its particles, from 0."""
        with Turn(self._core):
            info = self._info()
            return np.array(info.triangles[: 3 * info.triangle_count], np.uint32).reshape(-1, 3)

    @property
    def lines(self) -> np.ndarray:
        """(n, 2), likewise."""
        with Turn(self._core):
            info = self._info()
            return np.array(info.lines[: 2 * info.line_count], np.uint32).reshape(-1, 2)

    @property
    def skin(self) -> Skin | None:
        """What others collide with, if its surface is one."""
        skin = self._info().skin
        return Skin(self._core, skin) if skin.generation else None

    def __repr__(self) -> str:
        return f"<sinew.Object '{self.name}', {self.type}>"


class Moment:
    """A moment of a scene, to come back to: Scene.mark and Scene.go_back. It ends with the scene."""

    __slots__ = ("_core", "_pointer")

    def __init__(self, core: Core) -> None:
        self._core = core
        with Turn(core):
            self._pointer = core.call_scene(api.sn_scene_mark)
            if not self._pointer:
                raise Error("there is no memory for a moment of the scene", api.Result.ERROR_MEMORY)
            core.moments.add(self._pointer)

    @property
    def time(self) -> float:
        """s, as of Scene.time."""
        with Turn(self._core):
            if self._pointer not in self._core.moments:
                raise Error("the scene is closed")
            return api.sn_scene_moment_time(self._pointer)

    def __del__(self) -> None:
        core = self._core
        if getattr(self, "_pointer", None) in core.moments:
            core.moments.discard(self._pointer)
            api.sn_scene_moment_destroy(self._pointer)


class Scene:
    """A scene: a world, objects by name, and what happens to them by time.

    Scene("curtain") opens a scene of the package, Scene("my/scene.json") a file, Scene({...}) or text= what a dict or a text says. `set` changes it before it
    is built, as `sinew run --set`: set={"world.substeps": 20}. Errors name file, line, what was found and what was expected."""

    __slots__ = ("_core", "__weakref__")

    def __init__(self, name: str | os.PathLike | dict | None = None, *, text: str | dict | None = None, set: dict[str, Any] | None = None,
                 threads: int = 0, folder: str | os.PathLike | None = None, read_anywhere: bool = False) -> None:
        if isinstance(name, dict) and text is None:
            name, text = None, name
        if (name is None) == (text is None):
            raise TypeError("a scene has either a name or a text")
        core = Core("scene")
        changes = [f"{key}={json.dumps(value)}".encode() for key, value in (set or {}).items()]
        listed = (C.c_char_p * max(len(changes), 1))(*changes)
        made = api.sn_default_scene_def().update(threads=threads, read_anywhere=read_anywhere, set_count=len(changes))
        made.set, made.allocator, made.log = C.cast(listed, C.POINTER(C.c_char_p)), core.allocator, core.log.hook
        if folder is not None:
            made.folder = os.fsencode(folder)
        message, created = C.create_string_buffer(_MESSAGE), C.c_void_p()
        target = C.cast(C.byref(created), api.sn_scene_open.argtypes[2])
        if text is not None:
            words = (json.dumps(text) if isinstance(text, dict) else text).encode()
            result = api.sn_scene_open_text(b"text", words, len(words), C.byref(made), target, message, _MESSAGE)
        else:
            result = api.sn_scene_open(os.fsencode(_find(name)),  # type: ignore[arg-type]
                                       C.byref(made), target, message, _MESSAGE)
        words = message.value.decode(errors="replace").strip()
        if result:
            raise Error(words or core.log.failed or api.sn_result_text(result).decode(), api.Result(result))
        if words:
            _logger.warning("%s", words)
        core.scene, core.pointer = created.value, api.sn_scene_world(created.value)
        core.log.failed = None
        self._core = core

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Frees the scene and its world."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """Whether `close` has freed it."""
        return self._core.scene is None

    @property
    def world(self) -> World:
        """Its world, to use as any other; closing it closes the scene."""
        return World._of(self._core)

    def step(self, frames: int = 1) -> None:
        """Advances the scene by so many frames: what follows keyframes, forces, events, and a step of the world."""
        if frames < 0:
            raise ValueError(f"frames: found {frames}, expected 0 or more")
        for _ in range(frames):
            self._core.call_scene(api.sn_scene_step)

    def step_budget(self, budget: Budget) -> Answer:
        """One frame to a budget; see World.step_budget."""
        certificate = api.sn_certificate()
        with Turn(self._core):
            self._core.call_scene(api.sn_scene_step_budget, C.byref(budget.record), C.byref(certificate))
            return self.world._certificate(certificate)

    def mark(self) -> Moment:
        """This moment: the state of the world, and how far the scene is with its frames and events. (World.save knows only the world.)"""
        return Moment(self._core)

    def go_back(self, moment: Moment) -> None:
        """Puts the scene back to a moment of its own: the same bits follow as followed then."""
        if not isinstance(moment, Moment) or moment._core is not self._core:
            raise ValueError(f"go_back: found {moment!r}, expected a moment of this scene")
        self._core.call_scene(api.sn_scene_return, moment._pointer)

    @property
    def frame(self) -> int:
        """Frames taken so far."""
        return self._core.call_scene(api.sn_scene_frame)

    @property
    def time(self) -> float:
        """s, of those frames."""
        return self._core.call_scene(api.sn_scene_time)

    @property
    def info(self) -> Answer:
        """title, about, topic, frames, rate, warm_up: what the file says about itself."""
        with Turn(self._core):
            return Answer.of(self._core.call_scene(api.sn_scene_describe).plain())

    @property
    def objects(self) -> dict[str, Object]:
        """All objects by name."""
        found: dict[str, Object] = {}
        while pointer_ := self._core.call_scene(api.sn_scene_object, len(found)):
            made = Object(self._core, pointer_)
            found[made.name] = made
        return found

    def __getitem__(self, name: str) -> Object:
        found = self._core.call_scene(api.sn_scene_find_object, name.encode())
        if not found:
            raise KeyError(f"there is no object '{name}'; there are {', '.join(self.objects)}")
        return Object(self._core, found)

    def add(self, text: str | dict) -> None:
        """Adds what a text or a dict describes: objects, bodies, constraints, forces, motions, events, as in a scene file."""
        words = (json.dumps(text) if isinstance(text, dict) else text).encode()
        self._core.call_scene(api.sn_scene_extend_text, b"text", words, len(words))

    def save(self, path: str | os.PathLike) -> None:
        """Writes the scene as it is now, as a scene file."""
        self._core.call_scene(api.sn_scene_save_file, os.fsencode(path))

    # ---- Selectors: "rope.end", "cloth.top[0:5]", "crate", as in scene files

    def _found(self, handle: Any) -> Any:
        if not handle.generation:
            raise Error(self._core.scene_words())
        return handle

    def select(self, selector: str) -> list[Particle]:
        """The particles that a selector means."""
        count = self._core.call_scene(api.sn_scene_select, selector.encode(), 0, None)
        if not count:
            raise Error(self._core.scene_words())
        found = (api.sn_particle * count)()
        self._core.call_scene(api.sn_scene_select, selector.encode(), count, found)
        return [Particle(self._core, api.sn_particle.from_buffer_copy(one)) for one in found]

    def particle(self, selector: str) -> Particle:
        """The one particle that a selector means."""
        return Particle(self._core, self._found(self._core.call_scene(api.sn_scene_find_particle, selector.encode())))

    def body(self, selector: str) -> Body:
        """The one body that a selector means, such as "figure.left_hand"."""
        return Body(self._core, self._found(self._core.call_scene(api.sn_scene_find_body, selector.encode())))

    def constraint(self, selector: str) -> Constraint:
        """The one constraint that a selector means, such as "bridge.ropes[3]"; a Joint if it is one."""
        return constraint_of(self._core, self._found(self._core.call_scene(api.sn_scene_find_constraint, selector.encode())))

    def pin(self, selector: str) -> None:
        """Pins what a selector means where it is; release lets it go."""
        self._core.call_scene(api.sn_scene_pin_selected, selector.encode())

    def release(self, selector: str) -> None:
        """Lets go of what `pin`, or the scene, has pinned."""
        self._core.call_scene(api.sn_scene_release_selected, selector.encode())

    def cut(self, selector: str) -> None:
        """Removes the constraints that a selector means."""
        self._core.call_scene(api.sn_scene_cut, selector.encode())

    def __repr__(self) -> str:
        return "<sinew.Scene, closed>" if self.closed else f"<sinew.Scene '{self.info.title}', frame {self.frame}>"


def _find(name: str | os.PathLike) -> Path:
    """The file of a path, or of the name of a scene of the package."""
    path = Path(name)
    if path.exists() or path.name != str(name):
        return path
    if (SCENES / f"{path.name}.json").exists():
        return SCENES / f"{path.name}.json"
    raise Error(f"there is no file and no scene of the package '{name}'{did_you_mean(str(name), scene_names())}")
