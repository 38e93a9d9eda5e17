import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AdminToken } from './admin-token.js';
import { CredentialStrategy } from './credential.strategy.js';
import { readCredentials } from './credentials.js';
import { DeploymentOrganization } from './deployment-organization.js';
import type { OperatorPrincipal } from './principal.js';
import { OPERATOR_PERMISSIONS } from './role-permissions.js';

/** The admin token of the deployment (CP-274). */
@Injectable()
export class OperatorStrategy extends CredentialStrategy<OperatorPrincipal> {
  private readonly operator: OperatorPrincipal;

  constructor(
    private readonly adminToken: AdminToken,
    { id }: DeploymentOrganization,
  ) {
    super();
    this.operator = { kind: 'operator', organizationId: id, name: 'operator', permissions: OPERATOR_PERMISSIONS };
  }

  override find({ headers }: FastifyRequest): Promise<OperatorPrincipal | null> {
    const { bearer } = readCredentials(headers);
    return Promise.resolve(bearer !== null && this.adminToken.matches(bearer) ? this.operator : null);
  }
}
