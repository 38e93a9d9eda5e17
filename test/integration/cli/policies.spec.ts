import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CommanderError } from 'commander';
import { CliError } from '../../../src/cli/terminal/exit-codes.js';
import { buildProgram } from '../../../src/cli/program.js';
import type { Schemas } from '../../../src/client/client.js';
import { ADMIN_TOKEN, startApi, type TestApi } from '../../support/api/api.js';

interface Outcome {
  /** As the process would exit. */
  code: number;
  stdout: string;
  message: string;
}

let api: TestApi;
let folder: string;
const earlier = { url: process.env['SANDGATE_URL'], token: process.env['SANDGATE_TOKEN'] };

beforeAll(async () => {
  api = await startApi();
  folder = mkdtempSync(join(tmpdir(), 'sg-cli-'));
  process.env['SANDGATE_URL'] = api.url;
  process.env['SANDGATE_TOKEN'] = ADMIN_TOKEN;
});

afterAll(async () => {
  process.env['SANDGATE_URL'] = earlier.url ?? '';
  process.env['SANDGATE_TOKEN'] = earlier.token ?? '';
  rmSync(folder, { recursive: true });
  await api.close();
});

/** The command in this process, with what it prints and how it would exit. */
async function cli(...argv: string[]): Promise<Outcome> {
  let stdout = '';
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true)),
    jest.spyOn(process.stderr, 'write').mockImplementation(() => true),
  ];
  try {
    await buildProgram().parseAsync(['node', 'sandgate', 'policies', ...argv]);
    return { code: 0, stdout, message: '' };
  } catch (error) {
    if (error instanceof CliError) return { code: error.exitCode, stdout, message: error.message };
    if (error instanceof CommanderError) return { code: 2, stdout, message: error.message };
    throw error;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const json = <T>(outcome: Outcome): T => JSON.parse(outcome.stdout) as T;

describe('sandgate policies', () => {
  it('CP-213 imports, says what changed nothing, and shows what is stored', async () => {
    const path = file('team.yaml', '# ours\nname: team\ntools:\n  - {match: [Read], action: allow}\n');
    expect((await cli('import', path)).stdout).toMatch(/team +1 +appended/);
    expect((await cli('import', path)).stdout).toMatch(/team +1 +unchanged/);
    expect((await cli('show', 'team')).stdout).toBe(readFileSync(path, 'utf8'));
    expect((await cli('list')).stdout).toMatch(/POLICY[\s\S]*default +1[\s\S]*team +1 +0 +deny/);
    const [first] = json<Schemas['PolicyListItem'][]>(await cli('list', '-o', 'json'));
    expect(first).toMatchObject({ name: 'default', agents_using: [{ name: 'fixer' }] });
    const matrix = (await cli('show', 'team', '--matrix')).stdout;
    expect(matrix).toMatch(/Read +files +allow +tools\[0\] allow/);
    expect(matrix).toMatch(/Write +files +require_approval +default action approve/);
    expect((await cli('show', 'team', '--version', '1', '--matrix', '-o', 'yaml')).stdout).toContain('tool: Read');
  });

  it('CP-219 CP-221 publishes after the version that the draft started from, and else exits with 5', async () => {
    file('careful.yaml', 'name: careful');
    await cli('import', join(folder, 'careful.yaml'));
    const draft = file('draft.yaml', 'name: careful\ndefaults: {tool_action: deny}\n');
    const published = await cli('publish', 'careful', draft, '--base', '1', '-m', 'deny by default');
    expect([published.code, published.stdout]).toEqual([0, 'careful version 2\n']);
    const again = await cli('publish', 'careful', draft, '--base', '1', '-m', 'again');
    expect([again.code, again.message]).toEqual([5, expect.stringContaining('version 2, not 1')]);
    expect((await cli('publish', 'careful', draft, '-m', 'no base')).code).toBe(2);
    expect((await cli('publish', 'careful', draft, '--base', 'one', '-m', 's')).code).toBe(2);
    expect((await cli('publish', 'careful', draft, '--base', '2', '-m', ' ')).code).toBe(2);
    expect((await cli('publish', 'nobody', draft, '--base', '1', '-m', 's')).code).toBe(3);
    const fraction = file('fraction.json', '{"name":"careful","budgets":{"max_tokens":6.0}}');
    const refused = await cli('publish', 'careful', fraction, '--base', '2', '-m', 's');
    expect([refused.code, refused.message]).toEqual([2, expect.stringContaining('budgets.max_tokens')]);
  });

  it('compares versions and files by what they mean', async () => {
    const path = file('cmp.yaml', 'name: cmp\ntools: [{match: [Read], action: allow}]\n');
    await cli('import', path);
    expect(await cli('diff', 'cmp')).toMatchObject({ code: 3, message: 'cmp has one version only' });
    const spelled = file('spelled.yaml', 'tools:\n  - action: allow\n    match: ["Read"]\nname: "cmp"\n');
    expect((await cli('diff', 'cmp', spelled)).stdout).toBe(`cmp v1 and ${spelled} say the same.\n`);
    const denying = file('denying.yaml', 'name: cmp\ntools: [{match: [Read], action: deny}]\n');
    const unified = (await cli('diff', 'cmp', denying)).stdout;
    expect(unified.split('\n').slice(0, 3)).toEqual(['--- cmp v1', `+++ ${denying}`, expect.stringMatching(/^@@ -/)]);
    expect(unified).toMatch(/^- {4}action: allow\n\+ {4}action: deny$/m);
    await cli('publish', 'cmp', denying, '--base', '1', '-m', 'deny');
    expect((await cli('diff', 'cmp')).stdout).toContain('--- cmp v1\n+++ cmp v2');
    expect((await cli('diff', 'cmp', '2', '1')).stdout).toContain('--- cmp v2\n+++ cmp v1');
    expect((await cli('diff', 'cmp', '1')).stdout).toContain('--- cmp v1\n+++ cmp v2');
    const document = json<{ changed: boolean; diff: string }>(await cli('diff', 'cmp', '1', '2', '-o', 'json'));
    expect(document).toMatchObject({ from: 'cmp v1', to: 'cmp v2', changed: true });
    expect((await cli('diff', 'cmp', '1', '9')).code).toBe(3);
    expect((await cli('diff', 'cmp', file('bad.yaml', 'name: 1'))).code).toBe(2);
  });

  it('CP-222 CP-223 reverts to a version, and exits with 3 for one that is not there', async () => {
    const path = file('back.yaml', 'name: back\ndefaults: {tool_action: allow}\n');
    await cli('import', path);
    await cli('import', file('back2.yaml', 'name: back\n'));
    expect((await cli('revert', 'back', '1')).stdout).toBe('back version 3\n');
    expect((await cli('show', 'back')).stdout).toBe(readFileSync(path, 'utf8'));
    expect((await cli('revert', 'back', '9')).code).toBe(3);
    expect((await cli('revert', 'back', '1', '--base', '2')).code).toBe(5);
  });

  it('CP-216 CP-217 CP-228 CP-229 clones and deletes, asking first', async () => {
    expect((await cli('clone', 'blank')).stdout).toBe('blank version 1\n');
    const copy = json<Schemas['PolicyView']>(
      await cli('clone', 'mine', '--from', 'default', '--from-version', '1', '-o', 'json'),
    );
    expect(copy).toMatchObject({ name: 'mine', summary: 'cloned from default v1' });
    expect((await cli('clone', 'mine')).code).toBe(5);
    expect((await cli('clone', 'a/b')).code).toBe(2);
    expect((await cli('clone', 'other', '--from', 'nobody')).code).toBe(2);
    const unasked = await cli('delete', 'mine');
    expect([unasked.code, unasked.message]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await cli('delete', 'mine', '--yes')).stdout).toBe('mine: deleted\n');
    expect((await cli('delete', 'mine', '--yes')).code).toBe(3);
    const used = await cli('delete', 'default', '--yes');
    expect([used.code, used.message]).toEqual([5, expect.stringContaining('agent revision')]);
  });

  it('CP-224 validates without a server, and with one', async () => {
    const good = file('good.yaml', 'name: good');
    const bad = file('worse.yaml', 'name: worse\nextra: 1\ntools: [{match: [], action: no}]\n');
    const { SANDGATE_URL: url } = process.env;
    process.env['SANDGATE_URL'] = 'http://127.0.0.1:9';
    try {
      expect((await cli('validate', good)).stdout).toBe(`${good}: valid, policy good\n`);
      const both = await cli('validate', good, bad);
      expect([both.code, both.message]).toEqual([2, '1 of 2 files are not valid policies']);
      expect(both.stdout).toMatch(/worse\.yaml: not valid\n {2}unknown key `extra`.*\n/);
      expect(both.stdout).toContain('`tools[0].match` is empty');
      expect((await cli('validate', '--remote', good)).code).toBe(6);
    } finally {
      process.env['SANDGATE_URL'] = url;
    }
    const remote = await cli('validate', '--remote', good, bad, '-o', 'json');
    expect(remote.code).toBe(2);
    expect(json<object[]>(remote)).toMatchObject([
      { file: good, valid: true, errors: [], name: 'good' },
      { file: bad, valid: false, name: null },
    ]);
    expect((await cli('validate', join(folder, 'absent.yaml'))).code).toBe(2);
  });
});
