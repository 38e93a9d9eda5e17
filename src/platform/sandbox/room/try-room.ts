import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../host/remove-tree.js';
import { deleteImage, mountDisk, unmountDisk } from '../disk/loop-disk.js';
import { canKeepSetups, type RoomAbilities } from './run-rooms.js';
import { ShownFolders } from './shown-folders.js';

const PROGRAM_FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/bin'];
const DISK_PROGRAMS = ['mkfs.ext4', 'mount', 'umount', 'e2fsck'];
const LOOP_CONTROL = '/dev/loop-control';

/** What this host seems to allow; {@link tryDisk} and {@link tryHiding} find out. */
export function findRoomAbilities(): RoomAbilities {
  const asRoot = process.getuid?.() === 0;
  return { hasRunUids: asRoot, hasLoopDisks: asRoot && lackingForDisks().length === 0, hidesPaths: asRoot };
}

/** What this host lacks of all that a sized disk image takes. */
function lackingForDisks(): string[] {
  const isThere = (name: string): boolean =>
    PROGRAM_FOLDERS.some((folder) => isAllowed(join(folder, name), constants.X_OK));
  const device = isAllowed(LOOP_CONTROL, constants.R_OK | constants.W_OK) ? [] : [`access to ${LOOP_CONTROL}`];
  return [...device, ...DISK_PROGRAMS.filter((name) => !isThere(name))];
}

function isAllowed(path: string, access: number): boolean {
  try {
    accessSync(path, access);
    return true;
  } catch {
    return false;
  }
}

/** Tries a sized disk, and notes where there is none. @returns what a person should know */
export async function tryDisk(host: RoomAbilities, dataDir: string): Promise<string[]> {
  const soft = 'the limit of disk is soft: sampled, with a largest file size';
  if (!host.hasRunUids) return [`${soft}; started as root, each run gets a sized disk image`];
  if (!host.hasLoopDisks) {
    return [`${soft}; a sized disk image takes what this host lacks: ${lackingForDisks().join(', ') || 'a mount'}`];
  }
  const folder = join(dataDir, `.disk-trial-${randomUUID()}`);
  const image = join(folder, 'disk.img');
  const mountPoint = join(folder, 'disk');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await mountDisk(image, mountPoint, 16);
    await unmountDisk(mountPoint);
    return ['the limit of disk is hard: a sized image for each run'];
  } catch (error) {
    host.hasLoopDisks = false;
    return [
      `${soft}; a disk image could not be mounted: ${error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : String(error)}`,
    ];
  } finally {
    await deleteImage(image);
    await removeTree(folder);
  }
}

/** Tries whether the place of a folder can be hidden, and notes where it cannot. @returns what a person should know */
export async function tryHiding(host: RoomAbilities, dataDir: string): Promise<string[]> {
  const seen = 'sandboxes can read where the state folder is';
  if (!host.hasRunUids) return [`${seen}; started as root, they cannot`];
  const folder = join(dataDir, `.overlay-trial-${randomUUID()}`);
  const shown = new ShownFolders(join(folder, 'shown'));
  try {
    await mkdir(join(folder, 'some'), { recursive: true, mode: 0o700 });
    await shown.show({ some: join(folder, 'some') });
    return host.hasLoopDisks ? [] : [`${seen}: their workspaces are folders of it`];
  } catch (error) {
    host.hidesPaths = false;
    return [`${seen}; overlays are needed to hide it: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    await shown.hide();
    await removeTree(folder);
  }
}

/** What becomes of the results of setups, as far as the trials have found. */
export function describeKeeping(host: RoomAbilities): string {
  return canKeepSetups(host)
    ? 'results of setups are kept for later runs'
    : 'results of setups are not kept for later runs: that takes root, sized disk images and overlays';
}
