import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isJsonObject } from '../../../../src/domain/json.js';
import { readSecretFile, writeSecretFile } from './secret-file.js';

/** Before its end a token is not used any more. */
const SPARE_MS = 60_000;

/** Tokens that were got for a client, until they end; for its owner alone. */
export class TokenCache {
  private readonly path: string;

  constructor(secrets: string) {
    this.path = join(secrets, 'tokens.json');
  }

  find(origin: string, clientId: string, clientSecret: string): string | null {
    const kept = readSecretFile(this.path)[keyOf(origin, clientId, clientSecret)];
    if (!isJsonObject(kept) || typeof kept['token'] !== 'string') return null;
    return Number(kept['endsAt']) - SPARE_MS > Date.now() ? kept['token'] : null;
  }

  keep(origin: string, clientId: string, clientSecret: string, token: string, expiresInSecs: number): void {
    const alive = Object.entries(readSecretFile(this.path)).filter(
      ([, kept]) => isJsonObject(kept) && Number(kept['endsAt']) > Date.now(),
    );
    const endsAt = Date.now() + expiresInSecs * 1_000;
    writeSecretFile(this.path, {
      ...Object.fromEntries(alive),
      [keyOf(origin, clientId, clientSecret)]: { token, endsAt },
    });
  }
}

/** The secret is part of it: a rotated one gets a token of its own. */
function keyOf(origin: string, clientId: string, clientSecret: string): string {
  const digest = createHash('sha256').update(`${clientId}\n${clientSecret}`).digest('hex');
  return `${origin} ${digest}`;
}
