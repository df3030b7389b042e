// SPDX-License-Identifier: Apache-2.0
//
// Text that is cut to a width. Widths of characters are measured once.
type Context = OffscreenCanvasRenderingContext2D;

export const BOX_FONT = "500 11px Inter, sans-serif";
export const SMALL_FONT = "450 11px Inter, sans-serif";

export class TextFitter {
  private readonly widths = new Map<string, number>();
  private readonly fits = new Map<string, string>();

  private widthOf(context: Context, character: string): number {
    let width = this.widths.get(character);
    if (width === undefined) {
      width = context.measureText(character).width;
      this.widths.set(character, width);
    }
    return width;
  }

  /** The width of a text, as the sum of its characters. */
  width(context: Context, text: string): number {
    let width = 0;
    for (const character of text) width += this.widthOf(context, character);
    return width;
  }

  /** As much of `text` as fits; the context has the box font. */
  fit(context: Context, text: string, room: number): string {
    const key = `${room | 0}|${text}`;
    const known = this.fits.get(key);
    if (known !== undefined) return known;
    let width = 0;
    let end = 0;
    for (const character of text) {
      width += this.widthOf(context, character);
      if (width > room) break;
      end += character.length;
    }
    const cut = text.slice(0, end);
    if (this.fits.size > 20_000) this.fits.clear();
    this.fits.set(key, cut);
    return cut;
  }
}
