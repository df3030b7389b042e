# SPDX-License-Identifier: Apache-2.0
"""A standalone Spark cluster on loopback: a master and two workers.

Every process is ours, and is ended by its id. Nothing here waits for a time:
the master and the workers say in their logs where they are.
"""

import os
import re
import signal
import subprocess
import time

PAUSE_S = 0.1  # between two looks at a condition
# For processes that live for seconds: compile in haste, and on one thread.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def wait_for(condition, alive):
    """The first true answer; AssertionError when a process has ended."""
    while True:
        answer = condition()
        if answer:
            return answer
        for process in alive:
            if process.poll() is not None:
                raise AssertionError(f"{process.args} ended with "
                                     f"{process.returncode}")
        time.sleep(PAUSE_S)


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def is_running(pid):
    """Not where it has ended and nobody has asked for its status yet."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def command_of(pid):
    with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
        return file.read().replace("\0", " ")


class Cluster:
    """`environment` is what the daemons and the executors see."""

    def __init__(self, spark_home, folder, environment):
        self.folder = folder
        self.processes = []
        self.command = [os.path.join(spark_home, "bin", "spark-class")]
        self.environment = {**environment, "SPARK_HOME": spark_home,
                            "SPARK_LOCAL_IP": "127.0.0.1",
                            "SPARK_NO_DAEMONIZE": "1",
                            "SPARK_LOCAL_DIRS": os.path.join(folder, "local"),
                            "SPARK_DAEMON_MEMORY": "256m",
                            "SPARK_DAEMON_JAVA_OPTS": QUICK_JAVA}
        try:
            self._start_all()
        except BaseException:
            self.stop()
            raise

    def _start_all(self):
        log = self._start("master", "org.apache.spark.deploy.master.Master",
                          "--host", "127.0.0.1", "--port", "0",
                          "--webui-port", "0")
        self.url = self._find(log, r"(spark://127\.0\.0\.1:\d+)")
        for name in ("worker-a", "worker-b"):
            log = self._start(name, "org.apache.spark.deploy.worker.Worker",
                              "--host", "127.0.0.1", "--port", "0",
                              "--webui-port", "0", "-c", "1", "-m", "1g",
                              "-d", os.path.join(self.folder, name),
                              self.url)
            self._find(log, r"(Successfully registered with master)")

    def _start(self, name, *arguments):
        log = os.path.join(self.folder, f"{name}.log")
        with open(log, "wb") as file:
            self.processes.append(subprocess.Popen(
                [*self.command, *arguments], env=self.environment, stdout=file,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL))
        return log

    def _find(self, log, pattern):
        def look():
            with open(log, encoding="utf-8", errors="replace") as file:
                return re.search(pattern, file.read())
        return wait_for(look, self.processes)[1]

    def executor_above(self, pid):
        """The executor's process that a task's process was started by."""
        workers = {process.pid for process in self.processes}
        while "CoarseGrainedExecutorBackend" not in command_of(pid):
            pid = parent_of(pid)
            if pid <= 1:
                raise AssertionError("not a process of an executor")
        if parent_of(pid) not in workers:
            raise AssertionError("not an executor of our workers")
        return pid

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait()
