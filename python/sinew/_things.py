"""What is in a world: particles, bodies, constraints, skins, by handles."""
from __future__ import annotations

import ctypes as C
from typing import Any, Iterator, Sequence, Union, overload

import numpy as np

from . import _api as api
from ._core import Core, Turn, number, pointer, quat, reals, vec3, whole_numbers
from ._records import Answer, choice, did_you_mean, real
from ._views import RunView, storage_rows

Vector = Union[Sequence[float], np.ndarray]  # three numbers


class Thing:
    """Something in a world, known by a handle. It is stale, and every use of it an Error, once the thing is removed."""

    __slots__ = ("_core", "_handle")
    _valid: Any = None

    def __init__(self, core: Core, handle: Any) -> None:
        self._core, self._handle = core, handle

    def _get(self, function: Any, *arguments: Any) -> Any:
        return self._core.call(function, self._handle, *arguments)

    @property
    def index(self) -> int:
        """Its number, which does not change while it lives."""
        return self._handle.index

    @property
    def alive(self) -> bool:
        """Whether it is still there."""
        return bool(self._get(self._valid))

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and other._core is self._core and other._handle == self._handle

    def __hash__(self) -> int:
        return hash((type(self).__name__, *self._handle))

    def __repr__(self) -> str:
        return f"<sinew.{type(self).__name__} {self._handle.index}>"


def _array(value: Any) -> np.ndarray:
    """A vector that was read, as an array of its own, which cannot be written to: set the property instead."""
    array = np.array(tuple(value), np.float32)
    array.flags.writeable = False
    return array


def _place(i: int, count: int, what: str) -> int:
    """An index, from the end if negative."""
    try:
        at = i.__index__()
    except AttributeError:
        raise TypeError(f"an index of {what}: found {i!r}, expected a whole number") from None
    at += count if at < 0 else 0
    if not 0 <= at < count:
        raise IndexError(f"there are {count} {what}; found {i}")
    return at


class Particle(Thing):
    """A point with mass."""

    __slots__ = ()
    _valid = api.sn_particle_is_valid

    @property
    def position(self) -> np.ndarray:
        """m. Setting it teleports the particle; its velocity stays."""
        return _array(self._get(api.sn_particle_position))

    @position.setter
    def position(self, value: Vector) -> None:
        self._get(api.sn_particle_set_position, vec3(value, "position"))

    @property
    def velocity(self) -> np.ndarray:
        """m/s."""
        return _array(self._get(api.sn_particle_velocity))

    @velocity.setter
    def velocity(self, value: Vector) -> None:
        self._get(api.sn_particle_set_velocity, vec3(value, "velocity"))

    @property
    def load(self) -> np.ndarray:
        """N: all constraints together in the last substep; of a particle that cannot move, what it holds."""
        return _array(self._get(api.sn_particle_load))

    @property
    def mass(self) -> float:
        """kg; math.inf: nothing moves it."""
        return self._get(api.sn_particle_mass)

    @mass.setter
    def mass(self, value: float) -> None:
        self._get(api.sn_particle_set_mass, real(value, "mass"))

    @property
    def radius(self) -> float:
        """m."""
        return self._get(api.sn_particle_radius)

    @radius.setter
    def radius(self, value: float) -> None:
        self._get(api.sn_particle_set_radius, real(value, "radius"))

    @property
    def group(self) -> int:
        """The object that it belongs to."""
        return self._get(api.sn_particle_group)

    @group.setter
    def group(self, value: int) -> None:
        self._get(api.sn_particle_set_group, value)

    @property
    def user(self) -> int:
        """A number of yours."""
        return self._get(api.sn_particle_user)

    @user.setter
    def user(self, value: int) -> None:
        self._get(api.sn_particle_set_user, value)

    @property
    def body(self) -> "Body | None":
        """The body whose centre of mass it is."""
        body = self._get(api.sn_particle_body)
        return Body(self._core, body) if body.generation else None

    @property
    def awake(self) -> bool:
        """False while it sleeps."""
        return bool(self._get(api.sn_particle_is_awake))

    def wake(self) -> None:
        """Wakes it and its island."""
        self._get(api.sn_particle_wake)

    def apply_force(self, force: Vector) -> None:
        """N, during the whole next step."""
        self._get(api.sn_particle_apply_force, vec3(force, "force"))

    def apply_impulse(self, impulse: Vector) -> None:
        """N s, at once."""
        self._get(api.sn_particle_apply_impulse, vec3(impulse, "impulse"))

    def move_to(self, position: Vector) -> None:
        """During the next step it goes there evenly, whatever its mass."""
        self._get(api.sn_particle_move_to, vec3(position, "position"))

    def remove(self) -> None:
        """Removes it and every constraint that holds it."""
        self._get(api.sn_particle_remove)


class Particles:
    """A run of particles that were added together, with consecutive numbers. A slice of it is a run, too."""

    __slots__ = ("_core", "_run")

    def __init__(self, core: Core, run: api.sn_particles) -> None:
        self._core, self._run = core, run

    def __len__(self) -> int:
        return self._run.count

    @overload
    def __getitem__(self, i: int) -> Particle: ...

    @overload
    def __getitem__(self, i: slice) -> "Particles": ...

    def __getitem__(self, i: int | slice) -> "Particle | Particles":
        if isinstance(i, slice):
            first, end, step = i.indices(len(self))
            if step != 1:
                raise ValueError(f"a slice of a run is a run: found a step of {step}, expected 1")
            return Particles(self._core, api.sn_particles(self._run.first + first, max(end - first, 0), self._run.generation))
        at = _place(i, len(self), "particles")
        return Particle(self._core, api.sn_particle(self._run.first + at, self._run.generation))

    def __iter__(self) -> Iterator[Particle]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<sinew.Particles {self._run.first} to {self._run.first + self._run.count - 1}>"

    @property
    def numbers(self) -> np.ndarray:
        """Their numbers, which constraints in bulk and skins take."""
        return np.arange(self._run.first, self._run.first + self._run.count, dtype=np.uint32)

    @property
    def rows(self) -> np.ndarray:
        """In which row of World.positions each of them is at this moment."""
        return storage_rows(self._core, self.numbers)

    @property
    def positions(self) -> RunView:
        """m, (n, 3). A window: it shows what is there whenever it is read, and writing to it moves the particles."""
        return RunView(self._core, self._run, "positions")

    @positions.setter
    def positions(self, value: Any) -> None:
        if not (isinstance(value, RunView) and value._run == self._run):  # positions += ... has written already
            self._write(api.sn_particles_write_positions, value, "positions")

    @property
    def velocities(self) -> RunView:
        """m/s, (n, 3); a window likewise."""
        return RunView(self._core, self._run, "velocities")

    @velocities.setter
    def velocities(self, value: Any) -> None:
        if not (isinstance(value, RunView) and value._run == self._run):
            self._write(api.sn_particles_write_velocities, value, "velocities")

    def _write(self, function: Any, value: Any, what: str) -> None:
        if not len(self):
            return
        rows = reals(np.broadcast_to(np.asarray(value, np.float64), (len(self), 3)), 3, what)
        self._core.call(function, self._run, pointer(rows, api.sn_real), 0)

    @property
    def inverse_masses(self) -> np.ndarray:
        """1/kg, (n,); 0: nothing moves it. A copy; setting the property changes the masses."""
        array = np.empty(len(self), np.float32)
        self._core.call(api.sn_particles_read_inverse_masses, self._run, pointer(array, api.sn_real), 0)
        array.flags.writeable = False
        return array

    @inverse_masses.setter
    def inverse_masses(self, value: Any) -> None:
        rows = np.ascontiguousarray(np.broadcast_to(np.asarray(value, np.float32), (len(self),)))
        self._core.call(api.sn_particles_write_inverse_masses, self._run, pointer(rows, api.sn_real), 0)

    def remove(self) -> None:
        """Removes all of them, and the constraints that hold them."""
        self._core.call(api.sn_particles_remove, self._run)


class Body(Thing):
    """A rigid body: dynamic, static or kinematic."""

    __slots__ = ()
    _valid = api.sn_body_is_valid

    @property
    def type(self) -> api.BodyType:
        """Dynamic, static or kinematic."""
        return api.BodyType(self._get(api.sn_body_type_of))

    @property
    def particle(self) -> Particle | None:
        """The particle at its centre of mass, if it has one."""
        particle = self._get(api.sn_body_particle)
        return Particle(self._core, particle) if particle.generation else None

    @property
    def position(self) -> np.ndarray:
        """m, of its own frame. Setting it teleports the body."""
        return _array(self._get(api.sn_body_position))

    @position.setter
    def position(self, value: Vector) -> None:
        self._get(api.sn_body_set_pose, vec3(value, "position"), self._get(api.sn_body_rotation))

    @property
    def rotation(self) -> np.ndarray:
        """x, y, z, w; w is the real part."""
        return _array(self._get(api.sn_body_rotation))

    @rotation.setter
    def rotation(self, value: Vector) -> None:
        self._get(api.sn_body_set_pose, self._get(api.sn_body_position), quat(value))

    @property
    def velocity(self) -> np.ndarray:
        """m/s, of the centre of mass."""
        return _array(self._get(api.sn_body_velocity))

    @velocity.setter
    def velocity(self, value: Vector) -> None:
        self._get(api.sn_body_set_velocity, vec3(value, "velocity"), self._get(api.sn_body_spin))

    @property
    def spin(self) -> np.ndarray:
        """rad/s, axis times rate."""
        return _array(self._get(api.sn_body_spin))

    @spin.setter
    def spin(self, value: Vector) -> None:
        self._get(api.sn_body_set_velocity, self._get(api.sn_body_velocity), vec3(value, "spin"))

    @property
    def centre(self) -> np.ndarray:
        """m: of mass, in the world."""
        return _array(self._get(api.sn_body_centre))

    @property
    def angular_momentum(self) -> np.ndarray:
        """kg m^2/s, about its centre of mass."""
        return _array(self._get(api.sn_body_angular_momentum))

    @property
    def mass(self) -> float:
        """kg; math.inf: nothing moves it."""
        return self._get(api.sn_body_mass)

    @mass.setter
    def mass(self, value: float) -> None:
        self._get(api.sn_body_set_mass, real(value, "mass"))

    @property
    def group(self) -> int:
        """The object that it belongs to."""
        return self._get(api.sn_body_group)

    @group.setter
    def group(self, value: int) -> None:
        self._get(api.sn_body_set_group, value)

    @property
    def user(self) -> int:
        """A number of yours."""
        return self._get(api.sn_body_user)

    @user.setter
    def user(self, value: int) -> None:
        self._get(api.sn_body_set_user, value)

    @property
    def awake(self) -> bool:
        """False while it sleeps."""
        return bool(self._get(api.sn_body_is_awake))

    def wake(self) -> None:
        """Wakes it and its island."""
        self._get(api.sn_body_wake)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """m: the corners of a box along the axes of the world around all its shapes."""
        low, high = api.sn_vec3(), api.sn_vec3()
        self._get(api.sn_body_bounds, C.byref(low), C.byref(high))
        return _array(low), _array(high)

    def read(self) -> Answer:
        """What it is now, as the fields of sn_body_def: mass, moments, axes, centre, spin_damping, ... Its shapes are not in it."""
        record = api.sn_body_def()
        with Turn(self._core):
            self._get(api.sn_body_read, C.byref(record))
            return told(self._core, record)

    def set_material(self, shape: int = 0, **fields: Any) -> None:
        """The material of one of its shapes: static_friction, restitution, ... as sn_contact_material; none of them: that of its group."""
        material = C.byref(api.sn_default_contact_material().update(**fields)) if fields else None
        self._get(api.sn_body_set_material, shape, material)

    def set_filter(self, shape: int = 0, **fields: Any) -> None:
        """What one of its shapes collides with: category, mask; none of them: that of its group."""
        self._get(api.sn_body_set_filter, shape, C.byref(api.sn_default_filter().update(**fields)) if fields else None)

    def set_spin_damping(self, damping: float) -> None:
        """1/s: its spin decays at this rate."""
        self._get(api.sn_body_set_spin_damping, real(damping, "damping"))

    def velocity_at(self, place: Vector) -> np.ndarray:
        """m/s: of its point that is now at this place in the world."""
        return _array(self._get(api.sn_body_velocity_at, vec3(place, "place")))

    def to_world(self, place: Vector) -> np.ndarray:
        """m: a place of its own frame, in the world."""
        return _array(self._get(api.sn_body_to_world, vec3(place, "place")))

    def to_own(self, place: Vector) -> np.ndarray:
        """m: a place in the world, in its own frame."""
        return _array(self._get(api.sn_body_to_own, vec3(place, "place")))

    def move_to(self, position: Vector, rotation: Vector = (0, 0, 0, 1)) -> None:
        """During the next step it goes there evenly, and pushes what is in its way."""
        self._get(api.sn_body_move_to, vec3(position, "position"), quat(rotation))

    def apply_force(self, force: Vector, place: Vector | None = None) -> None:
        """N, during the next step, at a place in the world; None: at the centre of mass."""
        at = self._get(api.sn_body_centre) if place is None else vec3(place, "place")
        self._get(api.sn_body_apply_force, vec3(force, "force"), at)

    def apply_torque(self, torque: Vector) -> None:
        """N m, during the next step."""
        self._get(api.sn_body_apply_torque, vec3(torque, "torque"))

    def apply_impulse(self, impulse: Vector, place: Vector | None = None) -> None:
        """N s, at once."""
        at = self._get(api.sn_body_centre) if place is None else vec3(place, "place")
        self._get(api.sn_body_apply_impulse, vec3(impulse, "impulse"), at)

    def apply_angular_impulse(self, impulse: Vector) -> None:
        """N m s, at once."""
        self._get(api.sn_body_apply_angular_impulse, vec3(impulse, "impulse"))

    def remove(self) -> None:
        """Removes it, its particle, and every constraint that holds it."""
        self._get(api.sn_body_remove)


class Constraint(Thing):
    """What holds points together: a rod, a pin, a joint, ..."""

    __slots__ = ()
    _valid = api.sn_constraint_is_valid

    @property
    def kind(self) -> str:
        """Its name, such as "distance"."""
        return self._core.call(api.sn_kind_info, self._handle.kind).contents.name.decode()

    @property
    def force(self) -> float:
        """N (N m of angles): what it exerted in the last substep, of all rows together."""
        return self._get(api.sn_constraint_force).magnitude

    @property
    def forces(self) -> np.ndarray:
        """The same by row, with signs: a stretched rod pulls with a negative one."""
        force = self._get(api.sn_constraint_force)
        return np.array(force.row[: force.rows], np.float32)

    def force_on(self, point: int) -> np.ndarray:
        """N, on one of its points, as positions are now."""
        return _array(self._get(api.sn_constraint_force_on, point))

    @property
    def value(self) -> np.ndarray:
        """C as positions are now, a number for each row."""
        values = (api.sn_real * api.SN_MAX_ROWS)()
        self._get(api.sn_constraint_value, values)
        rows = self._core.call(api.sn_kind_info, self._handle.kind).contents.rows
        return np.array(values[:rows], np.float32)

    def read(self) -> Answer:
        """Its parameters by name, as set takes them, with compliance, damping, stiffness and user."""
        record, points = api.sn_constraint_def(), (api.sn_point * 1)()
        with Turn(self._core):
            count = self._get(api.sn_constraint_point_count)
            points = (api.sn_point * max(count, 1))()
            self._get(api.sn_constraint_read, C.byref(record), points, count)
            values, at = {}, 0
            for name, size in params_of(self._core, self._handle.kind).items():
                values[name] = record.param[at] if size == 1 else tuple(record.param[at : at + size])
                at += size
        values.update(compliance=record.compliance, damping=record.damping, stiffness=record.stiffness, user=record.user)
        return Answer(values)

    def set(self, **parameters: Any) -> None:
        """Sets parameters by name: rest=0.5, target=(0, 1, 0); None measures anew. Also compliance and damping, together, and stiffness."""
        if "compliance" in parameters or "damping" in parameters:
            material = api.sn_material(real(parameters.pop("compliance", 0), "compliance"), real(parameters.pop("damping", 0), "damping"))
            self._get(api.sn_constraint_set_material, material)
        if "stiffness" in parameters and "stiffness" not in params_of(self._core, self._handle.kind):
            self._get(api.sn_constraint_set_stiffness, real(parameters.pop("stiffness"), "stiffness"))
        for name, value in parameters.items():
            numbers = [number(x, name) for x in (value if np.iterable(value) else [value])]
            self._get(api.sn_constraint_set_param, name.encode(), (api.sn_real * len(numbers))(*numbers), len(numbers))

    @property
    def strength(self) -> tuple[float, float]:
        """N and N m at which it breaks; 0: at none."""
        force, torque = api.sn_real(), api.sn_real()
        self._get(api.sn_constraint_strength, C.byref(force), C.byref(torque))
        return force.value, torque.value

    @strength.setter
    def strength(self, value: float | tuple[float, float]) -> None:
        force, torque = value if np.iterable(value) else (value, 0)  # type: ignore[misc]
        self._get(api.sn_constraint_set_strength, real(force, "force"), real(torque, "torque"))

    @property
    def collides(self) -> bool:
        """Whether the particles and bodies that it joins collide with each other."""
        return bool(self._get(api.sn_constraint_collides))

    @collides.setter
    def collides(self, value: bool) -> None:
        self._get(api.sn_constraint_set_collides, bool(value))

    @property
    def user(self) -> int:
        """A number of yours."""
        return self._get(api.sn_constraint_user)

    @user.setter
    def user(self, value: int) -> None:
        self._get(api.sn_constraint_set_user, value)

    def remove(self) -> None:
        """Removes it. Its points stay."""
        self._get(api.sn_constraint_remove)

    def __repr__(self) -> str:
        return f"<sinew.{type(self).__name__} {self._handle.kind}:{self._handle.index}>"


class Joint(Constraint):
    """A joint between two bodies, or a body and the world."""

    __slots__ = ()

    @property
    def angle(self) -> float:
        """rad, of a hinge, or the twist of others that have one."""
        return self._get(api.sn_joint_angle)

    @property
    def way(self) -> float:
        """m, of a slider, a line, a wheel."""
        return self._get(api.sn_joint_way)

    @property
    def reaction(self) -> tuple[np.ndarray, np.ndarray]:
        """What it exerted on the second body in the last substep: N and N m."""
        force, torque = api.sn_vec3(), api.sn_vec3()
        self._get(api.sn_joint_reaction, C.byref(force), C.byref(torque))
        return _array(force), _array(torque)

    @property
    def swing(self) -> float:
        """rad, by which the axis of a cone_twist or a universal joint leans."""
        return self._get(api.sn_joint_swing)

    def set_motor(self, speed: float, most: float) -> None:
        """A motor that turns at this speed, rad/s or m/s, with at most so much, N m or N; most 0: none."""
        self._get(api.sn_joint_set_motor, real(speed, "speed"), real(most, "most"))

    def set_target(self, target: float | Vector, most: float) -> None:
        """A muscle that pulls to an angle, rad, or a distance, m, with at most so much, N m or N; most 0: none. Of a ball or a cone_twist the target has three
        numbers, as sn_joint_def.target_turn. How stiff it is: set(target_compliance=..., target_damping=...)."""
        if np.iterable(target):
            self._get(api.sn_joint_set_target_turn, vec3(target, "target"), real(most, "most"))
        else:
            self._get(api.sn_joint_set_target, real(target, "target"), real(most, "most"))

    def set_limits(self, least: float, most: float) -> None:
        """Between which angles, rad, or distances, m, it moves."""
        self._get(api.sn_joint_set_limits, real(least, "least"), real(most, "most"))

    def axis_value(self, axis: int) -> float:
        """m or rad, of a joint of six: along its axis 0, 1 or 2, or about 3, 4 or 5."""
        return self._get(api.sn_joint_axis_value, axis)

    def set_axis_limits(self, axis: int, least: float, most: float) -> None:
        """The limits of one axis of a joint of six; 0 and 0 lock it."""
        self._get(api.sn_joint_set_axis_limits, axis, real(least, "least"), real(most, "most"))

    def set_axis_motor(self, axis: int, speed: float, most: float) -> None:
        """A motor of one axis of a joint of six: m/s or rad/s, with at most so much, N or N m."""
        self._get(api.sn_joint_set_axis_motor, axis, real(speed, "speed"), real(most, "most"))

    def set_axis_target(self, axis: int, target: float, most: float) -> None:
        """A drive of one axis of a joint of six to a target, m or rad, with at most so much, N or N m."""
        self._get(api.sn_joint_set_axis_target, axis, real(target, "target"), real(most, "most"))


_JOINTS = {kind for kind in api.Kind if kind.name.startswith("JOINT_")}


def constraint_of(core: Core, handle: api.sn_constraint) -> Constraint:
    """A constraint, or the joint that it is."""
    return (Joint if handle.kind in _JOINTS else Constraint)(core, handle)


class Constraints:
    """A run of constraints of one kind that were added together."""

    __slots__ = ("_core", "_run")

    def __init__(self, core: Core, run: api.sn_constraints) -> None:
        self._core, self._run = core, run

    def __len__(self) -> int:
        return self._run.count

    def __getitem__(self, i: int) -> Constraint:
        at = _place(i, len(self), "constraints")
        return constraint_of(self._core, api.sn_constraint(self._run.kind, self._run.first + at, self._run.generation))

    def __iter__(self) -> Iterator[Constraint]:
        return (self[i] for i in range(len(self)))

    def set_tear(self, **fields: Any) -> None:
        """How they give way: strain=0.3, force, spread, seed, as sn_tear_def has them. Without any of them they hold."""
        self._core.call(api.sn_constraints_set_tear, self._run, tear_def(fields))

    def remove(self) -> None:
        """Removes all of them."""
        self._core.call(api.sn_constraints_remove, self._run)


class Skin(Thing):
    """A mesh of triangles between particles that others collide with."""

    __slots__ = ()
    _valid = api.sn_skin_is_valid

    @property
    def triangles(self) -> np.ndarray:
        """(n, 3) numbers of particles, as they are now: tears change them, and cuts append some. A copy."""
        count = C.c_uint32()
        with Turn(self._core):
            found = self._get(api.sn_skin_triangles, C.byref(count))
            return np.array(found[: 3 * count.value] if found else [], np.uint32).reshape(-1, 3)

    def set_tear(self, **fields: Any) -> None:
        """How it tears: strain=0.3, force, spread, seed, as sn_tear_def has them. Without any of them it does not."""
        self._get(api.sn_skin_set_tear, tear_def(fields))

    def remove(self) -> None:
        """Removes it. Its particles stay."""
        self._get(api.sn_skin_remove)


def tear_def(fields: dict[str, Any]) -> Any:
    return C.byref(api.sn_default_tear_def().update(**fields)) if fields else None


# ---- Points of constraints ------------------------------------------------------------------------------------------------

Point = api.sn_point


def at_place(place: Vector, turn: Vector = (0, 0, 0, 1)) -> Point:
    """A place in the world, m, as a point of a constraint."""
    return api.sn_at_place_turned(vec3(place, "place"), quat(turn, "turn"))


def on_body(body: Body, place: Vector = (0, 0, 0), turn: Vector = (0, 0, 0, 1)) -> Point:
    """A spot of a body, m in its own frame, as a point of a constraint."""
    return api.sn_on_body_turned(body._handle, vec3(place, "place"), quat(turn, "turn"))


def on_triangle(a: Particle, b: Particle, c: Particle, weights: Vector) -> Point:
    """The spot u a + v b + w c of three particles as a point of a constraint. The weights sum to 1."""
    return api.sn_on_triangle(a._handle, b._handle, c._handle, *(real(weight, "weight") for weight in vec3(weights, "weights")))


def point(core: Core, value: Any) -> Point:
    """What a constraint may hold: a particle, a body (at the origin of its frame), three numbers (a place), a point."""
    if isinstance(value, Thing) and value._core is not core:
        raise ValueError(f"{value!r} belongs to another world")
    if isinstance(value, Particle):
        return api.sn_at(value._handle)
    if isinstance(value, Body):
        return on_body(value)
    return value if isinstance(value, api.sn_point) else at_place(value)


# ---- Kinds ------------------------------------------------------------------------------------------------------------------


def kind_number(core: Core, name: str | int, prefix: str = "") -> int:
    """The number of a kind of constraint, by its name."""
    if not isinstance(name, str):
        return choice(name, api.Kind, "kind")
    found = core.call(api.sn_kind_find, (prefix + name).encode()) or core.call(api.sn_kind_find, name.encode())
    if not found or (prefix and not core.call(api.sn_kind_info, found).contents.name.startswith(prefix.encode())):
        names = [n.removeprefix(prefix) for n in kind_names(core) if n.startswith(prefix)]
        raise ValueError(f"kind: found '{name}'{did_you_mean(name, names) or ', expected one of ' + ', '.join(names)}")
    return found


def kind_names(core: Core) -> list[str]:
    count = core.call(api.sn_kind_count)
    return [core.call(api.sn_kind_info, i).contents.name.decode() for i in range(1, count)]


def params_of(core: Core, kind: int) -> dict[str, int]:
    """The parameters of a kind: how many numbers each has, in order."""
    found = {}
    info = core.call(api.sn_kind_info, kind)
    if not info:
        raise ValueError(f"kind: found {kind}, which is none")
    for param in info.contents.param:
        if not param.name:
            break
        found[param.name.decode()] = 1 if param.type == api.ParamType.REAL else 3
    return found


def constraint_def(core: Core, kind: int, values: dict[str, Any]) -> api.sn_constraint_def:
    """A definition with parameters and material by name."""
    made = api.sn_default_constraint_def(kind)
    params = params_of(core, kind)
    at = 0
    for name, size in params.items():
        if name in values:
            value = values.pop(name)
            numbers = [number(x, name) for x in (value if np.iterable(value) else [value] * (size if value is None else 1))]
            if len(numbers) != size:
                raise ValueError(f"{name}: found {len(numbers)} numbers, expected {size}")
            made.param[at : at + size] = numbers
        at += size
    for name in ("compliance", "damping", "stiffness", "user"):
        if name in values:
            setattr(made, name, values.pop(name))
    if values:
        raise TypeError(f"a constraint of this kind has no '{next(iter(values))}'; it has "
                        f"{', '.join([*params, 'compliance', 'damping', 'stiffness', 'user'])}")
    return made


# ---- Shapes -----------------------------------------------------------------------------------------------------------------


class Shape:
    """A shape of a body: Shape("box", half=(0.5, 0.1, 0.5), position=..., material={"restitution": 0.8}). Types and fields are those of
    sn_shape_def; vertices, triangles and heights are arrays."""

    def __init__(self, type: str | api.ShapeType, *, vertices: Any = None, triangles: Any = None, heights: Any = None,
                 material: dict[str, Any] | None = None, filter: dict[str, Any] | None = None, **fields: Any) -> None:
        self.record = api.sn_default_shape_def(choice(type, api.ShapeType, "type")).update(**fields)
        self._arrays: list[Any] = []  # what the record points to
        if vertices is not None:
            rows = reals(vertices, 3, "vertices")
            self.record.vertices, self.record.vertex_count = pointer(rows, api.sn_vec3), len(rows)
            self._arrays.append(rows)
        if triangles is not None:
            corners = whole_numbers(triangles, "triangles").reshape(-1, 3)
            self.record.triangles, self.record.triangle_count = pointer(corners, C.c_uint32), len(corners)
            self._arrays.append(corners)
        if heights is not None:
            grid = np.ascontiguousarray(heights, np.float32)
            if grid.ndim != 2:
                raise ValueError(f"heights: found an array of shape {grid.shape}, expected (along z, along x)")
            self.record.heights = pointer(grid, api.sn_real)
            self.record.height_count = (C.c_uint32 * 2)(grid.shape[1], grid.shape[0])
            self._arrays.append(grid)
        if material is not None:
            self._arrays.append(api.sn_default_contact_material().update(**material))
            self.record.material = C.pointer(self._arrays[-1])
        if filter is not None:
            self._arrays.append(api.sn_default_filter().update(**filter))
            self.record.filter = C.pointer(self._arrays[-1])


# ---- What queries and events tell -----------------------------------------------------------------------------------------


def told(core: Core, record: Any) -> Answer:
    """A struct that the engine filled, as a dict: handles become things, null ones None, vectors tuples."""
    things = {api.sn_particle: Particle, api.sn_body: Body, api.sn_constraint: constraint_of, api.sn_skin: Skin}
    values: dict[str, Any] = {}
    simple = record.plain()
    for name, kind in record._types_.items():
        value = getattr(record, name)
        if kind in things:
            values[name] = things[kind](core, kind.from_buffer_copy(value)) if value.generation else None
        elif isinstance(value, api.Record):
            values[name] = tuple(value) if isinstance(value, (api.sn_vec3, api.sn_quat)) else told(core, value)
        elif isinstance(value, C.Array) and issubclass(value._type_, api.Record):
            of = value._type_
            values[name] = [things[of](core, of.from_buffer_copy(item)) if item.generation else None for item in value]
        elif name in simple:
            values[name] = simple[name]
    return Answer(values)
