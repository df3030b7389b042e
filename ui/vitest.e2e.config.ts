// SPDX-License-Identifier: Apache-2.0
//
// Tests in a real browser. They share one machine: one file at a time.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
