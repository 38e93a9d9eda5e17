import { join } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import { downloadFailure } from './download-failure.js';
import { fetchBase, type FetchedBase, type Selection } from './fetch-base.js';
import type { FetchSource } from './fetch-source.js';
import { failureText, runGitScript, type Confinement, type GitSetting } from './git-command.js';
import { OwnedWriter, writeGitFolder } from './git-folder.js';
import type { GitRoute, RemoteAccess } from './remote-access.js';
import type { ObjectFormat } from './scanner/content.js';

/** A fetched repository, which its run's uid may read. */
export interface Download extends FetchedBase {
  gitDir: string;
  format: ObjectFormat;
}

/**
 * Fetches a repository from a code host into `scratch`, as a uid that no sandbox has: for as long as git runs, its environment
 * holds the credential, and nothing else does (docs/design/workspaces.md). Only git reads what was fetched.
 *
 * @param on as the fetching uid
 * @throws SandgateError `invalid_request` for what cannot be fetched, `upstream_failed` when its host is to blame
 */
export async function downloadRepository(
  on: Confinement,
  cloneUrl: string,
  remote: RemoteAccess,
  wanted: Selection,
): Promise<Download> {
  const url = new URL(cloneUrl);
  const route = await remote.route(url);
  const authorization = await remote.authorization();
  const settings = networkSettings(url, route, authorization, await writeAuthorities(on, remote.authorities(url)));
  const source = (format: ObjectFormat): FetchSource => ({
    url: url.href,
    options: { settings, network: true },
    explain: (result) => {
      if (format === 'sha1' && OTHER_FORMAT.test(result.stderr)) return new OtherFormat();
      return downloadFailure(result, authorization !== null);
    },
  });
  try {
    return await download(on, 'sha1', source('sha1'), wanted);
  } catch (error) {
    if (!(error instanceof OtherFormat)) throw error;
    return download(on, 'sha256', source('sha256'), wanted);
  }
}

const OTHER_FORMAT = /mismatched algorithms|object format/i;

/** The repository names its objects by SHA-256, which git does not adapt to by itself. */
class OtherFormat extends SandgateError {
  constructor() {
    super('invalid_request', 'the repository could not be fetched: it uses another object format');
  }
}

async function download(
  on: Confinement,
  format: ObjectFormat,
  source: FetchSource,
  wanted: Selection,
): Promise<Download> {
  const gitDir = join(on.scratch, `download-${format}.git`);
  await writeGitFolder(gitDir, { branch: 'none', format, uid: on.uid });
  const fetched = await fetchBase(on, gitDir, source, wanted);
  // Independent of the umask of this process.
  const opened = await runGitScript(on, gitDir, 'chmod -R a+rX "$1"', [gitDir]);
  if (opened.exitCode !== 0) throw new SandgateError('internal', `a download is not readable: ${failureText(opened)}`);
  return { gitDir, format, ...fetched };
}

async function writeAuthorities(on: Confinement, pem: string | null): Promise<string | null> {
  if (pem === null) return null;
  const path = join(on.scratch, 'authorities.pem');
  await new OwnedWriter(on.uid).file(path, pem);
  return path;
}

/** Faults of old commits that harm nobody; everything else that `git fsck` calls an error refuses the repository. */
const HARMLESS_FAULTS = [
  'badDate',
  'badDateOverflow',
  'badEmail',
  'badName',
  'badTimezone',
  'missingEmail',
  'missingNameBeforeEmail',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'multipleAuthors',
  'zeroPaddedDate',
  'zeroPaddedFilemode',
];

/** Settings of a fetch over https alone: one host, no redirect, no second source, what arrives is checked and bounded. */
function networkSettings(
  url: URL,
  route: GitRoute,
  authorization: string | null,
  authorities: string | null,
): GitSetting[] {
  return [
    ['protocol.file.allow', 'never'],
    ['protocol.https.allow', 'always'],
    ['protocol.version', '2'],
    ['http.followRedirects', 'false'],
    ['http.sslVerify', 'true'],
    ['http.proxy', route.proxy ?? ''],
    // Sent at once, as our own tunnels send it; a proxy need not be asked for its methods first.
    ['http.proxyAuthMethod', 'basic'],
    ...route.resolve.map((entry): GitSetting => ['http.curloptResolve', entry]),
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '60'],
    ['http.saveCookies', 'false'],
    ...(authorities === null ? [] : [['http.sslCAInfo', authorities] as const]),
    ['transfer.bundleURI', 'false'],
    ['transfer.credentialsInUrl', 'die'],
    ['fetch.uriProtocols', ''],
    ['fetch.fsckObjects', 'true'],
    ...HARMLESS_FAULTS.map((fault): GitSetting => [`fetch.fsck.${fault}`, 'ignore']),
    // A pack stays one file, whose size is limited; thousands of small ones would not be.
    ['fetch.unpackLimit', '1'],
    // Sent to this host only, even if git should ever speak to another.
    ...(authorization === null
      ? []
      : [[`http.${url.origin}/.extraHeader`, `Authorization: ${authorization}`] as const]),
  ];
}
