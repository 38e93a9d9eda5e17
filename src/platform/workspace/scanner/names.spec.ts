import { describe, expect, it } from '@jest/globals';
import { isGitAlias, isBuildFile, isBuildFolder, BUILD_PATTERNS } from './names.js';

const alias = (name: string) => isGitAlias(Buffer.from(name));

describe('names that git takes for its own folder', () => {
  it('in any case, short, with trailing dots, spaces and streams, with characters that some systems ignore', () => {
    const own = [
      '.git',
      '.GIT',
      '.Git',
      'git~1',
      'GIT~1',
      '.git ',
      '.git...',
      '.git. .',
      '.git::$INDEX_ALLOCATION',
      '.git\\x',
      'git~1.',
      '.g\u200cit',
      '\ufeff.git',
      '.gi\u202et',
    ];
    for (const name of own) expect([name, alias(name)]).toEqual([name, true]);
    const others = [
      'git',
      '.gitignore',
      '.github',
      '.git-x',
      'x.git',
      'git~2',
      '.gi',
      '.',
      '..',
      '...',
      ' .git',
      '.gitx',
    ];
    for (const name of others) expect([name, alias(name)]).toEqual([name, false]);
    expect(isGitAlias(Buffer.from([0x2e, 0x67, 0x69, 0x74, 0xff]))).toBe(false);
  });
});

describe('build products', () => {
  it('is exactly the list of the diff, folders and files apart', () => {
    expect(BUILD_PATTERNS).toEqual([
      '__pycache__/',
      '*.pyc',
      '*.pyo',
      '.pytest_cache/',
      'node_modules/',
      '.DS_Store',
      '*.class',
      'target/',
      '.venv/',
      'venv/',
      '*.egg-info/',
    ]);
    for (const name of ['__pycache__', '.pytest_cache', 'node_modules', 'target', '.venv', 'venv', 'x.egg-info'])
      expect(isBuildFolder(name)).toBe(true);
    for (const name of ['a.pyc', 'a.pyo', '.DS_Store', 'A.class']) expect(isBuildFile(name)).toBe(true);
    for (const name of ['Target', 'targets', 'build', 'dist', 'vendor', 'a.pyc'])
      expect(isBuildFolder(name)).toBe(false);
    for (const name of ['target', 'a.py', 'class', 'DS_Store']) expect(isBuildFile(name)).toBe(false);
  });
});
