import { afterAll, beforeAll, expect, it } from '@jest/globals';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Database as DatabaseClass } from '../../../src/core/record/database.js';
import type { LiveStack, TimelineEvent } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { pidOf } from '../../support/installation/part-pid.js';
import { InspectedProcess } from '../../support/memory/inspected-process.js';
import { SeededRandom } from '../../support/random/seeded-random.js';
import { LedgerReader, type Resume } from './ledger-reader.js';

export const SEED = Number(process.env['TEST_SEED'] ?? 20_261_005);
const RUNS = 6;
const STREAMS = 500;
const POLLERS = 60;
const STEPS = 24;

const SILENT_READERS = 80;
/** Beyond what the kernel takes for a client, more than the readers may hold together: they share what they hold. */
const BIG_EVENTS = 660;
const BIG_EVENT_BYTES = 30_000;
/** For each silent reader: what Node takes before it calls a socket full, and what it knows of a connection. */
const HELD_PER_READER_BYTES = 128 * 1024;

/** Streams and polls of the events of runs; they hold for any seed. */
export function streamsEvents(enter: EnterStack): void {
  let stack: LiveStack;
  let owner: pg.Client;

  beforeAll(async () => {
    stack = await enter();
    await stack.createReplayAgent('narrator');
    owner = new pg.Client({ host: join(stack.dataDir, 'pg'), user: 'sandgate', database: 'sandgate' });
    await owner.connect();
  }, 120_000);

  afterAll(async () => {
    await owner?.end();
  });

  const target = (runId: string) => ({ url: stack.url, token: stack.installation.adminToken, runId });
  const chatter = (steps: number) =>
    Array.from({ length: steps }, (_, index) =>
      index % 3 === 2 ? { tool: 'Bash', input: { command: `echo ${index}` } } : { say: `step ${index} `.repeat(40) },
    );
  const killListeners = async (): Promise<number> => {
    const { rowCount } = await owner.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%-listen'",
    );
    return rowCount ?? 0;
  };

  it('CP-005 CP-193 CP-194 CP-195 CP-196 CP-197 CP-198 500 streams that break off at random and 60 pollers each see exactly the ledger', async () => {
    const random = new SeededRandom(SEED);
    const runs = await Promise.all(Array.from({ length: RUNS }, () => stack.startRun('narrator', chatter(STEPS))));
    const ends = new Map<string, number>();
    const reader = (index: number, ways: readonly Resume[]) => {
      const runId = runs[index % RUNS] as string;
      const follower = new LedgerReader(target(runId), new SeededRandom(random.between(0, 2 ** 31)), ways);
      return { runId, follower, done: follower.readUntil(() => ends.get(runId)) };
    };
    const readers = [
      ...Array.from({ length: STREAMS }, (_, index) => reader(index, ['Last-Event-ID', 'after', 'poll'])),
      ...Array.from({ length: POLLERS }, (_, index) => reader(index, ['poll'])),
    ];
    const ledgers = new Map<string, TimelineEvent[]>();
    try {
      expect(await disturb(runs)).toBeGreaterThan(0);
      for (const id of runs) {
        const session = await stack.untilTerminal(id, 120_000);
        expect(session).toMatchObject({ status: 'completed' });
      }
      for (const id of runs) {
        const ledger = await stack.timeline(id);
        ledgers.set(id, ledger);
        ends.set(id, ledger.length);
      }
    } finally {
      // A failure ends the readers too, which would read on beside the tests that follow.
      for (const id of runs) ends.set(id, ends.get(id) ?? 0);
      await Promise.all(readers.map(({ done }) => done));
    }

    for (const { runId, follower } of readers) {
      const ledger = ledgers.get(runId) ?? [];
      expect(follower.seen.map((event) => event.seq)).toEqual(ledger.map((_event, index) => index + 1));
      expect(follower.seen).toEqual(ledger);
    }
    const cuts = readers.map(({ follower }) => follower.cuts);
    for (const way of ['Last-Event-ID', 'after', 'poll'] as const) {
      expect(cuts.reduce((sum, counts) => sum + counts[way], 0)).toBeGreaterThan(STREAMS);
    }
  }, 240_000);

  /** Takes the listening connection and the process away while the readers read. @returns listeners that were lost */
  async function disturb(runs: string[]): Promise<number> {
    await stack.untilStatus(runs[0] as string, ['running']);
    let killed = 0;
    for (let round = 0; round < 6; round += 1) {
      await delay(400);
      killed += await killListeners();
    }
    stack.kill('api');
    return killed;
  }

  it('CP-005 CP-198 a stream without notifications is late by the re-read at most and misses nothing', async () => {
    const run = await stack.startRun('narrator', chatter(8));
    let seeking = true;
    let killed = 0;
    const silence = (async () => {
      while (seeking) {
        killed += await killListeners();
        await delay(20);
      }
    })();
    const follower = new LedgerReader(target(run), new SeededRandom(SEED), ['after']);
    const known: { end?: number } = {};
    const done = follower.readUntil(() => known.end);
    await stack.untilTerminal(run);
    const ledger = await stack.timeline(run);
    known.end = ledger.length;
    await done;
    seeking = false;
    await silence;
    expect(killed).toBeGreaterThan(3);
    expect(follower.seen).toEqual(ledger);
  }, 120_000);

  it('CP-197 clients that never read cost the API no memory, and those that do still get everything', async () => {
    const run = await stack.startRun('narrator', [{ say: 'the ledger grows from outside' }]);
    await stack.untilTerminal(run);
    const last = await growLedger(run);
    const reads = async (): Promise<TimelineEvent[]> => {
      const follower = new LedgerReader(target(run), new SeededRandom(SEED), ['after', 'poll']);
      await follower.readUntil(() => last);
      return follower.seen;
    };
    const silent: http.IncomingMessage[] = [];
    const api = await InspectedProcess.open(pidOf(stack.installation, 'api'), join(stack.dataDir, 'logs', 'api.log'));
    try {
      // What serving such a ledger leaves in memory, it leaves once.
      await reads();
      const before = await api.heldMemory();
      silent.push(...(await Promise.all(Array.from({ length: SILENT_READERS }, () => openAndNeverRead(run)))));
      const seen = await reads();
      // By now a server that keeps what nobody takes would have read all of it.
      await delay(3000);
      const grown = (await api.heldMemory()) - before;
      expect(seen.map((event) => event.seq)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
      expect(JSON.stringify(seen).length).toBeGreaterThan(BIG_EVENTS * BIG_EVENT_BYTES);
      expect(grown).toBeLessThan(SILENT_READERS * HELD_PER_READER_BYTES);
    } finally {
      silent.forEach((response) => response.destroy());
      api.close();
    }
  }, 120_000);

  /** Appends as another process of the deployment would. @returns the new head */
  async function growLedger(run: string): Promise<number> {
    const built = new URL('../../../dist/src/core/record/database.js', import.meta.url).href;
    const { Database } = (await import(built)) as { Database: typeof DatabaseClass };
    const { rows } = await owner.query<{ tenant_id: string }>('select tenant_id from sessions where id = $1', [run]);
    const url = `postgres://sandgate@/sandgate?host=${encodeURIComponent(join(stack.dataDir, 'pg'))}`;
    const database = await Database.connect({ url, poolSize: 2, applicationName: 'spec' });
    try {
      let last = 0;
      for (let index = 0; index < BIG_EVENTS; index += 1) {
        const text = `${index} ${'lorem ipsum '.repeat(BIG_EVENT_BYTES / 12)}`;
        const event = { actor: 'agent', type: 'agent.message', data: { role: 'assistant', text } } as const;
        const [seq] = await database.withTenant(rows[0]?.tenant_id ?? '', (tx) => tx.append(run, [event]));
        last = seq ?? last;
      }
      return last;
    } finally {
      await database.close();
    }
  }

  function openAndNeverRead(run: string): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = http.get(`${stack.url}/v1/sessions/${run}/events/stream`, {
        agent: false,
        headers: { authorization: `Bearer ${stack.installation.adminToken}` },
      });
      request.once('response', (response) => resolve(response.on('error', () => undefined).pause()));
      request.once('error', reject);
    });
  }
}
