import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { drawSamples } from '../../support/documents/draw-samples.js';

const FOLDER = new URL('../../../samples/', import.meta.url);

describe('the documents with which the demo works', () => {
  it('are what is drawn for them (TEST_DRAW_SAMPLES=1 writes them anew)', async () => {
    const drawn = await drawSamples();
    if (process.env['TEST_DRAW_SAMPLES'] === '1') {
      for (const [name, bytes] of Object.entries(drawn)) writeFileSync(new URL(name, FOLDER), bytes);
    }
    for (const [name, bytes] of Object.entries(drawn)) {
      const kept = readFileSync(new URL(name, FOLDER));
      // Letters of a picture may be drawn a shade differently by another release of the renderer.
      if (name.endsWith('.pdf')) expect(kept.equals(bytes)).toBe(true);
      else expect(Math.abs(kept.length - bytes.length)).toBeLessThan(kept.length / 10);
    }
  });
});
