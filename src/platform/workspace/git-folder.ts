import { createHash } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { ObjectFormat } from './scanner/content.js';
import { BUILD_PATTERNS } from './scanner/names.js';

/**
 * Attributes of our own repositories. This file outranks every `.gitattributes` of the tree: no filter, no conversion of line
 * ends, no diff driver and no mark that makes text look binary, for git of any version.
 */
const NEUTRAL_ATTRIBUTES =
  '* !text !eol !crlf !ident !filter !working-tree-encoding !diff !merge !whitespace !export-ignore !export-subst !delta\n';

const COMMIT_TIME = '946684800 +0000';
const AUTHOR = `Sandgate <sandgate@localhost> ${COMMIT_TIME}`;

/** Who makes base commits, and when: fixed, so that the same tree always has the same base commit. */
export const COMMIT_ENVIRONMENT = {
  GIT_AUTHOR_NAME: 'Sandgate',
  GIT_AUTHOR_EMAIL: 'sandgate@localhost',
  GIT_AUTHOR_DATE: COMMIT_TIME,
  GIT_COMMITTER_NAME: 'Sandgate',
  GIT_COMMITTER_EMAIL: 'sandgate@localhost',
  GIT_COMMITTER_DATE: COMMIT_TIME,
};
export const BASE_MESSAGE = 'Base of the run\n';

/** Writes the files of an empty git folder with a configuration of our own, owned by `uid` when that is given. */
export async function writeGitFolder(
  path: string,
  options: { branch: string; format: ObjectFormat; uid: number | null; alternates?: string },
): Promise<void> {
  const writer = new OwnedWriter(options.uid);
  await writer.folder(path);
  for (const level of [
    ['objects', 'refs', 'info'],
    ['objects/info', 'objects/pack', 'refs/heads'],
  ]) {
    await Promise.all(level.map((folder) => writer.folder(join(path, folder))));
  }
  const files = {
    HEAD: `ref: refs/heads/${options.branch}\n`,
    config: configuration(options.format),
    'info/attributes': NEUTRAL_ATTRIBUTES,
    'info/exclude': `${BUILD_PATTERNS.join('\n')}\n`,
    ...(options.alternates === undefined ? {} : { 'objects/info/alternates': `${options.alternates}\n` }),
  };
  await Promise.all(Object.entries(files).map(([name, content]) => writer.file(join(path, name), content)));
}

/** Adds the base commit of an empty tree without any program; answers its id. */
export async function writeEmptyBase(path: string, branch: string, uid: number | null): Promise<string> {
  const writer = new OwnedWriter(uid);
  const tree = gitObject('tree', '');
  const commit = gitObject('commit', `tree ${tree.id}\nauthor ${AUTHOR}\ncommitter ${AUTHOR}\n\n${BASE_MESSAGE}`);
  await Promise.all([
    writeObject(writer, path, tree),
    writeObject(writer, path, commit),
    writer.file(join(path, 'refs/heads', branch), `${commit.id}\n`),
  ]);
  return commit.id;
}

interface GitObject {
  id: string;
  bytes: Buffer;
}

function gitObject(type: string, content: string): GitObject {
  const bytes = Buffer.from(`${type} ${Buffer.byteLength(content)}\0${content}`);
  return { id: createHash('sha1').update(bytes).digest('hex'), bytes };
}

async function writeObject(writer: OwnedWriter, gitDir: string, { id, bytes }: GitObject): Promise<void> {
  const path = join(gitDir, 'objects', id.slice(0, 2), id.slice(2));
  await writer.folder(dirname(path));
  await writer.file(path, deflateSync(bytes));
}

function configuration(format: ObjectFormat): string {
  if (format === 'sha1') return '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n';
  return '[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n[extensions]\n\tobjectformat = sha256\n';
}

/** Creates files and folders for another owner. */
export class OwnedWriter {
  private readonly uid: number | null;

  constructor(uid: number | null) {
    this.uid = uid;
  }

  async folder(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o755 });
    await this.own(path);
  }

  async file(path: string, content: string | Buffer): Promise<void> {
    await writeFile(path, content, { mode: 0o644 });
    await this.own(path);
  }

  private async own(path: string): Promise<void> {
    if (this.uid !== null && this.uid !== process.getuid?.()) await chown(path, this.uid, this.uid);
  }
}
