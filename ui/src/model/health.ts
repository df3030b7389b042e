// SPDX-License-Identifier: Apache-2.0
//
// The trace's ledger in a sentence. It only adds words: the counts are the
// server's. Pure.
import type { TraceInfo } from "../api/types.ts";
import { formatCount } from "./format.ts";

export interface Health {
  good: boolean;
  title: string;
  detail: string;
}

const WORDS: Record<string, string> = {
  kept: "kept", repaired: "repaired", rejected: "rejected",
  dropped: "dropped while recording", records: "records read",
};

function numberAt(ledger: Record<string, unknown>, key: string): number {
  const value = ledger[key];
  return typeof value === "number" ? value : 0;
}

export function healthOf(info: Pick<TraceInfo, "ledger" | "complete">)
  : Health {
  const { ledger, complete } = info;
  const lost = numberAt(ledger, "rejected") + numberAt(ledger, "dropped");
  const repaired = numberAt(ledger, "repaired");
  const parts = Object.keys(WORDS)
    .filter((key) => typeof ledger[key] === "number")
    .map((key) => `${formatCount(numberAt(ledger, key))} ${WORDS[key]}`);
  const detail = parts.join(", ") +
    (complete ? "" : (parts.length ? "; " : "") + "the recording was cut off");
  if (lost > 0)
    return { good: false, title: `${formatCount(lost)} lost`, detail };
  if (!complete) return { good: false, title: "Cut off", detail };
  if (repaired > 0)
    return { good: true, title: `${formatCount(repaired)} repaired`, detail };
  return { good: true, title: "Nothing lost", detail };
}
