import type { QueryRunner } from 'typeorm';

/**
 * Rolls back what is open, after a failure that is told as it is. A connection that broke took its transaction with it: TypeORM lets go of it,
 * and says of the rollback nothing but that.
 */
export async function rollBack(runner: QueryRunner): Promise<void> {
  try {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
  } catch (error) {
    if (!runner.isReleased) throw error;
  }
}
