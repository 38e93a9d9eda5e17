import type { RunSpec } from '../../domain/run/spec.js';
import { cloneBaseOf, isConfiguredHost, type CodehostConfig } from '../../platform/config/codehost.config.js';
import { ConnectionSecrets } from '../connections/connection-secrets.js';
import type { Database } from '../record/database.js';
import type { Egress } from '../../platform/egress/egress.js';
import type { Sealer } from '../../platform/seal/sealer.js';
import type { RemoteAccess } from '../../platform/workspace/index.js';
import type { CodeHost } from '../../platform/codehost/code-host.js';
import { CodehostApi } from '../../platform/codehost/codehost-api.js';
import { CodehostClient } from '../../platform/codehost/codehost-client.js';
import type { ResultHost } from '../../platform/codehost/result-host.js';
import { ResultsApi } from '../../platform/codehost/results-api.js';
import { CodehostTokens } from './codehost-tokens.js';
import { gitRoute } from '../../platform/codehost/git-route.js';
import { repositoryAccess } from './run-repository-access.js';

export interface CodehostParts {
  config: CodehostConfig;
  database: Database;
  sealer: Sealer;
  egress: Egress;
}

/** The code host of this deployment as one process sees it: its API, tokens for it, and what runs use to fetch from it. */
export class Codehost {
  readonly api: CodeHost;
  /** Where results of runs are published. */
  readonly results: ResultHost;
  readonly tokens: CodehostTokens;

  constructor(private readonly parts: CodehostParts) {
    const { config, database, sealer, egress } = parts;
    const client = new CodehostClient(
      config.apiUrl,
      config.ca === null ? egress.operator : egress.operatorTrusting(config.ca),
    );
    this.api = new CodehostApi(client);
    this.results = new ResultsApi(client);
    this.tokens = new CodehostTokens(database, new ConnectionSecrets(database, sealer), sealer, this.api);
  }

  /** What one run may use to fetch its repository. */
  accessOf(run: { organizationId: string; runId: string }, spec: Pick<RunSpec, 'workspace'>): RemoteAccess {
    const { config, database, egress } = this.parts;
    return repositoryAccess(
      {
        database,
        tokens: this.tokens,
        cloneBase: cloneBaseOf(config),
        route: (url) => gitRoute(egress, config, url),
        authorities: (url) => (isConfiguredHost(config, url) ? config.ca : null),
      },
      run,
      spec,
    );
  }
}
