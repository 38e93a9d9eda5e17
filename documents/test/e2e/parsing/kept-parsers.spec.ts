import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import { ParserJail, type ParserCall } from '../../../src/platform/parsing/parser-jail.js';
import type { Confine } from '../../../../src/platform/host/confine.js';
import { runConfined } from '../../../../src/platform/sandbox/bubblewrap/confined.js';
import { untilHolds } from '../../../../test/support/time/until.js';

const KIB = 1024;

/** Answers with how often it was asked and what its document says; a request tells it what else to do. */
const PROGRAM = `import fs from 'node:fs';
const print = (line) => fs.writeSync(1, JSON.stringify(line) + '\\n');
const chunk = Buffer.alloc(65536);
const grown = [];
for (let asked = 1, bytes = fs.readSync(0, chunk); bytes > 0; asked++, bytes = fs.readSync(0, chunk)) {
  const { does, fill = 0 } = JSON.parse(chunk.toString('utf8', 0, bytes));
  if (does === 'grow first') grown.push(Buffer.alloc(200 * 1024 * 1024, 1));
  print({ item: { asked, document: fs.readFileSync('/input/document', 'utf8'), fill: 'x'.repeat(fill) } });
  if (does === 'crash') process.exit(3);
  if (does === 'grow') grown.push(Buffer.alloc(200 * 1024 * 1024, 1));
  if (does === 'hang') for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  if (does === 'fail') { print({ failure: { kind: 'broken', message: 'as asked' } }); process.exit(0); }
  print({ done: true });
  if (does === 'answer and crash') process.exit(3);
  if (does === 'chatter') { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100); print({ item: { asked: 99 } }); }
}
process.exit(0);
`;

interface Said {
  asked: number;
  document: string;
}

describe('a jailed program that is asked again about its document', () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'docsvc-kept-'));
  const one = join(folder, 'one');
  const other = join(folder, 'other');
  let jail: ParserJail;
  let ended = 0;

  beforeAll(() => {
    writeFileSync(join(folder, 'text.mjs'), PROGRAM);
    writeFileSync(one, 'one');
    writeFileSync(other, 'other');
    for (const path of [folder, join(folder, 'text.mjs'), one, other]) chmodSync(path, 0o755);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeEach(() => {
    ended = 0;
    jail = new ParserJail({ confine: runConfined, uidBase: 870_200, programs: folder, onErrors: () => (ended += 1) });
  });

  afterEach(() => jail.close());

  const ask = async (request: object = {}, call: Partial<ParserCall> = {}) => {
    const whole: ParserCall = { program: 'text', document: one, series: 'more', request, ...call };
    const { items, failure } = await jail.run(whole, (item) => item as Said);
    return { asked: items.map(({ asked }) => asked), documents: items.map(({ document }) => document), failure };
  };

  it('answers as one program until the last call of a series, and ends with it', async () => {
    expect(await ask()).toEqual({ asked: [1], documents: ['one'], failure: null });
    expect(await ask()).toMatchObject({ asked: [2], failure: null });
    expect(ended).toBe(0);
    expect(await ask({}, { series: 'last' })).toMatchObject({ asked: [3], failure: null });
    expect(ended).toBe(1);
    expect(await ask()).toMatchObject({ asked: [1] });
  });

  it('never answers about another document, and no call outside a series', async () => {
    await ask();
    expect(await ask({}, { document: other })).toMatchObject({ asked: [1], documents: ['other'] });
    const alone: ParserCall = { program: 'text', document: one };
    expect((await jail.run(alone, (item) => item as Said)).items).toMatchObject([{ asked: 1, document: 'one' }]);
    expect(await ask()).toMatchObject({ asked: [2], documents: ['one'] });
  });

  it('serves one call at a time: calls at the same time have programs of their own', async () => {
    const both = await Promise.all([ask(), ask()]);
    expect(both.map(({ asked }) => asked)).toEqual([[1], [1]]);
    const next = await Promise.all([ask(), ask()]);
    expect(next.map(({ asked }) => asked)).toEqual([[2], [2]]);
  });

  it.each([
    ['crashes', { does: 'crash' }, { kind: 'crashed' }],
    ['refuses', { does: 'fail' }, { kind: 'broken', message: 'as asked' }],
    ['is silent for too long', { does: 'hang' }, { kind: 'limit', limit: 'wall_time' }],
    ['answers more than it may', { fill: 900 * KIB }, { kind: 'limit', limit: 'output' }],
  ])('one that %s keeps what came before, and the next call has a new one', async (_what, request, failure) => {
    const limits = { timeoutMs: 20_000, silenceMs: 1500, maxOutputBytes: 800 * KIB };
    await ask({}, { limits });
    const outcome = await ask(request, { limits });
    expect(outcome.failure).toMatchObject(failure);
    expect(outcome.asked).toEqual('does' in request ? [2] : []);
    expect(ended).toBe(1);
    expect(await ask({}, { limits })).toMatchObject({ asked: [1], failure: null });
  });

  it('one that talks without being asked is ended, and its words reach no call', async () => {
    expect(await ask({ does: 'chatter' })).toMatchObject({ asked: [1], failure: null });
    await untilHolds(() => ended === 1);
    expect(await ask()).toMatchObject({ asked: [1], failure: null });
  });

  it.each([0, 5, 20, 50, 200])(
    'one that crashes after its answer spoils no call that comes %d ms later',
    async (ms) => {
      expect(await ask({ does: 'answer and crash' })).toMatchObject({ asked: [1], failure: null });
      await delay(ms);
      expect(await ask()).toMatchObject({ asked: [1], failure: null });
    },
  );

  it('what earlier calls used up is not taken for the fault of a later one', async () => {
    const limits = { memoryMb: 400 };
    expect(await ask({ does: 'grow first' }, { limits })).toMatchObject({ asked: [1], failure: null });
    expect(await ask({ does: 'grow first' }, { limits })).toMatchObject({ asked: [1], failure: null });
    expect(ended).toBe(1);
  });

  it('one that reaches its memory after it had begun to answer is not asked again', async () => {
    const limits = { memoryMb: 400 };
    expect(await ask({ does: 'grow' }, { limits })).toMatchObject({ asked: [1], failure: null });
    const second = await ask({ does: 'grow' }, { limits });
    expect(second.failure).toMatchObject({ kind: 'limit', limit: 'memory' });
    expect(second.asked).toEqual([2]);
    expect(await ask({ does: 'grow' }, { limits })).toMatchObject({ asked: [1], failure: null });
  });

  it('a page that is read alone has a program of its own', async () => {
    const plain = new ParserJail({ confine: runConfined, uidBase: 870_200, onErrors: () => (ended += 1) });
    const reader = new DocumentReader(plain);
    expect((await reader.read(one, 'plain', { from: 1, to: 2, isMoreToCome: true })).failure).toBeNull();
    expect(ended).toBe(0);
    expect((await reader.read(one, 'plain', { from: 1, to: 1, isMoreToCome: true })).failure).toBeNull();
    expect(ended).toBe(1);
    await reader.close();
    expect(ended).toBe(2);
  });

  it('time and answers are those of one call', async () => {
    const limits = { timeoutMs: 20_000, silenceMs: 1500, maxOutputBytes: 1024 * KIB };
    expect(await ask({ fill: 700 * KIB }, { limits })).toMatchObject({ asked: [1], failure: null });
    await delay(2000);
    expect(await ask({ fill: 700 * KIB }, { limits })).toMatchObject({ asked: [2], failure: null });
  });

  it('waits some seconds for the next call, and for no more than two others', async () => {
    await ask();
    await untilHolds(() => ended === 1);
    expect(await ask()).toMatchObject({ asked: [1] });
    await Promise.all([ask({}, { document: other }), ask({}, { document: other }), ask({}, { document: other })]);
    await untilHolds(() => ended >= 3);
  });

  it('a call that is given up ends the program', async () => {
    await ask();
    const giveUp = new AbortController();
    const asked = ask({ does: 'hang' }, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(new Error('given up')), 300);
    await expect(asked).rejects.toThrow('given up');
    expect(ended).toBe(1);
    expect(await ask()).toMatchObject({ asked: [1] });
  });

  it('nothing waits any more once the jail is closed', async () => {
    await Promise.all([ask(), ask()]);
    await jail.close();
    expect(ended).toBe(2);
    expect(await ask()).toMatchObject({ asked: [1] });
    expect(ended).toBe(3);
  });

  it('a program whose end fails keeps no other from ending', async () => {
    const confine: Confine = async (command) => {
      await runConfined(command);
      throw new Error('what it started does not end');
    };
    const failing = new ParserJail({ confine, uidBase: 870_200, programs: folder, onErrors: () => (ended += 1) });
    const call: ParserCall = { program: 'text', document: one, series: 'more' };
    await Promise.all([failing.run(call, (item) => item), failing.run(call, (item) => item)]);
    await failing.close();
    expect(ended).toBe(2);
  });
});
