import { dirname, join } from 'node:path';
import { installationFolder } from '../../../../src/platform/host/installation-folder.js';

/**
 * The folder in which the caller stands. A package manager starts programs in the folder of the package, and says in INIT_CWD where it
 * was called; the bootstrap says it in DOCSVC_CALLER_DIR. Elsewhere neither is about this program.
 */
export function callerFolder(environment: NodeJS.ProcessEnv, workingFolder: string): string {
  const said = environment['DOCSVC_CALLER_DIR'];
  if (said !== undefined && said !== '') return callerOfPackage(environment, said);
  return callerOfPackage(environment, workingFolder);
}

function callerOfPackage(environment: NodeJS.ProcessEnv, workingFolder: string): string {
  const called = environment['INIT_CWD'];
  const documents = installationFolder('documents', 'package.json');
  const isPackage = [documents, dirname(documents)].includes(join(workingFolder));
  const byPackageManager = environment['npm_lifecycle_event'] !== undefined || environment['npm_command'] !== undefined;
  return isPackage && byPackageManager && called !== undefined && called !== '' ? called : workingFolder;
}
