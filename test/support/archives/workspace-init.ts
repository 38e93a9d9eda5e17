import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import type { WorkspaceArchive } from '../../../src/platform/workspace/index.js';

const INIT = resolve('dist/unpacker/init.mjs');

/** How the program that brings workspaces ended, and what it said. */
export interface InitEnd {
  code: number;
  said: string;
}

/** Runs the built program that brings a workspace into a sandbox, as a provider without a shared file system starts it. */
export function runInit(
  archive: WorkspaceArchive & { url: string; token: string },
  { workspace, collector }: { workspace: string; collector: string },
): Promise<InitEnd> {
  const env = {
    PATH: process.env['PATH'],
    SERVICE_WORKSPACE_ARCHIVE_URL: archive.url,
    SERVICE_ARCHIVE_SHA256: archive.digest,
    SERVICE_ARCHIVE_LEN: String(archive.bytes),
    SERVICE_SESSION_TOKEN: archive.token,
    SERVICE_WORKSPACE: workspace,
    SERVICE_COLLECTOR_DIR: collector,
  };
  return new Promise((done) => {
    execFile(process.execPath, [INIT], { env, timeout: 60_000 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), said: `${stdout}${stderr}` }),
    );
  });
}
