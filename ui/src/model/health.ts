// SPDX-License-Identifier: Apache-2.0
//
// The trace's ledger in words. Pure.
import type { TraceInfo } from "../generated/answers.ts";
import { formatCount } from "./format.ts";

interface Health {
  good: boolean;
  title: string;
  detail: string;
  /** What happened to some records, and to how many. */
  reasons: { what: string; count: number }[];
}

function binsOf(bins: Record<string, number>, word: string) {
  return Object.entries(bins).filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ what: `${word}: ${reason}`, count }));
}

export function healthOf(info: Pick<TraceInfo,
  "ledger" | "complete" | "recording" | "repaired" | "rejected">): Health {
  const { ledger, complete, rejected: lost, repaired: mended } = info;
  const rejected = binsOf(ledger.rejected, "rejected");
  const repaired = binsOf(ledger.repaired, "repaired");
  const reasons = [...rejected, ...repaired];
  const parts = [
    `${formatCount(ledger.seen)} records read`,
    lost ? `${formatCount(lost)} rejected` : "none lost",
    mended ? `${formatCount(mended)} repaired` : "none repaired",
  ];
  if (info.recording) parts.push("the recording goes on");
  else if (!complete) parts.push("the recording was cut off");
  const detail = parts.join(", ");
  // The rest is on its way.
  if (info.recording)
    return { good: lost === 0, title: "Recording", detail, reasons };
  // How much is missing of a file that breaks off, nobody knows.
  if (!complete) return { good: false, title: "Cut off", detail, reasons };
  if (lost > 0)
    return { good: false, title: `${formatCount(lost)} lost`, detail, reasons };
  if (mended > 0)
    return { good: true, title: `${formatCount(mended)} repaired`, detail,
      reasons };
  return { good: true, title: "Nothing lost", detail, reasons };
}
