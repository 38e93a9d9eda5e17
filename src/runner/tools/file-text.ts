import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { WorkspaceRoot } from './workspace-root.js';
import { ToolFailure } from './tool-failure.js';

export const MAX_FILE_BYTES = 16 * 1024 * 1024;
const BINARY_PROBE_BYTES = 8 * 1024;

export interface FileText {
  text: string;
  realPath: string;
}

/** Reads a whole text file beneath the workspace. Throws ToolFailure for binary, non-UTF-8 or larger than 16 MiB. */
export async function readText(workspace: WorkspaceRoot, filePath: string): Promise<FileText> {
  await using file = await workspace.openFile(filePath, constants.O_RDONLY);
  const bytes = await readBounded(file.handle, MAX_FILE_BYTES);
  if (bytes === null)
    throw new ToolFailure(`${filePath} is larger than ${MAX_FILE_BYTES} bytes; read parts of it with Bash`);
  if (isBinary(bytes)) throw new ToolFailure(`${filePath} is a binary file`);
  if (!isUtf8(bytes)) throw new ToolFailure(`${filePath} is not UTF-8 text`);
  return { text: bytes.toString('utf8'), realPath: file.realPath };
}

/** The file's bytes, or null when it holds more than `limit`, also when it grows while it is read. */
export async function readBounded(handle: FileHandle, limit: number): Promise<Buffer | null> {
  const { size } = await handle.stat();
  if (size > limit) return null;
  const buffer = Buffer.alloc(size + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  // It grew while it was read: its content at the time of opening is a consistent answer.
  return buffer.subarray(0, size);
}

export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

/** Replaces the content of a file, creating it and its parents when missing; returns where it really is. */
export async function writeText(
  workspace: WorkspaceRoot,
  filePath: string,
  text: string,
): Promise<{ realPath: string; bytes: number }> {
  await using file = await workspace.openFile(filePath, constants.O_WRONLY | constants.O_CREAT, {
    createParents: true,
  });
  const bytes = Buffer.from(text.toWellFormed());
  // Truncated only after the checks of openFile, so that a file which fails them keeps its content.
  await file.handle.truncate(0);
  await file.handle.writeFile(bytes);
  return { realPath: file.realPath, bytes: bytes.length };
}
