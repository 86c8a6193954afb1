"""The world."""
from __future__ import annotations

import ctypes as C
import math
from typing import Any, Callable, Iterable, Iterator, Sequence

import numpy as np

from . import _api as api
from ._core import Core, Error, Turn, pointer, reals, vec3, whole_numbers
from ._records import Answer, choice, real
from ._things import (Body, Constraint, Constraints, Joint, Particle, Particles, Shape, Skin, Vector, constraint_def, kind_names,
                      constraint_of, kind_number, point, told)
from ._views import View, storage_numbers

FieldFunction = Callable[[Answer], Vector]


class Settings:
    """Settings of a world. Setting one of them changes the world at once; a name that is none is an error. `update` sets several
    together, and none of them if one is refused."""

    def __init__(self, core: Core, get: Any, put: Any) -> None:
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_get", get)
        object.__setattr__(self, "_put", put)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        values = self._core.call(self._get).plain()
        if name not in values:
            raise AttributeError(f"there is no setting '{name}'; there are {', '.join(values)}")
        return values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self.update(**{name: value})

    def update(self, **values: Any) -> None:
        """Sets several of them, or none if one is refused: update(substeps=10, iterations=2)."""
        record = self._core.call(self._get).update(**values)
        self._core.call(self._put, C.byref(record))

    def plain(self) -> dict[str, Any]:
        """All of them as a dict."""
        return self._core.call(self._get).plain()

    def __dir__(self) -> Iterable[str]:
        return [*self.plain(), "update", "plain"]

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.plain().items())})"


class Snapshot:
    """The state of a world at one moment. It may outlive the world."""

    __slots__ = ("_pointer", "_keep", "_functions")

    def __init__(self, core: Core, saved: int) -> None:
        self._pointer, self._keep, self._functions = saved, core.keep, list(core.functions)
        api.sn_python_keep_hold(self._keep)

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return api.sn_snapshot_size(self._pointer)

    def __copy__(self) -> "Snapshot":  # it never changes
        return self

    def __deepcopy__(self, _known: Any) -> "Snapshot":
        return self

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError("a snapshot is memory of this process and cannot be pickled; Scene.save writes a scene to a file")

    def __repr__(self) -> str:
        return f"<sinew.Snapshot of {self.size} bytes>"

    def __del__(self, destroy: Any = api.sn_snapshot_destroy, drop: Any = api.sn_python_keep_drop) -> None:
        destroy(self._pointer)
        drop(self._keep)


class World:
    """A world of particles, bodies and constraints.

    Keywords are settings (substeps=20, gravity=(0, 0, -9.81), integrator="leapfrog", ...: the fields of sn_settings), contact settings as
    a dict (contact={"sleep": True}: sn_contact_settings), and dimensions, threads and simd of sn_world_def. Units are SI.

    One thread at a time may use a world; a second one at the same moment gets an Error. `close`, or the end of a `with`, frees it."""

    __slots__ = ("_core", "__weakref__")

    def __init__(self, *, dimensions: int = 3, threads: int = 0, simd: str | int = "auto", contact: dict[str, Any] | None = None,
                 **settings: Any) -> None:
        made = api.sn_default_world_def()
        made.update(dimensions=dimensions, threads=threads, simd=simd)
        made.settings.update(**settings)
        made.contact.update(**(contact or {}))
        core = Core("world")
        made.allocator, made.log = core.allocator, core.log.hook
        created = C.c_void_p()
        result = api.sn_world_create(C.byref(made), C.cast(C.byref(created), _argument(api.sn_world_create, 1)))
        if result:
            raise Error(core.log.failed or api.sn_result_text(result).decode(), api.Result(result))
        core.pointer = created.value
        core.log.failed = None
        self._core = core

    @classmethod
    def _of(cls, core: Core) -> "World":
        world = cls.__new__(cls)
        world._core = core
        return world

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Frees the world. What is used of it afterwards gives an Error. Arrays that show its memory keep that, and nothing else, alive."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """Whether `close` has freed it."""
        return self._core.pointer is None

    def __repr__(self) -> str:
        if self.closed:
            return "<sinew.World, closed>"
        return f"<sinew.World of {len(self)} particles, {self.body_count} bodies, {self.constraint_count()} constraints>"

    # ---- Settings

    @property
    def settings(self) -> Settings:
        """How it is computed: world.settings.substeps = 20."""
        return Settings(self._core, api.sn_world_settings, api.sn_world_configure)

    @property
    def contact(self) -> Settings:
        """How things collide: world.contact.events = True."""
        return Settings(self._core, api.sn_world_contact_settings, api.sn_world_set_contact_settings)

    def group_contact(self, group: int) -> Settings:
        """How the particles and bodies of a group collide. `material` is a dict."""
        def get(world: int) -> Any:
            return api.sn_world_group_contact(world, group)

        def put(world: int, record: Any) -> int:
            return api.sn_world_set_group_contact(world, group, record)

        get.tells, put.tells = False, True  # type: ignore[attr-defined]
        return Settings(self._core, get, put)

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return self._core.call(api.sn_world_dimensions)

    @property
    def threads(self) -> int:
        """How many may step it. Results do not depend on it."""
        return self._core.call(api.sn_world_threads)

    @threads.setter
    def threads(self, value: int) -> None:
        self._core.call(api.sn_world_set_threads, value)

    # ---- Time

    def step(self, dt: float = 1 / 60, count: int = 1) -> None:
        """Advances the world by `count` steps of dt seconds. A step that fails has not happened."""
        if count < 0:
            raise ValueError(f"count: found {count}, expected 0 or more")
        call, step = self._core.call, api.sn_world_step
        for _ in range(count):
            call(step, dt)

    def step_budget(self, dt: float = 1 / 60, budget: "Budget | None" = None) -> Answer:
        """A step with as many substeps as a budget says; the answer is its certificate: what it was made of and how good it is."""
        if budget is None:
            budget = Budget()
        certificate = api.sn_certificate()
        with Turn(self._core):
            self._core.call(api.sn_world_step_budget, real(dt, "dt"), C.byref(budget.record), C.byref(certificate))
            return self._certificate(certificate)

    def _certificate(self, certificate: api.sn_certificate) -> Answer:
        answer = told(self._core, certificate)
        answer["report"] = self._report(certificate.report)
        return answer

    def relax(self, **how: Any) -> Answer:
        """Runs the world until it rests, and leaves it there: sn_relax_def has the keywords. The answer says whether it does, in `rested`."""
        made, info = api.sn_default_relax_def().update(**how), api.sn_relax_info()
        self._core.call(api.sn_world_relax, C.byref(made), C.byref(info))
        return Answer.of(info.plain())

    @property
    def time(self) -> float:
        """s, simulated so far."""
        return self._core.call(api.sn_world_time)

    @property
    def hash(self) -> int:
        """Of everything that decides the future: equal states have equal ones, on every machine."""
        return self._core.call(api.sn_world_hash)

    def report(self) -> Answer:
        """How well the last step went: energies, momenta, and by kind how far constraints are from holding."""
        record = api.sn_report()
        with Turn(self._core):
            self._core.call(api.sn_world_report, C.byref(record))
            return self._report(record)

    def _report(self, record: api.sn_report) -> Answer:
        answer = Answer.of(record.plain())
        answer["kinds"] = {kind.name.decode(): told(self._core, kind) for kind in record.kinds[: record.kind_count]}
        return answer

    @property
    def energy(self) -> float:
        """J: kinetic, potential and elastic."""
        report = self.report()
        return report.kinetic + report.potential + report.elastic

    def save(self) -> Snapshot:
        """The state as it is now."""
        with Turn(self._core):
            return Snapshot(self._core, self._core.call(api.sn_world_save))

    def load(self, snapshot: Snapshot) -> None:
        """Puts the world back: the same bits follow as followed then. Views die."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"load: found {snapshot!r}, expected a Snapshot")
        self._core.call(api.sn_world_load, snapshot._pointer)
        self._core.functions += [function for function in snapshot._functions if function not in self._core.functions]

    # ---- Particles

    def __len__(self) -> int:
        return self._core.call(api.sn_world_particle_count)

    def add_particle(self, position: Vector = (0, 0, 0), mass: float = 1, **more: Any) -> Particle:
        """One particle; mass math.inf: nothing moves it. More: velocity, radius, group, user."""
        made = api.sn_default_particle_def().update(position=position, mass=mass, **more)
        particle = api.sn_particle()
        self._core.call(api.sn_particle_add, C.byref(made), C.byref(particle))
        return Particle(self._core, particle)

    def add_particles(self, positions: Any, mass: float = 1, **more: Any) -> Particles:
        """Particles at these places, (n, 3), all of the same mass, velocity, radius, group and user."""
        made = api.sn_default_particle_def().update(mass=mass, **more)
        rows = reals(positions, 3, "positions")
        run = self._core.call(api.sn_particles_add_like, C.byref(made), len(rows), pointer(rows, api.sn_real), 0)
        return Particles(self._core, run)

    def particle(self, index: int) -> Particle:
        """The live particle with this number."""
        return Particle(self._core, self._core.call(api.sn_particle_from_index, index))

    @property
    def positions(self) -> View:
        """m, (n, 3): the engine's own memory. See View."""
        return View.of(self._core, "positions")

    @positions.setter
    def positions(self, value: Any) -> None:
        self._write_all("positions", value)

    @property
    def velocities(self) -> View:
        """m/s, (n, 3): likewise."""
        return View.of(self._core, "velocities")

    @velocities.setter
    def velocities(self, value: Any) -> None:
        self._write_all("velocities", value)

    def _write_all(self, what: str, value: Any) -> None:
        if not isinstance(value, View) or value._core is not self._core:  # positions += ... has written already
            View.of(self._core, what)[...] = value

    @property
    def numbers(self) -> np.ndarray:
        """Which particle each row of `positions` is at this moment, (n,): its number. The engine's own memory; it dies as views do."""
        return storage_numbers(self._core)

    # ---- Bodies

    def add_body(self, shapes: Shape | Sequence[Shape] = (), *, vertices: Any = None, triangles: Any = None, **fields: Any) -> Body:
        """A body: fields are those of sn_body_def: type="static", position, rotation, velocity, spin, density, mass, group, user, ..."""
        shapes = [shapes] if isinstance(shapes, Shape) else list(shapes)
        records = (api.sn_shape_def * max(len(shapes), 1))(*(shape.record for shape in shapes))
        made = api.sn_default_body_def().update(**fields)
        if shapes:
            made.shapes, made.shape_count = C.cast(records, C.POINTER(api.sn_shape_def)), len(shapes)
        if vertices is not None:
            rows = reals(vertices, 3, "vertices")
            corners = whole_numbers(triangles if triangles is not None else [], "triangles").reshape(-1, 3)
            made.vertices, made.vertex_count = pointer(rows, api.sn_vec3), len(rows)
            made.triangles, made.triangle_count = pointer(corners, C.c_uint32), len(corners)
        body = api.sn_body()
        self._core.call(api.sn_body_add, C.byref(made), C.byref(body))
        return Body(self._core, body)

    def add_sphere(self, position: Vector, radius: float, **fields: Any) -> Body:
        """A ball, dynamic unless type says otherwise; fields as of add_body."""
        return self.add_body(Shape("sphere", radius=radius), position=position, **fields)

    def add_box(self, position: Vector, half: Vector, **fields: Any) -> Body:
        """A box of half these edges."""
        return self.add_body(Shape("box", half=half), position=position, **fields)

    def add_capsule(self, position: Vector, half_length: float, radius: float, **fields: Any) -> Body:
        """A capsule along y of its frame: its round ends have their centres half_length above and below the position."""
        return self.add_body(Shape("capsule", half=(radius, half_length, radius), radius=radius), position=position, **fields)

    def add_cylinder(self, position: Vector, half_length: float, radius: float, **fields: Any) -> Body:
        """A cylinder along y of its frame, half_length above and below the position."""
        return self.add_body(Shape("cylinder", half=(radius, half_length, radius), radius=radius), position=position, **fields)

    def add_plane(self, position: Vector = (0, 0, 0), normal: Vector = (0, 1, 0), **fields: Any) -> Body:
        """The ground: a static plane."""
        turn = api.sn_quat_facing(vec3(normal, "normal"))
        return self.add_body(Shape("plane"), type=fields.pop("type", "static"), position=position, rotation=turn, **fields)

    @property
    def body_count(self) -> int:
        """How many bodies there are, static ones included."""
        return self._core.call(api.sn_world_body_count)

    @property
    def bodies(self) -> list[Body]:
        """All of them, by number."""
        found, count, i = [], self.body_count, 0
        while len(found) < count:
            try:
                found.append(Body(self._core, self._core.call(api.sn_body_from_index, i)))
            except Error:
                pass  # a free number
            i += 1
        return found

    # ---- Constraints

    def add_constraint(self, kind: str | int, *points: Any, **parameters: Any) -> Constraint:
        """A constraint of a kind by its name, "distance" or "pin", between points: particles, bodies, places, or what on_body and others make.
        Parameters by name as docs/constraints.md lists them; one that is left out is measured. Also compliance, damping, stiffness, user."""
        number_of = kind_number(self._core, kind)
        made = constraint_def(self._core, number_of, parameters)
        listed = (api.sn_point * max(len(points), 1))(*(point(self._core, value) for value in points))
        wanted = self._core.call(api.sn_kind_info, number_of).contents.points
        if wanted and wanted != len(points):
            raise ValueError(f"points of '{kind}': found {len(points)}, expected {wanted}")
        made.points, made.point_count = C.cast(listed, C.POINTER(api.sn_point)), len(points)
        constraint = api.sn_constraint()
        self._core.call(api.sn_constraint_add, C.byref(made), C.byref(constraint))
        return Constraint(self._core, constraint)

    def add_constraints(self, kind: str | int, index: Any, params: Any = None, **parameters: Any) -> Constraints:
        """Many of one kind: index is (n, points) numbers of particles, as Particles.numbers has them. params is (n, numbers), what each has of its
        own; otherwise all have the same, by name, or measure."""
        number_of = kind_number(self._core, kind)
        info = self._core.call(api.sn_kind_info, number_of).contents
        made = constraint_def(self._core, number_of, parameters)
        corners = whole_numbers(index, "index")
        if not info.points:
            raise ValueError(f"kind: '{info.name.decode()}' has any number of points; add them one by one with add_constraint")
        if corners.ndim == 1 and info.points == 1:
            corners = corners.reshape(-1, 1)
        if corners.ndim != 2 or corners.shape[1] != info.points:
            raise ValueError(f"index: found an array of shape {corners.shape}, expected (n, {info.points})")
        rows = None
        if params is not None:
            rows = np.asarray(params)
            rows = reals(rows.reshape(-1, 1) if rows.ndim == 1 else rows, api.sn_kind_param_count(C.byref(info)), "params")
            if len(rows) != len(corners):
                raise ValueError(f"params: found {len(rows)} rows, expected {len(corners)}")
        run = api.sn_constraints()
        self._core.call(api.sn_constraints_add, C.byref(made), len(corners), pointer(corners, C.c_uint32),
                        pointer(rows, api.sn_real), C.byref(run))
        return Constraints(self._core, run)

    def add_joint(self, kind: str | int, a: Body | None, b: Body | None, anchor: Vector, **fields: Any) -> Joint:
        """A joint, "ball", "hinge", "slider", "fixed", ..., of two bodies, or of one and the world (None), at a place in the world. Fields are
        those of sn_joint_def: axis, least, most, target, speed, speed_most, friction, strength, ..."""
        made = api.sn_default_joint_def(kind_number(self._core, kind, "joint_")).update(anchor=anchor, **fields)
        for name, body in (("a", a), ("b", b)):
            if body is None:
                continue
            if not isinstance(body, Body):
                raise TypeError(f"{name}: found {body!r}, expected a Body or None")
            if body._core is not self._core:
                raise ValueError(f"{name}: {body!r} belongs to another world")
            setattr(made, name, body._handle)
        return Joint(self._core, self._core.call(api.sn_joint_add, C.byref(made)))

    def constraint_count(self, kind: str | int | None = None) -> int:
        """How many there are, of one kind or of all."""
        return self._core.call(api.sn_world_constraint_count, 0 if kind is None else kind_number(self._core, kind))

    @property
    def constraints(self) -> Iterator[Constraint]:
        """All of them, in the order in which they were added. Adding or removing something ends the walk."""
        walk = api.sn_constraint_walk()
        while self._core.call(api.sn_constraint_next, C.byref(walk)):
            handle = api.sn_constraint.from_buffer_copy(walk.constraint)
            yield constraint_of(self._core, handle)

    @property
    def kinds(self) -> list[str]:
        """The names of all kinds of constraints."""
        return kind_names(self._core)

    # ---- Skins, drags, fields

    def add_skin(self, triangles: Any, segments: Any = (), **fields: Any) -> Skin:
        """A mesh of triangles between particles, (n, 3) of their numbers, that others collide with, and of segments, (n, 2), which are round: ropes.
        Fields: thickness, one_sided, self_collision, user."""
        corners = whole_numbers(triangles, "triangles").reshape(-1, 3)
        ends = whole_numbers(segments, "segments").reshape(-1, 2)
        made = api.sn_default_skin_def().update(**fields)
        made.triangles, made.triangle_count = pointer(corners, C.c_uint32), len(corners)
        made.segments, made.segment_count = pointer(ends, C.c_uint32), len(ends)
        skin = api.sn_skin()
        self._core.call(api.sn_skin_add, C.byref(made), C.byref(skin))
        return Skin(self._core, skin)

    def add_drag(self, form: str | int = "rate", **fields: Any) -> int:
        """What takes velocity away: sn_drag_def has the fields. Its number, for remove_drag."""
        made, found = api.sn_default_drag_def().update(form=form, **fields), C.c_uint32()
        self._core.call(api.sn_drag_add, C.byref(made), C.byref(found))
        return found.value

    def remove_drag(self, drag: int) -> None:
        """Removes what add_drag added."""
        self._core.call(api.sn_drag_remove, drag)

    def add_field(self, function: FieldFunction) -> int:
        """A force field: function(particle) returns newtons, of a record with position, velocity, mass, index, group, user, time. It is called for
        every particle in every substep, which takes microseconds each: for small worlds. Its number, for remove_field."""
        core = self._core

        def ask(_context: Any, seen: Any, force: Any) -> None:
            found = vec3(function(Answer(seen.contents.plain())), "force")
            force[0] = found

        def spoil(_context: Any, _seen: Any, force: Any) -> None:
            force[0] = api.sn_vec3(math.nan, 0, 0)

        record = api.sn_python_field(api.sn_python_field_fn(core.guard(ask, spoil)), None)
        core.functions.append(record)
        found = C.c_uint32()
        core.call(api.sn_python_field_add, C.byref(record), C.byref(found))
        return found.value

    def remove_field(self, field: int) -> None:
        """Removes what add_field added."""
        self._core.call(api.sn_field_remove, field)

    # ---- Queries

    def _filter(self, what: Any, mask: int, category: int) -> api.sn_query_filter:
        made = api.sn_default_query_filter()
        if what is not None:
            names = what if isinstance(what, (list, tuple, set)) else [what]
            bits = 0
            for name in names:
                bits |= choice(name, api.QueryWhat, "what")
            made.what = bits
        return made.update(mask=mask, category=category)

    def ray(self, origin: Vector, direction: Vector, length: float = math.inf, *, what: Any = None, mask: int = 0xFFFFFFFF,
            category: int = 0) -> Answer | None:
        """The first thing that a ray meets: point, normal, distance and particle, skin or body; None if it meets nothing. what: "particles", "skins",
        "statics", "sensors", "bodies", or a list of them."""
        hit = api.sn_hit()
        met = self._core.call(api.sn_query_ray, vec3(origin, "origin"), vec3(direction, "direction"), real(length, "length"),
                              self._filter(what, mask, category), C.byref(hit))
        return told(self._core, hit) if met else None

    def rays(self, origins: Any, directions: Any, length: float = math.inf, *, what: Any = None, mask: int = 0xFFFFFFFF,
             category: int = 0) -> np.ndarray:
        """The distances, (n,), at which many rays first meet something; infinite: nothing."""
        directions = reals(directions, 3, "directions")
        rays = np.empty((len(directions), 7), np.float32)
        rays[:, 0:3], rays[:, 3:6], rays[:, 6] = reals(origins, 3, "origins"), directions, real(length, "length")
        hits = (api.sn_hit * len(rays))()
        self._core.call(api.sn_query_rays, pointer(rays, api.sn_ray), len(rays), self._filter(what, mask, category), hits)
        return np.array([hit.distance if any((hit.particle.generation, hit.skin.generation, hit.body.generation)) else math.inf
                         for hit in hits], np.float32)

    def shape_cast(self, shape: Shape, direction: Vector, length: float = math.inf, *, what: Any = None, mask: int = 0xFFFFFFFF,
                   category: int = 0) -> Answer | None:
        """The first thing that a convex shape meets on a straight path, from its own position and rotation in the world; None if it meets nothing."""
        hit = api.sn_hit()
        met = self._core.call(api.sn_query_shape_cast, C.byref(shape.record), vec3(direction, "direction"), real(length, "length"),
                              self._filter(what, mask, category), C.byref(hit))
        return told(self._core, hit) if met else None

    def shape_overlap(self, shape: Shape, *, what: Any = None, mask: int = 0xFFFFFFFF, category: int = 0) -> list[Answer]:
        """All that a convex shape touches, at its own position and rotation in the world; distance is minus the depth."""
        arguments = C.byref(shape.record), self._filter(what, mask, category)
        count = self._core.call(api.sn_query_shape_overlap, *arguments, None, 0)
        hits = (api.sn_hit * max(count, 1))()
        self._core.call(api.sn_query_shape_overlap, *arguments, hits, count)
        return [told(self._core, hit) for hit in hits[:count]]

    def overlap(self, centre: Vector, radius: float, *, what: Any = None, mask: int = 0xFFFFFFFF, category: int = 0) -> list[Answer]:
        """All that a ball touches."""
        arguments = vec3(centre, "centre"), real(radius, "radius"), self._filter(what, mask, category)
        count = self._core.call(api.sn_query_overlap, *arguments, None, 0)
        hits = (api.sn_hit * max(count, 1))()
        self._core.call(api.sn_query_overlap, *arguments, hits, count)
        return [told(self._core, hit) for hit in hits[:count]]

    def closest(self, place: Vector, reach: float = math.inf, *, what: Any = None, mask: int = 0xFFFFFFFF, category: int = 0) -> Answer | None:
        """The nearest surface within reach; None if there is none."""
        hit = api.sn_hit()
        found = self._core.call(api.sn_query_closest, vec3(place, "place"), real(reach, "reach"), self._filter(what, mask, category),
                                C.byref(hit))
        return told(self._core, hit) if found else None

    # ---- Events

    def events(self) -> list[Answer]:
        """Contacts that began, went on and ended in the last step; with world.contact.events on."""
        count = C.c_uint32()
        with Turn(self._core):
            found = self._core.call(api.sn_world_contact_events, C.byref(count))
            return [told(self._core, event) for event in found[: count.value]] if found else []

    def broken(self) -> list[Answer]:
        """Constraints that broke in the last step."""
        count = C.c_uint32()
        with Turn(self._core):
            found = self._core.call(api.sn_world_broken, C.byref(count))
            return [told(self._core, one) for one in found[: count.value]] if found else []

    # ---- Tearing and cutting

    def cut(self, blade: str | int, **fields: Any) -> Answer:
        """Cuts what a blade meets, "segment", "triangle" or "plane": a, b, to_a, to_b, one_group, group, edges_only as sn_cut_def has them. The answer says what
        was inserted, split and removed, and how many left groups."""
        made, info = api.sn_default_cut_def().update(blade=blade, **fields), api.sn_cut_info()
        self._core.call(api.sn_world_cut, C.byref(made), C.byref(info))
        return Answer.of(info.plain())

    def set_tear_function(self, function: Callable[[Answer], Any] | None) -> None:
        """Called before something tears or is cut, with what tears() would tell of it: where it returns something false, it holds. It may read the
        world. What it raises, the step or the cut raises, in which nothing more has torn then. None: no function, as at first."""
        core = self._core
        made = api.sn_tear_fn() if function is None else api.sn_tear_fn(
            core.guard(lambda _context, tear: bool(function(told(core, tear.contents))), lambda *_: False))
        core.functions.append(made)
        core.call(api.sn_world_set_tear_function, made, None)

    def tears(self) -> list[Answer]:
        """What came apart in the last step, or in a cut since."""
        count = C.c_uint32()
        with Turn(self._core):
            found = self._core.call(api.sn_world_tears, C.byref(count))
            return [told(self._core, one) for one in found[: count.value]] if found else []

    def tear_copies(self) -> list[Answer]:
        """The constraints that came by these: made, and its parent, which it was made like."""
        count = C.c_uint32()
        with Turn(self._core):
            found = self._core.call(api.sn_world_tear_copies, C.byref(count))
            return [told(self._core, one) for one in found[: count.value]] if found else []


class Budget:
    """How long a step may take, or how wrong it may be: seconds, relative, metres, least_substeps, most_substeps, most_iterations. It learns from
    step to step, so keep one for a world."""

    def __init__(self, **fields: Any) -> None:
        object.__setattr__(self, "record", api.sn_default_budget().update(**fields))

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "record"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.record, name, value)

    def __repr__(self) -> str:
        return f"Budget({', '.join(f'{name}={value!r}' for name, value in self.record.plain().items())})"


def _argument(function: Any, i: int) -> Any:
    return function.argtypes[i]
