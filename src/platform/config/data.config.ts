import { homedir } from 'node:os';
import { join } from 'node:path';
import { absolutePath, uuid } from './readers.js';
import { setting } from './setting.js';

/** The state folder of this host. */
export class DataConfig {
  @setting({
    variable: 'SERVICE_DATA_DIR',
    read: absolutePath,
    default: defaultDataDir,
    defaultText: '$XDG_STATE_HOME/sandgate, else ~/.local/state/sandgate',
    about: 'State of this host: sandboxes, plane sockets and, with `sandgate start`, keys, PostgreSQL and Temporal.',
  })
  readonly dir!: string;

  @setting({
    variable: 'SERVICE_HOST_ID',
    read: uuid,
    default: null,
    defaultText: 'the `host-id` file of the data folder',
    about: 'Name of this sandbox host in task queues; must stay the same for as long as its sandboxes live.',
  })
  readonly hostId!: string | null;
}

/** The user's state directory, not the checkout (docs/design/configuration.md). */
export function defaultDataDir(): string {
  const state = process.env['XDG_STATE_HOME'];
  return join(state !== undefined && state.startsWith('/') ? state : join(homedir(), '.local', 'state'), 'sandgate');
}
