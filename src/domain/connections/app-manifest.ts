/** The host gives an app no longer name; the person who registers it may change it there. */
const MAX_NAME_CHARS = 34;

/** What the app of one registration is registered with. */
export interface AppManifest {
  /** Name of the host by which people reach this deployment. */
  publicHost: string;
  /** Its address. */
  url: string;
  /** Where the host sends people back to, once the app is registered and once it is installed or changed. */
  redirectUrl: string;
  setupUrl: string;
  /** Where the host sends events; null when it could not reach us. */
  webhookUrl: string | null;
}

/** What the code host registers an app from, in its own words. */
export interface ManifestDocument {
  name: string;
  url: string;
  redirect_url: string;
  setup_url: string;
  setup_on_update: boolean;
  public: boolean;
  default_permissions: Readonly<Record<string, 'read' | 'write'>>;
  /** Left out with `default_events` when the host could not reach us. */
  hook_attributes?: { url: string; active: boolean };
  default_events?: string[];
}

/** The manifest from which a person registers the app at the code host (docs/design/code-host-apps.md). */
export function appManifest({ publicHost, url, redirectUrl, setupUrl, webhookUrl }: AppManifest): ManifestDocument {
  const host = publicHost.replaceAll(/[^A-Za-z0-9-]+/g, '-');
  return {
    name: `sandgate-${host}`.slice(0, MAX_NAME_CHARS).replace(/-+$/, ''),
    url,
    redirect_url: redirectUrl,
    setup_url: setupUrl,
    setup_on_update: true,
    public: false,
    default_permissions: { contents: 'read', pull_requests: 'write', checks: 'write' },
    ...(webhookUrl === null
      ? {}
      : { hook_attributes: { url: webhookUrl, active: true }, default_events: ['pull_request'] }),
  };
}

/** Why a text cannot name an organization of the code host, or undefined. */
export function organizationProblem(name: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(name)
    ? undefined
    : 'must be the name of an organization at the code host: 1 to 100 letters, digits and hyphens, no hyphen first';
}
