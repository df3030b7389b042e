// SPDX-License-Identifier: Apache-2.0
//
// When a picture is drawn: once for each frame of the screen, whether the view
// comes before or after the browser says that the frame begins. The page and
// the worker hear of a frame at the same time, so either may be first. A view
// that comes after is drawn at once; what is drawn between two frames is shown
// with the next one.

/** Nothing new for so many frames: no more of them are asked for. */
const IDLE_FRAMES = 10;

interface Clock {
  /** Calls back when the next frame of the screen begins. */
  frame(run: () => void): void;
  /** Calls back when the messages that are here have been read. */
  soon(run: () => void): void;
}

export function makeClock(): Clock {
  const { port1, port2 } = new MessageChannel();
  return {
    frame: (run) => requestAnimationFrame(run),
    // A message to itself is read after those that are here.
    soon: (run) => {
      port1.onmessage = run;
      port2.postMessage(null);
    },
  };
}

export class Pacer {
  private readonly clock: Clock;
  private readonly draw: () => void;
  /** There is something new to draw. */
  private wanted = false;
  /** The next frame has been asked for. */
  private asked = false;
  /** This frame has begun, and nothing was drawn for it. */
  private free = false;
  /** A picture has been drawn that comes with the next frame. */
  private early = false;
  private soon = false;
  private idle = 0;

  constructor(clock: Clock, draw: () => void) {
    this.clock = clock;
    this.draw = draw;
  }

  /** A picture is on its way. */
  get waits(): boolean {
    return this.wanted;
  }

  /** Something has changed. */
  want(): void {
    this.wanted = true;
    this.ask();
    if (this.free) this.drawSoon();
  }

  private ask(): void {
    if (this.asked) return;
    this.asked = true;
    this.clock.frame(() => this.begin());
  }

  private begin(): void {
    this.asked = false;
    this.free = false;
    if (this.early) {
      // Its turn: another one now would take its place unseen.
      this.early = false;
      this.free = true;
      if (this.wanted) this.drawSoon();
    } else if (this.wanted) {
      this.idle = 0;
      this.drawNow();
    } else {
      this.free = ++this.idle < IDLE_FRAMES;
    }
    if (this.free || this.wanted || this.idle === 0) this.ask();
  }

  private drawSoon(): void {
    if (this.soon) return;
    this.soon = true;
    this.clock.soon(() => {
      this.soon = false;
      if (!this.wanted || !this.free) return;
      this.free = false;
      this.early = true;
      this.idle = 0;
      this.drawNow();
    });
  }

  private drawNow(): void {
    this.wanted = false;
    this.draw();
  }
}
