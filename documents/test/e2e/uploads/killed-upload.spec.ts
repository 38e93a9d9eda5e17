import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IS_NIGHTLY } from '../../../../test/support/nightly/nightly.js';
import { makeOrganization } from '../../../src/core/access/make-organization.js';
import { ApiProcess } from '../../support/api/api-process.js';
import { SEAL_KEY } from '../../support/api/api.js';
import { DocsvcCommand } from '../../support/cli/docsvc-command.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { CountingRelay } from '../../support/uploads/counting-relay.js';

const MIB = 1024 * 1024;
const PART_BYTES = 8 * MIB;
/** Half of what is usual, so that half of the file is enough; the campaign has all of both. */
const CONCURRENCY = IS_NIGHTLY ? 4 : 2;
/** Half of it is more parts than are on their way at once: to send all again would be too much. */
const FILE_BYTES = (IS_NIGHTLY ? 14 : 8) * PART_BYTES + 1;
/** Requests without a part, and the heads of those with one. */
const OVERHEAD_BYTES = MIB;

let database: TestDatabase;
let api: ApiProcess;
let relay: CountingRelay;
let docsvc: DocsvcCommand;
let root: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'docsvc-killed-'));
  database = await createTestDatabase();
  const target = { port: 0 };
  relay = await CountingRelay.open(target);
  api = await ApiProcess.start({
    DOCSVC_DATABASE_URL: database.ownerUrl,
    DOCSVC_DATA_DIR: root,
    DOCSVC_SEAL_KEY: SEAL_KEY,
    DOCSVC_PUBLIC_URL: relay.url,
  });
  target.port = api.port;
  const client = await makeOrganization(database.record, 'Acme');
  docsvc = new DocsvcCommand({
    DOCSVC_DEFAULTS_API_URL: relay.url,
    DOCSVC_CLIENT_ID: client.clientId,
    DOCSVC_CLIENT_SECRET: client.clientSecret,
    DOCSVC_DEFAULTS_OUTPUT: 'json',
    DOCSVC_UPLOAD_CONCURRENCY: String(CONCURRENCY),
  });
  const made = async (argv: string[]): Promise<{ id: string }> => {
    const { stdout, stderr } = await docsvc.run(argv);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as { id: string };
  };
  const workspace = await made(['workspaces', 'create', 'W']);
  const project = await made(['projects', 'create', 'P', '--workspace', workspace.id]);
  expect((await docsvc.run(['use', project.id])).code).toBe(0);
});

beforeEach(() => {
  relay.sentBytes = 0;
  relay.onBytes = () => undefined;
});

afterAll(async () => {
  await api.kill();
  await relay.close();
  await database.close();
  rmSync(root, { recursive: true });
  docsvc[Symbol.dispose]();
});

/** A file of parts that nobody has sent. */
function writeFile(name: string): string {
  const bytes = randomBytes(FILE_BYTES);
  writeFileSync(join(docsvc.folder, name), bytes);
  return createHash('sha256').update(bytes).digest('hex');
}

/** Runs once, when half of the file has gone to the API. */
function atHalf(work: () => void): void {
  let done = false;
  relay.onBytes = (sent) => {
    if (done || sent < FILE_BYTES / 2) return;
    done = true;
    work();
  };
}

async function digestOfKept(name: string): Promise<string> {
  const { code, stderr } = await docsvc.run(['docs', 'download', name, '--to', `${name}.back`]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return createHash('sha256')
    .update(readFileSync(join(docsvc.folder, `${name}.back`)))
    .digest('hex');
}

describe('an upload that is killed half-way', () => {
  it('DI-007 the client is killed: called again it sends no more than what was on its way again', async () => {
    const digest = writeFile('client.bin');
    const { child, ended } = docsvc.start(['upload', 'client.bin']);
    atHalf(() => child.kill('SIGKILL'));
    expect((await ended).code).toBeNull();
    const again = await docsvc.run(['upload', 'client.bin']);
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject([{ name: 'client.bin', version: 1 }]);
    expect(relay.sentBytes).toBeLessThanOrEqual(FILE_BYTES + CONCURRENCY * PART_BYTES + OVERHEAD_BYTES);
    expect(await digestOfKept('client.bin')).toBe(digest);
  });

  it('DI-007 the API is killed: the client goes on when it is back, and the file is whole', async () => {
    const digest = writeFile('api.bin');
    const revived = new Promise<void>((done, fail) => {
      atHalf(() => {
        api
          .kill()
          .then(() => api.start())
          .then(done, fail);
      });
    });
    const sent = await docsvc.run(['upload', 'api.bin', '--retry-attempts', '30']);
    await revived;
    expect(sent).toMatchObject({ code: 0 });
    expect(relay.sentBytes).toBeLessThanOrEqual(FILE_BYTES + CONCURRENCY * PART_BYTES + OVERHEAD_BYTES);
    expect(await digestOfKept('api.bin')).toBe(digest);
    const { rows } = await database.owner.query(
      'select version from document_versions v join documents d on d.id = v.document_id where d.name = $1',
      ['api.bin'],
    );
    expect(rows).toEqual([{ version: 1 }]);
  });

  it('DI-009 a file that changed is another upload, and the next version', async () => {
    writeFile('client.bin');
    const sent = await docsvc.run(['upload', 'client.bin']);
    expect(JSON.parse(sent.stdout)).toMatchObject([{ name: 'client.bin', version: 2 }]);
  });
});
