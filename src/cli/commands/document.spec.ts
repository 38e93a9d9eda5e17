import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXIT } from '../terminal/exit-codes.js';
import { buildProgram } from '../program.js';
import { readDocument, reading } from './document.js';

const folder = mkdtempSync(join(tmpdir(), 'sg-document-'));
const torn = join(folder, 'torn.yaml');
const missing = join(folder, 'missing.yaml');

beforeAll(() => writeFileSync(torn, 'name: ['));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a file that a command names', () => {
  it.each([missing, folder, torn])('is the usage error when it cannot be read as a document: %s', (file) => {
    const failure = { exitCode: EXIT.usage, message: expect.stringContaining(`${file}: `) };
    expect(() => readDocument(file)).toThrow(expect.objectContaining(failure));
  });

  it('is named once, however many steps read it', () => {
    expect(() => reading(missing, () => readDocument(missing))).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^[^:]*missing\.yaml: ENOENT/) }),
    );
  });

  it.each([
    ['audit', 'verify', missing, '--key', torn],
    ['audit', 'verify', torn, '--key', missing],
    ['policies', 'validate', missing],
    ['run', '--task-file', missing],
    ['agents', 'create', missing],
  ])('is the usage error of %s %s', async (...argv) => {
    const server = ['--server', 'http://127.0.0.1:9', '--token-file', torn];
    await expect(buildProgram().parseAsync([...server, ...argv], { from: 'user' })).rejects.toMatchObject({
      exitCode: EXIT.usage,
    });
  });
});
