import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { leadingRowId } from '../../domain/uuid.js';
import { namesIn } from '../host/folders.js';

const PACKED = '.tar.gz';
const PARTIAL = `${PACKED}.partial`;

/** Archives of this host, each named by the id of its row. One has its name when it is whole. */
export class ArchiveFolder {
  constructor(readonly path: string) {}

  file(id: string): string {
    return join(this.path, `${id}${PACKED}`);
  }

  /** Gives what `write` made its name, in place of an earlier one. Whatever fails leaves nothing of it. */
  async publish<T>(id: string, write: (partial: string) => Promise<T>): Promise<T> {
    const partial = this.partial(id);
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    try {
      const written = await write(partial);
      await rename(partial, this.file(id));
      return written;
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  /** Gone already is success. */
  async remove(id: string): Promise<void> {
    for (const path of [this.file(id), this.partial(id)]) await rm(path, { force: true });
  }

  /** All that is kept or was being written. */
  async list(): Promise<{ id: string; path: string }[]> {
    const names = await namesIn(this.path);
    return names.flatMap((name) => {
      const id = leadingRowId(name);
      return id === null ? [] : [{ id, path: join(this.path, name) }];
    });
  }

  private partial(id: string): string {
    return join(this.path, `${id}${PARTIAL}`);
  }
}
