import { readAddress } from './address-classes.js';
import type { AddressClass, Address } from './address-classes.js';
import { isLocalhost, isMetadataName, plainName } from './host-names.js';
import type { NetworkList } from './network-list.js';

/** What every refusal of a class of addresses says; clients look for these words (docs/design/egress.md). */
export const PRIVATE_ADDRESS = 'private/loopback/link-local address';
export const PLAIN_HTTP = 'plain-http egress target';

export interface Refusal {
  reason: 'url' | 'plain_http' | 'address';
  text: string;
}

/** Blanks, control characters and backslashes: parsers disagree about what they do in an address. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const AMBIGUOUS = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/;

/** User and password, also empty ones, which `URL` drops. */
const USER = /^https?:\/*[^/?#]*@/i;
const MAX_URL_CHARS = 8_192;

/**
 * The check that needs no network: scheme, spelling and literal addresses. Made when an address is saved and again before every
 * dial; names are resolved at the dial only.
 */
export function judgeUrl(text: string, networks: NetworkList): URL | Refusal {
  if (text.length > MAX_URL_CHARS || AMBIGUOUS.test(text) || !URL.canParse(text))
    return { reason: 'url', text: 'malformed URL' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { reason: 'url', text: 'not an http(s) URL' };
  if (USER.test(text)) return { reason: 'url', text: 'URL with user or password' };
  return judgeHost(url.hostname, url.protocol === 'http:', networks) ?? url;
}

/** @param host as `URL.hostname` gives it: numbers in every spelling are addresses by then */
function judgeHost(host: string, plainHttp: boolean, networks: NetworkList): Refusal | null {
  const address = readAddress(host);
  if (address !== null) return judgeAddress(address, plainHttp, networks);
  const name = plainName(host);
  if (name === '') return { reason: 'url', text: 'URL without a host' };
  if (isMetadataName(name)) return refusedClass('metadata');
  if (isLocalhost(name) && !LOCALHOST.some((loopback) => networks.lists(loopback))) return refusedClass('loopback');
  // Whether a name leads into an opened network is known only at the dial.
  return plainHttp && networks.empty ? { reason: 'plain_http', text: PLAIN_HTTP } : null;
}

/** Of one address: its class, and for plain http that the operator opened its network. */
export function judgeAddress(address: Address, plainHttp: boolean, networks: NetworkList): Refusal | null {
  const refused = networks.refuses(address);
  if (refused !== null) return refusedClass(refused);
  return plainHttp && !networks.lists(address) ? { reason: 'plain_http', text: PLAIN_HTTP } : null;
}

/** What `localhost` is, whatever a resolver says (RFC 6761 §6.3). */
export const LOCALHOST: readonly Address[] = ['127.0.0.1', '::1'].flatMap((text) => readAddress(text) ?? []);

function refusedClass(name: AddressClass): Refusal {
  return { reason: 'address', text: `${PRIVATE_ADDRESS} (${name})` };
}
