import { join } from 'node:path';
import { isJsonObject } from '../../../../src/domain/json.js';
import { resolveSettings, type LayerInputs, type ResolvedSettings } from '../settings/layers.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { readSecretFile, writeSecretFile } from './secret-file.js';

/** What the client shows the API, and where it was found. */
export type Credential =
  | { kind: 'token'; token: string; source: string }
  | { kind: 'client'; clientId: string; clientSecret: string; source: string };

export interface CredentialInputs {
  layers: LayerInputs;
  settings: ResolvedSettings;
  /** Folder of the files with secrets. */
  secrets: string;
  /** The file that an embedded start writes. */
  firstClient: string;
}

/**
 * The credential for the API that the settings name. Each belongs to one exact origin: what a file of the working folder names gets
 * nothing that was not kept for it.
 *
 * @throws CliError `notSignedIn` where there is none
 */
export function chooseCredential(inputs: CredentialInputs): Credential {
  const { settings, secrets, layers, firstClient } = inputs;
  const origin = originOf(settings);
  const spoken = spokenCredential(layers);
  if (spoken !== null) {
    if (origin === originWithoutProject(layers)) return spoken;
    const { source } = settings['defaults.api_url'];
    throw new CliError(
      `${source} names another API, ${origin}, which gets no credentials of ${spoken.source}; ` +
        'if you trust it, say so with --api-url',
      EXIT.notSignedIn,
    );
  }
  const kept = clientOf(readSecretFile(credentialsPath(secrets))[origin], credentialsPath(secrets));
  const credential = kept ?? readFirstClient(firstClient, origin);
  if (credential !== null) return credential;
  throw new CliError(
    `there are no credentials for ${origin}; set DOCSVC_CLIENT_ID and DOCSVC_CLIENT_SECRET, or run ` +
      'docsvc login --client-id ID --client-secret SECRET',
    EXIT.notSignedIn,
  );
}

/** Keeps a client for one origin; null forgets the one that is kept. */
export function keepClient(
  secrets: string,
  origin: string,
  client: { clientId: string; clientSecret: string } | null,
): void {
  const path = credentialsPath(secrets);
  const { [origin]: _forgotten, ...others } = readSecretFile(path);
  writeSecretFile(path, client === null ? others : { ...others, [origin]: client });
}

export function originOf(settings: ResolvedSettings): string {
  return new URL(settings['defaults.api_url'].value).origin;
}

/** The origin that would be asked if the working folder said nothing. */
function originWithoutProject(layers: LayerInputs): string {
  const project = { ...layers.project, values: new Map<string, unknown>() };
  return originOf(resolveSettings({ ...layers, project }));
}

/** What somebody typed or exported; it does not say for which API. */
function spokenCredential({ flags, environment }: LayerInputs): Credential | null {
  const flagged = pair(flags['clientId'], flags['clientSecret'], 'the command line');
  if (flagged !== null) return flagged;
  const token = environment['DOCSVC_TOKEN'];
  if (token !== undefined && token !== '') return { kind: 'token', token, source: 'DOCSVC_TOKEN' };
  return pair(environment['DOCSVC_CLIENT_ID'], environment['DOCSVC_CLIENT_SECRET'], 'DOCSVC_CLIENT_ID');
}

function pair(clientId: unknown, clientSecret: unknown, source: string): Credential | null {
  const said = [clientId, clientSecret].filter((one) => typeof one === 'string' && one !== '');
  if (said.length === 0) return null;
  if (said.length === 1) throw new CliError(`${source}: a client id and a client secret belong together`, EXIT.usage);
  return { kind: 'client', clientId: String(said[0]), clientSecret: String(said[1]), source };
}

/** On the host of an embedded start: its administrator client, for the address that it has. */
function readFirstClient(path: string, origin: string): Credential | null {
  const content = readSecretFile(path);
  const { apiUrl } = content;
  if (typeof apiUrl !== 'string' || !URL.canParse(apiUrl) || new URL(apiUrl).origin !== origin) return null;
  return clientOf(content, path);
}

function clientOf(value: unknown, source: string): Credential | null {
  if (!isJsonObject(value)) return null;
  const { clientId, clientSecret } = value;
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return null;
  return { kind: 'client', clientId, clientSecret, source };
}

function credentialsPath(secrets: string): string {
  return join(secrets, 'credentials.json');
}
