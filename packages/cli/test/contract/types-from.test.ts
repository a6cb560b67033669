/** `sallyport types --from`: the contract of another service, from a file, an installed package or a URL. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toContract } from '@sallyport/contract/service';
import { TYPES_COMMAND } from '../../src/command.js';
import { fetchText } from '../../src/contract/internal/foreign-contract.js';
import { runIn } from '../support/run.js';

const CONTRACT = JSON.stringify(
  toContract('orders', [
    {
      function: 'src/lambda.ts',
      routes: [{ surface: 'http', method: 'GET', path: '/orders/{id}' }],
      triggers: [],
      sends: {},
    },
  ]),
);
const TYPES = `/** Written by \`sallyport types\`. */
export interface Contract {
  http: {
    'GET /orders/{id}': { params: { id: string } };
  };
}
`;

let folder: string;
let server: Server;
let url: string;
const requests: IncomingMessage[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'types-from-'));
  writeFileSync(join(folder, 'package.json'), '{"name":"caller"}');
  server = createServer((request, response) => {
    requests.push(request);
    switch (request.url) {
      case '/contract.json':
        return void response.end(CONTRACT);
      case '/moved':
        return void response.writeHead(302, { location: '/contract.json' }).end();
      case '/page':
        return void response.end('<!doctype html>');
      case '/later':
        return void response.end(JSON.stringify({ ...(JSON.parse(CONTRACT) as object), version: 99 }));
      case '/half':
        return void response.write('{"version":1,');
      case '/endless': {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        return more();
      }
      case '/silent':
        return undefined;
      default:
        return void response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const types = (from: string) => runIn(folder, TYPES_COMMAND.run, ['--from', from, '--out', 'other.d.ts']);

const install = (name: string, files: Readonly<Record<string, string>>) => {
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, 'node_modules', name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
};

describe('writes the types of', () => {
  beforeEach(() => rmSync(join(folder, 'other.d.ts'), { force: true }));
  beforeAll(() => {
    writeFileSync(join(folder, 'orders.json'), CONTRACT);
    install('orders-contract', { 'contract.json': CONTRACT });
    install('@team/orders', { 'package.json': '{"exports":{".":"./index.d.ts"}}', 'contract.json': CONTRACT });
  });

  it.each([
    ['a file', () => 'orders.json'],
    ['an installed package', () => 'orders-contract'],
    ['a package that does not export the file', () => '@team/orders'],
    ['a URL', () => `${url}/contract.json`],
    ['a URL that redirects', () => `${url}/moved`],
  ])('%s', async (_case, from) => {
    expect(await types(from())).toEqual({ code: 0, out: 'other.d.ts\n', err: '' });
    expect(readFileSync(join(folder, 'other.d.ts'), 'utf8')).toBe(TYPES);
  });

  it('a URL, without credentials', () => {
    const names = requests.flatMap(({ headers }) => Object.keys(headers));
    expect(names).not.toEqual(expect.arrayContaining(['authorization']));
    expect(names).not.toEqual(expect.arrayContaining(['cookie']));
  });
});

it.each([
  ['/gone', 'answered 404'],
  ['/page', 'is not JSON'],
  ['/later', 'version'],
])('the URL %s is rejected: %s', async (path, problem) => {
  const { code, out, err } = await types(url + path);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(problem);
});

it.each([
  ['nothing', 'nothing is not a file, and not an installed package with contract.json'],
  ['http://127.0.0.1:1/contract.json', 'http://127.0.0.1:1/contract.json did not answer: '],
  ['https://', 'https:// is not a valid URL'],
])('%s is rejected', async (from, problem) => {
  const { code, err } = await types(from);
  expect(code).toBe(2);
  expect(err).toContain(problem);
});

it('a URL with a password is not requested, and the password is not printed', async () => {
  const before = requests.length;
  const { code, err } = await types(url.replace('//', '//ada:hunter2@'));
  expect([code, requests.length]).toEqual([2, before]);
  expect(err).toContain('has a user name: nothing is sent to it');
  expect(err).not.toContain('hunter2');
});

it.each([
  ['/endless', { timeoutMs: 30_000, bytes: 1_000_000 }, 'has more than 1000000 bytes'],
  ['/silent', { timeoutMs: 50, bytes: 1_000_000 }, 'did not answer within 0.05 s'],
  ['/half', { timeoutMs: 50, bytes: 1_000_000 }, 'did not answer within 0.05 s'],
])('%s ends at the limits %j', async (path, limits, problem) => {
  await expect(fetchText(url + path, new AbortController().signal, limits)).rejects.toMatchObject({
    code: 'cli.usage',
    message: expect.stringContaining(problem),
  });
});
