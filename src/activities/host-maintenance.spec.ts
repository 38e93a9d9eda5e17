import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Sandboxes } from '../platform/sandbox/provider.js';
import { reapRemains } from './host-maintenance.activities.js';

describe('reaping orphans', () => {
  const released: string[] = [];
  const forgotten: string[] = [];
  const closed: string[] = [];
  const host = {
    listRemains: () => Promise.resolve(['wanted', 'gone', 'stuck', 'unknown', 'ended']),
    release: (runId: string) => {
      if (runId === 'stuck') return Promise.reject(new Error('busy'));
      released.push(runId);
      return Promise.resolve();
    },
    listPlanes: () => Promise.resolve(['gone', 'stuck', 'ended', 'wanted']),
    listKept: () => Promise.resolve(['left', 'stuck', 'unknown']),
    forget: (runId: string) => Promise.resolve(void forgotten.push(runId)),
    closePlane: (runId: string) => Promise.resolve(void closed.push(runId)),
  };

  const reap = (on: object) =>
    reapRemains({ provider: on, workspaces: on, runHost: on } as unknown as Sandboxes, (runId) =>
      Promise.resolve(runId === 'wanted' || runId === 'unknown' ? runId : 'unwanted'),
    );

  beforeEach(() => {
    for (const list of [released, forgotten, closed]) list.length = 0;
  });

  it('releases what the record does not want, leaves what it cannot tell, and goes on after a failure', async () => {
    const report = await reap(host);
    expect(released).toEqual(['gone', 'ended']);
    expect(closed).toEqual(['gone', 'stuck', 'ended', 'left']);
    expect(forgotten).toEqual(closed);
    expect(report).toEqual({ released: ['gone', 'ended'], failed: [{ runId: 'stuck', reason: 'busy' }] });
  });

  it.each(['forget', 'closePlane', 'listPlanes'])('fails when %s does, after every sandbox was tried', async (step) => {
    const broken = { ...host, [step]: () => Promise.reject(new Error('no room')) };
    await expect(reap(broken)).rejects.toThrow('no room');
    expect(released).toEqual(['gone', 'ended']);
  });
});
