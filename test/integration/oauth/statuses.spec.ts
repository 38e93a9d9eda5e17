import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConnectionStatus } from '../../../src/domain/connections/connection.js';
import { AccessTokens } from '../../../src/core/oauth/access-tokens.js';
import { ConnectBench } from '../../support/oauth/connect-bench.js';
import { grant } from '../../support/oauth/scripted-issuer.js';

/** A token that is asked for anew at every use. */
const EXPIRING = { expires_in: 30 };
const REFUSED = { status: 400, body: { error: 'invalid_grant' } };

let bench: ConnectBench;
beforeAll(async () => {
  bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'http://127.0.0.1:8787' });
});
beforeEach(() => {
  bench.issuer.token = () => grant(EXPIRING);
});
afterAll(() => bench.close());

const tokens = (): AccessTokens => bench.api.app.get(AccessTokens);
const use = (id: string, generation = 1): Promise<string> => tokens().get(bench.api.organizationId, id, generation);
const revoke = (id: string) => bench.api.post(`/v1/connections/${id}/revoke`);

/** The authorization server refuses the grant of an active connection at its next use. */
async function lose(id: string, generation = 1): Promise<void> {
  bench.issuer.token = () => REFUSED;
  await expect(use(id, generation)).rejects.toThrow(/reconnect/);
  bench.issuer.token = () => grant(EXPIRING);
}

describe('the generation of an authorization', () => {
  it('CP-124 grows when a connection that was ever active is authorized anew, and by nothing else', async () => {
    const { id } = await bench.connection();
    const state = async (): Promise<unknown[]> => {
      const { status, authorization_generation: generation } = await bench.read(id);
      return [status, generation];
    };
    await bench.goUrl(id);
    bench.issuer.token = () => REFUSED;
    expect((await bench.connect(id)).status).toBe(400);
    expect(await state()).toEqual(['pending', 1]);
    bench.issuer.token = () => grant(EXPIRING);
    expect((await bench.connect(id)).status).toBe(200);
    expect(await state()).toEqual(['active', 1]);

    await use(id);
    await bench.api.post(`/v1/connections/${id}/tools/refresh`);
    await bench.api.post(`/v1/connections/${id}/approve`);
    await bench.goUrl(id);
    expect(await state()).toEqual(['active', 1]);
    const visitor = bench.visitor();
    const authorization = await visitor.follow(await bench.goUrl(id));
    bench.issuer.token = () => REFUSED;
    expect((await visitor.get(bench.callback(authorization))).status).toBe(400);
    expect(await state()).toEqual(['active', 1]);
    await lose(id);
    expect(await state()).toEqual(['error', 1]);

    expect((await bench.connect(id)).status).toBe(200);
    expect(await state()).toEqual(['active', 2]);
    expect((await bench.connect(id)).status).toBe(200);
    expect(await state()).toEqual(['active', 3]);
    expect((await revoke(id)).status).toBe(200);
    expect(await state()).toEqual(['revoked', 3]);
  });
});

describe('revoking', () => {
  const nothing = (): Promise<void> => Promise.resolve();
  const connect = async (id: string): Promise<void> => void (await bench.connect(id));
  const reached: [ConnectionStatus, (id: string) => Promise<void>][] = [
    ['pending', nothing],
    ['active', connect],
    ['error', (id) => connect(id).then(() => lose(id))],
    ['revoked', (id) => connect(id).then(async () => void (await revoke(id)))],
  ];

  it.each(reached)(
    'CP-123 CP-156 a connection that is %s ends it, and no token of it is used again',
    async (status, reach) => {
      const { id } = await bench.connection();
      await reach(id);
      expect((await bench.read(id)).status).toBe(status);
      // As if a call had just been given a token that is good for an hour.
      tokens().remember(id, 1, { token: 'held', expiresAtMs: Date.now() + 3_600_000 });
      expect(await use(id)).toBe('held');
      const asked = bench.issuer.tokenCalls.length;
      const answer = await revoke(id);
      expect([answer.status, answer.body.status, (await bench.read(id)).status]).toEqual([200, 'revoked', 'revoked']);
      await expect(use(id)).rejects.toMatchObject({ code: 'conflict' });
      expect(bench.issuer.tokenCalls).toHaveLength(asked);
      const { rows } = await bench.api.database.owner.query(
        `select num_nonnulls(credential_sealed, client_secret_sealed)
              + (select count(*) from connector_access_tokens where connection_id = $1)::int as kept
         from integration_connections where id = $1`,
        [id],
      );
      expect(rows).toEqual([{ kept: 0 }]);
    },
  );
});
