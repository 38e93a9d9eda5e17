import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BUDGET_CAPS } from '../../../src/domain/budgets/effective-budgets.js';
import { startApi, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = (budgets: object) => api.post('/v1/sessions', { agent: 'fixer', task: '[]', budgets });
const MOST = { max_wall_clock_secs: 31_536_000, max_tokens: 1e12, max_cost_usd: 1e9, max_tool_calls: 2_147_483_647 };

describe.each(BUDGET_CAPS)('CP-085 %s of a run', (cap) => {
  it.each([-1, -0.000001, '5', true, [], {}, 1e300])(
    'CP-085 is refused as %j, by name, and creates nothing',
    async (value) => {
      const answer = await create({ [cap]: value });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toContain(`budgets.${cap}`);
      expect((await api.get('/v1/sessions')).body.sessions.filter((session) => session.budgets[cap] === value)).toEqual(
        [],
      );
    },
  );

  it('CP-085 is nothing, its most, or none; a fraction is for money alone', async () => {
    expect((await create({ [cap]: 0 })).body.session.budgets[cap]).toBe(0);
    expect((await create({ [cap]: MOST[cap] })).status).toBe(200);
    expect((await create({ [cap]: MOST[cap] + 1 })).status).toBe(400);
    expect((await create({ [cap]: null })).status).toBe(200);
    expect((await create({ [cap]: 0.5 })).status).toBe(cap === 'max_cost_usd' ? 200 : 400);
  });

  it('CP-075 of a request only tightens', async () => {
    const [narrow, wide] = [await create({ [cap]: 1 }), await create({ [cap]: MOST[cap] })];
    expect(narrow.body.session.budgets[cap]).toBe(1);
    expect(wide.body.session.budgets[cap]).toBeLessThan(MOST[cap]);
  });
});
