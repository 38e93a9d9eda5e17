import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
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

/** Where a path leads that the caller of this command wrote. */
export function callerPath(path: string): string {
  return resolve(callerFolder(process.env, process.cwd()), path);
}

/** Whether the caller has a file there. */
export function isCallerFile(path: string): boolean {
  return statSync(callerPath(path), { throwIfNoEntry: false })?.isFile() === true;
}

function callerOfPackage(environment: NodeJS.ProcessEnv, workingFolder: string): string {
  const called = environment['INIT_CWD'];
  const documents = installationFolder('documents', 'package.json');
  const isPackage = [documents, dirname(documents)].includes(join(workingFolder));
  const byPackageManager = environment['npm_lifecycle_event'] !== undefined || environment['npm_command'] !== undefined;
  return isPackage && byPackageManager && called !== undefined && called !== '' ? called : workingFolder;
}
