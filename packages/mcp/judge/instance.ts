// One instance of the judged function: receives HTTP, converts it to function URL events, and answers through the front door.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { guardStore } from './guard-store.js';
import { connectStore } from './store-wire.js';

const FUNCTION_TIMEOUT_MS = 30_000;

const args = new Map(process.argv.slice(2).map((arg) => arg.replace(/^--/, '').split('=') as [string, string]));
const store = connectStore(Number(args.get('store')));
const fresh = args.get('fresh') === 'true';
const buffered = args.get('buffered') === 'true';
const shared = createApp(store);

const server = createServer((incoming, outgoing) => {
  serve(incoming, outgoing).catch((error: unknown) => {
    process.stderr.write(`judge: ${error instanceof Error ? error.stack : String(error)}\n`);
    outgoing.destroy();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const event = await toFunctionUrlEvent(incoming);
  const started = Date.now();
  const lambdaContext = {
    awsRequestId: crypto.randomUUID(),
    getRemainingTimeInMillis: () => FUNCTION_TIMEOUT_MS - (Date.now() - started),
  };
  const guarded = guardStore(store, (what) => process.send?.({ violation: what }));
  const app = fresh ? createApp(guarded.store, store) : shared;
  if (buffered) await app.answerBuffered(event, lambdaContext, outgoing, guarded.end);
  else await app.answerStreaming(event, lambdaContext, outgoing, guarded.end);
}

async function toFunctionUrlEvent(incoming: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const [path = '/', query = ''] = (incoming.url ?? '/').split('?');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join(',') : (value ?? '');
  const domainName = 'judged.lambda-url.eu-west-1.on.aws';
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: {
      domainName,
      stage: '$default',
      http: {
        method: incoming.method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
    },
    body: Buffer.concat(chunks).toString('base64'),
    isBase64Encoded: true,
  };
}
