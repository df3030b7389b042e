// SPDX-License-Identifier: Apache-2.0
//
// How fast a held key moves the view. Pure.

/** Zoom (natural logarithm) and screens of pan in a second. */
const ZOOM_RATE = 3.2;
const PAN_RATE = 1.1;
const FASTER = 3;

/** What a short press is worth. */
export const TAP_MS = 90;
/** A late frame moves no further than this: the eye would lose its place. */
const LONGEST_MS = 50;

/** What of the time since the last frame counts. */
export function frameTime(milliseconds: number): number {
  return Math.max(0, Math.min(LONGEST_MS, milliseconds));
}

/** The view's length after holding "zoom in" for so long, as a factor. */
export function zoomFactor(milliseconds: number, fast: boolean): number {
  return Math.exp((-ZOOM_RATE * (fast ? FASTER : 1) * milliseconds) / 1000);
}
/** How many screens "move" goes in that time. */
export function panShare(milliseconds: number, fast: boolean): number {
  return (PAN_RATE * (fast ? FASTER : 1) * milliseconds) / 1000;
}
