import { MAX_SELECTED_BYTES, MAX_SELECTED_FILES } from '../../../domain/workspace/upload-limits.js';
import type { ArchiveRules } from '../../archive/extract.js';
import { isGitAlias } from '../scanner/names.js';

/**
 * What the archive of a workspace may hold: no more than a folder of this host that is copied, and nothing that such a copy would not
 * take (docs/design/workspaces.md).
 *
 * @param packed bytes of the archive itself
 */
export function uploadRules(packed: number): ArchiveRules {
  return {
    limits: {
      packed,
      unpacked: 4 * 1024 ** 3,
      content: MAX_SELECTED_BYTES,
      files: MAX_SELECTED_FILES,
      links: 100_000,
      entries: 500_000,
    },
    withoutSecrets: true,
    partProblem: (part) => (isGitAlias(Buffer.from(part)) ? 'lies in a git folder, which no workspace takes' : null),
  };
}
