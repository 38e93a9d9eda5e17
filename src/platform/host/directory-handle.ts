import { constants, type BigIntStats, type Dirent } from 'node:fs';
import { lstat, open, opendir, readdir, readlink, type FileHandle } from 'node:fs/promises';

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Size of a directory itself above which its entries are read in portions. */
const READ_AT_ONCE_BYTES = 4 * 1024 * 1024;

/**
 * A directory held open, whose entries are named relative to the descriptor (`/proc/self/fd/N/name`): the meaning of openat.
 * A link put in place of a parent cannot redirect it and the length of the whole path does not matter. Linux only.
 */
export class DirectoryHandle implements AsyncDisposable {
  private constructor(
    private readonly handle: FileHandle,
    /** As it was when it was opened. */
    readonly stats: BigIntStats,
  ) {}

  /** @throws the system's error, `ELOOP` or `ENOTDIR` when the last part is a link or no directory */
  static async open(path: string | Buffer): Promise<DirectoryHandle> {
    const handle = await open(path, OPEN_DIRECTORY);
    return new DirectoryHandle(handle, await handle.stat({ bigint: true }));
  }

  /** Path of the directory itself while it is held open. */
  get self(): string {
    return `/proc/self/fd/${this.handle.fd}`;
  }

  /** Path of an entry that follows no link before the last part. */
  at(name: Buffer | string): Buffer {
    return Buffer.concat([Buffer.from(`${this.self}/`), Buffer.from(name)]);
  }

  child(name: Buffer | string): Promise<DirectoryHandle> {
    return DirectoryHandle.open(this.at(name));
  }

  /** The real path of the directory, whatever path it was opened by. */
  realPath(): Promise<string> {
    return readlink(this.self);
  }

  lstat(name: Buffer | string): Promise<BigIntStats> {
    return lstat(this.at(name), { bigint: true });
  }

  /** Opens an entry for reading without following a link and without waiting for the other end of a FIFO. */
  openFile(name: Buffer | string): Promise<FileHandle> {
    return open(this.at(name), OPEN_FILE);
  }

  /** Entries in the order of the file system, names as raw bytes (they need not be UTF-8), in bounded memory. */
  async *entries(): AsyncGenerator<Dirent<Buffer>> {
    if (this.stats.size < READ_AT_ONCE_BYTES) {
      yield* await readdir(this.self, { encoding: 'buffer', withFileTypes: true });
      return;
    }
    // The declaration of opendir lacks the buffer form of `encoding`, which it supports like readdir does.
    const directory = await opendir(this.self, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
    yield* directory as unknown as AsyncIterable<Dirent<Buffer>>;
  }

  /** Whether an entry is a directory, also on file systems that do not say so while listing. */
  async isDirectory(entry: Dirent<Buffer>): Promise<boolean> {
    if (entry.isDirectory()) return true;
    if (entry.isFile() || entry.isSymbolicLink()) return false;
    return (await this.lstat(entry.name)).isDirectory();
  }

  chmod(mode: number): Promise<void> {
    return this.handle.chmod(mode);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close();
  }
}
