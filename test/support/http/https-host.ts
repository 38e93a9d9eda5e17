import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { isIP, type AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/** An https server whose certificate names what it is told to be. */
export interface HttpsHost {
  port: number;
  /** What its clients have to trust, in PEM. */
  ca: string;
  close(): Promise<void>;
}

/** @param names of the host, or addresses */
export async function startHttpsHost(
  names: readonly string[],
  listener: RequestListener,
  address = '127.0.0.1',
): Promise<HttpsHost> {
  const altNames = names.map((value) =>
    isIP(value) === 0 ? { type: 2 as const, value } : { type: 7 as const, ip: value },
  );
  const extensions = [
    { name: 'basicConstraints' as const, cA: true },
    { name: 'subjectAltName' as const, altNames },
  ];
  const pems = await generate([{ name: 'commonName', value: names[0] ?? 'sandgate test' }], {
    keyType: 'ec',
    extensions,
  });
  const server = createServer({ key: pems.private, cert: pems.cert }, listener);
  server.listen(0, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca: pems.cert,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
