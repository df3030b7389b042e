# SPDX-License-Identifier: Apache-2.0
"""stepscope.integrations with packages that are scripts: the order of their
calls, and what goes wrong. With the real ones: test_loop_*.py."""

import contextlib
import copy
import importlib
import pickle
import subprocess
import sys
import time
import types
import unittest
import warnings

import stepscope
import support
from loop_support import Recorded

PACKAGES = ("transformers", "accelerate", "lightning", "keras")


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    return made


class WithStandIn(support.InOwnFolder):
    """Each test imports an integration over a package of its own."""

    def integration(self, name, *modules):
        full = f"stepscope.integrations.{name}"
        before = {key: sys.modules.pop(key, None)
                  for key in [full, *(one.__name__ for one in modules)]}

        def restore():
            for key, value in before.items():
                sys.modules.pop(key, None)
                if value is not None:
                    sys.modules[key] = value

        self.addCleanup(restore)
        sys.modules.update({one.__name__: one for one in modules})
        return importlib.import_module(full)


class Trainer:
    """Calls callbacks as that of transformers does."""

    def __init__(self, callback, batches, accumulate, evaluate_at=(),
                 save_at=(), epochs=1, late=False):
        self.callback = callback
        self.args = types.SimpleNamespace(
            gradient_accumulation_steps=accumulate)
        self.state = types.SimpleNamespace(
            global_step=0, max_steps=epochs * batches // accumulate)
        self.control = types.SimpleNamespace(
            should_evaluate=False, should_save=False,
            should_training_stop=False)
        self.batches, self.accumulate, self.epochs = batches, accumulate, epochs
        self.evaluate_at, self.save_at, self.late = evaluate_at, save_at, late

    def tell(self, name):
        getattr(self.callback, name)(self.args, self.state, self.control,
                                     train_dataloader=range(self.batches))

    def train(self):
        self.tell("on_train_begin")
        for _ in range(self.epochs):
            self.tell("on_epoch_begin")
            for batch in range(self.batches):
                self.train_batch(batch)
            self.tell("on_epoch_end")
        self.tell("on_train_end")

    def train_batch(self, batch):
        with stepscope.RecordEvent("load"):
            pass
        if batch % self.accumulate == 0:
            self.tell("on_step_begin")
        with stepscope.RecordEvent("train"):
            pass
        if (batch + 1) % self.accumulate:
            self.tell("on_substep_end")
            return
        self.state.global_step += 1
        step = self.state.global_step
        evaluates = step in self.evaluate_at
        self.control.should_evaluate = evaluates and not self.late
        self.control.should_save = step in self.save_at
        self.tell("on_step_end")
        if evaluates:
            self.evaluate()
        if self.control.should_save:
            with stepscope.RecordEvent("write"):
                pass
            self.control.should_save = False
            self.tell("on_save")

    def evaluate(self):
        for _ in range(5):
            with stepscope.RecordEvent("evaluate"):
                pass
            self.tell("on_prediction_step")
        self.control.should_evaluate = False
        self.tell("on_evaluate")


class TransformersTest(WithStandIn):
    def callback(self, **options):
        made = self.integration(
            "transformers", module("transformers", TrainerCallback=object))
        return made.StepscopeCallback(**options)

    def test_known_counts(self):
        Trainer(self.callback(), 12, 3, evaluate_at=(2, 4),
                save_at=(2,)).train()
        seen = Recorded()
        self.assertEqual(seen.by_step("load"), [3, 3, 3, 3])
        self.assertEqual(seen.by_step("train"), [3, 3, 3, 3])
        self.assertEqual(seen.by_step("Micro-step"), [3, 3, 3, 3])
        self.assertEqual(len(seen.named("Micro-step")), 12)
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("evaluate"), 10)
        self.assertEqual(seen.outside("Checkpoint"), 1)
        self.assertEqual(seen.outside("write"), 1)

    def test_without_accumulation(self):
        Trainer(self.callback(), 4, 1, epochs=2).train()
        seen = Recorded()
        self.assertEqual(seen.by_step("train"), [1] * 8)
        self.assertEqual(seen.named("Micro-step"), [])

    def test_evaluation_that_another_callback_asked_for_late(self):
        Trainer(self.callback(), 4, 1, evaluate_at=(2,), late=True).train()
        seen = Recorded()
        self.assertEqual(seen.by_step("train"), [1] * 4)
        self.assertEqual(seen.outside("evaluate"), 5)

    def test_scheduler(self):
        Trainer(self.callback(scheduler=(1, 3)), 12, 3,
                evaluate_at=(2,)).train()
        seen = Recorded()
        self.assertEqual([row["name"] for row in seen.events
                          if row["name"].startswith("ProfileStep")],
                         ["ProfileStep#1", "ProfileStep#2"])
        self.assertEqual(seen.by_step("train"), [3, 3])
        self.assertEqual(seen.outside("Evaluation"), 1)

    def test_training_that_failed_and_is_started_again(self):
        callback = self.callback(out="log")
        first = Trainer(callback, 4, 1)
        first.tell("on_train_begin")
        first.tell("on_epoch_begin")
        first.train_batch(0)  # and an exception in the second one
        Trainer(callback, 3, 1).train()
        self.assertEqual(len(self.files("log", ".sscap")), 2)

    def test_copies(self):
        callback = self.callback(out="log")
        other = pickle.loads(pickle.dumps(callback))
        Trainer(copy.deepcopy(other), 3, 1).train()
        self.assertEqual(Recorded("log").by_step("train"), [1] * 3)


class AccelerateTest(WithStandIn):
    class Accelerator:
        def __init__(self, steps):
            self.gradient_accumulation_steps = steps
            self.sync_gradients = False
            self.count = 0

        @contextlib.contextmanager
        def accumulate(self, model):
            self.count += 1
            self.sync_gradients = (
                self.count % self.gradient_accumulation_steps == 0)
            yield

        def save_state(self, path):
            with stepscope.RecordEvent("write"):
                return path

    def test_known_counts(self):
        profile = self.integration("accelerate").profile
        accelerator = self.Accelerator(3)
        with profile(accelerator) as prof:
            for epoch in range(2):
                for _ in range(6):
                    with accelerator.accumulate(None):
                        with stepscope.RecordEvent("train"):
                            pass
                with prof.evaluation(), stepscope.RecordEvent("evaluate"):
                    pass
                self.assertEqual(accelerator.save_state("x"), "x")
        self.assertEqual(sorted(vars(accelerator)), [
            "count", "gradient_accumulation_steps", "sync_gradients"])
        seen = Recorded()
        self.assertEqual(seen.by_step("train"), [3] * 4)
        self.assertEqual(seen.by_step("Micro-step"), [3] * 4)
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("evaluate"), 2)
        self.assertEqual(seen.outside("Checkpoint"), 2)

    def test_error_of_the_program(self):
        profile = self.integration("accelerate").profile
        accelerator = self.Accelerator(1)
        with self.assertRaisesRegex(ValueError, "mine"):
            with profile(accelerator):
                with accelerator.accumulate(None):
                    pass
                with accelerator.accumulate(None):
                    raise ValueError("mine")
        self.assertEqual(len(Recorded().steps), 1)

    def test_another_version(self):
        profile = self.integration("accelerate").profile
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with profile(object()) as prof:
                prof.step()
        self.assertEqual(len(said), 1)
        self.assertIn("no accumulate()", str(said[0].message))
        self.assertEqual(len(Recorded().steps), 1)


class KerasTest(WithStandIn):
    def callback(self, **options):
        callbacks = module("keras.callbacks", Callback=object)
        made = self.integration(
            "keras", module("keras", callbacks=callbacks), callbacks)
        return made.StepscopeCallback(**options)

    @staticmethod
    def fit(callback, epochs, batches, validate=0):
        callback.on_train_begin()
        for epoch in range(epochs):
            callback.on_epoch_begin(epoch)
            for batch in range(batches):
                callback.on_train_batch_begin(batch)
                with stepscope.RecordEvent("train"):
                    pass
                callback.on_train_batch_end(batch)
            if validate:
                callback.on_test_begin()
                for batch in range(validate):
                    callback.on_test_batch_begin(batch)
                    callback.on_test_batch_end(batch)
                callback.on_test_end()
            callback.on_epoch_end(epoch)
        callback.on_train_end()

    def test_known_counts(self):
        self.fit(self.callback(), 2, 6, validate=5)
        seen = Recorded()
        self.assertEqual(seen.by_step("train"), [1] * 12)
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("Evaluation batch"), 10)
        self.assertEqual(seen.by_step("Wait for data"), [1] * 12)
        self.assertEqual({row["type"] for row in seen.named("Wait for data")},
                         {"Dataloader"})

    def test_accumulation(self):
        callback = self.callback()
        callback.model = types.SimpleNamespace(
            optimizer=types.SimpleNamespace(gradient_accumulation_steps=3))
        self.fit(callback, 1, 12)
        seen = Recorded()
        self.assertEqual(seen.by_step("train"), [3] * 4)
        self.assertEqual(seen.by_step("Micro-step"), [3] * 4)

    def test_predict_alone(self):
        callback = self.callback()
        callback.on_predict_begin()
        for batch in range(4):
            callback.on_predict_batch_begin(batch)
            callback.on_predict_batch_end(batch)
        callback.on_predict_end()
        seen = Recorded()
        self.assertEqual(seen.steps, [])
        self.assertEqual(len(seen.named("Prediction batch")), 4)


class LightningTest(WithStandIn):
    class Profiler:
        """As lightning.pytorch.profilers.Profiler."""

        def __init__(self, dirpath=None, filename=None):
            pass

        def setup(self, stage, local_rank=None, log_dir=None):
            pass

        def teardown(self, stage):
            pass

        @contextlib.contextmanager
        def profile(self, action):
            self.start(action)
            try:
                yield
            finally:
                self.stop(action)

        def __del__(self):
            self.teardown(None)

    def profiler(self, **options):
        profilers = module("lightning.pytorch.profilers",
                           Profiler=self.Profiler)
        made = self.integration("lightning", profilers)
        return made.StepscopeProfiler(**options)

    @staticmethod
    def hooks(profiler, hook, work=None):
        """Callbacks first, then the module, then the strategy."""
        for owner in ("[Callback]Bar", "[LightningModule]Net",
                      "[Strategy]Single"):
            with profiler.profile(f"{owner}.{hook}"):
                if work and owner == "[Callback]Bar":
                    work()

    def fit(self, profiler, batches, accumulate, validate_after, save=False):
        tell = profiler.profile
        profiler._lightning_module = types.SimpleNamespace(
            trainer=types.SimpleNamespace(accumulate_grad_batches=accumulate,
                                          sanity_checking=False))
        profiler.setup("fit")
        with tell("run_training_epoch"):
            self.hooks(profiler, "on_train_epoch_start")
            for batch in range(1, batches + 1):
                with tell("[_TrainingEpochLoop].train_dataloader_next"):
                    pass
                with tell("run_training_batch"):
                    with tell("[Strategy]Single.training_step"):
                        pass
                    if batch % accumulate == 0:
                        with tell("[LightningModule]Net.optimizer_step"):
                            pass
                self.hooks(profiler, "on_train_batch_end")
                if batch in validate_after:
                    self.validate(profiler)
                if save and batch == batches:
                    self.hooks(profiler, "on_train_batch_end",
                               lambda: self.save(profiler))
            self.hooks(profiler, "on_train_epoch_end")
        profiler.teardown("fit")

    @staticmethod
    def save(profiler):
        with profiler.profile("[LightningModule]Net.on_save_checkpoint"):
            pass
        with stepscope.RecordEvent("write"):
            pass

    def validate(self, profiler):
        self.hooks(profiler, "on_validation_start")
        for _ in range(5):
            self.hooks(profiler, "on_validation_batch_start")
            self.hooks(profiler, "on_validation_batch_end")
        self.hooks(profiler, "on_validation_end")

    def test_known_counts(self):
        self.fit(self.profiler(), 12, 3, (6, 12), save=True)
        seen = Recorded()
        self.assertEqual(seen.by_step("training_step"), [3] * 4)
        self.assertEqual(seen.by_step("Micro-step"), [3] * 4)
        self.assertEqual(seen.by_step("train_dataloader_next"), [3] * 4)
        self.assertEqual(seen.outside("Evaluation"), 2)
        self.assertEqual(seen.outside("Evaluation batch"), 10)
        self.assertEqual(seen.outside("Checkpoint"), 1)
        self.assertEqual(seen.outside("write"), 1)

    def test_an_action_that_never_stops(self):
        profiler = self.profiler()
        profiler.setup("fit")
        profiler.start("[Callback]Mine.on_fit_start")
        profiler.stop("[Callback]Other.on_fit_start")
        profiler.teardown("fit")
        self.assertEqual(Recorded().steps, [])


class TroubleTest(WithStandIn):
    callback = TransformersTest.callback

    def test_on_trace_ready_that_raises(self):
        def fail(prof):
            raise KeyError("mine")

        callback = self.callback(
            on_trace_ready=fail,
            scheduler=stepscope.make_scheduler(closed=0, ready=0, record=1))

        said = self.warned(lambda: Trainer(callback, 5, 1).train())
        self.assertEqual(len(said), 1, said)
        self.assertIn("KeyError: 'mine'", said[0])

    def test_warnings_that_are_errors(self):
        callback = self.callback(
            on_trace_ready=lambda prof: prof.no_such_thing())
        warnings.simplefilter("error")
        Trainer(callback, 2, 1).train()

    def test_somebody_else_records(self):
        with support.quiet_stdout(), stepscope.Profiler(
                on_trace_ready=stepscope.export_capture("other")):
            Trainer(self.callback(), 2, 1).train()
        self.assertEqual(len(self.files("other", ".sscap")), 1)

    def test_folder_that_cannot_be_made(self):
        with open("file", "w"):
            pass
        callback = self.callback(out="file/log")
        said = self.warned(lambda: Trainer(callback, 3, 1).train())
        self.assertEqual(len(said), 1, said)
        self.assertIn("Can not create directory", said[0])

    def test_misspelled_option(self):
        with self.assertRaisesRegex(TypeError, "'schedule'.*scheduler"):
            self.callback(schedule=(1, 2))

    def test_torch_profiler_beside(self):
        autograd = module("torch.autograd", _profiler_enabled=lambda: True)
        before = sys.modules.get("torch")
        callback = self.callback(frameworks=False)
        sys.modules["torch"] = module("torch", autograd=autograd)
        try:
            said = self.warned(lambda: Trainer(callback, 3, 1).train())
        finally:
            del sys.modules["torch"]
            if before is not None:
                sys.modules["torch"] = before
        self.assertEqual(len(said), 1, said)
        self.assertIn("torch.profiler records too", said[0])
        self.assertEqual(len(Recorded().steps), 3)

    def test_absent_package(self):
        """One line, which names the package; the rest works."""
        for name in ("transformers", "lightning", "keras"):
            done = subprocess.run(
                [sys.executable, "-S", "-c",
                 "import sys; sys.path[:] = " + repr(sys.path) + "\n"
                 "for name in ('transformers', 'lightning', 'keras',"
                 " 'pytorch_lightning'): sys.modules[name] = None\n"
                 "import stepscope\n"
                 f"try: import stepscope.integrations.{name}\n"
                 "except ImportError as error: print(error)"],
                check=True, stdout=subprocess.PIPE, text=True)
            self.assertEqual(len(done.stdout.splitlines()), 1)
            self.assertIn(name, done.stdout)

    def test_nothing_is_loaded_by_itself(self):
        support.run_script(
            "import sys, stepscope, stepscope.integrations\n"
            "import stepscope.integrations.accelerate\n"
            f"loaded = set({PACKAGES!r}) & set(sys.modules)\n"
            "assert not loaded, loaded\n")


class PeriodTest(WithStandIn):
    callback = TransformersTest.callback

    def test_evaluation_is_in_no_period(self):
        """A sleep can only be longer than asked for."""
        trainer = Trainer(self.callback(), 6, 1, evaluate_at=(3,))
        begin = time.monotonic_ns()
        evaluate = trainer.evaluate
        trainer.evaluate = lambda: (time.sleep(0.3), evaluate())
        trainer.train()
        whole = time.monotonic_ns() - begin
        periods = Recorded().periods()
        self.assertEqual(len(periods), 6)
        self.assertLess(sum(periods), whole - 300_000_000)


if __name__ == "__main__":
    unittest.main()
