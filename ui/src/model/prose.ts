// SPDX-License-Identifier: Apache-2.0
//
// Sentences of the tool as the page writes them: one way for units. Pure.

// "12.5 us" of a terminal is "12.5 µs" here.
const MICROSECONDS = /(\d) us\b/g;

/** `name`: a name of the trace in the sentence, which stays as it is. */
export function prose(text: string, name = ""): string {
  const spelled = (part: string) => part.replace(MICROSECONDS, "$1 µs");
  return name ? text.split(name).map(spelled).join(name) : spelled(text);
}
