// SPDX-License-Identifier: Apache-2.0
//
// Where a turn of the wheel or a stroke on a trackpad goes. Pure.
interface Turn {
  deltaX: number;
  deltaY: number;
  shiftKey: boolean;
}

/**
 * How far to pan; 0: it scrolls the tracks. A stroke is never quite straight:
 * the larger axis wins.
 */
export function sidewaysOf({ deltaX, deltaY, shiftKey }: Turn): number {
  if (shiftKey && deltaX === 0) return deltaY;
  return Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : 0;
}
