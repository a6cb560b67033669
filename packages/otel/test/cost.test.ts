import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApp } from '@sallyport/dispatch/app';
import { json } from '@sallyport/http';
import { bundleFunction } from '@sallyport/lambda-runtime';
import { buildAPIGatewayV2Request, buildQueueEvent } from '@sallyport/testkit';
import { tracing } from '../src/index.js';
import { collectSpans } from '../src/testing.js';

const MIB = 1024 * 1024;
const programOf = (name: string) => fileURLToPath(new URL(`./functions/${name}`, import.meta.url));

/** Runs a program, and returns the JSON that it prints. */
function printed(...args: readonly string[]): unknown {
  const { AWS_XRAY_DAEMON_ADDRESS: _address, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

it('allocates nothing for a span without a tracer', () => {
  const flags = ['--expose-gc', '--max-semi-space-size=64', '--min-semi-space-size=64'];
  const counted = printed(...flags, '--conditions=@sallyport/source', '--import', 'tsx', programOf('untraced.ts'));
  // A million spans: an object for each would be at least sixteen million bytes.
  expect((counted as { readonly bytes: number }).bytes).toBeLessThan(1_000_000);
});

it('loads only the module of the current span with its import, and no socket without an address', async () => {
  const { file, remove } = await bundleFunction(fileURLToPath(new URL('../src/index.ts', import.meta.url)));
  const lists = printed(programOf('loaded.mjs'), file) as Readonly<
    Record<'imported' | 'constructed', readonly string[]>
  >;
  await remove();
  const expensive = /NativeModule (?:dgram|http|https|net|zlib|dns|internal\/deps\/undici)/;
  expect([lists.imported, lists.constructed].flat().filter((name) => expensive.test(name))).toEqual([]);
});

it('keeps no memory of ten thousand requests, batches, failures and spans that never end', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const spans = collectSpans();
  const app = createApp({ log: false, observability: { span: tracing({ exporter: spans, ratio: 1 }) } });
  app.get('/ok', (ctx) => ctx.span('work', async () => json(200, {}), { kind: 'known' }));
  app.get('/broken', (ctx) => ctx.span('work', () => Promise.reject(new Error('broken'))));
  app.get('/open', (ctx) => {
    void ctx.span('forgotten', () => new Promise<never>(() => {}));
    return json(200, {});
  });
  app.queue('orders', (ctx) => ctx.span('work', () => {}));
  const queue = 'arn:aws:sqs:us-east-1:123456789012:orders';
  const events = [
    () => buildAPIGatewayV2Request('GET', '/ok'),
    () => buildAPIGatewayV2Request('GET', '/broken'),
    () => buildAPIGatewayV2Request('GET', '/open'),
    () => buildQueueEvent(queue, [{ body: '1' }, { body: '2' }]),
  ];
  let sent = 0;
  const heapAfter = async (calls: number) => {
    for (let call = 0; call < calls; call += 1) {
      await app.handleLambda(events[call % events.length]?.(), { getRemainingTimeInMillis: () => 3000 });
      sent += spans.spans.length;
      spans.clear();
    }
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(2000);
  const after = await heapAfter(10_000);
  // Two spans for each request, five for each batch of two records.
  expect(sent).toBe(3000 * (2 + 2 + 2 + 5));
  expect((after - before) / MIB).toBeLessThan(1);
});
