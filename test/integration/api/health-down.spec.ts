import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HealthService } from '../../../src/api/health/health.service.js';
import { startApi, type TestApi } from '../../support/api/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe('while the database is down', () => {
  beforeAll(async () => {
    const { rows } = await api.database.owner.query<{ name: string }>('select current_database() as name');
    const name = rows[0]?.name ?? '';
    api.database.owner.on('error', (error) => expect(error).toBeInstanceOf(Error));
    const administrator = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] });
    await administrator.connect();
    await administrator.query(`alter database ${name} allow_connections false`);
    await administrator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await administrator.end();
  });

  it('CP-168 health answers 200', async () => {
    expect((await api.get('/v1/health', { token: null })).status).toBe(200);
  });

  it('CP-170 CP-306 readiness answers 503 in the one error shape', async () => {
    const answer = await api.get('/v1/health/ready', { token: null });
    expect([answer.status, Object.keys(answer.body)]).toEqual([503, ['error']]);
  });

  it('CP-306 CP-183 data routes and cancel answer 503 and when to try again', async () => {
    const id = '01900000-0000-7000-8000-000000000000';
    for (const answer of [await api.get('/v1/agents'), await api.post(`/v1/sessions/${id}/cancel`)]) {
      expect([answer.status, Object.keys(answer.body)]).toEqual([503, ['error']]);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
  });

  it('CP-169 health answers 503 once the process stops', async () => {
    api.app.get(HealthService, { strict: false }).beforeApplicationShutdown();
    const answer = await api.get('/v1/health', { token: null });
    expect([answer.status, answer.body]).toEqual([503, { error: 'the process is stopping' }]);
  });
});
