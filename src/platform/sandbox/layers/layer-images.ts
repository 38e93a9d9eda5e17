import { dirname } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import type { Confine, ConfinedResult } from '../../host/confine.js';

/** Inodes of a layer, and size of its image; the second is also the largest file that a confined program may write. */
const MAX_FILES = 200_000;
const MAX_IMAGE_MIB = 1_900;
const MAX_IMAGE_BYTES = MAX_IMAGE_MIB * 1024 * 1024;
const BLOCK = 4096;
const INODE_BYTES = 256;
/** Tables and groups of a small file system, and some air. */
const OVERHEAD_BYTES = 16 * 1024 * 1024;
const SCRIPT_MS = 120_000;
const MAKE_MS = 300_000;
const MEMORY_MB = 1024;
const MAX_TEXT_BYTES = 64 * 1024;

/** Folders of a run whose setup is over and whose sandbox is dead. */
export interface AddedFolders {
  /** What the run began with. */
  base: string;
  /** What the setup changed of the workspace: the upper folder of an overlay above `base`, which is not mounted. */
  workspace: string;
  home: string;
}

/** What an image has to hold. */
export interface Prepared {
  files: number;
  bytes: number;
}

/**
 * Every path of the base must still be there: a folder that was replaced hides what was in it, and no name tells so.
 * `$1` base, `$2` the merged workspace.
 */
const LOOK_FOR_LOST = `cd "$1"
find . -mindepth 1 -path ./.git -prune -o -print0 > "$TMPDIR/paths"
cd "$2"
xargs -0 -r stat --printf= -- < "$TMPDIR/paths" 2> "$TMPDIR/lost" || echo lost`;

/**
 * `$1` base, `$2` the upper folder, `$3` home; `.git` of the upper folder is not there. A path of the base may stand in the upper folder
 * with the same content, because a program wrote it anew; that copy is removed. A character device is how an overlay says that a file
 * was deleted. What is left belongs to whoever will run with it, so it is open to all, and nothing in it can raise rights.
 */
const PREPARE = `cd "$1"
find . -mindepth 1 -path ./.git -prune -o -print0 > "$TMPDIR/paths"
while IFS= read -r -d '' path; do
  made="$2/$path"
  if ! [ -e "$made" ] && ! [ -L "$made" ]; then continue; fi
  same=no
  if [ -L "$path" ]; then
    if [ -L "$made" ] && [ "$(readlink -n -- "$path"; echo .)" = "$(readlink -n -- "$made"; echo .)" ]; then same=yes; fi
  elif [ -d "$path" ]; then
    if [ -d "$made" ] && ! [ -L "$made" ]; then continue; fi
  elif [ -f "$made" ] && ! [ -L "$made" ] && cmp -s -- "$path" "$made"; then
    if [ -x "$path" ] && [ -x "$made" ]; then same=yes; fi
    if ! [ -x "$path" ] && ! [ -x "$made" ]; then same=yes; fi
  fi
  if [ $same = no ]; then printf 'changed %s\\n' "$path"; exit 0; fi
  rm -f -- "$made"
done < "$TMPDIR/paths"
if [ -n "$(find "$2" -type c -print -quit)" ]; then echo 'changed a path that was deleted'; exit 0; fi
for folder in "$2" "$3"; do
  cd "$folder"
  find . -mindepth 1 -maxdepth 1 ! -type l -print0 | xargs -0 -r chmod -R a+rwX,u-s,g-s,-t --
  find . -mindepth 1 ! -type f ! -type d ! -type l -delete
done
find "$2" "$3" -printf '%y %s\\n' | awk '{ n++; b += $1 == "f" ? int(($2 + 4095) / 4096) * 4096 : 4096 } END { printf "holds %d %.0f\\n", n, b }'`;

/** Programs of our own that look at, and pack, what setup commands wrote: as the run's uid, apart from the host. */
export class LayerImages {
  constructor(private readonly confine: Confine) {}

  /** Whether everything that the run began with is still to be seen in its workspace. */
  async isWhole(base: string, merged: string, uid: number | null): Promise<boolean> {
    const result = await this.script(LOOK_FOR_LOST, [base, merged], { readOnly: [base, merged], readWrite: [], uid });
    return result === '';
  }

  /** Makes of what was added what an image may hold. @returns why there can be none, or what it will hold */
  async prepare({ base, workspace, home }: AddedFolders, uid: number | null): Promise<Prepared | string> {
    const folders = { readOnly: [base], readWrite: [workspace, home], uid };
    const said = await this.script(PREPARE, [base, workspace, home], folders);
    const [, files, bytes] = /^holds (\d+) (\d+)$/.exec(said) ?? [];
    if (files === undefined || bytes === undefined)
      return `a setup command changed what the repository holds: ${said.replace(/^changed (\.\/)?/, '').slice(0, 200)}`;
    const holds = { files: Number(files), bytes: Number(bytes) };
    if (holds.files > MAX_FILES) return `it has ${holds.files} files, more than ${MAX_FILES}`;
    if (imageBytes(holds) > MAX_IMAGE_BYTES) return `it is larger than ${MAX_IMAGE_MIB} MiB`;
    return holds;
  }

  /** Makes the image of a folder as a new file, in another folder that the uid may write. */
  async make(folder: string, image: string, holds: Prepared, uid: number | null): Promise<void> {
    const kib = Math.ceil(imageBytes(holds) / 1024);
    const format = ['-q', '-F', '-t', 'ext4', '-m', '0', '-b', String(BLOCK), '-I', String(INODE_BYTES)];
    const features = ['-O', '^has_journal,^resize_inode', '-E', 'lazy_itable_init=1,nodiscard'];
    const size = ['-N', String(holds.files + 64), '-d', folder, image, `${kib}k`];
    const argv = ['/usr/bin/env', 'mke2fs', ...format, ...features, ...size];
    const result = await this.run(argv, { readOnly: [folder], readWrite: [dirname(image)], uid }, MAKE_MS);
    if (result.exitCode !== 0)
      throw new SandgateError(
        'internal',
        `the image of a setup could not be made: ${String(result.stderr).slice(-500)}`,
      );
  }

  private async script(script: string, parameters: string[], folders: Folders): Promise<string> {
    const result = await this.run(['/bin/bash', '-euc', script, 'bash', ...parameters], folders, SCRIPT_MS);
    if (result.exitCode === 0) return String(result.stdout).trim();
    throw new SandgateError(
      'internal',
      `the result of a setup could not be read: ${String(result.stderr).slice(-500)}`,
    );
  }

  private run(argv: string[], { readOnly, readWrite, uid }: Folders, timeoutMs: number): Promise<ConfinedResult> {
    return this.confine({
      argv,
      env: { PATH: '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TMPDIR: '/tmp' },
      readOnly,
      readWrite,
      cwd: '/',
      ...(uid === null ? {} : { uid }),
      timeoutMs,
      memoryMb: MEMORY_MB,
      maxOutputBytes: MAX_TEXT_BYTES,
    });
  }
}

interface Folders {
  readOnly: string[];
  readWrite: string[];
  uid: number | null;
}

function imageBytes({ files, bytes }: Prepared): number {
  return Math.ceil((bytes + (files + 64) * INODE_BYTES) * 1.05) + OVERHEAD_BYTES;
}
