import { describe, expect, it } from '@jest/globals';
import { chooseProvider } from './choose-provider.js';
import type { SandboxProvider } from '../provider.js';
import { reapOrphans } from '../reap-orphans.js';

const uids = { claim: () => Promise.resolve(231_000), release: () => Promise.resolve(), fetchUid: 232_000 };
const rest = { data: { dir: '/tmp' }, workspace: { localCopyRoots: [] } };

describe('choosing a provider', () => {
  it.each(['docker', 'kubernetes', 'k8s'])('%s is refused with what to do', async (provider) => {
    const choice = chooseProvider({ sandbox: { provider }, ...rest }, uids);
    await expect(choice).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/not available in this version; use auto or bubblewrap/),
    });
  });

  it('an unknown name is refused', async () => {
    await expect(chooseProvider({ sandbox: { provider: 'chroot' }, ...rest }, uids)).rejects.toThrow(
      /SERVICE_PROVIDER=chroot/,
    );
  });
});

describe('reaping orphans', () => {
  it('releases what the record does not want, leaves what it cannot tell, and goes on after a failure', async () => {
    const released: string[] = [];
    const provider = {
      listRemains: () => Promise.resolve(['wanted', 'gone', 'stuck', 'unknown', 'ended']),
      release: (runId: string) => {
        if (runId === 'stuck') return Promise.reject(new Error('busy'));
        released.push(runId);
        return Promise.resolve();
      },
    } as unknown as SandboxProvider;
    const report = await reapOrphans(provider, (runId) =>
      Promise.resolve(runId === 'wanted' || runId === 'unknown' ? runId : 'unwanted'),
    );
    expect(released).toEqual(['gone', 'ended']);
    expect(report).toEqual({ released: ['gone', 'ended'], failed: [{ runId: 'stuck', reason: 'busy' }] });
  });
});
