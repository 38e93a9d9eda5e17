import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getSourceMapsSupport, setSourceMapsSupport } from 'node:module';
import { withoutSourceMaps } from './without-source-maps.js';

describe('work without source maps', () => {
  const { enabled, ...options } = getSourceMapsSupport();
  beforeEach(() => setSourceMapsSupport(true, { nodeModules: false, generatedCode: false }));
  afterEach(() => setSourceMapsSupport(enabled, options));

  it('has none until it ends, and all is then as it was', async () => {
    expect(await withoutSourceMaps(() => Promise.resolve(getSourceMapsSupport().enabled))).toBe(false);
    expect(getSourceMapsSupport()).toMatchObject({ enabled: true, nodeModules: false, generatedCode: false });
  });

  it('that fails leaves all as it was', async () => {
    await expect(withoutSourceMaps(() => Promise.reject(new Error('no workflows')))).rejects.toThrow('no workflows');
    expect(getSourceMapsSupport().enabled).toBe(true);
  });
});
