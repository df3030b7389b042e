// SPDX-License-Identifier: Apache-2.0
import type { OverlapPart } from "../../generated/answers.ts";
import { OVERLAPS } from "../../generated/looks.ts";
import { formatShare, formatTime } from "../../model/format.ts";
import { cssVar, lookOf } from "../../model/palette.ts";
import { percent } from "../../model/shares.ts";

/** Parts that add up to the steps, as one bar. */
export function OverlapBar({ parts }: { parts: OverlapPart[] }) {
  return (
    <div class="stack-bar" role="img" aria-label={parts.map((one) =>
      `${one.part}: ${formatTime(one.time_ns)}`).join(", ")}>
      {parts.map((one) => <span key={one.part}
        title={`${one.part}: ${formatTime(one.time_ns)}, ` +
          formatShare(one.ratio)}
        style={{ width: percent(one.ratio),
          background: cssVar(lookOf(OVERLAPS, one.part).hue) }} />)}
    </div>
  );
}
