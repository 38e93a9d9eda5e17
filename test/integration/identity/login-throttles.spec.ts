import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createApi } from '../../../src/api/create-api.js';
import { ADMIN_TOKEN } from '../../support/api/api.js';
import { newAddress, SignInBench, SignInVisitor } from '../../support/identity/sign-in-bench.js';
import { withinOneMinute } from '../../support/time/within-one-minute.js';

let bench: SignInBench;
let second: NestFastifyApplication;
let urls: string[];
beforeAll(async () => {
  bench = await SignInBench.start();
  const { config, db: database, organizationId } = bench.api;
  second = await createApi({ config, database, adminToken: ADMIN_TOKEN, organizationId });
  await second.listen({ port: 0, host: '127.0.0.1' });
  urls = [bench.api.url, `http://127.0.0.1:${(second.getHttpServer().address() as AddressInfo).port}`];
});
beforeEach(async () => {
  bench.provider.reset();
  await bench.rows('delete from login_throttles');
  await bench.rows('delete from login_flows');
});
afterAll(async () => {
  await second.close();
  await bench.close();
});

/** One request after the other, at both processes in turn. */
async function statuses(
  times: number,
  ask: (visitor: SignInVisitor, n: number) => Promise<Response>,
  address?: string,
): Promise<number[]> {
  const seen: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const visitor = new SignInVisitor(urls[n % 2] ?? '', address);
    const answer = await ask(visitor, n);
    await answer.text();
    seen.push(answer.status);
  }
  return seen;
}
const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);
const path = (slug = bench.organization.slug): string => `/v1/auth/login/${slug}/start`;

describe('throttles, over two processes', () => {
  it('CP-266 an address begins ten logins a minute, known organizations or not', async () => {
    await withinOneMinute(bench.api.database, async () => {
      await bench.rows('delete from login_throttles');
      const ask = (visitor: SignInVisitor, n: number): Promise<Response> =>
        visitor.get(path(n % 2 === 0 ? undefined : 'nobody'));
      expect(await statuses(12, ask, '192.0.2.1')).toEqual([
        302, 303, 302, 303, 302, 303, 302, 303, 302, 303, 429, 429,
      ]);
      // Another one is not concerned.
      expect(await statuses(1, ask, '192.0.2.2')).toEqual([302]);
    });
  }, 120_000);

  it.each<[string, (n: number) => string]>([
    ['one IPv6 network', (n) => `2001:db8:7:1::${n.toString(16)}`],
    ['one IPv6 address in several spellings', (n) => (n % 2 === 0 ? '2001:DB8:7:2::A' : '2001:db8:7:2:0::a')],
    ['one address at several ports', (n) => `192.0.2.4:${40_000 + n}`],
  ])(
    'CP-266 %s begins ten logins a minute',
    async (_, address) => {
      await withinOneMinute(bench.api.database, async () => {
        await bench.rows('delete from login_throttles');
        const ask = (_visitor: SignInVisitor, n: number): Promise<Response> =>
          new SignInVisitor(urls[n % 2] ?? '', address(n)).get(path());
        expect(await statuses(11, ask)).toEqual([...times(10, 302), 429]);
        const another = new SignInVisitor(urls[0] ?? '', '2001:db8:7:3::1');
        expect((await another.get(path())).status).toBe(302);
      });
    },
    120_000,
  );

  it('CP-266 an address comes back ten times a minute, counted apart from its beginnings', async () => {
    await withinOneMinute(bench.api.database, async () => {
      await bench.rows('delete from login_throttles');
      const back = (visitor: SignInVisitor): Promise<Response> => visitor.get('/v1/auth/callback?state=x');
      expect(await statuses(11, back, '192.0.2.3')).toEqual([...times(10, 400), 429]);
      expect(await statuses(1, (visitor) => visitor.get(path()), '192.0.2.3')).toEqual([302]);
    });
  }, 120_000);

  it('CP-266 thirty logins of an organization begin in a minute', async () => {
    await withinOneMinute(bench.api.database, async () => {
      await bench.rows('delete from login_throttles');
      expect(await statuses(31, (visitor) => visitor.get(path()))).toEqual([...times(30, 302), 429]);
      const other = await bench.addOrganization();
      expect(await statuses(1, (visitor) => visitor.get(path(other.slug)))).toEqual([302]);
    });
  }, 120_000);

  it('CP-266 what has no provider is counted like what has one and like what is unknown', async () => {
    const bare = await bench.addOrganization({ status: 'staged' });
    await withinOneMinute(bench.api.database, async () => {
      await bench.rows('delete from login_throttles');
      for (const slug of [bare.slug, 'nobody-here'])
        expect(await statuses(31, (visitor) => visitor.get(path(slug)))).toEqual([...times(30, 303), 429]);
    });
  }, 120_000);

  it('CP-266 sixty callbacks of an organization come back in a minute', async () => {
    const visitor = bench.visitor();
    const callback = bench.provider.authorize(await visitor.start(bench.organization.slug));
    await withinOneMinute(bench.api.database, async () => {
      await bench.rows('delete from login_throttles');
      expect(await statuses(61, (other) => other.get(callback))).toEqual([...times(60, 400), 429]);
    });
  }, 120_000);

  it('CP-266 a hundred logins of an organization are open at once, then one has to end', async () => {
    for (let round = 0; round < 4; round += 1) {
      await bench.rows('delete from login_throttles');
      await Promise.all(
        Array.from({ length: 25 }, (_, n) => new SignInVisitor(urls[n % 2] ?? '', newAddress()).get(path())),
      );
    }
    expect(await bench.rows('select 1 from login_flows')).toHaveLength(100);
    await bench.rows('delete from login_throttles');
    const answers = await Promise.all([bench.visitor().get(path()), bench.visitor().get(path())]);
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [429, '60'],
      [429, '60'],
    ]);
    await bench.rows('update login_flows set expires_at = now() where id in (select id from login_flows limit 1)');
    expect((await bench.visitor().get(path())).status).toBe(302);
    expect(await bench.rows('select 1 from login_flows')).toHaveLength(100);
  }, 120_000);

  it('CP-266 a client that prefers JSON is told the same', async () => {
    await withinOneMinute(bench.api.database, async () => {
      await bench.rows('delete from login_throttles');
      const ask = (visitor: SignInVisitor): Promise<Response> => visitor.get(path(), { accept: 'application/json' });
      await statuses(10, ask, '192.0.2.9');
      const answer = await ask(new SignInVisitor(urls[0] ?? '', '192.0.2.9'));
      expect([answer.status, await answer.json()]).toEqual([
        429,
        { error: expect.stringContaining('oo many sign-ins') as unknown },
      ]);
    });
  }, 120_000);
});
