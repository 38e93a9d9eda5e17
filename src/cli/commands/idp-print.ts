import { shortId } from '../server/runs.js';
import type { Idp } from '../server/wire.js';
import { printDocument, printRows, write, type OutputFormat } from '../terminal/output.js';
import { inline } from '../terminal/escape.js';

/** By generation. */
export function printProviders(format: OutputFormat, providers: readonly Idp[]): void {
  const columns = [
    { title: 'GENERATION', value: ({ generation }: Idp) => String(generation) },
    { title: 'STATUS', value: ({ status }: Idp) => status },
    { title: 'ISSUER', value: ({ issuer }: Idp) => issuer, width: 60 },
    { title: 'CLIENT', value: (provider: Idp) => provider.client_id, width: 30 },
    { title: 'ARMED', value: (provider: Idp) => provider.bootstrap_owner_email ?? '', width: 40 },
    { title: 'PROVIDER', value: ({ id }: Idp) => shortId(id) },
  ];
  printRows(format, providers, columns, 'No identity provider; nobody can sign in.');
}

/** One that was just made or changed. */
export function printProvider(format: OutputFormat, provider: Idp): void {
  if (format !== 'table') return printDocument(format, provider);
  write(`${inline(provider.issuer)} (generation ${provider.generation}) is ${provider.status}: ${provider.id}`);
}
