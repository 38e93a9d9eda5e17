import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { ensureSearchAttributes } from '../../../src/platform/temporal/search-attributes.js';

describe('search attributes of runs', () => {
  let client: Client;

  beforeAll(async () => {
    client = new Client({
      connection: await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '' }),
    });
  });

  afterAll(() => client.connection.close());

  it('are added where they are missing, and adding them again changes nothing', async () => {
    expect(await ensureSearchAttributes(client, 'default')).toEqual([]);
    expect(await ensureSearchAttributes(client, 'default')).toEqual([]);
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace: 'default' });
    expect(customAttributes).toMatchObject({ SandgateOrg: 2, SandgatePendingApprovals: 3 });
  });

  it('are reported as missing where they cannot be added', async () => {
    const readOnly = {
      connection: {
        operatorService: {
          listSearchAttributes: () => Promise.resolve({ customAttributes: { SandgateOrg: 2 } }),
          addSearchAttributes: () => Promise.reject(new Error('PERMISSION_DENIED')),
        },
      },
    } as unknown as Client;
    expect(await ensureSearchAttributes(readOnly, 'default')).toEqual([
      'SandgateAgent',
      'SandgateStatus',
      'SandgatePendingApprovals',
    ]);
  });
});
