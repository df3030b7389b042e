// SPDX-License-Identifier: Apache-2.0
//
// The page is served by stepscope itself under a strict content security
// policy and perhaps behind a sub-path proxy: addresses are relative, nothing
// is inlined, and no script is made at run time.
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  worker: { format: "es" },
  // A busy machine is slow, not wrong.
  test: { include: ["src/**/*.test.ts"], testTimeout: 120_000 },
});
