import sharp from 'sharp';
import type { BoundingBox } from '../../domain/extraction/model/extraction-result.js';

/** What a drawn citation shows. */
export interface DrawnCitation {
  /** The picture, as PNG. */
  picture: Buffer;
  /** How dark the darkest spot within the box is, 0…1: near 1 where letters stand. */
  ink: number;
  /** Share of the page that the box covers. */
  share: number;
}

const FRAME = 4;

/** Draws the box of a citation onto the picture of its page. */
export async function drawCitation(page: Buffer, box: BoundingBox): Promise<DrawnCitation> {
  const { width, height } = await sharp(page).metadata();
  const at = {
    left: Math.floor(box.x * width),
    top: Math.floor(box.y * height),
    width: Math.max(1, Math.ceil(box.width * width)),
    height: Math.max(1, Math.ceil(box.height * height)),
  };
  const inside = await sharp(page).extract(at).greyscale().stats();
  const frame = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect x="${at.left - FRAME}" y="${at.top - FRAME}" ` +
      `width="${at.width + 2 * FRAME}" height="${at.height + 2 * FRAME}" fill="#ffd40055" stroke="#d4001a" stroke-width="3"/></svg>`,
  );
  const picture = await sharp(page)
    .composite([{ input: frame }])
    .png()
    .toBuffer();
  return { picture, ink: 1 - (inside.channels[0]?.min ?? 255) / 255, share: box.width * box.height };
}
