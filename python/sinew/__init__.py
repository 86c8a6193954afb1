"""Sinew, a position-based dynamics engine: particles, rigid bodies and constraints.

    import sinew

    world = sinew.World(substeps=20)
    pivot = world.add_particle((0, 0, 0), mass=float("inf"))
    bob = world.add_particle((1, 0, 0))
    world.add_constraint("distance", pivot, bob)
    world.step(1 / 60, count=60)
    print(bob.position)

The whole C interface is in sinew.api, under its own names; docs/python.md and the headers describe it."""
from . import _api as api
from ._api import *  # all enums: Solver, Integrator, Kind, Result, ...  # noqa: F403
from ._core import Error
from ._describe import describe
from ._records import Answer
from ._scene import Moment, Object, Scene, scene_names
from ._things import Body, Constraint, Constraints, Joint, Particle, Particles, Shape, Skin, at_place, on_body, on_triangle
from ._views import RunView, View
from ._world import Budget, Settings, Snapshot, World
from ._worlds import Worlds

__version__: str = api.sn_version().decode()
__all__ = ["Answer", "Body", "Budget", "Constraint", "Constraints", "Error", "Joint", "Moment", "Object", "Particle", "Particles", "RunView", "Scene",
           "Settings", "Shape", "Skin", "Snapshot", "View", "World", "Worlds", "api", "at_place", "describe", "on_body", "on_triangle", "scene_names",
           *api.__all__]
