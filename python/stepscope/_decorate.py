# SPDX-License-Identifier: Apache-2.0
"""What @RecordEvent("name") makes of a function; called by _event.

A function is timed from call to return. An ``async def`` is one event per call,
what it waits for included. A generator is one event each time it is resumed:
what happens between two items is the consumer's time.
"""

import functools
import inspect

from . import _event


def _copy(event):
    """A RecordEvent of one's own: two tasks that share one could end each
    other's scope."""
    return _event.RecordEvent(event.name, event.event_type, **event.arguments)


def _wrap_coroutine(event, function):
    @functools.wraps(function)
    async def timed(*args, **kwargs):
        with _copy(event):
            return await function(*args, **kwargs)

    return timed


def _wrap_generator(event, function):
    @functools.wraps(function)
    def timed(*args, **kwargs):
        inner = function(*args, **kwargs)
        own = _copy(event)
        resume, value = inner.send, None
        while True:
            try:
                with own:
                    item = resume(value)
            except StopIteration as end:
                return end.value
            try:
                value = yield item
                resume = inner.send
            except GeneratorExit:
                with own:
                    inner.close()
                raise
            except BaseException as error:  # thrown in by the consumer
                resume, value = inner.throw, error

    return timed


def _wrap_async_generator(event, function):
    @functools.wraps(function)
    async def timed(*args, **kwargs):
        inner = function(*args, **kwargs)
        resume, value = inner.asend, None
        while True:
            try:
                with _copy(event):
                    item = await resume(value)
            except StopAsyncIteration:
                return
            try:
                value = yield item
                resume = inner.asend
            except GeneratorExit:
                with _copy(event):
                    await inner.aclose()
                raise
            except BaseException as error:
                resume, value = inner.athrow, error

    return timed


def _wrap_function(event, function):
    """For Pythons without a module of their own."""
    @functools.wraps(function)
    def timed(*args, **kwargs):
        with event:
            return function(*args, **kwargs)

    return timed


def wrap(event, function):
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(wrap(event, function.__func__))
    if isinstance(function, type) or not callable(function):
        raise TypeError(
            f"RecordEvent decorates functions and methods, not {function!r}")
    if inspect.isasyncgenfunction(function):
        return _wrap_async_generator(event, function)
    if inspect.iscoroutinefunction(function):
        return _wrap_coroutine(event, function)
    if inspect.isgeneratorfunction(function):
        return _wrap_generator(event, function)
    timed_function = getattr(_event, "TimedFunction", None)
    if timed_function is None:
        return _wrap_function(event, function)
    return functools.update_wrapper(timed_function(function, event), function)
