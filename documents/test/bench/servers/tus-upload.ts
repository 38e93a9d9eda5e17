import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve, settings } from '../../../../test/bench/servers/report-port.js';

/** The server of tus with its store of files, as its own documentation begins. */
const { packages, directory } = settings<{ packages: string; directory: string }>();

interface TusServer {
  handle(request: object, response: object): Promise<void>;
}

const entryOf = (name: string): string =>
  pathToFileURL(join(packages, 'node_modules', '@tus', name, 'dist', 'index.js')).href;
const { Server } = (await import(entryOf('server'))) as { Server: new (options: object) => TusServer };
const { FileStore } = (await import(entryOf('file-store'))) as { FileStore: new (options: object) => object };
const tus = new Server({ path: '/files', datastore: new FileStore({ directory }) });

serve(createServer((request, response) => void tus.handle(request, response)));
