// SPDX-License-Identifier: Apache-2.0
//
// Sentences of the tool as the page writes them: one way for units, which stay
// on the line of their number, and code apart from words. Pure.
import { shortName } from "./names.ts";

// "12.5 us" of a terminal is "12.5 µs" here.
const MICROSECONDS = /(\d) us\b/g;
const UNITS = /(\d) (%|(?:ns|µs|ms|s|B|KiB|MiB|GiB|TiB)\b)/g;

/** `name`: a name of the trace in the sentence, which stays as it is. */
export function prose(text: string, name = ""): string {
  const spelled = (part: string) =>
    part.replace(MICROSECONDS, "$1 µs").replace(UNITS, "$1\u202f$2");
  return name ? text.split(name).map(spelled).join(name) : spelled(text);
}

interface ProsePart {
  text: string;
  code: boolean;
}

// `quoted`, --options, calls(), names of Python and of C++, arguments.
const CODE = new RegExp([
  "`[^`]+`", "(?<![\\w-])--[a-z][\\w-]*",
  "\\b[A-Za-z_][\\w.]*\\((?!s\\))[^()]*\\)", "\\b\\w+=(?:True|False)\\b",
  "\\b[A-Z]\\w+\\.[A-Z]\\w+\\b", "\\b\\w+(?:::\\w+)+\\b",
].join("|"), "g");

function partsOf(text: string): ProsePart[] {
  const parts: ProsePart[] = [];
  let at = 0;
  for (const found of text.matchAll(CODE)) {
    parts.push({ text: text.slice(at, found.index), code: false },
      { text: found[0].replaceAll("`", ""), code: true });
    at = found.index + found[0].length;
  }
  parts.push({ text: text.slice(at), code: false });
  return parts.filter((part) => part.text !== "");
}

/** A long name of a kernel may have been cut in the sentence already. */
const LONG = 40;
const SURE = 30;

/** Words and code; a long name is short, and ends the sentence. */
export function proseParts(text: string, name = ""): ProsePart[] {
  const whole = name ? text.indexOf(name) : -1;
  const at = name.length > LONG ? text.indexOf(name.slice(0, SURE)) : whole;
  if (at < 0) return partsOf(prose(text));
  const quoted = text[at - 1] === '"' && text[at + name.length] === '"' ? 1 : 0;
  const rest = name.length > LONG ? ""
    : text.slice(at + name.length + quoted);
  return [...partsOf(prose(text.slice(0, at - quoted))),
    { text: name.length > LONG ? shortName(name) : name, code: true },
    ...partsOf(prose(rest))];
}
