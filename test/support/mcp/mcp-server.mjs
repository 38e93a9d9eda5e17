// A stdio MCP server whose tools misbehave on request. Speaks the wire format by itself, so that the client meets another
// implementation than its own. First argument: how it starts (ok, exit, mute, chatty).
import { createInterface } from 'node:readline';

const [mode = 'ok'] = process.argv.slice(2);
if (mode === 'exit') {
  process.stderr.write('config file is missing\n');
  process.exit(3);
}
if (mode === 'chatty') process.stdout.write('starting up on stdio…\n{not json\n');

const TOOLS = [
  'echo',
  'environment',
  'fail',
  'big',
  'slow',
  'crash',
  'flood',
  'mixed',
  'structured',
  'count',
  'hidden',
];
let calls = 0;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => [{ type: 'text', text: value }];

const PERFORM = {
  echo: (input) => ({ content: text(JSON.stringify(input)) }),
  environment: () => ({
    content: text(JSON.stringify({ env: process.env, argv: process.argv.slice(2), cwd: process.cwd() })),
  }),
  fail: () => ({ content: text('no such record'), isError: true }),
  big: () => ({ content: text(`HEAD${'x'.repeat(200_000)}TAIL`) }),
  slow: () => null,
  crash: () => process.exit(7),
  flood: () => {
    process.stdout.write('{"jsonrpc":"2.0","id":1,"result":"');
    const more = () => {
      while (process.stdout.write('x'.repeat(65_536)));
      process.stdout.once('drain', more);
    };
    more();
    return null;
  },
  mixed: () => ({ content: [...text('seen'), { type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
  structured: () => ({ content: [], structuredContent: { answer: 42 } }),
  count: () => ({ content: text(String((calls += 1))) }),
  hidden: () => ({ content: text('should never be reached') }),
};

const HANDLE = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: TOOLS.map((name) => ({
      name,
      description: `server's own words about ${name}`,
      inputSchema: { type: 'object' },
    })),
  }),
  'tools/call': ({ name, arguments: input }) => PERFORM[name](input),
};

if (mode !== 'mute') {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (HANDLE[method] === undefined) return send({ id, error: { code: -32601, message: 'method not found' } });
    const result = HANDLE[method](params);
    if (result !== null) send({ id, result });
  });
}
