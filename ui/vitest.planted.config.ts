// SPDX-License-Identifier: Apache-2.0
//
// Tests of the browser tests, with defects planted into the page.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/planted/**/*.test.ts"],
    testTimeout: 600_000,
  },
});
