import { describe, expect, it } from '@jest/globals';
import type { SandgateClient } from '../server/sandgate-client.js';
import { composeRun } from './run-request.js';

describe('what `run` asks for', () => {
  const nobody = {} as SandgateClient;
  it.each([
    ['offline', { mode: 'offline' }],
    ['approved', { mode: 'approved' }],
    ['npm, pypi', { mode: 'approved', presets: ['npm', 'pypi'] }],
    [
      'npm,a.example.com:443,*.b.example:80',
      { mode: 'approved', presets: ['npm'], targets: ['a.example.com:443', '*.b.example:80'] },
    ],
  ])('--network %s', async (network, asked) => {
    expect((await composeRun(['do', 'it'], { agent: 'fixer', network }, nobody)).network).toEqual(asked);
  });

  it('nothing of the network without --network', async () => {
    expect(await composeRun(['do it'], { agent: 'fixer' }, nobody)).not.toHaveProperty('network');
  });
});
