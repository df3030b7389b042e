# SPDX-License-Identifier: Apache-2.0
"""Calls of Python functions: what is hard to nest. Each case is compared with
what Python's own profile function sees."""

import asyncio
import contextlib
import functools
import gc
import signal
import sys
import unittest

import function_truth
import support


def leaf(value=0):
    return value


def fail():
    raise ValueError("planted")


def down(depth, last):
    return last() if depth == 0 else down(depth - 1, last)


def numbers(count):
    try:
        for i in range(count):
            yield leaf(i)
    finally:
        leaf()


def patient():
    while True:
        try:
            yield leaf()
        except ValueError:
            leaf()


def delegating():
    yield from numbers(2)
    result = yield from patient_once()
    leaf(result)


def patient_once():
    try:
        yield 1
    except ValueError:
        return leaf(2)


# -- cases ---------------------------------------------------------------------

def plain_calls():
    leaf()
    down(3, leaf)


def caught_below():
    for _ in range(3):
        try:
            down(2, fail)
        except ValueError:
            leaf()


def caught_through_many_frames():
    with contextlib.suppress(ValueError):
        down(150, fail)
    leaf()


def raised_again():
    def middle():
        try:
            fail()
        except ValueError as error:
            raise KeyError from error
        finally:
            leaf()

    with contextlib.suppress(KeyError):
        middle()


def generator():
    for value in numbers(3):
        leaf(value)


def generator_left_early():
    for _ in numbers(10):
        break
    gc.collect()
    leaf()


def generator_closed():
    running = numbers(10)
    next(running)
    leaf()
    running.close()
    leaf()


def generator_dropped_unstarted():
    numbers(10)
    leaf()


def interleaved_generators():
    for left, right in zip(numbers(3), numbers(3)):
        leaf(left + right)


def yield_from():
    running = delegating()
    next(running)
    next(running)
    next(running)
    leaf()
    running.close()


def generator_expression():
    sum(leaf(i) for i in range(3))
    [leaf(i) for i in range(3)]
    {i: leaf(i) for i in range(2)}


@contextlib.contextmanager
def managed():
    leaf()
    try:
        yield
    finally:
        leaf()


def context_manager():
    with managed():
        leaf()


def classes():
    class Base:
        def __init__(self):
            leaf()

        @property
        def value(self):
            return leaf(1)

        @classmethod
        def make(cls):
            return cls()

        @staticmethod
        def helper():
            return leaf()

        def __enter__(self):
            return self

        def __exit__(self, *error):
            leaf()

    class Derived(Base):
        def __init__(self):
            super().__init__()
            leaf()

    with Derived.make() as made:
        made.value
        made.helper()


def called_from_c():
    functools.partial(leaf, 1)()
    sorted([3, 1, 2], key=lambda value: leaf(-value))
    list(map(leaf, range(3)))
    functools.reduce(lambda a, b: leaf(a + b), range(4))


def decorated():
    def twice(function):
        @functools.wraps(function)
        def call(*args):
            function(*args)
            return function(*args)

        return call

    twice(leaf)(1)


def finalizer():
    class Holder:
        def __del__(self):
            leaf()

    Holder()
    leaf()


def interrupted():
    with contextlib.suppress(KeyboardInterrupt):
        down(2, lambda: signal.raise_signal(signal.SIGINT))
        for _ in range(1000):
            leaf()
    leaf()


async def sleeper(count):
    for _ in range(count):
        await asyncio.sleep(0)
        leaf()
    return count


async def source(count):
    for i in range(count):
        await asyncio.sleep(0)
        yield i


def gathered():
    async def main():
        await asyncio.gather(sleeper(2), sleeper(3), sleeper(1))

    asyncio.run(main())


def cancelled():
    async def main():
        task = asyncio.ensure_future(sleeper(1000))
        await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        leaf()

    asyncio.run(main())


def asynchronous_generator():
    async def main():
        async for value in source(3):
            leaf(value)
        await source(3).__anext__()

    asyncio.run(main())


CASES = (
    plain_calls, caught_below, caught_through_many_frames, raised_again,
    generator, generator_left_early, generator_closed,
    generator_dropped_unstarted, interleaved_generators, yield_from,
    generator_expression, context_manager, classes, called_from_c, decorated,
    finalizer, gathered, cancelled, asynchronous_generator)


class NestingTest(support.InOwnFolder):
    maxDiff = None

    def test_calls_and_callers(self):
        for case in CASES:
            with self.subTest(case.__name__):
                self.assertEqual(function_truth.recorded(self, case),
                                 function_truth.expected(case))

    def check_balance(self, case):
        """Where the profile function changes what it looks at."""
        edges = function_truth.recorded(self, case)
        self.assertGreater(sum(edges.values()), 0)
        return edges

    def test_generator_that_is_thrown_into(self):
        def case():
            running = patient()
            next(running)
            running.throw(ValueError)
            leaf()
            with contextlib.suppress(KeyError):
                running.throw(KeyError)
            leaf()

        name = case.__code__.co_name
        own = [(caller, function) for caller, function
               in self.check_balance(case).elements()
               if function == "leaf" and caller and caller.endswith(name)]
        self.assertEqual(len(own), 2)

    def test_recursion_limit(self):
        def endless():
            endless()

        def case():
            with contextlib.suppress(RecursionError):
                endless()
            leaf()

        before = sys.getrecursionlimit()
        sys.setrecursionlimit(400)
        self.addCleanup(sys.setrecursionlimit, before)
        edges = self.check_balance(case)
        self.assertGreater(sum(edges.values()), 100)

    def test_keyboard_interrupt(self):
        self.check_balance(interrupted)

    def test_compiled_code(self):
        def case():
            exec(compile("def made():\n    pass\nmade()\n", "<made>", "exec"))
            leaf()

        self.assertNotIn("made", [name for _, name in self.check_balance(case)])
        names = [event["name"] for event
                 in function_truth.record_functions(case, include="<made>")]
        self.assertIn("made (<made>:1)", names)
        self.assertIn("<module> (<made>:1)", names)


if __name__ == "__main__":
    unittest.main()
