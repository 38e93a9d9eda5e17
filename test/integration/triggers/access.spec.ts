import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationsOf, type DescribedRequests } from '../../../src/api/openapi/schema.js';
import type { Role } from '../../../src/domain/identity/role.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { ManagedTriggers, type CreatedTrigger } from '../../support/triggers/managed-triggers.js';
import { createSubscription } from '../../support/triggers/subscription-fixture.js';

let bench: ManagedTriggers;
let trigger: CreatedTrigger;
beforeAll(async () => {
  bench = await ManagedTriggers.start();
  trigger = await bench.create();
});
afterAll(() => bench.api.close());

const ITS_TOKENS_OWN = ['POST /v1/triggers/{id}/invoke', 'GET /v1/triggers/{id}/runs/{sid}'];
const WRITES = ['enable', 'disable', 'rotate_token', 'run-now'];

describe('who may see and change triggers', () => {
  it.each<Role>(['member', 'approver'])(
    'CP-230 CP-232 CP-240 CP-241 CP-242 not a %s, whose list is empty',
    async (role) => {
      const { token } = await bench.api.addUser(role);
      const list = await bench.api.get('/v1/triggers', { token });
      expect([list.status, list.body]).toMatchObject([200, { triggers: [] }]);
      expect((await bench.api.get(`/v1/triggers/${trigger.id}`, { token })).status).toBe(404);
      expect((await bench.post({}, { token })).status).toBe(403);
      expect((await bench.post({ agent: 'nobody' }, { token })).status).toBe(403);
      expect((await bench.patch(trigger.id, {}, { token })).status).toBe(403);
      for (const verb of WRITES)
        expect([
          verb,
          (await bench.api.post(`/v1/triggers/${trigger.id}/${verb}`, undefined, { token })).status,
        ]).toEqual([verb, 403]);
    },
  );

  it.each<Role>(['admin', 'owner'])('CP-230 CP-231 CP-233 CP-240 CP-241 CP-242 an %s, all of them', async (role) => {
    const { token } = await bench.api.addUser(role);
    const made = await bench.post({}, { token });
    expect(made.status).toBe(200);
    const { id } = made.body;
    const { body } = await bench.api.get('/v1/triggers', { token });
    expect((body as unknown as { triggers: { id: string }[] }).triggers.map((one) => one.id)).toContain(id);
    expect((await bench.api.get(`/v1/triggers/${id}`, { token })).status).toBe(200);
    expect((await bench.patch(id, { name: `by ${role}` }, { token })).status).toBe(200);
    for (const verb of WRITES.filter((one) => one !== 'disable'))
      expect([verb, (await bench.api.post(`/v1/triggers/${id}/${verb}`, undefined, { token })).status]).toEqual([
        verb,
        200,
      ]);
    expect((await bench.api.post(`/v1/triggers/${id}/disable`, undefined, { token })).status).toBe(200);
  });

  it('CP-230 the list is newest first; limit cuts it, and is 50 when left out', async () => {
    const made: string[] = [];
    for (let count = 0; count < 52; count += 1) made.unshift((await bench.create()).id);
    const list = async (query: string): Promise<string[]> => {
      const { body } = await bench.api.get(`/v1/triggers${query}`);
      return (body as unknown as { triggers: { id: string }[] }).triggers.map(({ id }) => id);
    };
    expect(await list('')).toEqual(made.slice(0, 50));
    expect(await list('?limit=3')).toEqual(made.slice(0, 3));
    expect((await list('?limit=100000')).length).toBeGreaterThan(52);
    expect((await bench.api.get('/v1/triggers?limit=0')).status).toBe(400);
  });

  it('CP-230 CP-233 CP-240 CP-241 CP-242 nobody from another organization, to whom its id is unknown', async () => {
    const elsewhere = await createOrganization(bench.api.db);
    const { id, token } = await createSubscription(bench.api.db, elsewhere);
    const list = (await bench.api.get('/v1/triggers?limit=1000')).text;
    expect(list).not.toContain(id);
    expect((await bench.api.get(`/v1/triggers/${id}`)).status).toBe(404);
    expect((await bench.patch(id, { name: 'mine' })).status).toBe(404);
    for (const verb of WRITES)
      expect([verb, (await bench.api.post(`/v1/triggers/${id}/${verb}`)).status]).toEqual([verb, 404]);
    expect((await bench.api.post(`/v1/triggers/${trigger.id}/invoke`, {}, { token })).status).toBe(401);
  });
});

describe('the token of a trigger', () => {
  it('CP-276 opens invoke and poll of its trigger, and no other route of the public plane', async () => {
    const description = JSON.parse((await bench.api.get('/v1/openapi.json')).text) as DescribedRequests;
    const { token } = trigger;
    const open: string[] = [];
    let tried = 0;
    for (const [name, operation] of operationsOf(description)) {
      const [method = '', path = ''] = name.split(' ');
      if ((operation as { security?: object[] }).security?.length === 0) continue;
      const address = path.replace(/\{\w+\}/g, trigger.id);
      const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {};
      const { status } = await bench.api.call(method, address, { token, ...body });
      if (status !== 401) open.push(name);
      tried += 1;
    }
    expect(open.sort()).toEqual([...ITS_TOKENS_OWN].sort());
    expect(tried).toBeGreaterThan(50);
  });

  it('CP-276 opens its trigger however the path writes the id', async () => {
    const { token } = trigger;
    const statusOf = async (id: string): Promise<number> =>
      (await bench.api.get(`/v1/triggers/${id}/runs/${trigger.id}`, { token })).status;
    for (const id of [trigger.id, trigger.id.toUpperCase(), trigger.id.replaceAll('-', '')])
      expect([id, await statusOf(id)]).toEqual([id, 404]);
    for (const id of [trigger.id.replace('-', ''), trigger.id.slice(1), `${trigger.id}0`])
      expect([id, await statusOf(id)]).toEqual([id, 401]);
  });

  it('CP-236 CP-239 CP-276 is the only credential that those two take', async () => {
    const owner = await bench.api.addUser('owner');
    const other = await bench.create();
    for (const token of [undefined, owner.token, other.token, null]) {
      const as = token === undefined ? {} : { token };
      expect((await bench.api.post(`/v1/triggers/${trigger.id}/invoke`, {}, as)).status).toBe(401);
      expect((await bench.api.get(`/v1/triggers/${trigger.id}/runs/${trigger.id}`, as)).status).toBe(401);
    }
    const both = { token: trigger.token, headers: { cookie: '__Host-svc_web=svc_web_0123' } };
    expect((await bench.api.post(`/v1/triggers/${trigger.id}/invoke`, {}, both)).status).toBe(400);
  });
});
