/** A picture of one byte for each pixel, 0 black. */
export interface GreyPicture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Scans lean by less; beyond it a picture is no page that was laid on crooked. */
const MAX_DEGREES = 10;
/** Lines that lean by less than this are read as well as they are. */
const MIN_DEGREES = 0.25;
const MAX_POINTS = 60_000;
/** Fewer dark places than half of this show no rows. */
const FEWEST_POINTS = 400;
/** How much sharper the lines must stand out than in the picture as it is. */
const MIN_GAIN = 1.08;

/** How much sharper columns must stand out than rows for a page to lie on its side. */
const MUCH_SHARPER = 1.3;

/**
 * By how many degrees a page of text leans clockwise, found by where its rows of dark pixels stand out most from the white between them. 0 for
 * a page that stands straight, or shows no rows.
 */
export function skewOf(picture: GreyPicture): number {
  const points = darkPoints(picture);
  if (points.length < FEWEST_POINTS) return 0;
  const { degrees, value, straight } = sharpestLean(points, picture.height);
  const worth = Math.abs(degrees) >= MIN_DEGREES && value >= straight * MIN_GAIN;
  return worth ? Math.round(degrees * 10) / 10 : 0;
}

/** True when the lines of a page seem to run up or down: what Tesseract tells for sure, but in a second. */
export function seemsOnItsSide(picture: GreyPicture): boolean {
  const points = darkPoints(picture);
  if (points.length < FEWEST_POINTS) return false;
  const turned = new Int32Array(points.length);
  for (let at = 0; at < points.length; at += 2) {
    turned[at] = points[at + 1] ?? 0;
    turned[at + 1] = points[at] ?? 0;
  }
  return sharpestLean(turned, picture.width).value > sharpestLean(points, picture.height).value * MUCH_SHARPER;
}

function sharpestLean(points: Int32Array, height: number): { degrees: number; value: number; straight: number } {
  const straight = sharpness(points, height, 0);
  let best = { degrees: 0, value: straight };
  const tryFrom = (from: number, to: number, step: number): void => {
    for (let degrees = from; degrees <= to + step / 2; degrees += step) {
      const value = sharpness(points, height, degrees);
      if (value > best.value) best = { degrees, value };
    }
  };
  tryFrom(-MAX_DEGREES, MAX_DEGREES, 0.5);
  tryFrom(best.degrees - 0.4, best.degrees + 0.4, 0.1);
  return { ...best, straight };
}

/** Places of dark pixels, x and y in turn; of very many only some, evenly. */
function darkPoints({ width, height, pixels }: GreyPicture): Int32Array {
  const dark = darkness(pixels);
  let count = 0;
  for (const pixel of pixels) if (pixel < dark) count += 1;
  // A page that is dark for the most part is a photo: its dark places are no letters.
  if (count > pixels.length / 2) return new Int32Array(0);
  const every = Math.max(1, Math.ceil(count / MAX_POINTS));
  const points = new Int32Array(2 * Math.ceil(count / every));
  let [seen, at] = [0, 0];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((pixels[y * width + x] ?? 255) >= dark) continue;
      if (seen % every === 0) {
        points[at] = x;
        points[at + 1] = y;
        at += 2;
      }
      seen += 1;
    }
  }
  return points;
}

/** Midway between the mean and black. */
function darkness(pixels: Uint8Array): number {
  let sum = 0;
  for (const pixel of pixels) sum += pixel;
  return Math.min(160, (sum / Math.max(1, pixels.length)) * 0.7);
}

function sharpness(points: Int32Array, height: number, degrees: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const rows = new Float64Array(height * 3);
  for (let at = 0; at < points.length; at += 2) {
    const row = Math.round((points[at + 1] ?? 0) - (points[at] ?? 0) * slope) + height;
    if (row >= 0 && row < rows.length) rows[row] = (rows[row] ?? 0) + 1;
  }
  let sum = 0;
  for (let row = 1; row < rows.length; row += 1) sum += ((rows[row] ?? 0) - (rows[row - 1] ?? 0)) ** 2;
  return sum;
}
