# SPDX-License-Identifier: Apache-2.0
"""RecordEvent in all its forms."""

import asyncio
import contextlib
import functools
import gc
import inspect
import pickle
import sys
import threading
import unittest
import warnings

import support
from stepscope import RecordEvent, TracerEventType, _event, enabled


@RecordEvent("plain")
def plain(x, *, y=1):
    """Adds."""
    return x + y


class EventsTest(support.InOwnFolder):
    def record(self, work):
        return support.record(work)

    def test_context_manager(self):
        def work():
            with RecordEvent("outer") as event:
                self.assertTrue(enabled())
                self.assertEqual(event.name, "outer")
                with RecordEvent("inner"):
                    pass

        outer, inner = self.record(work)
        self.assertEqual((outer["name"], inner["name"]), ("outer", "inner"))
        self.assertEqual(outer["cat"], "PythonUserDefined")
        self.assertGreaterEqual(inner["ts"], outer["ts"])
        self.assertLessEqual(inner["ts"] + inner["dur"],
                             outer["ts"] + outer["dur"] + 0.001)
        self.assertFalse(enabled())

    def test_begin_and_end(self):
        def work():
            event = RecordEvent("pair", TracerEventType.Forward)
            event.end()  # nothing is open
            for _ in range(3):
                event.begin()
                event.end()
            event.end()

        events = self.record(work)
        self.assertEqual(support.count(events), {"pair": 3})
        self.assertEqual({event["cat"] for event in events}, {"Forward"})

    def test_off_it_does_nothing(self):
        with RecordEvent("off"):
            pass
        self.assertEqual(plain(1), 2)
        self.assertEqual(self.record(lambda: None), [])

    def test_decorated_function(self):
        self.assertEqual(plain.__name__, "plain")
        self.assertEqual(plain.__doc__, "Adds.")
        self.assertEqual(str(inspect.signature(plain)), "(x, *, y=1)")
        if hasattr(_event, "TimedFunction"):  # else it is made in Python
            self.assertIs(plain.__code__, plain.__wrapped__.__code__)
        # The name that is pickled is that of the wrapper.
        self.assertIs(pickle.loads(pickle.dumps(plain)), plain)

        def work():
            self.assertEqual(plain(1), 2)
            self.assertEqual(plain(1, y=5), 6)
            with self.assertRaises(TypeError):
                plain()

        self.assertEqual(support.count(self.record(work)), {"plain": 3})

    def test_decorated_methods(self):
        class Model:
            @RecordEvent("method")
            def method(self, x):
                return self, x

            @RecordEvent("static")
            @staticmethod
            def static(x):
                return x

            @classmethod
            @RecordEvent("class")
            def of_class(cls, x):
                return cls, x

        model = Model()

        def work():
            self.assertEqual(model.method(1), (model, 1))
            self.assertEqual(Model.method(model, 2), (model, 2))
            bound = model.method
            self.assertEqual(bound(3), (model, 3))
            self.assertEqual(Model.static(4), 4)
            self.assertEqual(model.of_class(5), (Model, 5))

        self.assertEqual(support.count(self.record(work)),
                         {"method": 3, "static": 1, "class": 1})

    def test_decorated_generator(self):
        log = []

        @RecordEvent("items")
        def items(count):
            try:
                for i in range(count):
                    log.append((yield i))
            except ValueError:
                yield "caught"
            finally:
                log.append("end")
            return "done"

        def work():
            self.assertEqual(list(items(2)), [0, 1])
            generator = items(5)
            self.assertEqual(next(generator), 0)
            self.assertEqual(generator.send("sent"), 1)
            self.assertEqual(generator.throw(ValueError()), "caught")
            generator.close()

            def outer():
                result = yield from items(1)
                self.assertEqual(result, "done")

            self.assertEqual(list(outer()), [0])

        # 3 resumes; 3 and the close; 2.
        self.assertEqual(support.count(self.record(work)), {"items": 9})
        self.assertEqual(log, [None, None, "end", "sent", "end", None, "end"])
        self.assertTrue(inspect.isgeneratorfunction(items))

    def test_decorated_coroutine(self):
        @RecordEvent("fetch")
        async def fetch(x):
            await asyncio.sleep(0)
            return x

        @RecordEvent("stream")
        async def stream():
            yield 1
            yield 2

        async def main():
            first, second = await asyncio.gather(fetch(1), fetch(2))
            return first, second, [x async for x in stream()]

        def work():
            self.assertEqual(asyncio.run(main()), (1, 2, [1, 2]))

        self.assertEqual(support.count(self.record(work)),
                         {"fetch": 2, "stream": 3})
        self.assertTrue(inspect.iscoroutinefunction(fetch))

    def test_exception_ends_the_event(self):
        def work():
            with contextlib.suppress(KeyError):
                with RecordEvent("raises"):
                    raise KeyError
            with RecordEvent("after"):
                pass

        raises, after = self.record(work)
        self.assertLessEqual(raises["ts"] + raises["dur"], after["ts"] + 0.001)

    def test_exit_stack(self):
        def work():
            with contextlib.ExitStack() as stack:
                event = stack.enter_context(RecordEvent("stacked"))
                self.assertIsInstance(event, RecordEvent)

        self.assertEqual(support.count(self.record(work)), {"stacked": 1})
        self.assertTrue(callable(RecordEvent.__enter__))

    def test_one_object_open_several_times(self):
        event = RecordEvent("shared")

        def nested(depth):
            with event:
                if depth:
                    nested(depth - 1)

        def work():
            nested(20)

        events = self.record(work)
        self.assertEqual(support.count(events), {"shared": 21})
        # Each ends before the one around it.
        for outer, inner in zip(events, events[1:]):
            self.assertGreaterEqual(inner["ts"], outer["ts"])
            self.assertLessEqual(inner["ts"] + inner["dur"],
                                 outer["ts"] + outer["dur"] + 0.001)

    def test_one_object_on_several_threads(self):
        event = RecordEvent("threads")
        barrier = threading.Barrier(3)

        def thread():
            for _ in range(50):
                with event:
                    barrier.wait()

        def work():
            threads = [threading.Thread(target=thread) for _ in range(3)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()

        events = self.record(work)
        self.assertEqual(len(events), 150)
        per_thread = {}
        for one in events:
            per_thread.setdefault(one["tid"], []).append(one)
        self.assertEqual([len(x) for x in per_thread.values()], [50] * 3)
        for of_thread in per_thread.values():
            for one, two in zip(of_thread, of_thread[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], two["ts"] + 0.001)

    def test_ended_on_another_thread(self):
        def work():
            event = RecordEvent("handed over")
            event.begin()
            thread = threading.Thread(target=event.end)
            thread.start()
            thread.join()

        self.assertEqual(support.count(self.record(work)), {"handed over": 1})

    def test_arguments(self):
        class Odd:
            def __str__(self):
                raise RuntimeError

        def work():
            with RecordEvent("args", rows=128, ratio=0.5, kind="x\ud800",
                             shape=(2, 3), mixed=[1, "a"], huge=1 << 70,
                             odd=Odd(), none=None) as event:
                event.set(later=True)
            event.set(lost=1)  # nothing is open

        (event,) = self.record(work)
        args = event["args"]
        self.assertEqual(args["rows"], 128)
        self.assertEqual(args["ratio"], 0.5)
        self.assertEqual(args["kind"], "x\\ud800")
        self.assertEqual(args["shape"], [2, 3])
        self.assertEqual(args["mixed"], "[1, 'a']")
        self.assertEqual(args["huge"], str(1 << 70))
        self.assertEqual(args["none"], "None")
        self.assertEqual(args["later"], 1)
        self.assertNotIn("odd", args)
        self.assertNotIn("lost", args)

    def test_names(self):
        class Name(str):
            pass

        names = ["", "quote \" \\ \n tab\t", "\u4e2d\u6587", "x" * 5000,
                 Name("subclass"), "lone \ud800"]

        def work():
            for name in names:
                with RecordEvent(name):
                    pass
            for i in range(5000):  # more than the table of names holds
                with RecordEvent(f"name {i % 2000}"):
                    pass

        events = self.record(work)
        self.assertEqual([event["name"] for event in events[:6]],
                         [*names[:5], "lone \\ud800"])
        self.assertEqual(len(support.count(events)), 2006)
        self.assertEqual(len(events), 5006)

    def test_wrong_arguments(self):
        for wrong in (lambda: RecordEvent(), lambda: RecordEvent(5),
                      lambda: RecordEvent(plain), lambda: RecordEvent(b"x"),
                      lambda: RecordEvent("x", 14, 15),
                      lambda: RecordEvent("x", name="y"),
                      lambda: RecordEvent("x", 14, event_type=14),
                      lambda: RecordEvent("x")(5),
                      lambda: RecordEvent("x")(EventsTest),
                      lambda: RecordEvent("x")(plain, plain),
                      lambda: RecordEvent("x").set(1)):
            with self.assertRaises(TypeError):
                wrong()
        self.assertEqual(RecordEvent(name="x", event_type=9).event_type, 9)

    def test_types_that_cannot_be_recorded(self):
        def work():
            for kind in (TracerEventType.Kernel, "Forward", 99, -1, 1 << 80):
                with RecordEvent("refused", kind):
                    pass

        events = []
        said = self.warned(lambda: events.extend(self.record(work)))
        self.assertEqual(events, [])
        self.assertEqual(len(said), 5)
        self.assertTrue(said[0].startswith(
            "Only TracerEvent Type in [TracerEventType.Dataloader, "))
        self.assertTrue(said[0].endswith(" can be recorded."))

        def strict():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with self.assertRaises(UserWarning):
                    RecordEvent("refused", 4).begin()

        self.assertEqual(self.record(strict), [])

    def test_attributes(self):
        event = RecordEvent("x", TracerEventType.Backward, a=1)
        self.assertIs(event.event_type, TracerEventType.Backward)
        self.assertIs(RecordEvent("x").event_type,
                      TracerEventType.PythonUserDefined)
        self.assertEqual(event.arguments, {"a": 1})
        self.assertEqual(repr(event), "RecordEvent('x')")
        with self.assertRaises(AttributeError):
            event.name = "y"

    def test_subclass(self):
        class Stage(RecordEvent):
            def __init__(self, name):
                super().__init__("stage " + name)
                self.extra = [self]  # a cycle

        def work():
            with Stage("one") as stage:
                self.assertIsInstance(stage, Stage)

        self.assertEqual(support.count(self.record(work)), {"stage one": 1})
        gc.collect()

    def test_no_leak(self):
        def once():
            with RecordEvent("leak", rows=1) as event:
                event.set(x=2)
            plain(1)
            functools.partial(plain, 2)()

        def work():
            once()
            names = [f"n{i}" for i in range(10)]
            before = [sys.getrefcount(name) for name in names]
            for _ in range(1000):
                for name in names:
                    with RecordEvent(name):
                        pass
            after = [sys.getrefcount(name) for name in names]
            # The table of names holds one reference, the loop another.
            for one, two in zip(before, after):
                self.assertLessEqual(two - one, 2)
            gc.collect()
            objects = len(gc.get_objects())
            for _ in range(1000):
                once()
            gc.collect()
            self.assertLess(len(gc.get_objects()) - objects, 100)

        self.record(work)

    def test_an_object_that_is_never_ended(self):
        def work():
            for _ in range(10):
                RecordEvent("forgotten").begin()

        self.record(work)


if __name__ == "__main__":
    unittest.main()
