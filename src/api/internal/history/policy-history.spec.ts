import { describe, expect, it } from '@jest/globals';
import type { PinoLogger } from 'nestjs-pino';
import type { GateAnswer, GateCall, GateOutcome } from '../../../core/gate/gate.js';
import type { PolicyViewText, ToolCallPayloads } from '../../../core/gate/tool-call-payloads.js';
import type { ApiConfig } from '../../foundation/foundation.module.js';
import { PolicyHistory } from './policy-history.js';

interface Written {
  organizationId: string;
  views: readonly PolicyViewText[];
  keepSecs: number;
}

/** A history whose writes are seen, and held back while `hold` is set. */
function historyOf(options: { days?: number; sealing?: boolean; fails?: boolean } = {}) {
  const written: Written[] = [];
  const warnings: object[] = [];
  let release = Promise.withResolvers<void>();
  release.resolve();
  const payloads = {
    keepsPolicyViews: options.sealing ?? true,
    storePolicyViews: async (organizationId: string, views: readonly PolicyViewText[], keepSecs: number) => {
      await release.promise;
      if (options.fails === true) throw new Error('the database is away');
      written.push({ organizationId, views, keepSecs });
      return views.length;
    },
  } as unknown as ToolCallPayloads;
  const config = { ledger: { policyHistoryDays: options.days ?? 30 } } as ApiConfig;
  const logger = { warn: (fields: object) => warnings.push(fields) } as unknown as PinoLogger;
  const history = new PolicyHistory(config, payloads, logger);
  return {
    history,
    written,
    warnings,
    hold: () => {
      release = Promise.withResolvers<void>();
      return () => release.resolve();
    },
    calls: () => written.flatMap(({ views }) => views.map((view) => view.toolCallId)),
  };
}

function gateCall(toolCallId: string, organizationId = 'o1'): GateCall {
  return { organizationId, runId: 's1', toolCallId, tool: 'Bash' } as GateCall;
}

const answer = (outcome: GateOutcome): GateAnswer => ({ outcome }) as GateAnswer;
const allow = (): Promise<GateAnswer> => Promise.resolve(answer('allow'));
const turns = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('keeping views beside the gate', () => {
  it('writes when nobody is at the gate any more, and not before', async () => {
    const { history, written, calls } = historyOf();
    const slow = Promise.withResolvers<GateAnswer>();
    const last = history.during(gateCall('slow'), { command: 'ls' }, () => slow.promise);
    for (const id of ['a', 'b', 'c']) await history.during(gateCall(id), { command: 'ls' }, allow);
    await turns();
    expect(written).toEqual([]);
    slow.resolve(answer('asked'));
    await last;
    await turns();
    expect([written.length, calls()]).toEqual([1, ['a', 'b', 'c', 'slow']]);
    expect(written[0]?.keepSecs).toBe(30 * 86_400);
    expect(history.counts).toEqual({ kept: 4, dropped: 0, failed: 0, tooLarge: 0 });
  });

  it('writes a full batch although the gate is never empty, one statement per organization', async () => {
    const { history, written } = historyOf();
    const forever = history.during(gateCall('slow'), null, () => new Promise(() => undefined));
    void forever;
    for (let i = 0; i < 256; i += 1) await history.during(gateCall(`c${i}`, `o${i % 2}`), null, allow);
    await turns();
    expect(written.map(({ organizationId, views }) => [organizationId, views.length])).toEqual([
      ['o0', 128],
      ['o1', 128],
    ]);
  });

  it('answers at once, however long writing takes', async () => {
    const { history, hold, calls } = historyOf();
    const go = hold();
    for (let i = 0; i < 600; i += 1) await history.during(gateCall(`c${i}`), null, allow);
    expect(calls()).toEqual([]);
    go();
    await history.onApplicationShutdown();
    expect(calls()).toHaveLength(600);
  });

  it('keeps the view of a call that is on record with this input, and of no other', async () => {
    const { history, calls } = historyOf();
    const kept: GateOutcome[] = [
      'allow',
      'deny',
      'session_allow',
      'asked',
      'pending',
      'replay_allow',
      'replay_deny',
      'budget',
    ];
    const others: GateOutcome[] = [
      'protocol_violation', 'too_many_pending', 'inactive', 'reload', 'unauthorized', 'wrong_audience', 'not_found',
    ]; // prettier-ignore
    for (const outcome of [...kept, ...others]) {
      await history.during(gateCall(outcome), null, () => Promise.resolve(answer(outcome)));
    }
    await expect(history.during(gateCall('failed'), null, () => Promise.reject(new Error('away')))).rejects.toThrow(
      'away',
    );
    await history.onApplicationShutdown();
    expect(calls()).toEqual(kept);
  });

  it('drops what does not fit its buffer, counts it and says so', async () => {
    const { history, hold, warnings, calls } = historyOf();
    const go = hold();
    const views = 16_384 + 256 + 10;
    for (let i = 0; i < views; i += 1) await history.during(gateCall(`c${i}`), null, allow);
    expect(history.counts.dropped).toBeGreaterThan(0);
    go();
    await history.onApplicationShutdown();
    expect(calls().length + history.counts.dropped).toBe(views);
    expect(warnings).toContainEqual(expect.objectContaining({ dropped: history.counts.dropped }));
  });

  it('bounds the bytes that wait, too', async () => {
    const { history, hold } = historyOf();
    const go = hold();
    const command = 'x'.repeat(60_000);
    for (let i = 0; i < 700; i += 1) {
      await history.during({ ...gateCall(`c${i}`), runId: `s${i}` }, { command }, allow);
    }
    // The first one is with the writer already.
    expect(history.counts.dropped).toBe(700 - 1 - Math.floor(33_554_432 / 60_038));
    go();
    await history.onApplicationShutdown();
  });

  it('keeps no more of one run than fits a bound, so that no run fills the disk', async () => {
    const { history, calls } = historyOf();
    const command = 'x'.repeat(60_000);
    for (let i = 0; i < 700; i += 1) await history.during(gateCall(`c${i}`), { command }, allow);
    await history.during({ ...gateCall('other'), runId: 's2' }, { command }, allow);
    await history.onApplicationShutdown();
    expect(calls()).toHaveLength(Math.floor(33_554_432 / 60_038) + 1);
    expect(calls()).toContain('other');
  });

  it('counts and logs views that cannot be written, and goes on', async () => {
    const { history, warnings } = historyOf({ fails: true });
    for (const id of ['a', 'b']) {
      await history.during(gateCall(id), { command: 'a canary' }, allow);
      await turns();
    }
    expect(history.counts).toMatchObject({ kept: 0, failed: 2 });
    expect(warnings).toHaveLength(2);
    expect(JSON.stringify(warnings)).not.toContain('canary');
  });

  it('keeps none that is too large to be whole', async () => {
    const { history, calls } = historyOf();
    await history.during(gateCall('large'), { command: 'x'.repeat(100_000) }, allow);
    await history.onApplicationShutdown();
    expect([calls(), history.counts.tooLarge]).toEqual([[], 1]);
  });

  it.each([
    ['it is switched off', { days: 0 }],
    ['nothing can be sealed', { sealing: false }],
  ])('keeps none when %s', async (_when, options) => {
    const { history, calls } = historyOf(options);
    expect(await history.during(gateCall('a'), { command: 'ls' }, allow)).toEqual(answer('allow'));
    await history.onApplicationShutdown();
    expect(calls()).toEqual([]);
  });
});
