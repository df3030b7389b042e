// SPDX-License-Identifier: Apache-2.0
//
// How long a browser test waits for what it expects. Nothing is decided by
// time where all is well; where a defect was planted on purpose, this bounds
// how long it takes until a test says so.
export const PATIENCE_MS =
  Number(process.env["STEPSCOPE_PATIENCE_MS"] ?? 200_000);
