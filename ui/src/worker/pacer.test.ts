// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { Pacer } from "./pacer.ts";

/**
 * A screen whose frames begin, and whose messages are read, when told to. What
 * has been drawn is shown at the end of a frame: "]".
 */
function makeScreen() {
  let frame: (() => void) | null = null;
  let soon: (() => void) | null = null;
  const log: string[] = [];
  const pacer = new Pacer({
    frame: (run) => { frame = run; },
    soon: (run) => { soon = run; },
  }, () => log.push("draw"));
  const take = (run: (() => void) | null) => run?.();
  return {
    pacer, log,
    /** False when nobody asked for this frame. */
    begin() {
      log.push("[");
      const run = frame;
      frame = null;
      take(run);
      log.push("]");
      return run !== null;
    },
    read() {
      const run = soon;
      soon = null;
      take(run);
    },
  };
}

test("a view that comes first is drawn when the frame begins", () => {
  const { pacer, log, begin, read } = makeScreen();
  for (let n = 0; n < 3; n++) {
    pacer.want();
    pacer.want();
    read();
    begin();
  }
  expect(log.join(" ")).toBe("[ draw ] [ draw ] [ draw ]");
  expect(pacer.waits).toBe(false);
});

test("a view that comes after the frame began is drawn at once", () => {
  const { pacer, log, begin, read } = makeScreen();
  pacer.want();
  begin();
  for (let n = 0; n < 3; n++) {
    begin();
    pacer.want();
    pacer.want();
    expect(pacer.waits).toBe(true);
    read();
  }
  expect(log.join(" ")).toBe("[ draw ] [ ] draw [ ] draw [ ] draw");
});

test("never two for one frame, whatever comes first", () => {
  const { pacer, log, begin, read } = makeScreen();
  pacer.want();
  begin();
  begin();
  pacer.want();
  read();
  // Drawn for the next frame; two more views come before that begins.
  pacer.want();
  pacer.want();
  read();
  begin();
  read();
  pacer.want();
  read();
  begin();
  read();
  expect(log.join(" ")).toBe("[ draw ] [ ] draw [ ] draw [ ] draw");
});

test("a frame that begins before messages are read draws it, once", () => {
  const { pacer, log, begin, read } = makeScreen();
  pacer.want();
  begin();
  begin();
  pacer.want();
  begin();
  read();
  expect(log.join(" ")).toBe("[ draw ] [ ] [ draw ]");
});

test("no frame is asked for when nothing moves", () => {
  const { pacer, begin, log } = makeScreen();
  pacer.want();
  let frames = 0;
  while (begin()) frames++;
  expect(frames).toBeGreaterThan(2);
  expect(frames).toBeLessThan(30);
  pacer.want();
  expect(begin()).toBe(true);
  expect(log.slice(-3)).toEqual(["[", "draw", "]"]);
});
