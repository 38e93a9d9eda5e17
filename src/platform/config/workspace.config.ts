import { homedir } from 'node:os';
import { pathList } from './readers.js';
import { setting } from './setting.js';

/** What a workspace may be made from (docs/design/workspaces.md). */
export class WorkspaceConfig {
  @setting({
    variable: 'SERVICE_LOCAL_COPY_ROOTS',
    read: pathList,
    default: () => [homedir()],
    defaultText: 'the home directory of the user who runs the server',
    about: 'Folders below which `local_copy` workspaces and `file://` repositories may lie; `none` allows nothing.',
  })
  readonly localCopyRoots!: readonly string[];
}
