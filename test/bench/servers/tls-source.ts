import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { serve } from './report-port.js';

const BLOCK = Buffer.alloc(1 << 20, 7);
const pems = await generate([{ name: 'commonName', value: 'bench' }], { keyType: 'ec' });

/** Sends as many mebibytes as the path says, as fast as they are taken. */
serve(
  createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    let left = Number(request.url?.slice(1));
    response.setHeader('content-length', left * BLOCK.length);
    const send = (): void => {
      while (left > 0) {
        left -= 1;
        if (!response.write(BLOCK)) {
          response.once('drain', send);
          return;
        }
      }
      response.end();
    };
    send();
  }),
);
