import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { registerPolicyTests } from './policies-test.js';

describe('sandgate policies test', () => {
  let folder = '';
  let printed = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'policies-test-'));
    printed = '';
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
  });

  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const run = (...args: string[]): Promise<Command> => {
    const program = new Command().exitOverride().option('-o, --output <format>', '', 'table');
    registerPolicyTests(program);
    return program.parseAsync(['node', 'sandgate', 'test', ...args]);
  };

  it('lists every case of a policy beside the file, without a server', async () => {
    file('own.yaml', 'name: own\ntools: [{match: [Read], action: allow}]');
    await run(file('cases.yaml', 'policy: own.yaml\ncases: [{name: reads, tool: Read, path: a, expect: allow}]'));
    expect(printed).toMatch(/ok\s+reads\s+allow\s+0/);
    expect(printed).toContain('1 cases hold');
  });

  it('takes a seeded policy by its name, and ends with 1 when a case does not hold', async () => {
    const cases = file('cases.yaml', 'policy: governed\ncases: [{name: wrong, tool: Read, path: a, expect: deny}]');
    await expect(run(cases)).rejects.toMatchObject({ exitCode: 1, message: '1 of 1 cases do not hold' });
    expect(printed).toMatch(/FAILS\s+wrong\s+allow\s+0\s+expected deny, got allow/);
  });

  it('ends with 2 and says what is wrong with a file', async () => {
    await expect(run(file('a.yaml', 'policy: none\ncases: [{tool: Read, expect: deny}]'))).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('no policy none') as unknown as string,
    });
    await expect(run(file('b.yaml', 'cases: 5'))).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('`policy` is required') as unknown as string,
    });
  });

  it('prints the results as a document for programs', async () => {
    await run(file('cases.yaml', 'policy: default\ncases: [{tool: Bash, command: ls, expect: allow}]'), '-o', 'json');
    expect(JSON.parse(printed)).toMatchObject([{ cases: [{ verdict: 'allow', mismatches: [] }] }]);
  });
});
