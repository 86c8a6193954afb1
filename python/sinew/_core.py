"""Calls of the C interface on one world: errors become exceptions, and a world that is closed or used by two threads at once says so."""
from __future__ import annotations

import ctypes as C
import logging
import re
import threading
from typing import Any, Callable

import numpy as np

from . import _api as api
from ._api import Result
from ._records import real

_logger = logging.getLogger("sinew")


class Error(Exception):
    """What the engine refuses, in its own words. `result` says what sort of failure it is, if the call tells: sinew.Result.ERROR_STALE,
    ERROR_ARGUMENT, ERROR_DIVERGED and so on; otherwise it is None."""

    def __init__(self, words: str, result: Result | None = None) -> None:
        super().__init__(words)
        self.result = result


class Log:
    """What the world writes while it is called. An error belongs to the call that failed; warnings go to the logger 'sinew'."""

    def __init__(self) -> None:
        self.failed: str | None = None

        def write(_context: Any, level: int, text: bytes) -> None:
            words = text.decode(errors="replace")
            if level == api.LogLevel.ERROR:
                self.failed = words
            else:
                _logger.log(logging.WARNING if level == api.LogLevel.WARNING else logging.INFO, "%s", words)

        self.hook = api.sn_log(dict(api.sn_log._fields_)["write"](write), None)


class Core:
    """A world of the engine and what belongs to it. Owned by a World or by a Scene; both share it."""

    def __init__(self, what: str) -> None:
        self.what = what  # "world", "scene": what messages call it
        self.pointer: int | None = None
        self.scene: int | None = None
        self.lock = threading.RLock()
        self.log = Log()
        self.raised: BaseException | None = None  # by a function of the user's that the engine called
        self.inside = 0  # such functions that run now
        self.functions: list[Any] = []  # that the engine calls; they live as long as the world
        self.moments: set[int] = set()  # of a scene, which end before it does
        self.keep = api.sn_python_keep_create()
        if not self.keep:
            raise MemoryError
        self.allocator = api.sn_python_keep_allocator(self.keep)

    def __del__(self) -> None:
        self.close()

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError(f"a {self.what} and what is in it cannot be copied or pickled; build it again where it is needed, or use save and load")

    def close(self) -> None:
        """Ends the world. A second time it does nothing."""
        keep = getattr(self, "keep", None)
        if keep is None:
            return
        with Turn(self):
            if self.scene:
                for moment in self.moments:
                    api.sn_scene_moment_destroy(moment)
                self.moments.clear()
                api.sn_scene_destroy(self.scene)
            elif self.pointer:
                self.log.failed = None
                api.sn_world_destroy(self.pointer)
                if self.log.failed:
                    raise Error(self.log.failed, Result.ERROR_BUSY)
            self.keep = self.pointer = self.scene = None
            api.sn_python_keep_drop(keep)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """function(world, *arguments). Raises Error if it fails."""
        return self._call(function, False, arguments)

    def call_scene(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The same with the scene in place of the world; the words come from the scene."""
        return self._call(function, True, arguments)

    def _call(self, function: Callable[..., Any], of_scene: bool, arguments: tuple) -> Any:
        log = self.log
        before = log.failed
        if not self.lock.acquire(False):
            raise Error(f"the {self.what} is used by another thread at this moment; one thread at a time may use it", Result.ERROR_BUSY)
        try:
            log.failed = None
            first = self.scene if of_scene else self.pointer
            if first is None:
                raise Error(f"the {self.what} is closed")
            answer = function(first, *arguments)
            if self.raised is not None and not self.inside:
                raised, self.raised = self.raised, None
                raise raised
            if function.tells:
                if answer:
                    self._fail(Result(answer), first)
            elif log.failed is not None:
                raise Error(log.failed)
            return answer
        except C.ArgumentError as error:
            raise _wrong_argument(function, error) from None
        finally:
            log.failed = before
            self.lock.release()

    def scene_words(self) -> str:
        """Why the last call on the scene failed."""
        with Turn(self):
            return api.sn_scene_error(self.scene).decode(errors="replace") if self.scene else f"the {self.what} is closed"

    def _fail(self, result: Result, first: int) -> None:
        words = self.log.failed
        if first == self.scene:
            words = api.sn_scene_error(first).decode(errors="replace") or words
        elif words is None and result != Result.CANCELLED:
            words = api.sn_world_error(first).decode(errors="replace")
        raise Error(words or api.sn_result_text(result).decode(), result)

    def guard(self, function: Callable[..., Any], fallback: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the user's as the engine may call it: what it raises is raised by the call of the engine that called it. fallback, with the
        same arguments, then makes that call fail, so that it changes nothing."""

        def guarded(*arguments: Any) -> Any:
            if self.raised is not None:
                return fallback(*arguments)
            self.inside += 1
            try:
                return function(*arguments)
            except BaseException as error:  # also KeyboardInterrupt: the engine must not be left by an exception
                self.raised = error
                return fallback(*arguments)
            finally:
                self.inside -= 1

        return guarded


class Turn:
    """The right to use a world for more than one call, such as to ask for memory and to pin it."""

    def __init__(self, core: Core) -> None:
        self.core = core

    def __enter__(self) -> None:
        if not self.core.lock.acquire(False):
            raise Error(f"the {self.core.what} is used by another thread at this moment; one thread at a time may use it",
                        Result.ERROR_BUSY)

    def __exit__(self, *_: Any) -> None:
        self.core.lock.release()


def _wrong_argument(function: Callable[..., Any], error: C.ArgumentError) -> Exception:
    """What ctypes says of an argument, with its name: 'argument 3: ValueError: argument: found -1, ...', before Python 3.10 <class 'ValueError'>."""
    match = re.match(r"argument (\d+): (?:<class ')?(\w+)(?:'>)?: (?:argument: )?(.*)", str(error), re.S)
    if not match:
        return TypeError(str(error))
    name = api.CALLS[function.__name__][1][int(match[1]) - 1][0]
    return (ValueError if match[2] == "ValueError" else TypeError)(f"{name}: {match[3]}")


# ---- Numbers on their way to the engine -----------------------------------------------------------------------------------


def vec3(value: Any, what: str = "vector") -> api.sn_vec3:
    """Any three numbers as a vector."""
    return value if isinstance(value, api.sn_vec3) else api.sn_vec3.of(value, what)


def quat(value: Any, what: str = "rotation") -> api.sn_quat:
    """Any four numbers, x y z w, as a turn."""
    return value if isinstance(value, api.sn_quat) else api.sn_quat.of(value, what)


def number(value: float | None, what: str) -> float:
    """A number, or SN_MEASURE for None."""
    return api.SN_MEASURE if value is None else real(value, what)


def reals(values: Any, columns: int, what: str) -> np.ndarray:
    """Numbers as rows of so many columns, packed, in single precision."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1 and columns and array.size == columns:
        array = array.reshape(1, columns)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{what}: found an array of shape {array.shape}, expected (n, {columns})")
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and the engine refuses that
        return np.ascontiguousarray(array, dtype=np.float32)


def whole_numbers(values: Any, what: str) -> np.ndarray:
    """Whole numbers of 32 bits, packed, in the shape that they have."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what}: found numbers of type {array.dtype}, expected whole numbers")
    if array.size and (array.min() < 0 or array.max() > 2**32 - 1):
        raise ValueError(f"{what}: found {array.min()} to {array.max()}, expected 0 to {2**32 - 1}")
    return np.ascontiguousarray(array, dtype=np.uint32)


def pointer(array: np.ndarray | None, kind: type) -> Any:
    """To the numbers of an array, for a call or a struct; the array must live as long."""
    return None if array is None else array.ctypes.data_as(C.POINTER(kind))
