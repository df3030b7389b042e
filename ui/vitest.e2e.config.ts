// SPDX-License-Identifier: Apache-2.0
//
// Tests in a real browser. They share one machine: one file at a time.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    fileParallelism: false,
    // Nothing is decided by time: a test waits for what it expects.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 200_000, interval: 50 } },
  },
});
