// SPDX-License-Identifier: Apache-2.0
//
// Geometry of communication beside computation. Pure.
import type { Distribution } from "../api/documents.ts";

export interface DistributionPart {
  key: string;
  title: string;
  colour: string;
  ns: number;
  share: number;
}

/**
 * Parts of the step that stand beside each other: what only computes, both at
 * once, what only communicates, and neither. The lengths of a picture; the
 * figures beside it are the server's.
 */
export function distributionParts(d: Distribution): DistributionPart[] {
  const whole = Math.max(1, d.step_ns);
  const both = d.overlap_ns;
  const computes = Math.max(0, d.computation_ns - both);
  const sends = Math.max(0, d.communication_ns - both);
  const neither = Math.max(0, whole - computes - sends - both);
  const part = (key: string, title: string, colour: string, ns: number) =>
    ({ key, title, colour, ns, share: ns / whole });
  return [
    part("computes", "computes only", "kernel", computes),
    part("both", "both at once", "user", both),
    part("sends", "communicates only", "communication", sends),
    part("neither", "neither", "unexplained", neither),
  ];
}
