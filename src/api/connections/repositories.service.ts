import { Injectable } from '@nestjs/common';
import { requireActive } from '../../domain/connections/require-active.js';
import { SandgateError } from '../../domain/errors.js';
import { Codehost } from '../../core/codehost/codehost.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import type { Viewer } from '../../core/connections/viewer.js';
import type { RepositoryList } from './repositories.dto.js';

/** Lists what a connection of the code host sees, page by page (docs/design/connections.md). */
@Injectable()
export class RepositoriesService {
  constructor(
    private readonly records: ConnectionRecords,
    private readonly secrets: ConnectionSecrets,
    private readonly codehost: Codehost,
  ) {}

  /**
   * @throws SandgateError `not_found` for an invisible connection, `invalid_request` for one of another kind and when the host refuses or
   * cannot be asked, `conflict` when the connection is not active, `unavailable` without a sealing key
   */
  async list(viewer: Viewer, id: string, page: { page: number; perPage: number }): Promise<RepositoryList> {
    const connection = await this.records.get(viewer, id);
    // Checked before anything is opened: the credential of another server must never be shown to the code host.
    if (connection.provider === 'mcp_http')
      throw new SandgateError(
        'invalid_request',
        'this connection does not belong to a code host and lists no repositories',
      );
    requireActive(connection);
    this.secrets.requireKey();
    const repos = await this.ask({ organizationId: viewer.organizationId, connectionId: id }, page);
    return { repos, repositories: repos };
  }

  private async ask(of: { organizationId: string; connectionId: string }, page: { page: number; perPage: number }) {
    try {
      const { token, lister } = await this.codehost.tokens.get(of);
      return await this.codehost.api.repositories(token, lister, page);
    } catch (cause) {
      if (cause instanceof CodehostError)
        throw new SandgateError('invalid_request', `the repositories could not be listed: ${cause.message}`, { cause });
      if (cause instanceof SandgateError && cause.code === 'upstream_failed')
        throw new SandgateError('invalid_request', `the repositories could not be listed: ${cause.message}`, { cause });
      throw cause;
    }
  }
}
