import { afterAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './serve.js';
import { StartRefused } from './start-refused.js';

describe('a part that is served by itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sg-serve-'));
  const stores = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const env = { ...stores, SERVICE_DATA_DIR: join(folder, 'data') };

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['0.0.0.0:8787', '[::]:8787', '192.0.2.1:8787'])(
    'refuses to be an API on %s without a token, and leaves nothing behind',
    async (bind) => {
      for (const token of [{}, { SERVICE_ADMIN_TOKEN: '' }]) {
        const refused = serve('api', { ...env, ...token, SERVICE_BIND: bind });
        await expect(refused).rejects.toThrow(StartRefused);
        await expect(refused).rejects.toThrow(/^SERVICE_ADMIN_TOKEN must be set/);
      }
      expect(existsSync(env.SERVICE_DATA_DIR)).toBe(false);
    },
  );

  it('refuses to be without the stores of its deployment', async () => {
    await expect(serve('worker', { ...env, DATABASE_URL: '' })).rejects.toThrow(/^DATABASE_URL must be set/);
    await expect(serve('api', { ...env, TEMPORAL_ADDRESS: '' })).rejects.toThrow(/^TEMPORAL_ADDRESS must be set/);
  });
});
