import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@sallyport/core/testing';
import { checkRequest, isOwnHost, readTarget } from '../src/internal/guard/check.js';
import { FaultLog, guardRequests } from '../src/internal/guard/listener.js';
import { POLICIES } from '../src/internal/guard/policies.js';

test.each([
  ['localhost:4701', true],
  ['127.0.0.1', true],
  ['[::1]:4701', true],
  ['notes.test:4701', true],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example:4701', false],
  ['localhost:4701@evil.example', false],
  ['evil.example', false],
  ['', false],
])('the name %s is this machine’s: %s', (host, expected) => {
  expect(isOwnHost(host, ['Notes.test'])).toBe(expected);
});

test.each([
  ['/notes?x=1', { path: '/notes', search: '?x=1', authority: undefined }],
  ['//192.0.2.9/x', { path: '//192.0.2.9/x', search: '', authority: undefined }],
  ['/\\192.0.2.9/x', { path: '/\\192.0.2.9/x', search: '', authority: undefined }],
  ['/http://192.0.2.9/x', { path: '/http://192.0.2.9/x', search: '', authority: undefined }],
  ['http://192.0.2.9/x?y', { path: '/x', search: '?y', authority: '192.0.2.9' }],
  ['HTTP://localhost:1', { path: '/', search: '', authority: 'localhost:1' }],
  ['http://localhost?x', { path: '/', search: '?x', authority: 'localhost' }],
  ['http://[', { path: '/', search: '', authority: '[' }],
  ['/%', { path: '/%', search: '', authority: undefined }],
  ['*', undefined],
  ['notes', undefined],
  ['', undefined],
  [undefined, undefined],
])('the target %s', (url, expected) => {
  expect(readTarget(url)).toEqual(expected);
});

describe('permissions of senders', () => {
  const own = { port: 4700, allowHosts: ['notes.test'] };
  const LOCAL = 'http://localhost:5173';
  const CROSS = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  const LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const FRAME = { ...LINK, 'sec-fetch-dest': 'iframe' };
  const EVIL = 'https://evil.example';

  /** The status of a rejection, else 200, for a door, the console and the Runtime API. */
  test.each<[string, object, readonly [door: number, console: number, runtime: number]]>([
    ['a program', {}, [200, 200, 200]],
    ['a program as localhost', { host: 'localhost:4700' }, [200, 200, 421]],
    ['a program over another port', { host: '127.0.0.1:8080' }, [200, 421, 421]],
    ['a program with an allowed name', { host: 'notes.test:4700' }, [200, 421, 421]],
    ['another name that resolves to this machine', { host: 'evil.example:4700' }, [421, 421, 421]],
    ['a name that only begins alike', { host: '127.0.0.1.evil.example:4700' }, [421, 421, 421]],
    ['a page of another site', { origin: EVIL }, [403, 403, 403]],
    ['a page without an origin', { origin: 'null' }, [403, 403, 403]],
    ['a page with a name like ours', { origin: 'http://localhost.evil.example' }, [403, 403, 403]],
    ['a page of an allowed name', { origin: 'https://notes.test' }, [200, 403, 403]],
    ['a front end at another port', { origin: LOCAL, 'sec-fetch-site': 'cross-site' }, [200, 403, 403]],
    ['the page itself', { origin: 'http://127.0.0.1:4700', 'sec-fetch-site': 'same-origin' }, [200, 200, 403]],
    ['a script without an origin of the page itself', { 'sec-fetch-site': 'same-origin' }, [200, 200, 403]],
    ['an image of another site', { ...CROSS, referer: `${EVIL}/` }, [403, 403, 403]],
    ['an image of another site without a referrer', CROSS, [403, 403, 403]],
    ['an image of a front end', { ...CROSS, referer: `${LOCAL}/` }, [200, 403, 403]],
    [
      'an image of a page with a user name like ours',
      { ...CROSS, referer: 'http://localhost@evil.example/' },
      [403, 403, 403],
    ],
    ['a link of another site', { ...LINK, referer: `${EVIL}/` }, [200, 200, 403]],
    ['a frame of another site', { ...FRAME, referer: `${EVIL}/` }, [403, 403, 403]],
    ['an address that was typed', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, [200, 200, 403]],
    ['a link within a page', { referer: 'http://127.0.0.1:4700/' }, [200, 200, 403]],
  ])('%s', (_name, headers, expected) => {
    const given = { method: 'GET', url: '/', headers: { host: '127.0.0.1:4700', ...headers } };
    const statuses = [POLICIES['gateway-v2'], POLICIES.console, POLICIES.runtime].map((policy) => {
      const checked = checkRequest(given, policy, own);
      return 'status' in checked ? checked.status : 200;
    });
    expect(statuses).toEqual(expected);
  });

  test.each([
    ['a form of another site', { method: 'POST', url: '/', headers: { host: 'localhost', ...LINK } }, 403],
    ['a request without a host', { method: 'GET', url: '/', headers: {} }, 400],
    [
      'two hosts',
      {
        method: 'GET',
        url: '/',
        headers: { host: 'localhost' },
        rawHeaders: ['Host', 'localhost', 'x', 'y', 'host', 'evil.example'],
      },
      400,
    ],
    [
      'an absolute target of another host',
      { method: 'GET', url: 'http://192.0.2.9/', headers: { host: 'localhost' } },
      421,
    ],
    ['a name of HTTP/2', { method: 'GET', url: '/', headers: { ':authority': 'evil.example' } }, 421],
    [
      'a name of HTTP/2 and another of HTTP/1.1',
      { method: 'GET', url: '/', headers: { ':authority': 'evil.example', host: 'localhost' } },
      421,
    ],
  ])('%s', (_name, given, status) => {
    expect(checkRequest(given, POLICIES['gateway-v2'], own)).toMatchObject({ status });
  });

  test('a rejection names the remedy', () => {
    const from = (headers: Record<string, string>) =>
      checkRequest(
        { method: 'POST', url: '/', headers: { host: 'localhost', ...headers } },
        POLICIES['gateway-v2'],
        own,
      );
    expect(from({ origin: EVIL })).toEqual({
      status: 403,
      message: 'gateway-v2 rejects requests of pages of other sites; --allow-host evil.example allows it',
    });
    expect(from({ host: 'evil.example:4701' })).toEqual({
      status: 421,
      message: 'gateway-v2 answers to localhost and 127.0.0.1 only; --allow-host evil.example allows it',
    });
  });
});

test('an error in a listener is a 500 without its text, and an answer that has begun is broken off', async () => {
  const faults: unknown[] = [];
  const guard = {
    policy: POLICIES['gateway-v2'],
    allowHosts: [],
    onFault: (error: unknown) => void faults.push(error),
  };
  const server = createServer(
    guardRequests(guard, async (_request, response, { path }) => {
      if (path === '/begun') response.writeHead(200).write('begun');
      if (path === '/rejects') await Promise.resolve();
      throw new Error(`secret of ${path}`);
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (path: string) =>
    new Promise<string>((resolve) => {
      sendRequest({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        let text = `${response.statusCode} `;
        response.on('data', (chunk) => (text += chunk));
        response.on('error', () => {});
        response.on('close', () => resolve(response.complete ? text : `${text} cut`));
      }).end();
    });
  try {
    expect(await ask('/throws')).toBe('500 {"message":"internal error"}');
    expect(await ask('/rejects')).toBe('500 {"message":"internal error"}');
    expect(await ask('/begun')).toMatch(/^200 .*cut$/);
    expect(faults).toEqual(['/throws', '/rejects', '/begun'].map((path) => new Error(`secret of ${path}`)));
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('a listener reports its errors once in ten seconds', async () => {
  const clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
  const notices: string[] = [];
  const faults = new FaultLog({ clock, notice: (text) => void notices.push(text) });
  for (let count = 0; count < 1000; count += 1) faults.report('the console', new Error(`fault ${count}`));
  faults.report('gateway-v2', new Error('another'));
  await clock.advance(10_000);
  faults.report('the console', new Error('later'));
  expect(notices).toEqual([
    'the console failed: fault 0',
    'gateway-v2 failed: another',
    'the console failed: later (and 999 times before)',
  ]);
});
