import { homedir } from 'node:os';
import { join } from 'node:path';
import { absolutePath } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

/** The state folder of this host. */
export class DataConfig {
  @setting({
    variable: 'DOCSVC_DATA_DIR',
    read: absolutePath,
    default: defaultDataDir,
    defaultText: '$XDG_STATE_HOME/docsvc, else ~/.local/state/docsvc',
    about:
      'State of this host: documents, working folders of parsers and, with `npm start -w documents`, keys, the secret of the first client, PostgreSQL and Temporal.',
  })
  readonly dir!: string;
}

/** The user's state directory, not the checkout. */
function defaultDataDir(): string {
  const state = process.env['XDG_STATE_HOME'];
  return join(state !== undefined && state.startsWith('/') ? state : join(homedir(), '.local', 'state'), 'docsvc');
}
