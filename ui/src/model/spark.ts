// SPDX-License-Identifier: Apache-2.0
//
// Steps as a few small bars: of many, each bar is several steps in a row and
// as high as the longest of them. Pure.
interface SparkBar<T> {
  /** The longest of its steps. */
  item: T;
  /** Whether any of its steps is odd. */
  odd: boolean;
}
/** As many as the card has room for. */
export const MOST_BARS = 28;

export function sparkBars<T>(items: readonly T[], valueOf: (item: T) => number,
  isOdd: (item: T) => boolean, most = MOST_BARS): SparkBar<T>[] {
  const each = Math.max(1, Math.ceil(items.length / most));
  const bars: SparkBar<T>[] = [];
  for (let from = 0; from < items.length; from += each) {
    const part = items.slice(from, from + each);
    let item = part[0] as T;
    for (const one of part) if (valueOf(one) > valueOf(item)) item = one;
    bars.push({ odd: part.some(isOdd), item });
  }
  return bars;
}
