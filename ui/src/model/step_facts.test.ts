// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { formatTime } from "./format.ts";
import { stepFacts } from "./step_facts.ts";

test("figures of steps, as people write numbers", () => {
  const times = { steps: 5000, warmup: 1200, paced_by: "host",
    unprofiled_ns: null, slow_down: null, period: { min_ns: 1e6, p25_ns: 2e6,
      p50_ns: 3e6, p75_ns: 4e6, max_ns: 5e6, avg_ns: 3e6 } };
  const facts = new Map(stepFacts(times).map((one) => [one.title, one.text]));
  expect(facts.get("steps")).toBe("5,000");
  expect(facts.get("warm-up, left out")).toBe("1,200");
  expect(facts.get("median")).toBe(formatTime(3e6));
  expect(facts.get("paced by")).toBe("host");
  expect(stepFacts({ ...times, period: null })).toEqual([]);
  expect(stepFacts(null)).toEqual([]);
});
