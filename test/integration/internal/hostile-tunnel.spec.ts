import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { a, aaaa, cname, type Zone } from '../../support/http/dns-server.js';
import { extension, helloBody, helloOf, inRecords, message, serverName } from '../../support/network/client-hellos.js';
import { HostileBench, INSIDE, NAME, OUTSIDE } from '../../support/network/hostile-bench.js';
import { readToEnd } from '../../support/network/tunnels.js';
import { until } from '../../support/time/until.js';

const FLIPS = 60;
/** What a refused client of TLS is told: `unrecognized_name`. */
const ALERT = '\x15\x03\x03\x00\x02\x02\x70';

const ZONES: Record<string, Zone> = {
  outside: (name, type) => (type === 'A' ? [a(name, OUTSIDE)] : []),
  /** Good when it is checked, inside ever after. */
  flip: (name, type, asked) => (type === 'A' ? [a(name, asked === 0 ? OUTSIDE : INSIDE)] : []),
  back: (name, type, asked) => (type === 'A' ? [a(name, asked % 2 === 0 ? INSIDE : OUTSIDE)] : []),
  mixed: (name, type) => (type === 'A' ? [a(name, OUTSIDE), a(name, INSIDE)] : []),
  mapped: (name, type) => (type === 'A' ? [] : [aaaa(name, '::ffff:127.0.0.1')]),
  cname: (name, type) => (type === 'A' ? [cname(name, 'db.internal'), a('db.internal', INSIDE)] : []),
  metadata: (name, type) => (type === 'A' ? [a(name, '169.254.169.254')] : [aaaa(name, 'fd00:ec2::254')]),
};

/** One change of cipher, as it is sent for the sake of middleboxes. */
const CHANGE = Buffer.from([20, 3, 3, 0, 1, 1]);
/** A warning that hosts pass over: `user_canceled`. */
const CANCELLED = Buffer.from([21, 3, 3, 0, 2, 1, 90]);
const pieces = (parts: Buffer[]): Buffer[] =>
  Buffer.concat(parts)
    .toString('latin1')
    .match(/[^]{1,7}/g)
    ?.map((piece) => Buffer.from(piece, 'latin1')) ?? [];

let bench: HostileBench;

beforeAll(async () => {
  bench = await HostileBench.open(ZONES);
});
beforeEach(() => bench.start());
afterEach(async () => {
  await bench.stop();
  expect(bench.strays).toBe(0);
});
afterAll(async () => {
  await bench.close();
  expect(bench.strays).toBe(0);
});

describe('TLS through a tunnel', () => {
  const other = 'other.example';
  const body = helloBody([serverName(other)]);
  it.each<[string, string, Buffer[]]>([
    ['another name', 'sni', [helloOf([serverName(other)])]],
    ['a name below the tunnel’s', 'sni', [helloOf([serverName(`a.${NAME}`)])]],
    ['another name over many records', 'sni', [inRecords(message(body), 3)]],
    ['another name, byte by byte', 'sni', Array.from(helloOf([serverName(other)]), (byte) => Buffer.of(byte))],
    ['no name', 'no_sni', [helloOf([])]],
    ['two names', 'not_tls_or_http', [helloOf([serverName(NAME), serverName(other)])]],
    ['a name with a dot at its end', 'not_tls_or_http', [helloOf([serverName(`${NAME}.`)])]],
    ['a name behind a zero', 'not_tls_or_http', [helloOf([serverName(`${NAME}\0.${other}`)])]],
    ['a hidden name', 'ech', [helloOf([serverName(NAME), extension(0xfe0d, Buffer.alloc(50))])]],
    ['early data', 'early_data', [helloOf([serverName(NAME), extension(42)])]],
    ['a hello of SSL 2', 'not_tls_or_http', [Buffer.from([0x80, 0x2e, 1, 3, 1, 0, 3, 0, 0, 0, 16])]],
    ['a hello that never ends', 'too_long', [Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1, 1, 0, 0])])]],
  ])('with %s is ended and reaches nobody', async (_what, rule, chunks) => {
    const run = await bench.granted();
    const { answer, reached } = await bench.say(run, chunks);
    expect({ answer: answer === ALERT ? '' : answer, reached }).toEqual({
      answer: '',
      reached: '',
    });
    expect(await bench.denials(run)).toEqual([rule]);
  });

  it('is judged again when the handshake begins again', async () => {
    const run = await bench.granted();
    const first = helloOf([serverName(NAME)]);
    const change = Buffer.from([20, 3, 3, 0, 1, 1]);
    for (const second of [
      helloOf([serverName(other)]),
      Buffer.concat([change, inRecords(message(body), 5)]),
      helloOf([]),
    ]) {
      bench.outside.received.length = 0;
      const { reached } = await bench.say(run, [first, second]);
      expect(Buffer.from(reached, 'latin1')).toEqual(first);
    }
    expect(await bench.denials(run)).toEqual(['sni']);
    bench.outside.received.length = 0;
    const { socket } = await bench.ask(run);
    const whole = Buffer.concat([first, change, first, Buffer.from([23, 3, 3, 0, 1, 7])]);
    for (const byte of whole) socket.write(Buffer.of(byte));
    await until(
      () => bench.outside.received.join('').length,
      (length) => length === whole.length,
    );
    expect(Buffer.from(bench.outside.received.join(''), 'latin1')).toEqual(whole);
    socket.destroy();
  });

  it.each<[string, (first: Buffer, second: Buffer) => Buffer[]]>([
    ['in one piece with the first', (first, second) => [Buffer.concat([first, second])]],
    ['in one piece, behind a change of cipher', (first, second) => [Buffer.concat([first, CHANGE, second])]],
    ['behind several changes of cipher', (first, second) => [first, Buffer.concat([CHANGE, CHANGE, CHANGE, second])]],
    ['behind an alert', (first, second) => [first, CANCELLED, second]],
    ['behind alerts and changes of cipher', (first, second) => [first, CHANGE, CANCELLED, CHANGE, second]],
    ['behind alerts and changes of cipher in pieces', (first, second) => pieces([first, CHANGE, CANCELLED, second])],
  ])('is judged again when the second hello comes %s', async (_how, chunksOf) => {
    const run = await bench.granted();
    const second = helloOf([serverName(other)]);
    const { reached } = await bench.say(run, chunksOf(helloOf([serverName(NAME)]), second));
    expect(reached).not.toContain(other);
    expect(await bench.denials(run)).toEqual(['sni']);
  });
});

describe('a host that speaks first', () => {
  it('is not heard before its client said whom it means', async () => {
    await bench.stop();
    await bench.start({}, '220 secrets of a mail server\r\n');
    const { socket } = await bench.ask(await bench.granted());
    const heard = readToEnd(socket);
    await sleep(200);
    socket.end('QUIT\r\n');
    expect((await heard).toString()).toBe('');
    expect(bench.outside.received.join('')).toBe('');
  });
});

describe('a client that says nothing', () => {
  it('is ended after its time', async () => {
    await bench.stop();
    await bench.start({ SERVICE_LIMIT_TUNNEL_FIRST_BYTES_MS: '200' });
    const run = await bench.granted();
    for (const begin of ['', 'GE', '\x16\x03']) {
      const { socket } = await bench.ask(run);
      socket.write(begin);
      expect((await readToEnd(socket)).toString('latin1')).toBe('');
    }
    expect(await bench.denials(run)).toEqual(['silent']);
  });
});

describe('names that lead elsewhere the next time', () => {
  it.each(['mixed', 'mapped', 'cname', 'metadata'])('are refused as soon as one answer is inside: %s', async (zone) => {
    const name = `x.${zone}.example`;
    const run = await bench.granted(name);
    expect(await bench.ask(run, name)).toMatchObject({ status: 403 });
    expect(await bench.denials(run)).toEqual(['address']);
  });

  it(`lead nowhere but where they were judged, in ${FLIPS} flips`, async () => {
    let [opened, refused] = [0, 0];
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const name = `n${flip}.${flip % 2 === 0 ? 'flip' : 'back'}.example`;
      const run = await bench.granted(name);
      for (let time = 0; time < 2; time += 1) {
        const { status, socket } = await bench.ask(run, name);
        if (status === 101) opened += 1;
        else refused += 1;
        socket.destroy();
        await sleep(2);
      }
    }
    expect({ opened, refused }).toEqual({ opened: FLIPS, refused: FLIPS });
    expect(bench.outside.connections).toBe(FLIPS);
  });
});
