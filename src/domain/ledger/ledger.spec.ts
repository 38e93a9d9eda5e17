import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/random/any-character.js';
import type { JsonObject } from '../json.js';
import { CHAIN_START, eventIdOf, linkHash } from './chain.js';
import { makeEventBody } from './event-body.js';
import { exportHeader, writeExportLine } from './export-format.js';
import { createHeadSigner, type HeadSigner } from './signed-head.js';
import { verifyExport, type ExportFault, type ExportReport } from './verify-export.js';

const ORGANIZATION = '019a0000-0000-7000-8000-000000000001';
const SESSION = '019a0000-0000-7000-8000-000000000002';
const SEED = 20_260_101;

function newSigner(): HeadSigner {
  return createHeadSigner(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
}

async function writeLedger(signer: HeadSigner, events: JsonObject[]): Promise<string[]> {
  const lines = [writeExportLine(exportHeader(ORGANIZATION, SESSION))];
  let hash = CHAIN_START;
  for (const [index, data] of events.entries()) {
    const seq = index + 1;
    const body = makeEventBody({ actor: 'agent', type: 'agent.message', data });
    const occurredAtMicros = 1_790_000_000_000_000n + BigInt(index);
    hash = linkHash(hash, { sessionId: SESSION, seq, occurredAtMicros, bodyDigest: Buffer.from(body.digest, 'hex') });
    const stored = JSON.parse(body.text) as { actor: string; type: string; version: number; data: JsonObject };
    lines.push(
      writeExportLine({
        kind: 'event',
        seq,
        event_id: eventIdOf(hash),
        occurred_at_us: String(occurredAtMicros),
        ...stored,
        body_digest: body.digest,
        hash: hash.toString('hex'),
      }),
    );
  }
  const head = await signer.sign({
    organization_id: ORGANIZATION,
    session_id: SESSION,
    seq: events.length,
    hash: hash.toString('hex'),
    key_id: signer.keyId,
    signed_at: '2026-01-01T00:00:00.000Z',
  });
  return [...lines, writeExportLine({ kind: 'head', ...head })];
}

const messages = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, n) => ({
    role: 'assistant',
    text: `message ${n} – ünïcode ✓ 😀`,
    n,
    nested: { list: [n, 1.5, null, true] },
  }));

function faultsOf(report: ExportReport): ExportFault[] {
  return [...new Set(report.problems.map((problem) => problem.fault))];
}

describe('verification of a ledger export', () => {
  const signer = newSigner();
  const check = (lines: string[]): Promise<ExportReport> => verifyExport(lines, signer.publicKeyPem);

  it('accepts what was signed, whatever the events hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()), { maxLength: 8 }),
        async (events) => {
          const report = await check(await writeLedger(signer, events as JsonObject[]));
          expect(report).toMatchObject({
            ok: true,
            events: events.length,
            sessionId: SESSION,
            organizationId: ORGANIZATION,
          });
        },
      ),
      { seed: SEED, numRuns: 200 },
    );
  });

  it('finds every one of 1,000 flipped bytes', async () => {
    const content = Buffer.from((await writeLedger(signer, messages(5))).join('\n') + '\n');
    await fc.assert(
      fc.asyncProperty(fc.nat(content.length - 2), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const bytes = Buffer.from(content);
        bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at);
        expect((await verifyExport(bytes, signer.publicKeyPem)).ok).toBe(false);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('names deleted, reordered, repeated and cut-off events', async () => {
    const lines = await writeLedger(signer, messages(20));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 18 }), fc.integer({ min: 1, max: 4 }), async (at, count) => {
        const deleted = lines.toSpliced(at, Math.min(count, 20 - at));
        expect(faultsOf(await check(deleted))).toContain('missing');
        const swapped = lines.with(at, lines[at + 1] ?? '').with(at + 1, lines[at] ?? '');
        expect(faultsOf(await check(swapped))).toContain('reordered');
        const repeated = lines.toSpliced(at, 0, lines[at] ?? '');
        expect(faultsOf(await check(repeated))).toContain('reordered');
        const cut = lines.toSpliced(20 - count + 1, count);
        expect(faultsOf(await check(cut))).toContain('cut_off');
        expect(faultsOf(await check(lines.slice(0, at)))).toEqual(['cut_off']);
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it('refuses a consistent forgery that another key signed', async () => {
    const report = await check(await writeLedger(newSigner(), messages(3)));
    expect(faultsOf(report)).toEqual(['signature']);
  });

  it('refuses a head or events of another run, and text behind the head', async () => {
    const [mine, longer] = [await writeLedger(signer, messages(3)), await writeLedger(signer, messages(4))];
    expect((await check([...mine.slice(0, -1), longer.at(-1) ?? ''])).ok).toBe(false);
    expect((await check([...mine, mine[1] ?? ''])).ok).toBe(false);
    expect(faultsOf(await check([]))).toEqual(['cut_off']);
  });

  it('reports a time that no chain can hold instead of failing on it', async () => {
    const lines = (await writeLedger(signer, messages(2))).map((line) =>
      line.replace(/"occurred_at_us":"\d+"/, '"occurred_at_us":"9999999999999999999"'),
    );
    expect(faultsOf(await check(lines))).toContain('edited');
  });

  it('redacts and normalises before it digests, and leaves the event as it was', () => {
    const data = { text: 'svc_sess_0123456789abcdef \u0000 \ud800', ['__proto__x']: 1 };
    const body = makeEventBody({ actor: 'agent', type: 'agent.message', data });
    expect(body.text).toBe(
      '{"actor":"agent","data":{"__proto__x":1,"text":"‹redacted› \ufffd \ufffd"},"type":"agent.message","version":1}',
    );
    expect(data.text).toContain('svc_sess_');
  });
});
