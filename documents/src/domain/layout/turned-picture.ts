import type { Box } from '../page-model.js';

/** How a picture was turned before it was read: by quarters of a circle clockwise first, then by a few degrees clockwise about its middle. */
export interface Turn {
  quarters: 0 | 1 | 2 | 3;
  degrees: number;
}

export interface Size {
  width: number;
  height: number;
}

/** The size of a picture after some quarter turns. */
export const quarterTurned = ({ width, height }: Size, quarters: number): Size =>
  quarters % 2 === 0 ? { width, height } : { width: height, height: width };

/**
 * Where a box of the turned picture stands on the picture as it is displayed: the smallest upright box around it. `displayed` is the size before,
 * `turned` the size after.
 */
export function boxBeforeTurn(box: Box, turn: Turn, displayed: Size, turned: Size): Box {
  const middle = quarterTurned(displayed, turn.quarters);
  const angle = (turn.degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corners = [
    [box[0], box[1]],
    [box[0] + box[2], box[1]],
    [box[0], box[1] + box[3]],
    [box[0] + box[2], box[1] + box[3]],
  ].map(([x = 0, y = 0]) => {
    const [dx, dy] = [x - turned.width / 2, y - turned.height / 2];
    return quarterBack(
      [cos * dx + sin * dy + middle.width / 2, cos * dy - sin * dx + middle.height / 2],
      turn.quarters,
      displayed,
    );
  });
  const [xs, ys] = [corners.map((corner) => corner[0]), corners.map((corner) => corner[1])];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const upright: Box = [left, top, Math.max(...xs) - left, Math.max(...ys) - top];
  return turn.degrees === 0 ? upright : shrunk(upright, box, turn);
}

/** A small turn makes the box around a long word higher than the word; it is brought back to its own size about its middle. */
function shrunk(around: Box, box: Box, { quarters }: Turn): Box {
  const own = quarterTurned({ width: box[2], height: box[3] }, quarters);
  const [width, height] = [Math.min(around[2], own.width), Math.min(around[3], own.height)];
  return [around[0] + (around[2] - width) / 2, around[1] + (around[3] - height) / 2, width, height];
}

function quarterBack([x, y]: [number, number], quarters: Turn['quarters'], { width, height }: Size): [number, number] {
  switch (quarters) {
    case 0:
      return [x, y];
    case 1:
      return [y, height - x];
    case 2:
      return [width - x, height - y];
    case 3:
      return [width - y, x];
  }
}

export const RASTER_LIMITS = { dpi: 200, pixels: 50_000_000, side: 10_000 } as const;

/** A picture of more pixels is not read in half a minute: pages larger than two feet square are read from a smaller one. */
export const PIXELS_TO_READ = 25_000_000;

/** Dots per inch at which a page of this size in points is drawn: what is asked for, or less where the picture would be too large. */
export function rasterDpi(
  { width, height }: Size,
  asked: number = RASTER_LIMITS.dpi,
  pixels: number = RASTER_LIMITS.pixels,
): number {
  const inches = { width: Math.max(width, 1) / 72, height: Math.max(height, 1) / 72 };
  const bySide = RASTER_LIMITS.side / Math.max(inches.width, inches.height);
  const byPixels = Math.sqrt(pixels / (inches.width * inches.height));
  return Math.min(asked, bySide, byPixels);
}
