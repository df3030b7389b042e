// SPDX-License-Identifier: Apache-2.0
//
// Tests in a real browser. They share one machine: one file at a time.
import { defineConfig } from "vitest/config";
import { PATIENCE_MS } from "./test/patience.ts";

export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    fileParallelism: false,
    // Nothing is decided by time: a test waits for what it expects.
    testTimeout: PATIENCE_MS + 40_000,
    hookTimeout: PATIENCE_MS + 40_000,
    expect: { poll: { timeout: PATIENCE_MS, interval: 50 } },
  },
});
