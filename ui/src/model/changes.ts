// SPDX-License-Identifier: Apache-2.0
//
// The changes of a what-if, as one text in the address: ";" is between them,
// "\;" and "\\" stand for the signs themselves. Pure.
export function readChanges(text: string): string[] {
  const changes: string[] = [""];
  for (const [part] of text.matchAll(/\\[\\;]|[^]/g)) {
    if (part === ";") changes.push("");
    else changes[changes.length - 1] += part.length > 1 ? part[1] : part;
  }
  return [...new Set(changes.filter(Boolean))];
}

export function writeChanges(changes: string[]): string {
  return changes.map((one) => one.replace(/[\\;]/g, "\\$&")).join(";");
}

/** With one more; one that is there is not added again. */
export function withChange(changes: string[], change: string): string[] {
  return changes.includes(change) ? changes : [...changes, change];
}
