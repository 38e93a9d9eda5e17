import { stat } from 'node:fs/promises';
import { isMissing } from '../../domain/system-error.js';

/** @throws the file system's error when this cannot be determined, for example for lack of permission */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
