import { readFileSync, statSync } from 'node:fs';
import { parsePresetFile } from '../../domain/network/preset-file.js';
import type { PresetTable } from '../../domain/network/presets.js';
import { ConfigError } from './config-error.js';

const MAX_BYTES = 1_048_576;

/**
 * What the presets mean in this deployment; nothing without a file.
 * @throws ConfigError naming the line, when the file cannot be used
 */
export function readPresets(path: string | null): PresetTable {
  if (path === null) return { presets: {}, organizations: new Map() };
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`);
    return parsePresetFile(readFileSync(path, 'utf8'));
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'cannot be read';
    throw new ConfigError('SERVICE_NETWORK_PRESETS', `names ${path}, which cannot be used: ${problem}`);
  }
}
