import { describe, expect, it, jest } from '@jest/globals';
import { inspectHost } from '../../../src/platform/sandbox/choice/inspect-host.js';

jest.setTimeout(60_000);

const NOWHERE = {
  dockerHost: '/nonexistent/engine.sock',
  dockerRuntime: null,
  dockerPlane: 'auto',
  image: 'localhost/none:1',
} as const;
const HTTP = { bind: { host: '127.0.0.1', port: 8787 }, internalBind: null };

describe('a host that is looked at before a start', () => {
  it('is told of both providers: the one that a start takes first, and what the other one lacks', async () => {
    const [first, second] = await inspectHost({ ...NOWHERE, provider: 'auto' }, HTTP);
    expect(first).toMatchObject({ name: 'bubblewrap', isChosen: true, report: { ok: true } });
    expect(second).toMatchObject({ name: 'docker', isChosen: false, report: { ok: false } });
    expect(second?.report.missing.join()).toContain('/nonexistent/engine.sock');
    expect(first?.report.notes.join()).toMatch(/the limit of disk is (?:hard|soft)/);
  });

  it('is told what the configured one lacks, although the other one works', async () => {
    const [first, second] = await inspectHost({ ...NOWHERE, provider: 'docker' }, HTTP);
    expect(first).toMatchObject({ name: 'docker', isChosen: true, report: { ok: false } });
    expect(second).toMatchObject({ name: 'bubblewrap', isChosen: false, report: { ok: true } });
  });
});
