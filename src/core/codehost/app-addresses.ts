import { appManifest, type ManifestDocument } from '../../domain/connections/app-manifest.js';
import { appIngressPath } from '../../domain/connections/ingress-path.js';
import { classOf, readAddress } from '../../platform/egress/address-classes.js';

/** Below it are all addresses of apps, and no other page gets their cookies. */
export const APP_PATH = '/v1/codehost/app';

/** The addresses of registering and installing apps: ours, and the pages of the code host (docs/design/code-host-apps.md). */
export class AppAddresses {
  /**
   * @param publicUrl SERVICE_PUBLIC_URL, or the listener's own address
   * @param webUrl SERVICE_CODEHOST_WEB_URL
   */
  constructor(
    private readonly publicUrl: string,
    private readonly webUrl: string,
  ) {}

  /** Whether browsers may be told to show our cookies over https alone. */
  get isHttps(): boolean {
    return new URL(this.publicUrl).protocol === 'https:';
  }

  /** Origin of the code host's pages. */
  get hostOrigin(): string {
    return new URL(this.webUrl).origin;
  }

  /** Whether the code host can reach us, as far as our address says: a name that leads inside is not looked up. */
  get receivesWebhooks(): boolean {
    const { hostname } = new URL(this.publicUrl);
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return false;
    const address = readAddress(hostname);
    return address === null || classOf(address) === null;
  }

  goUrl(purpose: 'manifest' | 'install', boot: string): string {
    return `${this.publicUrl}${APP_PATH}/${purpose}/go?boot=${boot}`;
  }

  /** The form by which a browser registers the app: where it is sent, and the manifest in it. */
  manifestForm(
    registration: { id: string; target_org: string | null },
    state: string,
  ): { action: string; manifest: ManifestDocument } {
    const { id, target_org: organization } = registration;
    const owner = organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`;
    const manifest = appManifest({
      publicHost: new URL(this.publicUrl).hostname,
      url: this.publicUrl,
      redirectUrl: `${this.publicUrl}${APP_PATH}/manifest/callback`,
      setupUrl: `${this.publicUrl}${APP_PATH}/${id}/setup`,
      webhookUrl: this.receivesWebhooks ? `${this.publicUrl}${appIngressPath(id)}` : null,
    });
    return { action: `${this.webUrl}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`, manifest };
  }

  /** The page of the code host on which an app is installed. */
  installPage(slug: string, state: string): string {
    return `${this.webUrl}/apps/${encodeURIComponent(slug)}/installations/new?state=${encodeURIComponent(state)}`;
  }
}
