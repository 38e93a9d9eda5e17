import { describe, expect, it } from '@jest/globals';
import { compilePolicy } from './compile-policy.js';
import { evaluate } from './evaluate.js';
import { repositoryFilesOf } from './paths/path.js';

const policy = compilePolicy({
  name: 'paths',
  tools: [
    { match: ['Read', 'Grep'], action: 'allow', paths: { deny: ['**/.git/config', '**/.git/hooks/**'] } },
    {
      match: ['Bash'],
      action: 'allow',
      shell: { allow_prefixes: ['echo', 'sed', 'sort', 'tee', 'git', 'env', 'bash', 'sh'] },
    },
    { match: ['*'], action: 'allow', paths: { deny: ['**/.git/config', '**/.git/hooks/**'] } },
  ],
});
const verdict = (tool: string, input: Record<string, string>): string =>
  evaluate(policy, { tool, input }, 'supervised').verdict;

describe('a write that makes a folder a repository, or leads git elsewhere', () => {
  it.each([
    ...['.git', 'sub/.git', '.git/', '.git/HEAD', '.git/commondir', '.git/config.worktree', '.git/worktrees/w/gitdir'],
    ...['.git/modules/m/config', '.git/modules/m/hooks/post-checkout', 'HEAD', 'sub/HEAD', 'sub/x.git/HEAD'],
    ...['sub/commondir', '/workspace/a/../b/HEAD', '/HEAD', '/tmp/x/HEAD', 'sub//HEAD', 'sub/./HEAD'],
  ])('CP-338 %s counts as a write of its settings and hooks', (path) => {
    for (const tool of ['Write', 'Edit', 'mcp__files__write'])
      expect([tool, verdict(tool, { file_path: path })]).toEqual([tool, 'deny']);
    expect(verdict('Bash', { command: `echo x > ${path}` })).toBe('deny');
    expect(verdict('Bash', { command: `echo x | tee ${path}` })).toBe('deny');
    expect(verdict('Read', { file_path: path })).toBe(
      /config$|hooks\/[^/]+$/.test(path) && !path.includes('modules') ? 'deny' : 'allow',
    );
  });

  it.each([
    ...[
      'src/config',
      'config',
      'docs/HEAD.md',
      'src/head',
      'HEADER',
      'src/.gitignore',
      '.gitattributes',
      '.github/workflows/a.yml',
    ],
    ...[
      '.git/info/exclude',
      '.git/COMMIT_EDITMSG',
      'src/commondir.ts',
      'hooks/pre-commit',
      'refs/heads/main',
      'src/HEAD/a',
    ],
  ])('CP-338 %s is an ordinary file', (path) => {
    expect(repositoryFilesOf(`/workspace/${path}`)).toEqual([]);
    expect(verdict('Write', { file_path: path })).toBe('allow');
    expect(verdict('Bash', { command: `echo x > ${path}` })).toBe('allow');
  });

  it('CP-338 counts through options and scripts too, and where the folder is not known', () => {
    for (const command of [
      "sed -i 's/a/b/' sub/HEAD",
      'sort -o .git/commondir a',
      "sed 'w sub/.git' a",
      'git diff --output=x/HEAD',
      'cd "$x"; echo > HEAD',
    ]) {
      expect([command, verdict('Bash', { command })]).toEqual([command, 'deny']);
    }
  });
});

describe('what makes git or a shell read other files', () => {
  it.each([
    ...[
      'GIT_DIR=x git status',
      'GIT_CONFIG_COUNT=0 git status',
      'GIT_CONFIG_GLOBAL=x git status',
      'env GIT_DIR=x git status',
      'export GIT_DIR=x; git status',
    ],
    ...[
      'export GIT_DIR; git status',
      'env -u GIT_CONFIG_COUNT git status',
      'unset GIT_CONFIG_COUNT; git status',
      'export -n GIT_CONFIG_COUNT; git status',
      'env -S "git status"',
    ],
    ...[
      'BASH_ENV=x bash -c "git status"',
      'ENV=x sh -c "git status"',
      'env BASH_ENV=x bash -c "git status"',
      'HOME=x git status',
      'XDG_CONFIG_HOME=x git status',
    ],
    ...[
      'git --git-dir=x status',
      'git --git-dir x status',
      'git --work-tree=/ status',
      'git --bare status',
      'git -c a.b=c status',
      'git --config-env=a=b status',
    ],
    ...[
      'git init --separate-git-dir=x',
      'git clone --separate-git-dir x y',
      'git init --template=x',
      'git config core.worktree x',
      'git submodule add x',
      'git submodule update',
    ],
    ...[
      'git maintenance start',
      'git lfs pull',
      'git co main',
      'git checkout-index --prefix=/etc/ -a',
      'git -C $x status',
      'bash --rcfile x -c "git status"',
    ],
  ])('CP-338 %s is not allowed by the names of its programs', (command) => {
    expect(verdict('Bash', { command })).toBe('require_approval');
  });

  it.each([
    'git status',
    'git -C sub status',
    'git -C "$x" log',
    'git init sub',
    'git clone https://h/r',
    'git worktree add ../x',
    'git commit -m x',
    'git --no-pager log',
  ])('CP-338 %s is', (command) => expect(verdict('Bash', { command })).toBe('allow'));

  it('CP-338 a prefix that holds one such word does not cover the next one', () => {
    const named = compilePolicy({
      name: 'named',
      tools: [
        {
          match: ['Bash'],
          action: 'allow',
          shell: {
            allow_prefixes: ['git -c a=b', 'sort --compress-program gzip', 'awk \'BEGIN{system("x")}\'', 'git lfs'],
          },
        },
      ],
    });
    const judged = (command: string): string =>
      evaluate(named, { tool: 'Bash', input: { command } }, 'supervised').verdict;
    for (const command of [
      'git -c a=b status',
      'sort --compress-program gzip a',
      'awk \'BEGIN{system("x")}\'',
      'git lfs pull',
    ]) {
      expect([command, judged(command)]).toEqual([command, 'allow']);
    }
    for (const command of [
      'git -c a=b -c core.pager=id log',
      'sort --compress-program gzip --compress-program id a',
      'git -c a=b lfs',
    ]) {
      expect([command, judged(command)]).toEqual([command, 'require_approval']);
    }
  });
});
