import { cloneUrlProblem } from '../../domain/run/clone-url.js';
import { certificates, httpUrl } from './readers.js';
import type { Reader } from './readers.js';
import { setting } from './setting.js';

/** What stands before `owner/name`: an https address, or a folder of this host for installations without a network. */
const cloneBase: Reader<string> = {
  expects: 'an https address without credentials, or `file:///folder`',
  parse: (value) => {
    const base = value.replace(/\/+$/, '');
    // The base names no repository, so it is checked with one appended.
    if (cloneUrlProblem(`${base}/owner/name`) === undefined) return base;
    throw new Error('must be an https address without credentials, query and fragment, or file:///folder');
  },
};

/** The code host whose repositories runs work on, GitHub or a server that speaks its API (docs/design/connections.md). */
export class CodehostConfig {
  @setting({
    variable: 'SERVICE_CODEHOST_API_URL',
    read: httpUrl,
    default: 'https://api.github.com',
    about: "Address of the code host's REST API. The operator vouches for it: it may be a private one.",
  })
  readonly apiUrl!: string;

  @setting({
    variable: 'SERVICE_CODEHOST_WEB_URL',
    read: httpUrl,
    default: 'https://github.com',
    about: 'Address of the pages of the code host, where people register and install an app. Browsers are sent there.',
  })
  readonly webUrl!: string;

  @setting({
    variable: 'SERVICE_CODEHOST_CLONE_BASE',
    read: cloneBase,
    default: null,
    defaultText: 'https://github.com',
    about:
      'What stands before `owner/name` in the clone URL of a repository that a connection fetches; connections serve no other host. Set, the operator vouches for its host: it may have a private address. `file:///folder` serves repositories of this host, inside `SERVICE_LOCAL_COPY_ROOTS`.',
  })
  readonly configuredCloneBase!: string | null;

  @setting({
    variable: 'SERVICE_CODEHOST_CA',
    read: certificates,
    default: null,
    about:
      'Certificate authorities of the code host, REST API and clone base alike, in place of the public ones; usually in a file that `SERVICE_CODEHOST_CA_FILE` names.',
  })
  readonly ca!: string | null;
}

/** Where repositories of connections are cloned from. */
export function cloneBaseOf(config: CodehostConfig): string {
  return config.configuredCloneBase ?? 'https://github.com';
}

/** Whether the host of an address is the one that the operator named in `SERVICE_CODEHOST_CLONE_BASE`. */
export function isConfiguredHost({ configuredCloneBase: base }: CodehostConfig, url: URL): boolean {
  return base?.startsWith('https://') === true && new URL(base).origin === url.origin;
}
