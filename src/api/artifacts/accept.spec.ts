import { describe, expect, it } from '@jest/globals';
import { prefersBytes } from './accept.js';

describe('prefersBytes', () => {
  it('CP-187 answers raw bytes only to a client that names them', () => {
    for (const accept of [
      'application/octet-stream',
      'application/octet-stream, */*',
      'application/json;q=0.5, application/octet-stream',
    ]) {
      expect(prefersBytes(accept)).toBe(true);
    }
    for (const accept of [
      undefined,
      '',
      '*/*',
      'application/json',
      'application/json, application/octet-stream',
      'application/octet-stream;q=0',
      'text/html',
    ]) {
      expect(prefersBytes(accept)).toBe(false);
    }
  });
});
