import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createNotes, NOTES_SPEC } from './support/notes.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const tools = {
  redocly: join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js'),
  generator: join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js'),
  client: dirname(require.resolve('openapi-fetch/package.json')),
  tsc: join(dirname(require.resolve('typescript/package.json')), 'bin/tsc'),
};
/** Runs a tool in the folder by this very Node. */
const node = (script: string, args: readonly string[], env = process.env) =>
  run(process.execPath, [script, ...args], { cwd: folder, env });

let folder: string;
let server: Server;
let origin: string;

/** A loopback server that turns requests into gateway v2 events. */
async function listen(): Promise<void> {
  const app = createNotes({
    principalResolver: (ctx) =>
      ctx.header('authorization') === 'Bearer good'
        ? { identity: 'ada', scopes: ['notes:read', 'notes:list', 'notes:write'] }
        : null,
  });
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path = '/', query = ''] = (request.url ?? '/').split('?');
    const answer = (await app.serveGatewayV2({
      version: '2.0',
      routeKey: '$default',
      rawPath: decodeURIComponent(path),
      rawQueryString: query,
      headers: request.headers,
      requestContext: { stage: '$default', http: { method: request.method, path, sourceIp: '127.0.0.1' } },
      body: Buffer.concat(chunks).toString(),
      isBase64Encoded: false,
    })) as { statusCode: number; headers: Record<string, string>; body: string };
    response.writeHead(answer.statusCode, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secure-openapi-'));
  await writeFile(join(folder, 'openapi.json'), createNotes().generateOpenAPIJSON(NOTES_SPEC));
  await listen();
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

describe('the document of a secure application', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(createNotes().generateOpenAPIJSON(NOTES_SPEC)));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  it('passes a public linter without errors', async () => {
    const config = join(folder, 'redocly.yaml');
    await writeFile(config, 'extends: [recommended]\nrules:\n  no-empty-servers: off\n');
    const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await node(
      tools.redocly,
      ['lint', 'openapi.json', '--config', config, '--format', 'json'],
      environment,
    );
    expect((JSON.parse(stdout) as { totals: { errors: number } }).totals.errors).toBe(0);
  });

  it('makes a typed client that compiles and calls the application', async () => {
    await node(tools.generator, ['openapi.json', '-o', 'api.d.ts']);
    await writeFile(join(folder, 'client.ts'), CLIENT);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await mkdir(join(folder, 'node_modules'));
    await symlink(tools.client, join(folder, 'node_modules/openapi-fetch'));
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom', '--skipLibCheck'];
    await node(tools.tsc, [...options, 'client.ts']);
    const { stdout } = await node('client.js', [origin]);
    expect(JSON.parse(stdout)).toEqual({
      health: 200,
      anonymous: 401,
      note: { id: 'n 7', title: 'ada' },
      created: { id: 'n1', title: 'Milk' },
      invalid: 422,
      forbidden: 403,
    });
  });
});

/** It reads only members with a type in the document. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';
declare const process: { argv: string[] };
const baseUrl = process.argv[2] as string;
const anonymous = createClient<paths>({ baseUrl });
const ada = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer good' } });
const health = await anonymous.GET('/health');
const refused = await anonymous.GET('/notes/{id}', { params: { path: { id: '1' } } });
const note = await ada.GET('/notes/{id}', { params: { path: { id: 'n 7' } } });
const created = await ada.POST('/notes', { body: { title: 'Milk' } });
const invalid = await ada.POST('/notes', { body: { title: '' } });
const forbidden = await ada.DELETE('/notes/{id}', { params: { path: { id: '1' } } });
const title: string | undefined = note.data?.title;
console.log(JSON.stringify({
  health: health.response.status,
  anonymous: refused.response.status,
  note: { id: note.data?.id, title },
  created: created.data,
  invalid: invalid.response.status,
  forbidden: forbidden.response.status,
}));
`;
