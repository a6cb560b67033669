/** The report of the process of a service about its WebSocket routes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const GATE = fileURLToPath(new URL('../child/gate.mjs', import.meta.url));
const SERVICE = `
import { bind, json, message } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { z } from 'zod';
const app = new SecureApp({ principalResolver: () => null, socket: { envelope: { route: 'do', data: 'payload' } } });
const answer = () => json(200, {});
app.webSocket('send', message(z.object({ text: z.string() }), answer, { member: 'payload' }), Authenticated());
app.webSocket('move', bind({ body: z.object({ x: z.number() }) }, answer), Authenticated());
app.webSocket('wait', message(z.object({ until: z.date() }), answer, { member: 'payload' }), Authenticated());
app.webSocket('$connect', answer, Authenticated());
export const handler = app.handleLambda;
`;

test('gate.mjs describes the messages of WebSocket routes with their envelope', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-'));
  const entry = join(folder, 'service.mjs');
  buildSync({
    stdin: { contents: SERVICE, resolveDir: dirname(fileURLToPath(import.meta.url)) },
    outfile: entry,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@sallyport/source'],
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const start = { entry: pathToFileURL(entry).href, handler: 'handler', variables: {} };
  const child = spawn(process.execPath, [GATE], {
    env: { SALLYPORT_LOCAL_GATE: JSON.stringify({ start }) },
    stdio: ['ignore', 'ignore', 'inherit', 'ignore', 'pipe', 'pipe'],
  });
  let text = '';
  // The type of `stdio` ends at descriptor 4.
  const output = (child.stdio as readonly unknown[])[5] as Readable;
  for await (const part of output) text += String(part);
  rmSync(folder, { recursive: true });
  const { inspection } = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { inspection?: { routes: Record<string, unknown>[] } })
    .find((line) => line.inspection) as { inspection: { routes: Record<string, unknown>[] } };
  const found = inspection.routes.map(({ webSocketRouteKey, action, payload }) => [webSocketRouteKey, action, payload]);
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  expect(found).toEqual([
    [
      'send',
      'do',
      {
        type: 'object',
        properties: {
          do: { const: 'send' },
          payload: { $schema, type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
        required: ['do', 'payload'],
      },
    ],
    ['move', 'do', { $schema, type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }],
    ['wait', 'do', undefined],
    ['$connect', 'do', undefined],
  ]);
});
