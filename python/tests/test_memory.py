# SPDX-License-Identifier: Apache-2.0
"""profile_memory: the memory of the process, and leaks of it."""

import unittest

import stepscope
import support


class MemoryTest(support.InOwnFolder):
    def host_memory(self, work):
        with stepscope.Profiler(profile_memory=True, quiet=True,
                                on_trace_ready=lambda prof: None) as prof:
            for _ in range(12):
                work()
                prof.step()
        (place,) = prof.result.memory.to_dicts()
        self.assertEqual(place["place"], "host memory")
        self.assertGreater(place["peak_allocated_bytes"], 1 << 20)
        return place

    def test_a_leak_is_found(self):
        kept = []
        place = self.host_memory(
            lambda: kept.append(bytearray(b"x" * (4 << 20))))
        (leak,) = place["leak_candidates"]
        self.assertAlmostEqual(leak["bytes"] / leak["steps"], 4 << 20,
                               delta=1 << 20)

    def test_no_leak(self):
        place = self.host_memory(lambda: bytearray(b"x" * (4 << 20)))
        self.assertEqual(place["leak_candidates"], [])


if __name__ == "__main__":
    unittest.main()
