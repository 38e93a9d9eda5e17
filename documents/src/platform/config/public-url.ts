import type { HttpConfig } from './http.config.js';

/** The base of addresses that are handed out: the operator's setting, else the listener. */
export function publicUrl({ publicUrl: configured, bind }: Pick<HttpConfig, 'publicUrl' | 'bind'>): string {
  if (configured !== null) return configured;
  const everywhere = bind.host === '0.0.0.0' || bind.host === '::';
  const host = everywhere ? '127.0.0.1' : bind.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bind.port}`;
}
