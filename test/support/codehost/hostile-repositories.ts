import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** What a run may become of a repository. */
export type Expectation =
  /** It is refused, in words that match. */
  | { refused: RegExp }
  /** It is checked out, and these are its files (a link as `link <target>`). */
  | { files: Record<string, string> };

export interface HostileRepository {
  name: string;
  /** Writes the repository into a bare git folder that is there. */
  write(repository: LooseRepository): void;
  expected: Expectation;
}

const PERSON = 'A <a@a> 946684800 +0000';

/** One entry of a tree: mode, name as raw Latin-1 bytes, object. */
export type TreeEntry = readonly [mode: string, name: string, id: string];

/** Writes objects that no git would write. */
export class LooseRepository {
  constructor(readonly gitDir: string) {}

  object(type: string, content: Buffer): string {
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const id = createHash('sha1').update(bytes).digest('hex');
    const path = join(this.gitDir, 'objects', id.slice(0, 2), id.slice(2));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, deflateSync(bytes));
    return id;
  }

  blob(content: string | Buffer): string {
    return this.object('blob', Buffer.from(content));
  }

  /** Entries stand in the order given, sorted or not. */
  tree(...entries: TreeEntry[]): string {
    const rows = entries.map(([mode, name, id]) =>
      Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name, 'latin1'), Buffer.from([0]), Buffer.from(id, 'hex')]),
    );
    return this.object('tree', Buffer.concat(rows));
  }

  commit(tree: string, more: { parents?: string[]; author?: string } = {}): string {
    const parents = (more.parents ?? []).map((parent) => `parent ${parent}\n`).join('');
    return this.object(
      'commit',
      Buffer.from(`tree ${tree}\n${parents}author ${more.author ?? PERSON}\ncommitter ${PERSON}\n\nx\n`),
    );
  }

  /** The branch that HEAD names leads to a commit of this tree. */
  publish(tree: string): string {
    const commit = this.commit(tree);
    this.ref('refs/heads/main', commit);
    return commit;
  }

  ref(name: string, id: string): void {
    const path = join(this.gitDir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${id}\n`);
  }
}

const FILE = '100644';
const PROGRAM = '100755';
const LINK = '120000';
const FOLDER = '40000';
const MODULE = '160000';
const MALFORMED = /its objects are malformed \(git fsck\)|is no valid repository/;

/** A tree with one entry of this name, a file or a folder with a file. */
function entryNamed(name: string, kind: 'file' | 'folder' = 'file'): HostileRepository['write'] {
  return (repository) => {
    const blob = repository.blob('x\n');
    const inner = repository.tree([FILE, 'config', blob]);
    repository.publish(repository.tree(kind === 'file' ? [FILE, name, blob] : [FOLDER, name, inner]));
  };
}

/** Names that lead out of a checkout or into its git folder, on some file system. */
const NAMES: readonly (readonly [string, 'file' | 'folder'])[] = [
  ['.git', 'file'],
  ['.git', 'folder'],
  ['.GIT', 'folder'],
  ['.Git', 'file'],
  ['git~1', 'folder'],
  ['.git ', 'folder'],
  ['.git.', 'folder'],
  ['.g\xe2\x80\x8cit', 'folder'],
  ['.git::$INDEX_ALLOCATION', 'folder'],
  ['..', 'folder'],
  ['.', 'folder'],
  ['', 'file'],
  ['a/b', 'file'],
  ['../outside', 'file'],
  ['/etc/outside', 'file'],
];

const names: HostileRepository[] = NAMES.map(([name, kind]) => ({
  name: `a ${kind} called ${JSON.stringify(name)}`,
  write: entryNamed(name, kind),
  expected: { refused: MALFORMED },
}));

const links: HostileRepository[] = [
  {
    name: 'a link and a folder of one name, whose files would be written through the link',
    write: (repository) => {
      const blob = repository.blob('x\n');
      repository.publish(
        repository.tree([LINK, 'a', repository.blob('/tmp')], [FOLDER, 'a', repository.tree([FILE, 'planted', blob])]),
      );
    },
    expected: { refused: MALFORMED },
  },
  {
    name: 'a link called .gitmodules',
    write: (repository) => repository.publish(repository.tree([LINK, '.gitmodules', repository.blob('/etc/passwd')])),
    expected: { refused: MALFORMED },
  },
  {
    name: 'links that lead out of the workspace',
    write: (repository) =>
      repository.publish(
        repository.tree(
          [LINK, 'absolute', repository.blob('/etc/passwd')],
          [LINK, 'git', repository.blob('.git/config')],
          [LINK, 'upwards', repository.blob('../../../../etc/passwd')],
        ),
      ),
    expected: {
      files: { absolute: 'link /etc/passwd', git: 'link .git/config', upwards: 'link ../../../../etc/passwd' },
    },
  },
  {
    name: 'a link whose target is longer than any path',
    write: (repository) => repository.publish(repository.tree([LINK, 'long', repository.blob('a'.repeat(70_000))])),
    expected: { refused: /could not be checked out|malformed/ },
  },
];

const programs: HostileRepository[] = [
  {
    name: 'attributes that name filters, and hooks in a folder',
    write: (repository) => {
      const attributes = repository.blob('* filter=lfs diff=evil merge=evil text eol=crlf ident\n');
      const hooks = repository.tree([PROGRAM, 'post-checkout', repository.blob('#!/bin/sh\ntouch /tmp/hooked\n')]);
      repository.publish(
        repository.tree(
          [FILE, '.gitattributes', attributes],
          [FILE, '.lfsconfig', repository.blob('[lfs]\n\turl = https://evil.test/\n')],
          [FILE, 'a.txt', repository.blob('$Id$\n')],
          [FOLDER, 'hooks', hooks],
        ),
      );
    },
    expected: {
      files: {
        '.gitattributes': 'file * filter=lfs diff=evil merge=evil text eol=crlf ident\n',
        '.lfsconfig': 'file [lfs]\n\turl = https://evil.test/\n',
        'a.txt': 'file $Id$\n',
        'hooks/post-checkout': 'program #!/bin/sh\ntouch /tmp/hooked\n',
      },
    },
  },
  {
    name: 'a submodule whose address is a command',
    write: (repository) => {
      const modules = repository.blob('[submodule "a"]\n\tpath = a\n\turl = -u./payload\n');
      repository.publish(repository.tree([FILE, '.gitmodules', modules], [MODULE, 'a', 'a'.repeat(40)]));
    },
    expected: { refused: MALFORMED },
  },
  {
    name: 'a submodule whose name leads into the git folder',
    write: (repository) => {
      const modules = repository.blob('[submodule "../../hooks"]\n\tpath = a\n\turl = https://evil.test/a\n');
      repository.publish(repository.tree([FILE, '.gitmodules', modules], [MODULE, 'a', 'a'.repeat(40)]));
    },
    expected: { refused: MALFORMED },
  },
];

const bombs: HostileRepository[] = [
  {
    name: 'eleven folders of ten, each the same: more files than any disk holds',
    write: (repository) => {
      let tree = repository.tree([FILE, 'f', repository.blob('x\n')]);
      for (let level = 0; level < 11; level++) {
        tree = repository.tree(...Array.from({ length: 10 }, (_, index): TreeEntry => [FOLDER, `d${index}`, tree]));
      }
      repository.publish(tree);
    },
    expected: { refused: /more than 500000 files and folders/ },
  },
  {
    name: 'one large file under a thousand names',
    write: (repository) => {
      const blob = repository.blob(Buffer.alloc(8 * 1024 * 1024));
      const entries = Array.from({ length: 1000 }, (_, index): TreeEntry => [FILE, `f${1000 + index}`, blob]);
      repository.publish(repository.tree(...entries));
    },
    expected: { refused: /the disk of the sandbox \(sandbox\.disk_mb\) is too small/ },
  },
  {
    name: 'folders nested two thousand deep',
    write: (repository) => {
      let tree = repository.tree([FILE, 'f', repository.blob('x\n')]);
      for (let level = 0; level < 2000; level++) tree = repository.tree([FOLDER, 'd', tree]);
      repository.publish(tree);
    },
    expected: { refused: /nested more than 512 deep|no valid repository|git ended/ },
  },
];

const malformed: HostileRepository[] = [
  {
    name: 'a tree that names an object twice, out of order',
    write: (repository) => {
      const blob = repository.blob('x\n');
      repository.publish(repository.tree([FILE, 'b', blob], [FILE, 'a', blob], [FILE, 'b', blob]));
    },
    expected: { refused: MALFORMED },
  },
  {
    name: 'a commit whose tree is a file',
    write: (repository) => void repository.publish(repository.blob('no tree\n')),
    expected: { refused: /could not be fetched/ },
  },
  {
    name: 'a commit whose tree is not there',
    write: (repository) => void repository.publish('b'.repeat(40)),
    expected: { refused: /could not be fetched/ },
  },
  {
    name: 'a branch that leads to a file',
    write: (repository) => repository.ref('refs/heads/main', repository.blob('x\n')),
    expected: { refused: /could not be fetched/ },
  },
];

const harmless: HostileRepository[] = [
  {
    name: 'an author whose e-mail and time zone are nonsense, as old tools wrote them',
    write: (repository) => {
      const tree = repository.tree([FILE, 'a.txt', repository.blob('x\n')]);
      repository.ref('refs/heads/main', repository.commit(tree, { author: 'A <a@a 946684800 +051800' }));
    },
    expected: { files: { 'a.txt': 'file x\n' } },
  },
  {
    name: 'names that terminals and shells stumble over, and branches of the same kind',
    write: (repository) => {
      const blob = repository.blob('x\n');
      const commit = repository.publish(
        repository.tree([FILE, '\x1b[2Jevil', blob], [FILE, ' a b', blob], [FILE, '$(id)', blob], [FILE, '-rf', blob]),
      );
      for (const name of [
        'refs/heads/$(touch hooked)',
        'refs/heads/;id',
        'refs/heads/-rf',
        'refs/heads/HEAD',
        'refs/tags/main',
      ])
        repository.ref(name, commit);
    },
    expected: { files: { '\x1b[2Jevil': 'file x\n', ' a b': 'file x\n', '$(id)': 'file x\n', '-rf': 'file x\n' } },
  },
];

/** Repositories that want to get out of their checkout, to run something, or to fill a disk. */
export const HOSTILE_REPOSITORIES: readonly HostileRepository[] = [
  ...names,
  ...links,
  ...programs,
  ...bombs,
  ...malformed,
  ...harmless,
];
