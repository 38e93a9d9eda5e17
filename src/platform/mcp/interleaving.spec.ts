import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freezeSession, loopbackEgress } from '../../../test/support/mcp/broker-client.js';
import { HostileServer } from '../../../test/support/mcp/hostile-server.js';
import { SeededRandom } from '../../../test/support/random/seeded-random.js';
import type { Behaviour } from '../../../test/support/mcp/behaviour.js';
import type { Egress } from '../egress/egress.js';

const CLIENTS = 50;
/** Of each client. */
const CALLS = Number(process.env['TEST_MCP_CALLS'] ?? 20);
const never = new AbortController().signal;

let egress: Egress;
let server: HostileServer;

beforeAll(async () => {
  egress = loopbackEgress();
  server = await HostileServer.start();
});
afterAll(async () => {
  await server.close();
  await egress.close();
});

describe('50 clients of one server', () => {
  it(
    'never see a session, a credential or an answer of another (proof 24)',
    async () => {
      const random = new SeededRandom(24);
      const seen = new Map<string, Set<string>>();
      let calls = 0;
      const answers: Behaviour[] = [
        { kind: 'answer' },
        { kind: 'answer', as: 'sse' },
        { kind: 'slow', delayMs: 3 },
        { kind: 'asks', requests: 1 },
        { kind: 'session-lost' },
      ];
      server.always('tools/call', ({ headers, message }) => {
        calls += 1;
        server.arrivals.length = 0;
        const { client } = message!.params!['arguments'] as { client: string };
        expect(headers['x-client']).toBe(client);
        const session = String(headers['mcp-session-id']);
        seen.set(session, (seen.get(session) ?? new Set()).add(client));
        return random.next() < 0.02 ? answers[4]! : answers[random.between(0, 3)]!;
      });
      const work = Array.from({ length: CLIENTS }, async (_, index) => {
        const client = `client-${index}`;
        const session = await freezeSession(egress, server.url, { credential: { 'x-client': client } });
        for (let i = 0; i < CALLS; i++) {
          const text = JSON.stringify({ client, message: String(i) });
          const outcome = await session.callTool('echo', text, never);
          // Forgotten twice in a row is the server's own answer.
          if (outcome.state === 'failed_upstream' && outcome.httpStatus === 404) continue;
          expect(outcome).toEqual({ state: 'succeeded', isError: false, content: [{ type: 'text', text }] });
        }
      });
      await Promise.all(work);
      expect(calls).toBeGreaterThanOrEqual(CLIENTS * CALLS);
      expect([...seen.values()].every((clients) => clients.size === 1)).toBe(true);
      expect(seen.size).toBeGreaterThanOrEqual(CLIENTS);
    },
    60_000 + CALLS * CLIENTS * 20,
  );
});
