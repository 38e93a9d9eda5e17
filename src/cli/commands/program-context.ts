import { resolve } from 'node:path';
import type { Command } from 'commander';
import { parseFormat } from '../terminal/output.js';
import type { OutputFormat } from '../terminal/output.js';
import { resolveConnection } from '../server/connection.js';
import type { ConnectionFlags } from '../server/connection.js';
import { SandgateClient } from '../server/sandgate-client.js';

interface GlobalOptions extends ConnectionFlags {
  readonly output: string;
}

/** What a command gets from the options that all commands share. */
export interface CommandContext {
  readonly format: OutputFormat;
  readonly flags: ConnectionFlags;
  readonly client: SandgateClient;
}

export function contextOf(command: Command): CommandContext {
  const flags = flagsOf(command);
  let client: SandgateClient | undefined;
  return {
    format: formatOf(command),
    flags,
    get client() {
      client ??= new SandgateClient(resolveConnection(flags, process.env));
      return client;
    },
  };
}

export function formatOf(command: Command): OutputFormat {
  return parseFormat(command.optsWithGlobals<GlobalOptions>().output);
}

export function flagsOf(command: Command): ConnectionFlags {
  const { server, tokenFile, dataDir, context } = command.optsWithGlobals<GlobalOptions>();
  return {
    server,
    context,
    tokenFile: tokenFile === undefined ? undefined : fromCaller(tokenFile),
    dataDir: dataDir === undefined ? undefined : fromCaller(dataDir),
  };
}

/** A path that a person typed is relative to where they stand, which under `npm run` is not this process's folder. */
export function fromCaller(path: string): string {
  return resolve(process.env['SANDGATE_CALLER_DIR'] ?? process.cwd(), path);
}
