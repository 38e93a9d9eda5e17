import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = new URL('../../../docs/', import.meta.url);

interface Pages {
  makePages: () => Promise<{ [name: string]: string }>;
}

describe('pages that are made from the product', () => {
  it('REST interface and command line are told as they are (otherwise: npm run pages -w documents)', async () => {
    const { makePages } = (await import(
      new URL('../../../../build/documents-pages.mjs', import.meta.url).href
    )) as Pages;
    for (const [name, text] of Object.entries(await makePages())) {
      expect(readFileSync(new URL(name, FOLDER), 'utf8')).toBe(text);
    }
  });
});
