import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { exchangeCredentials, type ClientCredentials } from '../../core/access/exchange-credentials.js';
import { OauthError } from '../../core/access/oauth-error.js';
import { SecretThrottle } from '../../core/access/secret-throttle.js';
import { Record } from '../../core/record/record.js';
import { readClient } from './client-authentication.js';
import type { TokenAnswer } from './token.dto.js';

/** Grants of OAuth that this release does not have. */
const LATER_GRANTS: ReadonlySet<string> = new Set([
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
]);

/** The token endpoint of machines (DI-038, DI-055). */
@Injectable()
export class TokenService {
  private readonly throttle: SecretThrottle;

  constructor(private readonly record: Record) {
    this.throttle = new SecretThrottle(record);
  }

  /** @throws OauthError in the words of RFC 6749 */
  async issue(request: FastifyRequest, form: unknown): Promise<TokenAnswer> {
    const fields = readFields(form);
    requireGrant(fields.get('grant_type'));
    const client = readClient(request.headers.authorization, fields);
    await this.throttle.check(request.ip, client.clientId);
    const issued = await this.exchange(request, client, fields.get('scope') ?? undefined);
    return {
      access_token: issued.accessToken,
      token_type: 'Bearer',
      expires_in: issued.expiresInSeconds,
      scope: issued.scopes.join(' '),
    };
  }

  private async exchange({ ip, id }: FastifyRequest, client: ClientCredentials, scope: string | undefined) {
    try {
      return await exchangeCredentials(this.record, client, scope, id);
    } catch (error) {
      if (error instanceof OauthError && error.code === 'invalid_client') await this.throttle.note(ip, client.clientId);
      throw error;
    }
  }
}

/** A field that comes twice is refused (RFC 6749, 3.2); one that is empty counts as left out. */
function readFields(form: unknown): URLSearchParams {
  if (!(form instanceof URLSearchParams)) {
    throw new OauthError('invalid_request', 'send the fields as application/x-www-form-urlencoded');
  }
  const fields = new URLSearchParams();
  for (const [name, value] of form) {
    if (fields.has(name)) throw new OauthError('invalid_request', 'a field must not come twice');
    if (value !== '') fields.set(name, value);
  }
  return fields;
}

function requireGrant(grant: string | null): void {
  if (grant === 'client_credentials') return;
  if (grant === null) throw new OauthError('invalid_request', 'grant_type: is missing; send client_credentials');
  const later = LATER_GRANTS.has(grant);
  throw new OauthError(
    'unsupported_grant_type',
    later
      ? 'grant_type: signing in as a person comes with a later release; this one has client_credentials'
      : 'grant_type: must be client_credentials',
  );
}
