import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { checkSealing } from '../../../src/core/seal/boot-checks.js';
import type { SealedPlace, Sealer, SealKeys } from '../../../src/platform/seal/sealer.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { ToolCallPayloads } from '../../../src/core/gate/tool-call-payloads.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { keepPayload, openPayload } from '../../support/gate/kept-payloads.js';
import { createOrganization, createRun } from '../../support/runs/run-fixture.js';

const off = (credentialKey: Buffer | null): SealKeys => ({ kmsMode: 'off', staticKek: null, credentialKey });
const withKek = (staticKek: Buffer, credentialKey: Buffer | null = null): SealKeys => ({
  kmsMode: 'static',
  staticKek,
  credentialKey,
});

describe('sealing', () => {
  let test: TestDatabase;
  const kek = randomBytes(32);
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  async function place(): Promise<SealedPlace> {
    const { organizationId } = await createOrganization(test.db);
    return { organizationId, column: 'tool_call_payloads.sealed', row: uuidv7() };
  }

  it('CP-321 opens what it sealed, as version 2 with a data key and as version 1 without', async () => {
    const at = await place();
    const v2 = createSealer(test.db, withKek(kek));
    const sealed = await v2.seal(at, 'sécret ✓');
    expect(sealed.keyVersion).toBe(2);
    expect([...sealed.bytes.subarray(0, 5)]).toEqual([2, 0, 0, 0, 1]);
    expect((await v2.open(at, sealed.bytes, 2)).toString()).toBe('sécret ✓');
    const again = createSealer(test.db, withKek(kek));
    expect((await again.open(at, sealed.bytes, 2)).toString()).toBe('sécret ✓');
    const v1 = createSealer(test.db, off(randomBytes(32)));
    const legacy = await v1.seal(at, 'x');
    expect([legacy.keyVersion, legacy.bytes.length]).toEqual([1, 24 + 1 + 16]);
    expect((await v1.open(at, legacy.bytes, 1)).toString()).toBe('x');
  });

  it('refuses every one of 1,000 swaps to another organization, column or row, and every altered byte', async () => {
    const sealer = createSealer(test.db, withKek(kek));
    const places: SealedPlace[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { organizationId } = await createOrganization(test.db);
      for (const column of ['a.secret', 'b.secret'])
        for (let row = 0; row < 4; row += 1) places.push({ organizationId, column, row: `row-${row}` });
    }
    const sealed = await Promise.all(places.map((at) => sealer.seal(at, 'the same text everywhere')));
    let swaps = 0;
    for (const [i, at] of places.entries()) {
      for (const [j, value] of sealed.entries()) {
        if (i === j) continue;
        await expect(sealer.open(at, value.bytes, 2)).rejects.toMatchObject({ code: 'internal' });
        swaps += 1;
      }
      const altered = Buffer.from(sealed[i]?.bytes ?? '');
      altered.writeUInt8(altered.readUInt8(i % altered.length) ^ 1, i % altered.length);
      await expect(sealer.open(at, altered, 2)).rejects.toMatchObject({ code: 'internal' });
    }
    expect(swaps).toBeGreaterThanOrEqual(992);
  });

  it('lets the version column decide, and refuses malformed headers before it asks for a key', async () => {
    const at = await place();
    const sealer = createSealer(test.db, withKek(kek, randomBytes(32)));
    const { bytes } = await sealer.seal(at, 'x');
    await expect(sealer.open(at, bytes, 1)).rejects.toMatchObject({ code: 'internal' });
    await expect(sealer.open(at, bytes, 3)).rejects.toMatchObject({ code: 'internal' });
    const nobody = { ...at, organizationId: uuidv7() };
    for (const version of [0, 2]) {
      const header = Buffer.from([2, 0, 0, 0, version]);
      await expect(sealer.open(nobody, Buffer.concat([header, bytes.subarray(5)]), 2)).rejects.toThrow(/malformed/);
    }
    await expect(sealer.open(nobody, bytes, 2)).rejects.toThrow(/data key does not/);
    expect(await dataKeys(nobody.organizationId)).toBe(0);
  });

  it('agrees on one data key when processes seal first at the same time', async () => {
    const at = await place();
    const sealers = Array.from({ length: 8 }, () => createSealer(test.db, withKek(kek)));
    const sealed = await Promise.all(sealers.map((sealer, n) => sealer.seal(at, `text ${n}`)));
    expect(await dataKeys(at.organizationId)).toBe(1);
    const reader = createSealer(test.db, withKek(kek));
    const texts = await Promise.all(sealed.map(async ({ bytes }) => (await reader.open(at, bytes, 2)).toString()));
    expect(texts).toEqual(sealers.map((_, n) => `text ${n}`));
  });

  it('never tries a data key that another key-encryption key wrapped', async () => {
    const at = await place();
    await createSealer(test.db, withKek(kek)).seal(at, 'x');
    const stranger = createSealer(test.db, withKek(randomBytes(32)));
    await expect(stranger.seal(at, 'y')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('answers unavailable without a key', async () => {
    const sealer = createSealer(test.db, off(null));
    expect(sealer.available).toBe(false);
    await expect(sealer.seal(await place(), 'x')).rejects.toMatchObject({ code: 'unavailable', httpStatus: 503 });
  });

  async function dataKeys(organizationId: string): Promise<number> {
    const { rows } = await test.owner.query<{ n: number }>(
      'select count(*)::int as n from tenant_deks where tenant_id = $1',
      [organizationId],
    );
    return rows[0]?.n ?? 0;
  }
});

describe('payloads at rest', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  async function keep(sealer: Sealer, text: string, kind: 'input' | 'policy_view') {
    const run = await createRun(test.db);
    const key = { organizationId: run.organizationId, runId: run.runId, toolCallId: 'call:1', kind };
    const payloads = new ToolCallPayloads(test.db, sealer);
    const payload = await payloads.protect(key, text);
    if (payload !== null) await keepPayload(test, key, payload);
    return { payloads, key, payload };
  }

  it('rest sealed, open in their place, and are gone when removed', async () => {
    const { payloads, key, payload } = await keep(
      createSealer(test.db, withKek(randomBytes(32))),
      'rm -rf build',
      'input',
    );
    expect(payload?.keyVersion).toBe(2);
    expect(payload?.sealed.includes('rm -rf')).toBe(false);
    expect(await openPayload(payloads, key)).toBe('rm -rf build');
    await test.owner.query('delete from tool_call_payloads where session_id = $1', [key.runId]);
    expect(await openPayload(payloads, key)).toBeNull();
  });

  it('without a key, keep the input of a question in clear and no policy view at all', async () => {
    const input = await keep(createSealer(test.db, off(null)), 'ls', 'input');
    expect([input.payload?.keyVersion, await openPayload(input.payloads, input.key)]).toEqual([0, 'ls']);
    const view = await keep(createSealer(test.db, off(null)), 'ls', 'policy_view');
    expect([view.payload, await openPayload(view.payloads, view.key)]).toEqual([null, null]);
  });
});

describe('boot checks of sealing', () => {
  const opened: TestDatabase[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
  });

  async function fresh(): Promise<{ test: TestDatabase; deployment: string; seal: (keys: SealKeys) => Promise<void> }> {
    const test = await createTestDatabase();
    opened.push(test);
    const run = await createRun(test.db);
    const seal = async (keys: SealKeys): Promise<void> => {
      const payloads = new ToolCallPayloads(test.db, createSealer(test.db, keys));
      const key = {
        organizationId: run.organizationId,
        runId: run.runId,
        toolCallId: uuidv7(),
        kind: 'result' as const,
      };
      const payload = await payloads.protect(key, 'x');
      if (payload !== null) await keepPayload(test, key, payload);
    };
    return { test, deployment: run.organizationId, seal };
  }

  it('boot without keys warns, and refuses once something is sealed', async () => {
    const { test, deployment, seal } = await fresh();
    expect(await checkSealing(test.db, off(null), deployment)).toEqual([expect.stringContaining('503')]);
    await seal(off(randomBytes(32)));
    await expect(checkSealing(test.db, off(null), deployment)).rejects.toThrow(
      'SERVICE_CREDENTIAL_KEY is not set, but legacy (v1) sealed row(s) remain: tool_call_payloads.sealed 1',
    );
    await expect(checkSealing(test.db, withKek(randomBytes(32)), deployment)).rejects.toThrow(/legacy \(v1\)/);
    expect(await checkSealing(test.db, off(randomBytes(32)), deployment)).toEqual([expect.stringContaining('legacy')]);
  });

  it('version 2 rows refuse a boot with the key management off', async () => {
    const { test, deployment, seal } = await fresh();
    await seal(withKek(randomBytes(32)));
    await expect(checkSealing(test.db, off(randomBytes(32)), deployment)).rejects.toThrow(/SERVICE_KMS_MODE is off/);
  });

  it('the first boot claims the deployment; another key-encryption key is refused', async () => {
    const { test, deployment } = await fresh();
    const kek = randomBytes(32);
    expect(await checkSealing(test.db, withKek(kek), deployment)).toEqual([]);
    expect(await checkSealing(test.db, withKek(kek, randomBytes(32)), deployment)).toEqual([]);
    await expect(checkSealing(test.db, withKek(randomBytes(32)), deployment)).rejects.toThrow(
      /SERVICE_KMS_STATIC_KEK is static:/,
    );
    await test.owner.query(`update tenant_deks set wrapped_dek = '\\x00'`);
    await expect(checkSealing(test.db, withKek(kek), deployment)).rejects.toThrow(/does not open/);
  });

  it('modes that are incomplete or not in this version name their variable', async () => {
    const { test, deployment } = await fresh();
    await expect(
      checkSealing(test.db, { kmsMode: 'aws', staticKek: null, credentialKey: null }, deployment),
    ).rejects.toThrow(/SERVICE_KMS_MODE=aws/);
    await expect(
      checkSealing(test.db, { kmsMode: 'static', staticKek: null, credentialKey: null }, deployment),
    ).rejects.toThrow(/SERVICE_KMS_STATIC_KEK/);
  });
});
