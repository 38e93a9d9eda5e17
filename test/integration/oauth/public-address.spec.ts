import { afterEach, describe, expect, it } from '@jest/globals';
import { ConnectBench } from '../../support/oauth/connect-bench.js';

let bench: ConnectBench | null = null;
afterEach(async () => {
  await bench?.close();
  bench = null;
});

const DOCUMENT = '/.well-known/service-client.json';

describe('where people reach this deployment decides how it connects', () => {
  it('CP-059 CP-172 over https it presents its client metadata document to a server that reads such', async () => {
    bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'https://sandgate.example.com' });
    bench.issuer.metadata['client_id_metadata_document_supported'] = true;
    const answer = await bench.api.get(DOCUMENT, { token: null });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        client_id: `https://sandgate.example.com${DOCUMENT}`,
        client_name: 'Sandgate',
        client_uri: 'https://sandgate.example.com',
        redirect_uris: ['https://sandgate.example.com/v1/oauth/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ]);
    const { id } = await bench.connection();
    const authorization = await bench.visitor().follow(await bench.goUrl(id));
    expect(authorization.searchParams.get('client_id')).toBe(`https://sandgate.example.com${DOCUMENT}`);
    expect(authorization.searchParams.get('redirect_uri')).toBe('https://sandgate.example.com/v1/oauth/callback');
    expect(bench.issuer.registrations).toEqual([]);
    expect((await bench.read(id)).oauth).toMatchObject({ client_id_source: 'cimd' });
  });

  it('to a server that does not say who it is in its answers it registers instead', async () => {
    bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'https://sandgate.example.com' });
    bench.issuer.metadata['client_id_metadata_document_supported'] = true;
    bench.issuer.metadata['authorization_response_iss_parameter_supported'] = false;
    const { id } = await bench.connection();
    await bench.goUrl(id);
    expect(bench.issuer.registrations).toHaveLength(1);
    expect((await bench.read(id)).oauth).toMatchObject({ client_id_source: 'dcr' });
  });

  it.each(['http://127.0.0.1:8787', 'https://localhost', 'https://127.0.0.1:8443', 'http://sandgate.example.com'])(
    'CP-059 CP-173 at %s there is no document, and it registers dynamically',
    async (address) => {
      bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: address });
      bench.issuer.metadata['client_id_metadata_document_supported'] = true;
      expect((await bench.api.get(DOCUMENT, { token: null })).status).toBe(404);
      const { id } = await bench.connection();
      await bench.goUrl(id);
      expect((await bench.read(id)).oauth).toMatchObject({ client_id_source: 'dcr' });
    },
  );

  it.each([
    'https://sandgate.example.com',
    'https://sandgate.example.com:8443',
    'http://127.0.0.1:8787',
    'http://localhost',
  ])('CP-058 at %s a flow is completed, from the first click to the tools', async (address) => {
    bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: address });
    const { id } = await bench.connection();
    const visitor = bench.visitor();
    const goUrl = await bench.goUrl(id);
    expect(goUrl.startsWith(`${address}/v1/oauth/go?f=`)).toBe(true);
    const authorization = await visitor.follow(goUrl);
    expect(authorization.searchParams.get('redirect_uri')).toBe(`${address}/v1/oauth/callback`);
    const page = await visitor.get(bench.callback(authorization));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<h1>Connected</h1>')]);
    expect((await bench.read(id)).status).toBe('active');
    const tools = await bench.api.get(`/v1/connections/${id}/tools`);
    expect([tools.status, tools.body]).toEqual([200, expect.objectContaining({ version: 1 })]);
  });

  it('CP-058 over plain http elsewhere nothing can be completed, and the page says why', async () => {
    bench = await ConnectBench.start({ SERVICE_PUBLIC_URL: 'http://sandgate.example.com' });
    const { id } = await bench.connection();
    const page = await bench.visitor().get(await bench.goUrl(id));
    expect([page.status, page.headers.getSetCookie(), await page.text()]).toEqual([
      400,
      [],
      expect.stringContaining('SERVICE_PUBLIC_URL to an https address'),
    ]);
    const visitor = bench.visitor();
    visitor.cookie = 'c'.repeat(43);
    const callback = await visitor.get('http://sandgate.example.com/v1/oauth/callback?code=c&state=s');
    expect(callback.status).toBe(400);
    expect((await bench.read(id)).status).toBe('pending');
  });

  it('without a sealing key nothing starts: 503', async () => {
    bench = await ConnectBench.start({ SERVICE_KMS_MODE: 'off', SERVICE_KMS_STATIC_KEK: '' });
    const { id } = await bench.connection();
    const started = await bench.start(id);
    expect([started.status, started.body.error]).toEqual([503, expect.stringContaining('SERVICE_KMS_MODE')]);
    expect((await bench.visitor().get('/v1/oauth/callback?code=c&state=s')).status).toBe(400);
  });

  it('with the legacy key alone it connects as well', async () => {
    const key = Buffer.alloc(32, 7).toString('hex');
    bench = await ConnectBench.start({
      SERVICE_KMS_MODE: 'off',
      SERVICE_KMS_STATIC_KEK: '',
      SERVICE_CREDENTIAL_KEY: key,
    });
    const { id } = await bench.connection();
    expect((await bench.connect(id)).status).toBe(200);
  });
});
