import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createProject, type Project } from './support/run.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const NOTES = join(HERE, '../../../examples/notes');
const MAIN = join(HERE, '../../cli/src/internal/main.ts');
const TSX = join(HERE, '../../../node_modules/tsx/dist/loader.mjs');

/** The example alone, in a separate folder. */
function createNotes(): Project {
  const project = createProject({});
  for (const name of ['dev', 'src', 'package.json', 'sallyport.json']) {
    cpSync(join(NOTES, name), join(project.folder, name), { recursive: true });
  }
  symlinkSync(join(NOTES, 'node_modules'), join(project.folder, 'node_modules'));
  return project;
}

const COMMAND = ['--conditions=@sallyport/source', '--import', TSX, MAIN];

/** Runs the command as a developer does; the environment has only the variables that a shell needs. */
function sallyport(cwd: string, args: readonly string[]): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...COMMAND, ...args],
      { cwd, env: { PATH: process.env.PATH, HOME: cwd } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, out: stdout + stderr });
      },
    );
  });
}

test('the example starts as npm start does it, in an empty home: the console answers, every operation is known', async () => {
  const project = createNotes();
  const { code, out } = await sallyport(project.folder, ['dev', '--check', '--port', '0', '--no-state']);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^checked {3}the console responds, \d+ routes, \d+ event handlers, 1 MCP server$/m),
  });
  project.remove();
});

/** The ports of a run that has started. */
async function portsOf(run: ChildProcessByStdio<null, Readable, null>): Promise<Record<string, number>> {
  for await (const line of createInterface({ input: run.stdout })) {
    const { type, ports } = JSON.parse(line) as { type?: string; ports: Record<string, number> };
    if (type === 'started') return ports;
  }
  throw new Error('the run ended before it started');
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

test.each([
  ['on', []],
  ['off', ['--no-state']],
])('with tables %s a token of the local issuer opens the routes and the MCP endpoint', async (tables, flags) => {
  const project = createNotes();
  const env = { PATH: process.env.PATH, HOME: project.folder };
  const args = [...COMMAND, 'dev', '--port', '0', '--json', ...flags];
  const run = spawn(process.execPath, args, { cwd: project.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(run, 'exit');
  try {
    const ports = await portsOf(run);
    const { token: consoleToken } = JSON.parse(readFileSync(join(project.folder, '.sallyport/run.json'), 'utf8'));
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${ports.console}/api/${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${consoleToken}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return response.json();
    };
    // Held until the engine is ready, which takes longer on a slow machine than the limiter waits.
    if (tables === 'on') await ask('data');
    const { token } = (await ask('token', { sub: 'ada', scopes: ['notes:read', 'notes:write'] })) as {
      token: string;
    };
    const api = `http://127.0.0.1:${ports['gateway-v2']}`;
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    // On a starved machine the limiter stops waiting for its store and denies. Clients retry.
    const request = async (path: string, init: RequestInit): Promise<{ status: number; body: string }> => {
      for (;;) {
        const response = await fetch(`${api}${path}`, init);
        const body = await response.text();
        if (response.status !== 503) return { status: response.status, body };
      }
    };
    expect(await request('/notes', { headers })).toMatchObject({ status: 200 });
    const initialize = { method: 'POST', body: JSON.stringify(INITIALIZE) };
    expect(await request('/mcp', { ...initialize, headers })).toMatchObject({ status: 200 });
    expect(await request('/mcp', initialize)).toMatchObject({ status: 401 });
    if (tables === 'on') {
      const { items } = (await ask('data/dynamodb/rate-limit')) as { items: readonly { pk: { S: string } }[] };
      const ofAda = items.filter(({ pk }) => pk.S.includes('"ada"') && pk.S.endsWith('/mcp#POST'));
      expect(ofAda.length).toBeGreaterThan(0);
    }
  } finally {
    run.kill('SIGTERM');
    await ended;
    project.remove();
  }
});
