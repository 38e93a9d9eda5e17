import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../support/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '2', SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '3' });
}, 60_000);
afterAll(() => api.close());

describe('a full queue', () => {
  it('is 429 with Retry-After, exact under concurrency, and creates nothing', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.post('/v1/sessions', { agent: 'fixer', task: '[]' })),
    );
    const refused = answers.filter((answer) => answer.status === 429);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5);
    expect(refused).toHaveLength(15);
    for (const answer of refused) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Object.keys(answer.body)).toEqual(['error']);
    }
    expect((await api.get('/v1/sessions?limit=1000')).body.sessions).toHaveLength(5);
  });
});
