import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Evidence } from '../../../src/cli/conformance/server/evidence.js';
import { prepareAgent } from '../../../src/cli/conformance/server/prepare-agent.js';
import { collectEvidence } from '../../../src/cli/conformance/server/scenes/run-kit.js';
import type { Scene } from '../../../src/cli/conformance/server/scene.js';
import { SCENES } from '../../../src/cli/conformance/server/scenes/index.js';
import { SandgateClient } from '../../../src/cli/server/sandgate-client.js';
import type { RunEvent } from '../../../src/cli/server/wire.js';
import { LiveStack } from '../../support/installation/live-stack.js';

jest.setTimeout(300_000);

const PROGRAM = resolve('dist/cli/main.js');
/** So few events at once that the kit's burst is over the limit on a slow machine too. */
const LIMITS = { SERVICE_LIMIT_EVENTS_BURST: '60', SERVICE_LIMIT_EVENTS_PER_SECOND: '5' };
const TOKEN = /svc_sess_[0-9a-f]{64}/;

/** The same run as a server that breaks the rules would leave it. Each differs in one way from what was seen. */
const SPOILED: Record<string, (seen: Evidence) => Evidence> = {
  'answers with another status': ({ session, observations, events, approvals }) =>
    new Evidence(
      session,
      observations.map((one) => ({ ...one, status: 418 })),
      events,
      approvals,
    ),
  'answers with another body': ({ session, observations, events, approvals }) =>
    new Evidence(
      session,
      observations.map((one) => ({ ...one, body: { forged: true } })),
      events,
      approvals,
    ),
  'answers at once': ({ session, observations, events, approvals }) =>
    new Evidence(
      session,
      observations.map((one) => ({ ...one, ms: 0, failure: '' })),
      events,
      approvals,
    ),
  'answers late': ({ session, observations, events, approvals }) =>
    new Evidence(
      session,
      observations.map((one) => ({ ...one, ms: one.ms + 60_000 })),
      events,
      approvals,
    ),
  'tells everything twice': ({ session, observations, events, approvals }) =>
    new Evidence(session, observations, [...events, ...events], [...approvals, ...approvals]),
  'tells everything as a human, in other words': ({ session, observations, events, approvals }) => {
    const another = ({ payload, ...event }: RunEvent): RunEvent => ({
      ...event,
      actor: 'human',
      payload: { ...payload, data: { ...payload.data, added: `svc_sess_${'ab'.repeat(32)}` } },
    });
    return new Evidence(session, observations, events.map(another), approvals);
  },
  'records a call that was refused': ({ session, observations, events, approvals }) => {
    const [first] = events;
    const forged = first === undefined ? [] : [{ ...first, type: 'tool.requested' }];
    return new Evidence(session, observations, [...events, ...forged], approvals);
  },
  'ends in another way': ({ session, observations, events, approvals }) =>
    new Evidence({ ...session, status: 'queued' }, observations, events, approvals),
};

describe('the conformance kit against a started server', () => {
  let stack: LiveStack;
  const seen = new Map<Scene, Evidence>();

  beforeAll(async () => {
    stack = await LiveStack.start(LIMITS);
    const client = new SandgateClient({ url: stack.url, token: stack.installation.adminToken, source: 'test' });
    const agent = await prepareAgent(client);
    const collect = async (scene: Scene): Promise<void> => {
      seen.set(scene, await collectEvidence(client, agent, scene, () => undefined));
    };
    await Promise.all(SCENES.map(collect));
  });
  afterAll(() => stack.stop());

  it.each(SCENES.map((scene) => [scene.name, scene] as const))('this server keeps the contract: %s', (_name, scene) => {
    const findings = scene.checks.map((check) => ({ id: check.id, ...check.judge(seen.get(scene)!) }));
    expect(findings.filter(({ result }) => result !== 'pass')).toEqual([]);
  });

  it('every check fails for a server that does not keep its rule, and for a run that showed nothing', () => {
    for (const scene of SCENES) {
      const evidence = seen.get(scene)!;
      const nothing = new Evidence({ ...evidence.session, status: 'queued' }, [], [], []);
      for (const check of scene.checks) {
        const found = Object.entries(SPOILED).filter(([, spoil]) => check.judge(spoil(evidence)).result === 'fail');
        expect({ id: check.id, found: found.length > 0 }).toEqual({ id: check.id, found: true });
        expect({ id: check.id, ...check.judge(nothing) }).toMatchObject({ id: check.id, result: 'fail' });
      }
    }
  });

  it('no token leaves the sandbox by what the kit takes away', () => {
    const taken = [...seen.values()].map(({ observations, events }) => JSON.stringify([observations, events]));
    expect(taken.join().length).toBeGreaterThan(10_000);
    expect(taken.filter((text) => TOKEN.test(text))).toEqual([]);
  });

  it('as a command it prints a table and ends with 0, or with 4 without a token that opens the server', async () => {
    const kept = await kit('--token', stack.installation.adminToken, '--only', 'listener,budget/');
    expect(kept.stderr).toContain('checks a run out of calls');
    expect(kept).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass +budget\/denies +4 /) });
    expect(kept.stdout).toContain('4 of 5 checks passed, 0 failed, 1 skipped');
    expect(await kit('--token', 'svc_pat_nobody')).toMatchObject({ code: 4 });
  });

  async function kit(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const args = [PROGRAM, 'conformance', 'server', '--url', stack.url, ...argv];
    const env = { PATH: process.env['PATH'], HOME: stack.dataDir };
    return new Promise((done) =>
      execFile(process.execPath, args, { env, timeout: 100_000, maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
      ),
    );
  }
});
