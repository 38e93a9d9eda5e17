import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { startConnectProxy, type ConnectProxy } from '../../support/http/connect-proxy.js';
import { LiveStack, QUICK_MAINTENANCE, type Part, type TimelineEvent } from '../../support/installation/live-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { letGo, WORKS } from '../../support/runs/working-run.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';

const ROUNDS = Number(process.env['TEST_FAULT_ROUNDS'] ?? 1);
const VICTIMS: Part[][] = [['api'], ['worker'], ['api', 'worker']];
const CASES = Array.from({ length: ROUNDS }, (_unused, round) =>
  VICTIMS.map(
    (parts) => [ROUNDS === 1 ? parts.join(' and ') : `${parts.join(' and ')}, round ${round + 1}`, parts] as const,
  ),
).flat();

let stack: LiveStack;
let database: StackDatabase;
let proxy: ConnectProxy;
let silent: Server;

beforeAll(async () => {
  proxy = await startConnectProxy();
  // Takes connections and says nothing, so that tunnels to it stay open.
  silent = createServer((socket) => socket.on('error', () => socket.destroy()));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  stack = await LiveStack.start({ ...QUICK_MAINTENANCE, SERVICE_EGRESS_PROXY: proxy.url });
  database = StackDatabase.of(stack);
  const yaml =
    'name: asking\ntools: [{match: [Bash], action: allow}]\nnetwork: {max_mode: approved, require_approval: true}\n';
  await stack.json('POST', '/v1/policies', { name: 'asking', yaml });
  const network = { mode: 'approved', targets: [`silent.outside.example:${portOf(silent)}`] };
  await stack.createReplayAgent('asking', 'asking', { network });
  await stack.createReplayAgent('reaching', 'unrestricted', { network });
}, MAKE_WITHIN_MS);

afterAll(async () => {
  await stack?.stop();
  await proxy?.close();
  silent?.close();
}, 120_000);

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const moves = (events: TimelineEvent[]): unknown[] =>
  eventsOf(events, 'session.status_changed').map((data) => data['to']);

describe('kill -9 while runs wait for the authorization of their network', () => {
  const park = async (): Promise<{ id: string; approvalId: string }> => {
    const id = await stack.startRun('asking', [{ say: 'begun' }, ...WORKS]);
    await stack.untilStatus(id, 'awaiting_authorization');
    return { id, approvalId: (await stack.pendingApproval(id)).id };
  };

  it.each(CASES)(
    'CP-140 CP-145 of %s: approved, a run is launched once; expired meanwhile, it fails',
    async (_name, parts) => {
      const [approved, expired, denied] = [await park(), await park(), await park()];
      for (const part of parts) stack.kill(part);
      await database.query('update approvals set expires_at = clock_timestamp() where id = $1', [expired.approvalId]);
      await stack.decide(approved.approvalId, 'approved_once');
      await stack.decide(denied.approvalId, 'denied');

      // One that reports its result before its sandbox is attached would never be seen running.
      await stack.untilStatus(approved.id, 'running');
      letGo(stack, approved.id);
      expect(await stack.untilTerminal(approved.id)).toMatchObject({ status: 'completed' });
      const events = await expectWholeLedger(stack, approved.id);
      expect(moves(events)).toEqual(['queued', 'provisioning', 'initializing', 'running', 'finalizing', 'completed']);
      const said = eventsOf(events, 'agent.message').map((data) => String(data['text']));
      expect(said.filter((text) => text.startsWith('Sandbox '))).toHaveLength(1);
      expect(said.filter((text) => text === 'begun')).toHaveLength(1);
      expect(eventsOf(events, 'workspace.initialized')).toHaveLength(1);
      expect(eventsOf(events, 'network.grant.revoked')).toEqual([{ mode: 'approved', reason: 'the run ended' }]);

      for (const [run, why] of [
        [expired, 'nobody decided in time'],
        [denied, 'it was denied'],
      ] as const) {
        const reason = `network grant was not authorized: ${why}`;
        expect(await stack.untilTerminal(run.id)).toMatchObject({ status: 'failed', status_reason: reason });
        const ledger = await expectWholeLedger(stack, run.id);
        expect(moves(ledger)).toEqual(['finalizing', 'failed']);
        expect(eventsOf(ledger, 'network.grant.revoked')).toEqual([{ mode: 'approved', reason }]);
      }
    },
    400_000,
  );
});

describe('kill -9 of the API while a run has a connection to a host outside', () => {
  it('is told on the ledger once, because counts of the last second may be missing', async () => {
    const url = `http://silent.outside.example:${portOf(silent)}/`;
    const command = `node -e "fetch('${url}').catch(() => console.log('cut off'))"`;
    const run = await stack.startRun('reaching', [{ tool: 'Bash', input: { command } }]);
    await stack.until('the connection', 60_000, () => Promise.resolve(proxy.tunnels.length > 0 ? true : undefined));
    stack.kill('api');
    // Nobody has to wait for the lease of the dead process.
    await database.query('delete from process_leases');
    await stack.untilTerminal(run);
    const degraded = await stack.until('the gap to be told', 60_000, async () => {
      const told = eventsOf(await stack.timeline(run), 'network.observation.degraded');
      return told.length > 0 ? told : undefined;
    });
    expect(degraded).toEqual([{ reason: expect.stringContaining('may be missing') }]);
    expect(await database.query('select 1 from network_observers')).toEqual([]);
    const events = await expectWholeLedger(stack, run);
    expect(eventsOf(events, 'network.allowed')).toHaveLength(1);
    expect(eventsOf(events, 'network.summary')).toHaveLength(1);
  }, 200_000);
});
