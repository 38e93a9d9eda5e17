import type { CommandContext } from './program-context.js';
import type { Connection, Snapshot } from '../server/wire.js';
import { inline } from '../terminal/escape.js';
import { printDocument, write } from '../terminal/output.js';

/** An active connection with its tool snapshot. */
export interface Connected {
  connection: Connection;
  snapshot: Snapshot;
}

/** Printed at the end of every way of connecting. */
export function printConnected({ connection, snapshot }: Connected, format: CommandContext['format']): void {
  if (format !== 'table') return printDocument(format, { connection, snapshot });
  const { length } = snapshot.tools;
  write(
    `${inline(connection.display_name)} ${connection.id} is ${connection.status} with ${length} ${length === 1 ? 'tool' : 'tools'} (v${snapshot.version})`,
  );
}
