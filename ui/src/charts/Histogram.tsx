// SPDX-License-Identifier: Apache-2.0
//
// How often something took how long, as the server has counted it.
import type { Histogram as Bins } from "../generated/answers.ts";
import type { Hue } from "../generated/looks.ts";
import { countOf, formatCount, formatTime } from "../model/format.ts";
import { cssVar } from "../model/palette.ts";
import { mostOf, partOf } from "../model/shares.ts";

/** Above as many bars, numbers over them would run into each other. */
const MOST_NUMBERS = 14;
const MOST_LABELS = 6;

export function Histogram({ bins, one, label, hue, own, high = 62 }: {
  bins: Bins;
  /** What is counted: "call". */
  one: string;
  label: string;
  hue: Hue;
  /** The bar that stands out, -1: none does; without it all are alike. */
  own?: number;
  /** Pixels of the highest bar. */
  high?: number;
}) {
  const { edges, counts } = bins;
  const most = mostOf(counts);
  const every = Math.ceil(counts.length / MOST_LABELS);
  return (
    <div class="histogram" role="img" aria-label={label}
      style={{ height: `${high + 34}px` }}>
      {counts.map((count, n) => (
        <div key={n} title={`${countOf(count, one)} of ` +
          `${formatTime(edges[n]!)} to ${formatTime(edges[n + 1]!)}`}>
          <span>{counts.length <= MOST_NUMBERS && count > 0
            ? formatCount(count) : ""}</span>
          <i class={own === undefined || n === own ? "own" : ""} style={{
            height: `${count ? Math.max(2, partOf(count, most) * high) : 0}px`,
            background: cssVar(hue) }} />
          <small>{n % every === 0 && n + every / 2 <= counts.length
            ? formatTime(edges[n]!) : ""}</small>
        </div>
      ))}
    </div>
  );
}
