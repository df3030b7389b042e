// SPDX-License-Identifier: Apache-2.0
import { proseParts } from "../model/prose.ts";

/** A sentence; what is code in it looks like code. */
export function Prose({ text, name }: { text: string; name?: string }) {
  return (
    <>{proseParts(text, name).map((part, i) => part.code
      ? <code key={i}>{part.text}</code> : part.text)}</>
  );
}
