import { Injectable } from '@nestjs/common';
import { SANDBOX_NETWORK } from '../../domain/network/enforcement.js';
import { Database } from '../../core/record/database.js';
import type { RowsOf } from '../../core/hosts/hosts.js';
import { HarnessAvailability } from '../../core/harnesses/harness-availability.js';
import { HarnessCatalog } from '../../core/harnesses/harness-catalog.js';
import { toHarnessView, type HarnessList } from './harnesses.dto.js';

/** The catalog with what can be used at this moment (docs/design/tools.md). */
@Injectable()
export class HarnessesService {
  constructor(
    private readonly database: Database,
    private readonly catalog: HarnessCatalog,
    private readonly availability: HarnessAvailability,
  ) {}

  async list(): Promise<HarnessList> {
    const rowsOf: RowsOf = async <Row extends object>(sql: string, values: unknown[]) =>
      (await this.database.pool.query<Row>(sql, values)).rows;
    const harnesses = this.catalog.list().map(async (harness) => {
      return toHarnessView(harness, await this.availability.hindrancesOf(harness, rowsOf));
    });
    return { harnesses: await Promise.all(harnesses), network: SANDBOX_NETWORK };
  }
}
