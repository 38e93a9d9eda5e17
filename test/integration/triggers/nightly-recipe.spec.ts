import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { standardSecret } from '../../../src/domain/deliveries/webhook-headers.js';
import { digestOfText } from '../../../src/domain/digest/digest.js';
import { GithubDescription } from '../../support/codehost/github-description.js';
import type { CalledBack } from '../../support/deliveries/called-back.js';
import type { DeliveryBench } from '../../support/deliveries/delivery-bench.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { RecipeBench } from '../../support/triggers/recipe-bench.js';
import { blocksOf, example } from '../../support/triggers/recipe-page.js';

const RECIPE = 'Update dependencies every night';
const DIFF = `diff --git a/total.js b/total.js
--- a/total.js
+++ b/total.js
@@ -1 +1 @@
-one
+two
`;

/** The API of a code host that takes pull requests, and what it was asked. */
class PullRequests {
  readonly asked: { url: string; authorization: string; body: unknown }[] = [];
  /** What does not fit GitHub's own description. */
  readonly faults: string[] = [];
  status = 201;
  private readonly described = new GithubDescription();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PullRequests> {
    const server = createServer();
    const host = new PullRequests(server);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        const { method = '', url = '', headers } = request;
        const faults = host.described.requestFaults({ method, url, headers, body });
        // The headers that it holds to be right are those that Sandgate itself sends.
        host.faults.push(...faults.filter((fault) => !fault.includes(': header ')));
        host.asked.push({ url, authorization: headers.authorization ?? '', body: JSON.parse(body) as unknown });
        response.writeHead(host.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }
}

let recipes: RecipeBench;
let bench: DeliveryBench;
let host: PullRequests;
/** The repository, bare. */
let shop: string;
beforeAll(async () => {
  [recipes, host] = await Promise.all([RecipeBench.start(), PullRequests.start()]);
  bench = recipes.deliveries;
  const source = join(recipes.folder, 'source');
  shop = join(recipes.folder, 'shop.git');
  mkdirSync(source);
  const git = (...argv: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', ...argv], { cwd: source });
  git('init', '--quiet', '--initial-branch', 'main');
  writeFileSync(join(source, 'total.js'), 'one\n');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'start');
  git('clone', '--quiet', '--bare', source, shop);
});
afterEach(() => recipes.endPrograms());
afterAll(async () => {
  await recipes?.close();
  await host?.close();
});

const inShop = (...argv: string[]): string => execFileSync('git', ['-C', shop, ...argv], { encoding: 'utf8' }).trim();
const branches = (): string[] => inShop('for-each-ref', '--format=%(refname:short)').split('\n');

/** A run that has ended with a diff, whose callback is the receiver of the recipe, started as the page says. */
async function received(outcome = 'completed', diff = DIFF): Promise<string> {
  const [port = 0] = await freePorts(1);
  const trigger = await bench.subscribe(`http://127.0.0.1:${port}/`);
  const runId = await bench.run(trigger);
  await bench.own(
    `insert into artifacts (id, tenant_id, session_id, kind, name, content, content_type, size_bytes, digest, truncated)
     values (gen_random_uuid(), $1, $2, 'diff', 'changes.patch', $3, 'text/x-diff', $4, $5, false)`,
    [bench.api.organizationId, runId, diff, Buffer.byteLength(diff), digestOfText(diff)],
  );
  await bench.end(runId, outcome, 'Two is more than one.');
  await startReceiver(trigger, port);
  return runId;
}

async function startReceiver({ secret }: CalledBack, port: number): Promise<void> {
  const [command = ''] = /^CALLBACK_SECRET=[^]*/m.exec(blocksOf(RECIPE).join('')) ?? [];
  const here = command
    .replace('whsec_…', standardSecret(secret))
    .replace('https://api.github.com', host.url)
    .replace('https://github.com/acme/shop', shop)
    .replace('HOST_TOKEN=…', 'HOST_TOKEN=token-of-the-bot')
    .replace('PORT=8080', `PORT=${port}`)
    .replaceAll(/\\\n\s+/g, '');
  // The shell becomes the program, so that ending one ends the other.
  const script = here.replace(/^(.*) node (\S+)/, `export $1\nexec '${process.execPath}' $2`);
  await recipes.startProgram(['bash', '-ec', script], {}, String(port));
}

describe('update dependencies every night', () => {
  it('CP-102 CP-106 its trigger is a clock on weekdays at three in Berlin that skips what it missed', async () => {
    const trigger = await recipes.created(RECIPE);
    expect(trigger).toMatchObject({
      trigger_kind: 'schedule',
      schedule: { timezone: 'Europe/Berlin', missed_run_policy: 'skip' },
      callback_secret_standard: expect.stringMatching(/^whsec_/) as unknown,
    });
    const berlin = { timeZone: 'Europe/Berlin', weekday: 'short', hour: '2-digit', hour12: false } as const;
    const firings = trigger.next_firings.map((at) => new Intl.DateTimeFormat('en-GB', berlin).format(new Date(at)));
    expect(firings).toHaveLength(5);
    for (const firing of firings) expect(firing).toMatch(/^(?:Mon|Tue|Wed|Thu|Fri)\D+03$/);
  });

  it('CP-104 its receiver has at most 40 lines, and opens one pull request with the diff, however often it comes', async () => {
    expect(readFileSync(example('open-pull-request.mjs'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    const runId = await received();
    const { deliveryId } = await bench.wayOf(runId);
    expect(await bench.attempt(await bench.wayOf(runId))).toEqual({ attempt: 1, waitMs: null });
    const head = `sandgate/${runId}`;
    const body = {
      head,
      base: 'main',
      title: expect.stringContaining(runId) as unknown,
      body: 'Two is more than one.',
    };
    const opened = { url: '/repos/acme/shop/pulls', authorization: 'Bearer token-of-the-bot', body };
    expect(host.asked).toEqual([opened]);
    expect(inShop('show', `${head}:total.js`)).toBe('two');
    await bench.api.post(`/v1/sessions/${runId}/deliveries/${deliveryId}/resend`);
    host.status = 422;
    expect(await bench.attempt(await bench.wayOf(runId))).toEqual({ attempt: 1, waitMs: null });
    expect(host.asked).toEqual([opened, opened]);
    expect(branches()).toEqual(['main', head]);
    expect(host.faults).toEqual([]);
  });

  it('refuses a result that is not signed, and does nothing for a run that failed', async () => {
    const before = [branches(), host.asked.length];
    const runId = await received('failed');
    const [delivery] = await bench.deliveries(runId);
    const { destination } = delivery as { destination: { url?: string } };
    const forged = JSON.stringify({
      delivery_id: delivery!.id,
      run: { id: runId, status: 'completed' },
      artifacts: [],
    });
    const headers = { 'webhook-id': delivery!.id, 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
    for (const given of [{}, headers])
      expect((await fetch(destination.url!, { method: 'POST', headers: given, body: forged })).status).toBe(401);
    expect(await bench.attempt(await bench.wayOf(runId))).toEqual({ attempt: 1, waitMs: null });
    expect([branches(), host.asked.length]).toEqual(before);
  });

  it('takes no result whose diff does not fit, or that the code host refuses: it comes again', async () => {
    const before = [branches(), host.asked.length];
    const unfit = await received('completed', DIFF.replace('-one', '-three'));
    expect(await bench.attempt(await bench.wayOf(unfit))).toMatchObject({ waitMs: 5_000 });
    expect([branches(), host.asked.length]).toEqual(before);
    host.status = 403;
    const refused = await received();
    expect(await bench.attempt(await bench.wayOf(refused))).toMatchObject({ waitMs: 5_000 });
    expect((await bench.deliveries(refused))[0]!.last_error).toBe('answered 500');
  });
});
