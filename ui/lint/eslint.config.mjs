// SPDX-License-Identifier: Apache-2.0
import js from "@eslint/js";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist/", "node_modules/", "lint/", "test/out/"] },
  js.configs.recommended,
  ts.configs.recommended,
  {
    // The compiler finds names that are not defined, and it finds them better.
    rules: { "no-undef": "off" },
  },
);
