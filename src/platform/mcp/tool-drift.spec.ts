import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freezeSession, loopbackEgress } from '../../../test/support/mcp/broker-client.js';
import { DEFINITION, mutate, permute } from '../../../test/support/mcp/definition-changes.js';
import { HostileServer } from '../../../test/support/mcp/hostile-server.js';
import { SeededRandom } from '../../../test/support/random/seeded-random.js';
import type { Egress } from '../egress/egress.js';
import { takeSnapshot } from './take-snapshot.js';

const CHANGES = 200;
const OTHER = '{"name":"balance","inputSchema":{"type":"object"}}';
const never = new AbortController().signal;

let egress: Egress;
let server: HostileServer;
let listed: string[] = [];

beforeAll(async () => {
  egress = loopbackEgress();
  server = await HostileServer.start();
  server.always('tools/list', ({ message }) => ({
    kind: 'raw',
    contentType: 'application/json',
    body: `{"jsonrpc":"2.0","id":${String(message?.id)},"result":{"tools":[${listed.join(',')}]}}`,
  }));
});
afterAll(async () => {
  await server.close();
  await egress.close();
});

describe('a frozen tool', () => {
  it('CP-312 is denied after any of 200 changes of its definition, until a new snapshot is taken (proof 23)', async () => {
    const random = new SeededRandom(23);
    listed = [DEFINITION];
    const session = await freezeSession(egress, server.url);
    for (let i = 0; i < CHANGES; i++) {
      const { what, text } = mutate(random);
      listed = [OTHER, text];
      const outcome = await session.callTool('transfer', '{}', never);
      expect({ what, outcome }).toMatchObject({ outcome: { state: 'drift', kind: 'tool' } });
    }
    expect(server.calls).toHaveLength(0);
    const renewed = mutate(random).text.replace('\u200b', '').replace('"transfer2"', '"transfer"');
    listed = [renewed];
    const refreshed = await freezeSession(egress, server.url);
    const name = (JSON.parse(renewed) as { name: string }).name;
    expect(await refreshed.callTool(name, '{}', never)).toMatchObject({ state: 'succeeded' });
  });

  it('CP-312 is called after any of 200 harmless permutations of its definition (proof 23)', async () => {
    const random = new SeededRandom(24);
    listed = [DEFINITION];
    server.arrivals.length = 0;
    const session = await freezeSession(egress, server.url);
    for (let i = 0; i < CHANGES; i++) {
      const text = permute(random);
      listed = random.next() < 0.5 ? [OTHER, text] : [text, OTHER];
      const outcome = await session.callTool('transfer', '{}', never);
      expect({ text, outcome }).toMatchObject({ outcome: { state: 'succeeded' } });
    }
    expect(server.calls).toHaveLength(CHANGES);
  });

  it('keeps its digest in a snapshot whatever is only written differently', async () => {
    const random = new SeededRandom(25);
    const digests = new Set<string>();
    for (let i = 0; i < 20; i++) {
      listed = [i === 0 ? DEFINITION : permute(random)];
      digests.add((await takeSnapshot({ client: egress.guarded, url: server.url, headers: {} })).digest);
    }
    expect([...digests]).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
  });

  it('is compared as doubles when it was frozen without a digest of its own', async () => {
    listed = [DEFINITION];
    const { protocolVersion, tools } = await takeSnapshot({ client: egress.guarded, url: server.url, headers: {} });
    const stored = tools.map(({ definition_digest: _, ...tool }) => tool);
    const session = await freezeSession(egress, server.url, { frozen: { protocolVersion, tools: stored } });
    listed = [permute(new SeededRandom(26)).replace('0.10', '0.1')];
    expect(await session.callTool('transfer', '{}', never)).toMatchObject({ state: 'succeeded' });
    listed = [DEFINITION.replace('0.10', '0.2')];
    expect(await session.callTool('transfer', '{}', never)).toMatchObject({ state: 'drift' });
  });
});
