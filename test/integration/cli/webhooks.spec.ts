import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { callbackHeaders, standardSecret } from '../../../src/domain/deliveries/webhook-headers.js';
import type { DeliveryWay } from '../../../src/domain/deliveries/delivery-way.js';
import { captureTerminals, startCommand, type Outcome } from '../../support/cli/running-command.js';
import type { CalledBack } from '../../support/deliveries/called-back.js';
import { DeliveryBench } from '../../support/deliveries/delivery-bench.js';
import { until } from '../../support/time/until.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

let folder: string;
beforeAll(() => {
  captureTerminals();
  folder = mkdtempSync(join(tmpdir(), 'sg-webhooks-'));
});
afterAll(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const cli = (argv: string[], input = ''): Promise<Outcome> => startCommand(argv, input).outcome;

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('webhooks verify', () => {
  const SECRET = `svc_whsec_${'5'.repeat(64)}`;
  const AT = new Date('2026-03-01T12:00:00Z');
  const TEXT = '{"event":"run.finished"}';
  const HEADERS = Object.entries(callbackHeaders(SECRET, { id: 'd-1', body: TEXT, at: AT }));
  const lines = HEADERS.map(([name, value]) => `${name.toUpperCase()}: ${value}\r\n`).join('');

  function verify(
    given: { body?: string; headers?: string; secret?: string; at?: string | null } = {},
    ...more: string[]
  ) {
    const { body = TEXT, headers = lines, secret = SECRET, at = '2026-03-01T13:01:00+01:00' } = given;
    const files = [file('body', body), '--headers', file('headers', headers), '--secret-file', file('secret', secret)];
    return cli(['webhooks', 'verify', ...files, ...(at === null ? [] : ['--at', at]), ...more]);
  }

  it.each([
    ['as lines of a request', `POST /hook HTTP/1.1\r\nHost: receiver.example\r\n${lines}\r\n`],
    [
      'as curl shows them',
      `* Connected\n> POST /hook HTTP/1.1\n${HEADERS.map(([name, value]) => `> ${name}: ${value}\n`).join('')}>\n`,
    ],
    ['as an object', JSON.stringify(Object.fromEntries(HEADERS.map(([name, value]) => [name, [value]])))],
  ])(
    'CP-104 accepts a saved request, with headers %s and either form of the secret, and asks no server',
    async (_as, headers) => {
      for (const secret of [SECRET, standardSecret(SECRET)]) {
        expect(await verify({ headers, secret })).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(
            /^x-service-signature fits the body\nwebhook-signature fits the body\nDelivery d-1, signed 2026-03-01T12:00:00.000Z, sha256:/,
          ),
        });
      }
    },
  );

  it('fails with 5 and says precisely what is wrong', async () => {
    expect(await verify({ body: `${TEXT}\n` })).toMatchObject({
      code: 5,
      message: 'the request does not verify',
      stdout: 'other_bytes: the body is not what was sent: it has a line break at its end that was not sent\n',
    });
    expect((await verify({ headers: 'content-type: application/json' })).stdout).toMatch(/^no_signature: /);
    expect((await verify({ secret: 'svc_trig_1' })).stdout).toMatch(
      /^wrong_secret_form: the secret begins with svc_trig_/,
    );
    const old = await verify({ at: null });
    expect(old.stdout).toMatch(/too_old: webhook-timestamp is \d+ s ago/);
    expect(old.stdout).toContain('say with --at when it came');
    const report = JSON.parse((await verify({ body: '{}' }, '-o', 'json')).stdout) as { problems: { fault: string }[] };
    expect(report).toMatchObject({ ok: false, verified: [], problems: [{ fault: 'wrong_secret' }] });
  });

  it('CP-329 refuses what it cannot read with 2', async () => {
    expect((await verify({ at: '2026-03-01' })).code).toBe(2);
    expect((await verify({ at: 'yesterday' })).message).toContain('must be a time with its zone');
    expect(await verify({ headers: 'x-a: 1\nno header at all' })).toMatchObject({
      code: 2,
      message: expect.stringContaining('line 2 is not a header'),
    });
    expect((await verify({ headers: '{"x": 5}' })).message).toContain('x must be a text');
    const stdin = await cli(['webhooks', 'verify', 'x', '--headers', '-', '--secret-file', '-']);
    expect(stdin).toMatchObject({ code: 2, message: '--headers and --secret-file cannot both be standard input' });
    expect((await cli(['webhooks', 'verify', join(folder, 'none'), '--headers', 'x', '--secret-file', 'x'])).code).toBe(
      2,
    );
  });
});

describe('webhooks listen', () => {
  let bench: DeliveryBench;
  let subscription: CalledBack;
  let way: DeliveryWay;
  let url: string;

  beforeAll(async () => {
    await using first = new Listening(['--port', '0']);
    url = await first.said(/(http:\/\/127\.0\.0\.1:\d+\/)/);
    const setting = await first.said(/ SERVICE_EGRESS_ALLOW_CIDRS=(\S+)\n/);
    // The very setting that it printed, and no wider one.
    bench = await DeliveryBench.start({ SERVICE_EGRESS_ALLOW_CIDRS: setting });
    subscription = await bench.subscribe(url);
    way = await bench.ended(subscription);
    file('secrets', `svc_whsec_${'0'.repeat(64)}\n${subscription.secret}\n`);
  });
  afterAll(() => bench?.api.close());

  const listen = (...more: string[]): Listening =>
    new Listening(['--port', new URL(url).port, '--secret-file', join(folder, 'secrets'), ...more]);

  it('CP-104 receives a result from a deployment with the setting that it names, and verifies it', async () => {
    const save = join(folder, 'saved');
    await using listening = listen('--save', save, '-o', 'json');
    await listening.said(/(Listening)/);
    expect(await bench.attempt(way)).toEqual({ attempt: 1, waitMs: null });
    const [receipt] = await listening.documents(1);
    expect(receipt).toMatchObject({
      verification: { ok: true, verified: ['x-service-signature', 'webhook-signature'], delivery_id: way.deliveryId },
      again: false,
      answered: 204,
      body: { event: 'run.finished', attempt: 1, run: { id: way.runId, status: 'completed' } },
    });
    const { saved = '', received_at: at = '', headers = {} } = receipt ?? {};
    const checked = await cli([
      ...['webhooks', 'verify', `${saved}.body`, '--headers', `${saved}.headers`],
      ...['--secret-file', file('one', subscription.secret), '--at', at],
    ]);
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Delivery ${way.deliveryId}`) as unknown,
    });

    const post = (body: string) => fetch(url, { method: 'POST', headers: signatures(headers), body });
    const text = readFileSync(`${saved}.body`, 'utf8');
    expect([(await post(text)).status, (await post(`${text} `)).status]).toEqual([204, 401]);
    const [, again, changed] = await listening.documents(3);
    expect(again).toMatchObject({ again: true, verification: { ok: true } });
    expect(changed).toMatchObject({ again: true, answered: 401, verification: { ok: false } });
    expect((await fetch(url)).status).toBe(405);
  });

  it('prints a line for people, answers what it is told, and ends a request that is under way before it stops', async () => {
    const listening = listen('--answer', '503');
    await listening.said(/(Listening)/);
    const other = await bench.ended(subscription);
    expect(await bench.attempt(other)).toMatchObject({ attempt: 1, waitMs: 5_000 });
    await listening.printed(
      new RegExp(
        `run.finished, attempt 1, run ${other.runId} completed, verified by x-service-signature and webhook-signature, answered 503\n {2}all is well\n`,
      ),
    );
    const slow = request(url, { method: 'POST' });
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
    slow.write('{');
    await once(slow, 'socket');
    await until(
      () => slow.socket?.bytesWritten ?? 0,
      (bytes) => bytes > 0,
    );
    listening.signal('SIGINT');
    slow.end('}');
    expect((await answered)[0].statusCode).toBe(503);
    expect(await listening.ended).toEqual([0, null]);
    expect(listening.stderr).toContain('Stopped after 2 requests.');
  });

  it('goes on when a request breaks off, or cannot be saved', async () => {
    const save = join(folder, 'lost');
    await using listening = listen('--save', save);
    await listening.said(/(Listening)/);
    // Half a body, and no more of it.
    connect(Number(new URL(url).port), '127.0.0.1').end('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{');
    await listening.said(/(A request failed: aborted)/);
    rmSync(save, { recursive: true });
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(500);
    await listening.said(/(A request failed: ENOENT)/);
    expect((await fetch(url)).status).toBe(405);
  });

  it('says that nothing is verified without a secret, and that a port is taken', async () => {
    await using listening = new Listening(['--port', '0']);
    const taken = await listening.said(/127\.0\.0\.1:(\d+)/);
    await listening.said(/(Nothing is verified without --secret-file)/);
    const second = await cli(['webhooks', 'listen', '--port', taken]);
    expect(second).toMatchObject({ code: 1, message: expect.stringContaining('EADDRINUSE') as unknown });
    expect(second.message).toContain('choose another with --port');
    expect((await cli(['webhooks', 'listen', '--secret-file', file('empty', '\n')])).code).toBe(2);
    expect((await cli(['webhooks', 'listen', '--answer', '99'])).code).toBe(2);
  });
});

function signatures(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^(?:x-service-|webhook-)/.test(name)));
}

interface Receipt {
  saved: string;
  received_at: string;
  headers: Record<string, string>;
}

/** `sandgate webhooks listen` as a process of its own, which takes signals. */
class Listening {
  stdout = '';
  stderr = '';
  readonly ended: Promise<[number | null, string | null]>;
  private readonly child: ChildProcess;

  constructor(options: string[]) {
    this.child = spawn(process.execPath, [PROGRAM, 'webhooks', 'listen', ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (data: Buffer) => (this.stdout += data.toString()));
    this.child.stderr?.on('data', (data: Buffer) => (this.stderr += data.toString()));
    this.ended = once(this.child, 'close') as Promise<[number | null, string | null]>;
  }

  /** What it said of itself, once it has. */
  said(pattern: RegExp): Promise<string> {
    return found(() => this.stderr, pattern);
  }

  printed(pattern: RegExp): Promise<string> {
    return found(() => this.stdout, pattern);
  }

  async documents(count: number): Promise<Receipt[]> {
    await this.printed(new RegExp(`^(?:.*\n){${count}}$`));
    return this.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Receipt);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGTERM');
    await this.ended;
  }
}

async function found(read: () => string, pattern: RegExp): Promise<string> {
  const text = await until(read, (sofar) => pattern.test(sofar));
  const match = pattern.exec(text);
  if (match === null) throw new Error(`it said: ${text}`);
  return match[1] ?? match[0];
}
