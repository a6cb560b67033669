import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { upload } from '../src/index.js';

let store: Server;
let received: { method: string; headers: IncomingHttpHeaders; body: string }[];

beforeAll(async () => {
  store = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ method: request.method ?? '', headers: request.headers, body });
    const status = Number(request.url?.slice(1));
    if (status > 0) response.writeHead(status).end();
    else if (request.url === '/lost') request.socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
});
beforeEach(() => {
  received = [];
});
afterAll(() => {
  store.closeAllConnections();
  store.close();
});

const target = (path: string) => ({
  method: 'PUT',
  url: `http://127.0.0.1:${(store.address() as AddressInfo).port}/${path}`,
  headers: { 'Content-Length': '3', Host: 'notes', 'x-amz-checksum-crc32': 'NSRBwg==' },
});
const body = new Blob(['abc'], { type: 'text/plain' });

it.each(['200', '204'])('sends the bytes with the signed headers, and reports the end: %s', async (status) => {
  const progress: number[][] = [];
  await upload(target(status), body, { onProgress: (...sizes) => progress.push(sizes) });
  expect(progress).toEqual([[3, 3]]);
  expect(received).toMatchObject([
    { method: 'PUT', headers: { 'content-length': '3', 'x-amz-checksum-crc32': 'NSRBwg==' }, body: 'abc' },
  ]);
  expect(received[0]?.headers.host).toMatch(/^127\.0\.0\.1:/);
});

it.each([300, 304, 403, 503])('a store that answers %d has rejected it', async (status) => {
  const onProgress = import.meta.jest.fn();
  await expect(upload(target(`${status}`), body, { onProgress })).rejects.toMatchObject({
    code: 'client.foreign',
    status,
  });
  expect(onProgress).not.toHaveBeenCalled();
});

it.each([
  ['a lost connection', 'lost', {}, 'client.network'],
  ['a store that does not answer', 'silent', { timeoutMs: 50 }, 'client.timeout'],
  ['a caller that has left', '200', { signal: AbortSignal.abort(), timeoutMs: 60_000 }, 'client.aborted'],
])('%s fails the upload', async (_title, path, options, code) => {
  await expect(upload(target(path), body, options)).rejects.toMatchObject({ code });
});

it('a caller can leave while it waits', async () => {
  const leave = new AbortController();
  const sent = upload(target('silent'), body, { signal: leave.signal });
  leave.abort();
  await expect(sent).rejects.toMatchObject({ code: 'client.aborted' });
});
