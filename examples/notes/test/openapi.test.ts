import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AuthorizationServer } from '@sallyport/oauth-lab';
import { createTestEnv } from '@sallyport/testkit';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { NotesService } from '../src/app.js';
import { describeNotes } from '../src/openapi.js';
import { AUDIENCE, createTestService, startIssuer } from './support.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const packageFolder = (name: string) => dirname(require.resolve(`${name}/package.json`));
let folder: string;
let issuer: AuthorizationServer;
let service: NotesService;
let server: Server;

/** A loopback server that turns requests into gateway v2 events. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [path = '/', query = ''] = (request.url ?? '/').split('?');
  const { statusCode, headers, body } = (await service.app.serveGatewayV2({
    version: '2.0',
    routeKey: '$default',
    rawPath: decodeURIComponent(path),
    rawQueryString: query,
    headers: request.headers,
    requestContext: { stage: '$default', http: { method: request.method, path, sourceIp: '127.0.0.1' } },
    body: Buffer.concat(chunks).toString(),
    isBase64Encoded: false,
  })) as { statusCode: number; headers: Record<string, string>; body: string };
  response.writeHead(statusCode, headers).end(body);
}

beforeAll(async () => {
  issuer = await startIssuer();
  service = createTestService(createTestEnv({ now: new Date() }), issuer, { limit: 1000 });
  folder = await mkdtemp(join(tmpdir(), 'notes-openapi-'));
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await issuer.close();
  await rm(folder, { recursive: true });
});

it('the document is valid OpenAPI 3.1 and states required permissions', async () => {
  const document = JSON.parse(describeNotes(service.app)) as Record<string, unknown>;
  const { valid, errors } = await new Validator().validate(document);
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(document['x-framework-contract-mode']).toBe('secure-v1');
});

it('a typed client made from the document compiles and calls the service', async () => {
  await writeFile(join(folder, 'openapi.json'), describeNotes(service.app));
  await writeFile(join(folder, 'client.ts'), CLIENT);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await mkdir(join(folder, 'node_modules'));
  await symlink(packageFolder('openapi-fetch'), join(folder, 'node_modules/openapi-fetch'));
  const node = (script: string, ...args: string[]) => run(process.execPath, [script, ...args], { cwd: folder });
  await node(join(packageFolder('openapi-typescript'), 'bin/cli.js'), 'openapi.json', '-o', 'api.d.ts');
  const options = '--strict --module nodenext --target es2022 --lib es2023,dom --skipLibCheck'.split(' ');
  await node(join(packageFolder('typescript'), 'bin/tsc'), ...options, 'client.ts');
  const token = await issuer.sign({ sub: 'ada', scope: 'notes:read notes:write' }, AUDIENCE);
  const { stdout } = await node('client.js', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token);
  expect(JSON.parse(stdout)).toEqual({
    health: 200,
    anonymous: 401,
    note: { id: 'note-1', title: 'Milk', text: 'one litre', authorId: 'ada' },
    title: 'Milk',
    added: 201,
    invalid: 422,
  });
});

/** The document types every member that the client reads. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';
declare const process: { argv: string[] };
const [, , baseUrl = '', token = ''] = process.argv;
const anonymous = createClient<paths>({ baseUrl });
const ada = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + token } });
const health = await anonymous.GET('/health');
const refused = await anonymous.GET('/notes/{id}', { params: { path: { id: 'note-1' } } });
const note = await ada.GET('/notes/{id}', { params: { path: { id: 'note-1' } } });
const added = await ada.POST('/notes', { body: { title: 'Bread', text: 'one loaf' } });
const invalid = await ada.POST('/notes', { body: { title: '', text: '' } });
const title: string | undefined = note.data?.title;
console.log(JSON.stringify({
  health: health.response.status,
  anonymous: refused.response.status,
  note: note.data,
  title,
  added: added.response.status,
  invalid: invalid.response.status,
}));
`;
