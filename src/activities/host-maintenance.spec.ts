import { describe, expect, it } from '@jest/globals';
import type { Sandboxes } from '../platform/sandbox/provider.js';
import { reapRemains } from './host-maintenance.activities.js';

describe('reaping orphans', () => {
  it('releases what the record does not want, leaves what it cannot tell, and goes on after a failure', async () => {
    const released: string[] = [];
    const closed: string[] = [];
    const host = {
      listRemains: () => Promise.resolve(['wanted', 'gone', 'stuck', 'unknown', 'ended']),
      release: (runId: string) => {
        if (runId === 'stuck') return Promise.reject(new Error('busy'));
        released.push(runId);
        return Promise.resolve();
      },
      listPlanes: () => Promise.resolve(['ended', 'wanted']),
      listKept: () => Promise.resolve(['left']),
      forget: () => Promise.resolve(),
      closePlane: (runId: string) => Promise.resolve(void closed.push(runId)),
    };
    const report = await reapRemains(
      { provider: host, workspaces: host, runHost: host } as unknown as Sandboxes,
      (runId) => Promise.resolve(runId === 'wanted' || runId === 'unknown' ? runId : 'unwanted'),
    );
    expect(released).toEqual(['gone', 'ended']);
    expect(closed).toEqual(['gone', 'ended', 'left']);
    expect(report).toEqual({ released: ['gone', 'ended'], failed: [{ runId: 'stuck', reason: 'busy' }] });
  });
});
