// SPDX-License-Identifier: Apache-2.0
import { headAndTail } from "../model/names.ts";

/** A name of code, short; its end is seen, and the whole on hover. */
export function Name({ text, short }: { text: string; short?: string }) {
  const [head, tail] = headAndTail(short ?? text);
  return (
    <span class={"name" + (tail ? " cut" : "")} title={text}>
      {tail ? <><span>{head}</span>{tail}</> : head}
    </span>
  );
}
