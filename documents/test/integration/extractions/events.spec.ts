import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { finishItem } from '../../../src/core/extractions/item-moves.js';
import { ExtractionBench, type ResultBody } from '../../support/extractions/extraction-bench.js';

let bench: ExtractionBench;
beforeAll(async () => {
  bench = await ExtractionBench.open();
  await bench.document('letter.pdf');
});
afterAll(() => bench.close());

/** A webhook of the project that hears of everything. */
async function listen(includeResult: boolean): Promise<void> {
  await bench.api.database.owner.query(
    `insert into webhooks (id, org_id, project_id, url, events, sealed_secret, include_result)
     values ($1, $2, $3, 'https://receiver.example/', '{*}', '\\x00', $4)`,
    [randomUUID(), bench.acme.orgId, bench.projectId, includeResult],
  );
}

async function resultOfEvent(id: string, type: string): Promise<ResultBody | null> {
  const { rows } = await bench.api.database.owner.query<{ result: ResultBody | null }>(
    `select result from events_outbox where type = $2 and data ->> 'extractionId' = $1`,
    [id, type],
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.result ?? null;
}

describe('events of runs', () => {
  it('name the run, its schema and where it is read, and nothing that a document says', async () => {
    await listen(false);
    const { body: run } = await bench.start({ externalId: 'told' });
    await bench.drive(run.id);
    const { rows } = await bench.api.database.owner.query(
      `select type, data from events_outbox where data ->> 'extractionId' = $1 order by id`,
      [run.id],
    );
    const told = { extractionId: run.id, externalId: 'told', schemaVersionId: bench.schemaVersionId, attempt: 1 };
    const extraction = `/api/v2/extractions/${run.id}`;
    expect(rows).toEqual([
      {
        type: 'extraction.started',
        data: { ...told, schemaId: bench.schemaId, status: 'running', links: { extraction } },
      },
      {
        type: 'extraction.completed',
        data: {
          ...{ ...told, schemaId: bench.schemaId, status: 'completed' },
          links: { extraction, result: `${extraction}/result` },
        },
      },
    ]);
    expect(await resultOfEvent(run.id, 'extraction.completed')).toBeNull();
  });

  it('bring the result where a webhook wants it, unless it is larger than 64 KiB', async () => {
    await listen(true);
    const { body: run } = await bench.start();
    await bench.drive(run.id);
    const result = await resultOfEvent(run.id, 'extraction.completed');
    expect(result).toEqual((await bench.result(run.id)).body);
    const { body: large } = await bench.start();
    const taken = await bench.take(large.id);
    if (taken === null) throw new Error('it is not to be done');
    const part = { offset: 0, length: 1, bytes: 40_000 };
    await bench.api.database.record.inOrganization(bench.acme.orgId, (tx) =>
      finishItem(tx, taken.ref, 1, {
        ...{ status: 'completed', pages: 1, milliseconds: 1, warnings: [], error: null },
        parts: { data: part, fields: part, fieldsWithSignals: part, rest: part },
      }),
    );
    await bench.finish(taken.ref);
    expect(await resultOfEvent(large.id, 'extraction.completed')).toBeNull();
  });

  it('DI-010 a new version of a schema is told once', async () => {
    const properties = { a: { type: 'string', description: 'The first letter.' } };
    const path = `/api/schemas/${bench.schemaId}/versions`;
    const body = { jsonSchema: { type: 'object', properties }, baseVersion: 1 };
    const { body: made } = await bench.acme.ask<{ id: string }>(path, { method: 'POST', body });
    await bench.acme.ask(path, { method: 'POST', body });
    const { rows } = await bench.api.database.owner.query<{ data: object }>(
      `select data from events_outbox where type = 'schema.version_created' and data ->> 'schemaVersionId' = $1`,
      [made.id],
    );
    expect(rows).toMatchObject([{ data: { schemaId: bench.schemaId, version: 2, status: 'created' } }]);
  });
});
