import { homedir } from 'node:os';
import { integer, pathList } from './readers.js';
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

  @setting({
    variable: 'SERVICE_MAX_ARCHIVE_BYTES',
    read: integer(1024 * 1024, 2_147_483_648),
    default: 2_147_483_648,
    about:
      'Largest archive of a workspace, in bytes as it is sent: of one that a client sends, and of one that a sandbox fetches.',
  })
  readonly maxArchiveBytes!: number;

  @setting({
    variable: 'SERVICE_ARCHIVE_TTL_SECS',
    read: integer(21_600, 2_592_000),
    default: 86_400,
    about: 'Seconds after which a packed workspace that the end of its run left behind is deleted.',
  })
  readonly archiveTtlSecs!: number;
}
