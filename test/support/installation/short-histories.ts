import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalProgram } from './temporal-program.js';

/**
 * A Temporal server that suggests a new execution after so few events that a workflow goes on in one again and again: a program for
 * `SERVICE_TEMPORAL_BIN`. The folder is the caller's to remove.
 */
export async function shortHistoryServer(events: number): Promise<{ folder: string; program: string }> {
  const server = await temporalProgram();
  const folder = mkdtempSync(join(tmpdir(), 'sg-short-'));
  const program = join(folder, 'temporal');
  const suggestion = `--dynamic-config-value limit.historyCount.suggestContinueAsNew=${events}`;
  // Asked for its version, the program takes no settings.
  writeFileSync(
    program,
    `#!/bin/sh\ncase "$*" in *start-dev*) exec '${server}' "$@" ${suggestion} ;; esac\nexec '${server}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  // Where the installation is started as root, the server runs as an ordinary user.
  chmodSync(folder, 0o755);
  return { folder, program };
}
