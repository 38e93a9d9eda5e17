import { openConnectProxy } from '../../../src/runner/bridge/connect-proxy.js';
import { RefusalLog } from '../../../src/runner/bridge/refusal-log.js';
import { settings } from './report-port.js';

/** The proxy of a run, in a process of its own as the runner is. */
const { socketPath, token } = settings<{ socketPath: string; token: string }>();
process.once('disconnect', () => process.exit(0));
const proxy = await openConnectProxy({ controlUrl: 'http://plane', socketPath, token }, new RefusalLog());
process.send?.({ port: Number(new URL(proxy.url).port) });
