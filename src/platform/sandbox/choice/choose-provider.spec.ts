import { describe, expect, it } from '@jest/globals';
import { chooseProvider } from './choose-provider.js';

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
