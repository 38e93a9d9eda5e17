import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Box } from '../page-model.js';
import { seemsOnItsSide, skewOf } from './deskew.js';
import { boxBeforeTurn, quarterTurned, rasterDpi, RASTER_LIMITS, type Turn } from './turned-picture.js';

/** Lines of letters across a page that leans by some degrees clockwise. */
function page(degrees: number, width = 700, height = 900): { width: number; height: number; pixels: Uint8Array } {
  const pixels = new Uint8Array(width * height).fill(255);
  const slope = Math.tan((degrees * Math.PI) / 180);
  for (let line = 100; line < height - 100; line += 24) {
    for (let x = 60; x < width - 60; x += 1) {
      // Letters that stand under each other by chance alone.
      if ((Math.imul((x >> 2) + line * 131, 2_654_435_761) >>> 13) % 5 < 2) continue;
      for (let row = 0; row < 9; row += 1) pixels[Math.round(line + row + x * slope) * width + x] = 0;
    }
  }
  return { width, height, pixels };
}

describe('a page that was laid on crooked', () => {
  it.each([-7, -3.5, -1, 0.6, 2.3, 5])('its lean of %p degrees is found to a fifth of a degree', (degrees) => {
    expect(Math.abs(skewOf(page(degrees)) - degrees)).toBeLessThanOrEqual(0.2);
  });

  it('a page that stands straight, an empty page and a dark photo have none', () => {
    expect(skewOf(page(0))).toBe(0);
    expect(skewOf({ width: 300, height: 300, pixels: new Uint8Array(90_000).fill(255) })).toBe(0);
    expect(
      skewOf({
        width: 300,
        height: 300,
        pixels: Uint8Array.from({ length: 90_000 }, (_, at) => (at % 4 === 0 ? 250 : 10)),
      }),
    ).toBe(0);
  });
});

/** The middle of a box before a turn, by turning it forward. */
function forward(
  point: readonly [number, number],
  turn: Turn,
  displayed: { width: number; height: number },
): [number, number] {
  let [x, y] = point;
  let size = displayed;
  for (let quarter = 0; quarter < turn.quarters; quarter += 1) {
    [x, y] = [size.height - y, x];
    size = quarterTurned(size, 1);
  }
  const angle = (turn.degrees * Math.PI) / 180;
  const [dx, dy] = [x - size.width / 2, y - size.height / 2];
  return [
    Math.cos(angle) * dx - Math.sin(angle) * dy + size.width / 2,
    Math.sin(angle) * dx + Math.cos(angle) * dy + size.height / 2,
  ];
}

describe('a page on its side', () => {
  it('is told from one that stands upright, and from an empty one', () => {
    const { width, height, pixels } = page(1);
    const side = Uint8Array.from(
      { length: pixels.length },
      (_, at) => pixels[(at % height) * width + Math.floor(at / height)] ?? 0,
    );
    expect(seemsOnItsSide({ width, height, pixels })).toBe(false);
    expect(seemsOnItsSide({ width: height, height: width, pixels: side })).toBe(true);
    expect(seemsOnItsSide({ width: 300, height: 300, pixels: new Uint8Array(90_000).fill(255) })).toBe(false);
  });
});

describe('boxes of a turned picture', () => {
  it('lie where the word stands on the page as it is displayed', () => {
    fc.assert(
      fc.property(
        fc.record({ width: fc.integer({ min: 50, max: 5000 }), height: fc.integer({ min: 50, max: 5000 }) }),
        fc.constantFrom(0, 1, 2, 3),
        fc.double({ min: -10, max: 10, noNaN: true }),
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        (displayed, quarters, degrees, across, down) => {
          const turn: Turn = { quarters: quarters, degrees };
          const point = [displayed.width * across, displayed.height * down] as const;
          const [x, y] = forward(point, turn, displayed);
          const box: Box = [x - 10, y - 5, 20, 10];
          const found = boxBeforeTurn(box, turn, displayed, quarterTurned(displayed, turn.quarters));
          expect(found[0] + found[2] / 2).toBeCloseTo(point[0], 3);
          expect(found[1] + found[3] / 2).toBeCloseTo(point[1], 3);
          expect([found[2], found[3]].map(Math.round)).toEqual(quarters % 2 === 0 ? [20, 10] : [10, 20]);
        },
      ),
    );
  });
});

describe('the dots per inch of a drawn page', () => {
  it('are as asked, or so few that no picture has over 50 megapixels or a side over 10,000', () => {
    const side = fc.double({ min: 1, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(side, side, fc.integer({ min: 36, max: 200 }), (width, height, asked) => {
        const dpi = rasterDpi({ width, height }, asked);
        const [across, down] = [(width / 72) * dpi, (height / 72) * dpi];
        expect(dpi).toBeGreaterThan(0);
        expect(dpi).toBeLessThanOrEqual(asked);
        expect(Math.max(across, down)).toBeLessThanOrEqual(RASTER_LIMITS.side * 1.0001);
        expect(across * down).toBeLessThanOrEqual(RASTER_LIMITS.pixels * 1.0001);
      }),
    );
    expect(rasterDpi({ width: 612, height: 792 })).toBe(200);
  });
});
