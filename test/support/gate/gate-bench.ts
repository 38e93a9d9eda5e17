import type { ApprovalDecision } from '../../../src/core/approvals/approvals.js';
import type { Database } from '../../../src/core/record/database.js';
import { createTestDatabase, type TestDatabase } from '../database/database.js';
import { startPlane, type PlaneApp } from '../plane/plane-app.js';
import type { FixtureRun } from '../runs/run-fixture.js';
import { readLedger } from './gated-run.js';
import { askPermission, decide, decided, decisions, pendingApproval } from './permission-calls.js';

/** What a call hears that a person or a policy denied. */
export const NOT_APPROVED = { decision: 'deny', message: 'not approved' };

/** The gate of one API process, or of two on one database. */
export class GateBench {
  private constructor(
    readonly database: TestDatabase,
    private readonly planes: readonly PlaneApp[],
  ) {}

  static async start(processes: 1 | 2 = 1): Promise<GateBench> {
    const database = await createTestDatabase();
    const planes: PlaneApp[] = [];
    while (planes.length < processes) planes.push(await startPlane(database));
    return new GateBench(database, planes);
  }

  get db(): Database {
    return this.database.db;
  }

  get plane(): PlaneApp {
    return this.planes[0]!;
  }

  /** The other process. */
  get second(): PlaneApp {
    return this.planes[1]!;
  }

  ask(run: FixtureRun, id: string, tool: string, input?: unknown, at = this.plane): Promise<unknown> {
    return askPermission(at, run, id, tool, input);
  }

  pendingApproval(run: FixtureRun, count?: number): Promise<string> {
    return pendingApproval(this.db, run, count);
  }

  decide(run: FixtureRun, approvalId: string, decision?: ApprovalDecision): Promise<unknown> {
    return decide(this.db, run, approvalId, decision);
  }

  /** Id, verdict, source and original verdict of every decision on the run's record. */
  async decisions(run: FixtureRun): Promise<unknown[]> {
    return decisions(await readLedger(this.db, run));
  }

  async reasons(run: FixtureRun): Promise<unknown[]> {
    return decided(await readLedger(this.db, run)).map((data) => data['reason']);
  }

  async close(): Promise<void> {
    for (const plane of this.planes) await plane.close();
    await this.database.close();
  }
}
