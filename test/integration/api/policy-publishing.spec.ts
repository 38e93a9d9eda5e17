import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { type Answer, type TestApi } from '../../support/api/api.js';
import { PoliciesBench, yamlOf } from '../../support/policies/policies-bench.js';

type Detail = Schemas['PolicyDetail'];

let bench: PoliciesBench;
let api: TestApi;
beforeAll(async () => {
  bench = await PoliciesBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

describe('publishing', () => {
  it('CP-165 CP-219 appends a new head with defaults filled in, also for identical content', async () => {
    const name = await bench.made();
    const answer = await bench.publish(name, 1, {}, '  open it  ');
    expect(answer.body).toMatchObject({ name, version: 2, summary: 'open it', author: 'ui', published_by: 'ui' });
    expect((answer.body as unknown as Detail).yaml).toContain('tool_action: approve');
    expect((await bench.publish(name, 2, {}, 'again')).body).toMatchObject({ version: 3 });
    expect((await api.get(`/v1/policies/${name}/versions/1`)).body).toMatchObject({ yaml: yamlOf(name) });
  });

  it.each<[string, (name: string) => object, string]>([
    ['no content', () => ({ summary: 's', base_version: 1 }), 'content'],
    ['content that is a list', () => ({ content: [], summary: 's', base_version: 1 }), 'content'],
    ['no summary', (name) => ({ content: { name }, base_version: 1 }), 'summary'],
    ['a blank summary', (name) => ({ content: { name }, summary: ' \n\t', base_version: 1 }), 'summary'],
    [
      'a summary of 501 bytes',
      (name) => ({ content: { name }, summary: 'é'.repeat(250) + 'x', base_version: 1 }),
      '500',
    ],
    ['no base_version', (name) => ({ content: { name }, summary: 's' }), 'base_version: must be an integer'],
    [
      'a base_version as text',
      (name) => ({ content: { name }, summary: 's', base_version: '1' }),
      'base_version: must be an integer',
    ],
    [
      'a base_version beyond int32',
      (name) => ({ content: { name }, summary: 's', base_version: 2 ** 31 }),
      'base_version',
    ],
    ['another name', () => ({ content: { name: 'other' }, summary: 's', base_version: 1 }), 'content.name'],
    ['an unknown key', (name) => ({ content: { name, version: 1 }, summary: 's', base_version: 1 }), '`version`'],
    [
      'a bad rule',
      (name) => ({ content: { name, tools: [{ match: [] }] }, summary: 's', base_version: 1 }),
      'tools[0]',
    ],
  ])('CP-220 %s is 400 and writes nothing', async (_what, body, reason) => {
    const name = await bench.made();
    const answer = await api.post(`/v1/policies/${name}/publish`, body(name));
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(reason)]);
    expect((await bench.read(name)).versions).toHaveLength(1);
  });

  it('CP-220 an integer written with a fraction is refused, and a summary of 500 bytes is not', async () => {
    const name = await bench.made();
    const send = (ttl: string, summary: string): Promise<Answer> =>
      api.call('POST', `/v1/policies/${name}/publish`, {
        raw: `{"content":{"name":"${name}","approvals":{"default_ttl_secs":${ttl}}},"summary":"${summary}","base_version":1}`,
      });
    expect((await send('600.0', 's')).body.error).toContain('approvals.default_ttl_secs');
    expect((await send('600', 's'.repeat(500))).status).toBe(200);
  });

  it('the checks answer in order: summary, policy, content, name, head', async () => {
    const name = await bench.made();
    const send = (to: string, body: object): Promise<Answer> => api.post(`/v1/policies/${to}/publish`, body);
    const bad = { name: 'other', extra: 1 };
    expect((await send('nothing', { content: bad, summary: ' ', base_version: 9 })).body.error).toContain('summary');
    expect((await send('nothing', { content: bad, summary: 's', base_version: 9 })).status).toBe(404);
    expect((await send(name, { content: bad, summary: 's', base_version: 9 })).body.error).toContain('extra');
    expect((await send(name, { content: { name: 'other' }, summary: 's', base_version: 9 })).status).toBe(400);
    expect((await send(name, { content: { name }, summary: 's', base_version: 9 })).status).toBe(409);
  });

  it('CP-221 a moved head is 409 naming both versions, also for the caller who moved it', async () => {
    const name = await bench.made();
    expect((await bench.publish(name, 1)).status).toBe(200);
    const repeat = await bench.publish(name, 1);
    expect(repeat.status).toBe(409);
    expect(repeat.body.error).toBe(`base_version: the head of ${name} is version 2, not 1; nothing was written`);
    expect((await bench.publish(name, 3)).status).toBe(409);
    expect((await bench.read(name)).versions).toHaveLength(2);
  });

  it('CP-165 CP-221 of 50 at once on one base exactly one wins, and the others write nothing', async () => {
    const name = await bench.made();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => bench.publish(name, 1, {}, `attempt ${i}`)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    const detail = await bench.read(name);
    expect(detail.versions.map(({ version }) => version)).toEqual([2, 1]);
    expect(detail.summary).toBe((won[0]!.body as unknown as Detail).summary);
    const rows = await api.database.owner.query('select 1 from policy_versions where policy_id = $1', [detail.id]);
    expect(rows.rowCount).toBe(2);
  });

  it('versions are append-only for the runtime role and for the owner', async () => {
    const change = (sql: string): Promise<unknown> => api.db.withTenant(api.organizationId, (tx) => tx.query(sql));
    await expect(change(`update policy_versions set summary = 'x'`)).rejects.toThrow();
    await expect(change('delete from policy_versions')).rejects.toThrow();
    await expect(api.database.owner.query('delete from policy_versions')).rejects.toThrow('append-only');
  });
});

describe('reverting', () => {
  it('CP-165 CP-222 the earlier content and YAML come back as a new head, and the matrix with them', async () => {
    const name = await bench.made();
    await bench.publish(name, 1, { tools: [{ match: ['Read'], action: 'deny' }] });
    const verdict = async (): Promise<string | undefined> =>
      (await bench.read(name)).matrix.find(({ tool }) => tool === 'Read')?.verdict;
    expect(await verdict()).toBe('deny');
    const answer = await api.post(`/v1/policies/${name}/revert`, { version: 1, base_version: 2 });
    expect(answer.body).toMatchObject({ version: 3, summary: 'revert to v1', yaml: yamlOf(name), author: 'ui' });
    expect(await verdict()).toBe('allow');
    const head = await api.post(`/v1/policies/${name}/revert`, { version: 3, base_version: 3 });
    expect(head.body).toMatchObject({ version: 4, summary: 'revert to v3' });
  });

  it('CP-223 an unknown policy or version is 404, a moved head 409, a bad body 400', async () => {
    const name = await bench.made();
    const revert = (to: string, body: object): Promise<number> =>
      api.post(`/v1/policies/${to}/revert`, body).then(({ status }) => status);
    expect(await revert('nothing', { version: 1, base_version: 1 })).toBe(404);
    for (const version of [2, 0, -1]) expect(await revert(name, { version, base_version: 1 })).toBe(404);
    expect(await revert(name, { version: 1, base_version: 2 })).toBe(409);
    for (const body of [
      {},
      { version: 1 },
      { base_version: 1 },
      { version: 1.5, base_version: 1 },
      { version: null, base_version: 1 },
    ])
      expect(await revert(name, body)).toBe(400);
    expect((await bench.read(name)).versions).toHaveLength(1);
  });
});
