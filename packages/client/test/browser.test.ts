/** The client in a page of Chromium, of another origin than the service that `sallyport dev` runs. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, launchBrowser, type Page } from '@sallyport/browser';
import { build } from 'esbuild';
import { type Running, startDev } from './support/dev.js';

let pages: Server;
let dev: Running;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'client',
  });
  const script = outputFiles[0]?.text ?? '';
  pages = createServer((request, response) => {
    if (request.method === 'PUT') {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on('end', () => response.writeHead(request.url === '/denied' ? 403 : 200).end(String(bytes)));
      return;
    }
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>shop</title><script>${script}</script>`);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  [dev, browser] = await Promise.all([startDev({ PAGE_ORIGIN: origin }), launchBrowser()]);
  page = await browser.newPage();
  await page.goto(origin);
});
afterAll(async () => {
  await browser?.close();
  await dev?.stop();
  pages?.close();
});

/** Runs code in the page, which has `client` and an `api` for one door. */
const run = (door: string, code: string) =>
  page.evaluate(`(async () => {
    const api = client.createClient({
      url: 'http://127.0.0.1:${dev.ports[door]}',
      headers: () => ({ authorization: 'Bearer ada' }),
    });
    ${code}
  })()`);

it.each(['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'])(
  'all kinds of calls through %s',
  async (door) => {
    const seen = await run(
      door,
      `const { ok, status, data } = await api('GET /orders/{id}', { params: { id: 'ü' } });
     const gone = await api('GET /orders/{id}', { params: { id: 'gone' } });
     const made = await api('POST /orders', { body: { item: 'tea' }, idempotencyKey: true });
     const ticks = [];
     for await (const tick of client.events(api, 'GET /ticks', { query: { count: 2 } })) ticks.push(tick.data.at);
     const sum = await client.callTool(api, 'add', { a: 1, b: 2 });
     return { found: [ok, status, data], gone: [gone.status, gone.error.code, gone.requestId !== undefined],
       made: [made.status, made.headers.get('location')], ticks, sum: sum.data };`,
    );
    expect(seen).toEqual({
      found: [true, 200, { id: 'ü', item: 'tea' }],
      gone: [404, 'app.not_found', true],
      made: [201, '/orders/o1'],
      ticks: [1, 2],
      sum: { sum: 3 },
    });
  },
);

it('a WebSocket of the platform', async () => {
  const said = await run(
    'gateway-v2',
    `const socket = await client.openSocket({ url: 'ws://127.0.0.1:${dev.ports.websocket}' });
     const said = new Promise((resolve) => socket.on('said', resolve));
     socket.send('say', { text: 'hello' });
     return said.finally(socket.close);`,
  );
  expect(said).toEqual({ text: 'hello' });
});

it('an upload with its progress, and a rejected upload', async () => {
  const seen = await run(
    'gateway-v2',
    `const sent = [];
     const target = { method: 'PUT', url: '/store', headers: { 'content-length': '300000', 'x-amz-meta-a': 'b' } };
     await client.upload(target, new Blob([new Uint8Array(300000)]), { onProgress: (bytes, all) => sent.push(bytes, all) });
     const refused = await client.upload({ ...target, url: '/denied' }, new Blob(['x'])).catch(({ code, status }) => [code, status]);
     return { last: sent.slice(-2), refused };`,
  );
  expect(seen).toEqual({ last: [300000, 300000], refused: ['client.foreign', 403] });
});
