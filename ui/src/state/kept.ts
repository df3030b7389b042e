// SPDX-License-Identifier: Apache-2.0
//
// Answers of this page's life, by address, each with the traces that it is of.
// A file that changes is opened anew under the id that it had: what is kept of
// the old one goes then. Pure.
import type { Params } from "../api/client.ts";

interface Kept {
  value: unknown;
  of: unknown[];
}
const answers = new Map<string, Kept>();
const MOST_KEPT = 64;

export function keep(key: string, params: Params, value: unknown): void {
  answers.delete(key);
  // A comparison is of two traces.
  answers.set(key, { value, of: [params["t"], params["a"], params["b"]] });
  if (answers.size > MOST_KEPT) answers.delete(answers.keys().next().value!);
}

export const isKept = (key: string) => answers.has(key);
export const keptAnswer = (key: string) => answers.get(key)?.value;

/** Forgets all answers of a trace. */
export function forget(t: string): void {
  for (const [key, { of }] of answers) if (of.includes(t)) answers.delete(key);
}

const seen = new Map<string, string>();
/**
 * Takes what the server says of a trace each time that it was opened: another
 * tab may have opened a changed file before. True: it is not the one that was
 * open under this id.
 */
export function noteTrace(t: string, info: unknown): boolean {
  const text = JSON.stringify(info);
  const before = seen.get(t);
  seen.set(t, text);
  if (before === undefined || before === text) return false;
  forget(t);
  return true;
}
