// SPDX-License-Identifier: Apache-2.0
//
// Numbers for people. Formatting only: no value is computed here. Pure.
const THIN = "\u202f";

export function formatCount(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 row", "1,200 rows". */
export function countOf(value: number, one: string): string {
  return `${formatCount(value)} ${one}${value === 1 ? "" : "s"}`;
}

const TIMES: [unit: string, ns: number][] = [
  ["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1],
];

function digits(value: number, most: number): string {
  const size = Math.abs(value);
  const after = size >= 100 ? Math.min(most, 1) : size >= 10
    ? Math.min(most, 1) : most;
  return value.toFixed(after);
}

/** A duration with the unit that suits it: "26.7 µs", "1.06 ms", "812 ns". */
export function formatTime(ns: number): string {
  if (ns === 0) return `0${THIN}ns`;
  const size = Math.abs(ns);
  // 999.96 µs would print as "1000.0 µs".
  const [unit, one] =
    TIMES.find(([, at]) => size >= at * 0.99995) ?? ["ns", 1];
  const value = ns / one;
  const text = unit === "ns" ? String(Math.round(value)) : digits(value, 2);
  return `${text}${THIN}${unit}`;
}

/** "43.3 – 62.1 ms": the unit once, where both have the same. */
export function formatRange(from: number, to: number): string {
  const [a, b] = [formatTime(from), formatTime(to)];
  const unit = THIN + b.split(THIN)[1];
  return `${a.endsWith(unit) ? a.slice(0, -unit.length) : a} – ${b}`;
}

/** A time on an axis whose ticks are `step` ns apart. */
export function formatTick(ns: number, step: number): string {
  const [unit, one] =
    TIMES.find(([, at]) => Math.max(Math.abs(ns), step) >= at) ?? ["ns", 1];
  // As many digits as tell two ticks apart: 2.5 ms is not "3 ms".
  let after = Math.max(0, Math.ceil(-Math.log10(step / one) - 1e-9));
  const scaled = (step / one) * 10 ** after;
  if (Math.abs(scaled - Math.round(scaled)) > 1e-6 * scaled) after++;
  return `${(ns / one).toFixed(Math.min(after, 9))}${THIN}${unit}`;
}

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"];
export function formatBytes(bytes: number): string {
  let value = bytes;
  let at = 0;
  while (Math.abs(value) >= 1023.995 && at < SIZES.length - 1) {
    value /= 1024;
    at++;
  }
  return `${at === 0 ? value : digits(value, 2)}${THIN}${SIZES[at]}`;
}

/** 0.2356 → "23.6 %". */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)}${THIN}%`;
}

const PREFIXES = ["", "k", "M", "G", "T", "P"];
/** 4.8e12 → "4.80 TB/s". */
function formatRate(value: number, unit: string): string {
  let at = 0;
  while (Math.abs(value) >= 999.995 && at < PREFIXES.length - 1) {
    value /= 1000;
    at++;
  }
  return `${digits(value, at === 0 ? 0 : 2)}${THIN}${PREFIXES[at]}${unit}`;
}

/** A value of a counter in its unit. */
export function formatValue(value: number, unit = ""): string {
  if (unit === "bytes" || unit === "B") return formatBytes(value);
  if (unit === "ns") return formatTime(value);
  if (unit === "share") return formatShare(value);
  if (unit === "B/s" || unit === "Hz") return formatRate(value, unit);
  const text = Number.isInteger(value) ? formatCount(value)
    : digits(value, 2);
  return unit ? `${text}${THIN}${unit}` : text;
}
