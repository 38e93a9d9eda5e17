import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { ensureHostId } from '../../../src/platform/config/index.js';
import { seeHost } from '../../../src/core/hosts/hosts.js';
import { programFolder } from '../../../src/platform/packages/harnesses/installed-program.js';
import { readPinned } from '../../../src/platform/packages/harnesses/pinned-program.js';
import { startApi, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ OPENAI_API_KEY: 'k', SERVICE_MODELS_BUILTIN: 'qwen3-coder' });
  await api.post('/v1/agents', { name: 'codex', harness: 'codex' });
  await api.post('/v1/agents', { name: 'claude', harness: 'claude-agent-sdk' });
  await api.post('/v1/agents', { name: 'local', harness: 'builtin', model: 'qwen3-coder' });
  await api.post('/v1/agents', { name: 'builtin', harness: 'builtin', model: 'claude-haiku-4-5' });
});
afterAll(() => api.close());

const own = ['builtin', 'replay'];
const host = (id: string, harnesses: string[]) =>
  seeHost(api.db.pool, { id, name: 'one', capacity: 5, provider: 'bubblewrap', harnesses });
const create = (agent: string) => api.post('/v1/sessions', { agent, task: 'x', allow_unpriced: true });
async function harness(id: string) {
  const { harnesses } = (await api.get('/v1/harnesses')).body;
  return harnesses.find((one) => one.id === id);
}

describe('which harnesses can be used', () => {
  it('depends on a provider for the model: the refusal says what to set', async () => {
    expect(await harness('builtin')).toMatchObject({ available: true, unavailable_reason: null });
    const details = (await harness('builtin'))?.model_details ?? [];
    expect(details.find(({ id }) => id === 'qwen3-coder')).toMatchObject({ available: true });
    expect(details.find(({ id }) => id === 'claude-haiku-4-5')).toMatchObject({
      available: false,
      unavailable_reason: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    expect((await create('local')).status).toBe(200);
    const refused = await create('builtin');
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringMatching(/^agent: harness builtin is not available: .*set ANTHROPIC_API_KEY/),
    ]);
  });

  it('CP-138 depends on its program: a run is refused at creation with the command, an agent is not', async () => {
    await host(uuidv7(), own);
    for (const id of ['codex', 'claude-agent-sdk']) {
      const command = `sandgate harness install ${id}`;
      expect(await harness(id)).toMatchObject({
        available: false,
        unavailable_reason: expect.stringContaining(command),
      });
    }
    const refused = await create('codex');
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'agent: harness codex is not available: its program is not installed: run `sandgate harness install codex` on a sandbox host',
    ]);
    const both = await create('claude');
    expect(both.body.error).toMatch(/sandgate harness install claude-agent-sdk.*; .*ANTHROPIC_API_KEY/);
  });

  it('sees a program that is installed while the server runs, before its host says so', async () => {
    const hostId = ensureHostId(api.config);
    await host(hostId, own);
    const pinned = await readPinned('codex');
    const folder = programFolder(api.config.data.dir, pinned);
    mkdirSync(folder, { recursive: true });
    const record = { harness: 'codex', version: pinned.version, lock_digest: pinned.lockDigest };
    writeFileSync(join(folder, 'sandgate.json'), JSON.stringify(record));
    expect((await create('codex')).status).toBe(200);
    expect(await harness('codex')).toMatchObject({ available: true, unavailable_reason: null });
    const { rows } = await api.database.owner.query<{ harnesses: string[] }>(
      'select harnesses from hosts where id = $1',
      [hostId],
    );
    expect(rows[0]?.harnesses).toEqual([...own, 'codex']);
  });

  it('counts hosts that are online, and the last known while none is', async () => {
    const query = (sql: string) => api.database.owner.query(sql);
    await query(`update hosts set harnesses = '{builtin,replay}'`);
    await host(uuidv7(), [...own, 'claude-agent-sdk']);
    expect((await harness('claude-agent-sdk'))?.unavailable_reason).not.toContain('install');
    await query(`update hosts set last_seen_at = now() - interval '1 hour' where 'claude-agent-sdk' = any (harnesses)`);
    expect((await harness('claude-agent-sdk'))?.unavailable_reason).toContain('install');
    await query(`update hosts set last_seen_at = now() - interval '1 hour'`);
    expect((await harness('claude-agent-sdk'))?.unavailable_reason).not.toContain('install');
  });
});
