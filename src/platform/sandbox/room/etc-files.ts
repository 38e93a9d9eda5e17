import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The uid and the gid that own nothing: those of programs that are of no run. */
export const NOBODY = 65534;

/**
 * The generated files of `/etc`: inside, the uid is called `agent` (docs/design/sandbox.md). Names come from files alone, because
 * there is no name service inside.
 */
export function etcFiles(uid: number): Record<'passwd' | 'group' | 'hosts' | 'nsswitch.conf', string> {
  const nobody = `nobody:x:${NOBODY}:${NOBODY}:nobody:/:/usr/sbin/nologin\n`;
  return {
    passwd: `root:x:0:0:root:/:/usr/sbin/nologin\nagent:x:${uid}:${uid}:agent:/home/agent:/bin/bash\n${uid === NOBODY ? '' : nobody}`,
    group: `root:x:0:\nagent:x:${uid}:\n${uid === NOBODY ? '' : `nogroup:x:${NOBODY}:\n`}`,
    hosts: '127.0.0.1 localhost sandgate\n::1 localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files\nprotocols: files\nservices: files\n',
  };
}

/** Writes them into a folder, open to every uid. @returns their names */
export async function writeEtcFiles(folder: string, uid: number): Promise<string[]> {
  const files = Object.entries(etcFiles(uid));
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await chmod(folder, 0o755);
  for (const [name, text] of files) {
    await writeFile(join(folder, name), text, { mode: 0o644 });
    await chmod(join(folder, name), 0o644);
  }
  return files.map(([name]) => name);
}
