import { SandgateError } from '../../domain/errors.js';
import type { CommandResult } from './git-command.js';
import { notFetched } from './fetch-base.js';

type Kind = 'refused' | 'failed';

/**
 * What git says when a fetch fails, and what we say instead. A code host writes most of what git prints, and it has seen the
 * credential: nothing of it is passed on, it only chooses among our own sentences.
 */
const REASONS: readonly (readonly [RegExp, Kind, string])[] = [
  [
    /returned error: 3\d\d|unable to update url base from redirection/i,
    'refused',
    'its host answered with a redirect, which is not followed',
  ],
  [/returned error: 429/, 'failed', 'its host says that it was asked too often'],
  [/returned error: 5\d\d|RPC failed; HTTP 5/, 'failed', 'its host answered with an error of its own'],
  [/certificate|SSL|TLS/i, 'refused', 'the certificate of its host could not be verified'],
  [/curl 28|Operation too slow|timed out/i, 'failed', 'its host sent nothing for too long'],
  [/Could not resolve (?:host|proxy)/i, 'failed', 'the address of its host is not known to git'],
  [
    /Failed to connect|Connection refused|Couldn't connect|No route to host|unreachable/i,
    'failed',
    'its host does not answer',
  ],
  [
    /CONNECT tunnel failed|from proxy after CONNECT|Proxy CONNECT aborted/i,
    'failed',
    'the proxy of SERVICE_EGRESS_PROXY refused the connection',
  ],
  [/fsck error|\bfsck\b|hasDot|treeNotSorted|invalid path/i, 'refused', 'its objects are malformed (git fsck)'],
  [
    /exceeds maximum allowed size|signal 25|File too large|No space left|Disk quota/i,
    'refused',
    'it is larger than a workspace may be',
  ],
  [/out of memory|malloc failed|signal 9\b|mmap failed/i, 'refused', 'unpacking it takes more memory than allowed'],
  [/dumb http transport/i, 'refused', 'its host does not speak the smart protocol of git'],
  [
    /early EOF|hung up|reset by peer|RPC failed|curl (?:18|52|55|56|92)/i,
    'failed',
    'the connection to its host broke off',
  ],
  [
    /index-pack|unpack-objects|bad pack|corrupt|inflate|invalid|sha1 mismatch|expected|protocol error|bad line length|did not send all necessary objects|missing/i,
    'refused',
    'what its host sent is no valid repository',
  ],
];

const SIGN_IN =
  /Authentication failed|could not read Username|could not read Password|returned error: 40[13]|terminal prompts disabled/i;
const MISSING = /repository '.*' not found|returned error: 4(?:04|10)/is;

/** @param authorized whether a connection's credential was sent */
export function downloadFailure({ stderr, exitCode }: CommandResult, authorized: boolean): SandgateError {
  if (SIGN_IN.test(stderr)) {
    return notFetched(
      authorized
        ? 'its host refused the credential of the connection for it'
        : 'its host asks for a sign-in; name a connection (workspace.connection_id) that may read it',
    );
  }
  if (MISSING.test(stderr)) {
    return notFetched(
      authorized
        ? 'its host knows no such repository, or the connection may not see it'
        : 'its host knows no such repository, or none without a sign-in; a private one needs workspace.connection_id',
    );
  }
  const [, kind, reason] = REASONS.find(([words]) => words.test(stderr)) ?? [
    null,
    'refused' as const,
    exitCode === null ? 'git was ended, probably for lack of memory' : `git ended with code ${exitCode}`,
  ];
  if (kind === 'refused') return notFetched(reason);
  return new SandgateError('upstream_failed', `the repository could not be fetched: ${reason}`);
}
