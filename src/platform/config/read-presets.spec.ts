import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from './config-error.js';
import { readPresets } from './read-presets.js';

describe('the file of presets', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sg-presets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const written = (text: string): string => {
    const path = join(folder, 'presets.yaml');
    writeFileSync(path, text);
    return path;
  };
  const problem = (path: string): string => {
    try {
      readPresets(path);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    return 'accepted';
  };

  it('is optional, and then no preset means anything', () => {
    expect(readPresets(null)).toEqual({ presets: {}, organizations: new Map() });
  });

  it('is read', () => {
    expect(Object.keys(readPresets(written('presets: {go: {targets: [go.example.com:443]}}')).presets)).toEqual(['go']);
  });

  it('refuses the boot with the setting and the line that is wrong', () => {
    const path = written('presets:\n  npm:\n    targets: [10.0.0.1:443]\n');
    expect(problem(path)).toBe(
      `SERVICE_NETWORK_PRESETS names ${path}, which cannot be used: line 3: presets.npm.targets.0 must be a name; ` +
        'connections to addresses are not possible',
    );
    expect(problem(written(`presets: {} # ${'x'.repeat(1_048_576)}`))).toContain('is larger than');
    expect(problem(join(folder, 'none.yaml'))).toContain('ENOENT');
  });
});
