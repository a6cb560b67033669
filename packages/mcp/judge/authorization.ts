// The `authorization` scenarios of the conformance suite against an authorization server of our parts, and the inspector's command line with
// a token: `node --conditions=@sallyport/source --import tsx judge/authorization.ts`. Ends with 1 when a check is missed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDoor } from '@sallyport/oauth-lab';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { createMcpServer, mountMcp } from '../src/index.js';
import { createBearerGuard, jwtBearerValidator } from '../src/oauth.js';
import { LabServer } from './authorization-server.js';
// @ts-expect-error a script without types
import { inspect } from './inspector.mjs';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const here = dirname(fileURLToPath(import.meta.url));
const CLIENT = 'conformance';
let missed = 0;

function line(what: string, ok: boolean, text: string): void {
  if (!ok) missed += 1;
  process.stdout.write(`  ${ok ? 'ok    ' : 'MISSED'} ${what}: ${text}\n`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs the suite; opens the URLs that it prints for a user with a browser. */
async function runSuite(issuer: string, resource: string, port: number): Promise<readonly Check[]> {
  const out = mkdtempSync(join(tmpdir(), 'mcp-authorization-'));
  const main = join(here, '..', 'node_modules', 'conformance-next', 'dist', 'index.js');
  const args = [
    'authorization',
    '--url',
    issuer,
    '--client-id',
    CLIENT,
    '--resource',
    resource,
    '--port',
    String(port),
    '-o',
    out,
  ];
  const child = spawn(process.execPath, ['--import', join(here, 'fs-shim.mjs'), main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  let isOpened = false;
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    const [url] = /http:\/\/\S+\/authorize\?\S+(?=\s)/.exec(printed) ?? [];
    if (!url || isOpened) return;
    isOpened = true;
    void fetch(url);
  });
  await once(child, 'exit');
  const checks = readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('checks.json'))
    .flatMap((file) => JSON.parse(readFileSync(join(out, file), 'utf8')) as Check[]);
  rmSync(out, { recursive: true });
  return checks;
}

process.stdout.write('\nauthorization\n');
const [door, resourceDoor, port] = [await openDoor('gateway v2'), await openDoor('gateway v2'), await freePort()];
const resource = `${resourceDoor.origin}/mcp`;
const clients = { [CLIENT]: { redirect_uris: [`http://127.0.0.1:${port}/callback`] } };
const server = await LabServer.create({ issuer: door.origin, scopes: ['notes'], defaultScopes: ['notes'], clients });
door.handler = server.app.handleLambda as typeof door.handler;

const checks = await runSuite(door.origin, resource, port);
const failed = checks.filter(({ status }) => status !== 'SUCCESS');
const passed = checks.length - failed.length;
line(
  '0.2.0-alpha.12 authorization',
  failed.length === 0 && passed >= 3,
  `${passed} checks passed, ${failed.length} did not (wanted 3 and 0)`,
);
for (const { id, status, errorMessage } of failed) process.stdout.write(`      ${id} ${status}: ${errorMessage}\n`);

const validator = jwtBearerValidator({ issuer: door.origin, jwks: server.jwks as never, audience: [resource] });
const { principalResolver, challenge } = createBearerGuard({ validator });
const app = new SecureApp({ principalResolver, challenge, log: false });
mountMcp(
  app,
  createMcpServer({ name: 'notes', version: '1.0.0' }).tool('who', {}, () => 'ada'),
  { posture: Authenticated('notes') },
);
resourceDoor.handler = app.handleLambda as typeof resourceDoor.handler;
const token = await server.sign({ resource, scopes: ['notes'] }, new Date());
const call = [resource, '--transport', 'http', '--method', 'tools/call', '--tool-name', 'who'];
const signedIn = await inspect([...call, '--header', `Authorization: Bearer ${token}`]);
line(
  'inspector CLI with a token',
  signedIn.status === 0 && signedIn.output.includes('ada'),
  `ended with ${signedIn.status}`,
);
const anonymous = await inspect([...call, '--header', 'Authorization: Bearer wrong']);
line('inspector CLI with a wrong one', anonymous.status !== 0, `ended with ${anonymous.status}`);

await Promise.all([door.close(), resourceDoor.close()]);
process.exit(missed > 0 ? 1 : 0);
