import { type IncomingHttpHeaders, request } from 'node:http';
import { DEV_FLAGS, parseArguments, toFlags } from '../src/internal/commands/arguments.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

const SERVICE = `
export const handler = async (event) => ({
  statusCode: 200,
  headers: { 'x-form': 'single' },
  multiValueHeaders: { 'x-form': ['multi'], 'set-cookie': ['a=1', 'b=2'] },
  body: JSON.stringify([event.headers?.['x-a'] ?? event.multiValueHeaders['x-a'], event.queryStringParameters ?? event.multiValueQueryStringParameters]),
});`;

describe('multi-value headers of the load balancer', () => {
  let project: Project;
  let host: RunningHost | undefined;
  beforeEach(() => {
    project = createProject({ 'src/lambda.mjs': SERVICE });
  });
  afterEach(async () => {
    await host?.stop();
    project.remove();
  });

  test.each([
    ['off', [], 'single', [], ['2', { q: 'y' }]],
    ['on', ['--multi-value-headers'], 'multi', ['a=1', 'b=2'], [['1', '2'], { q: ['x', 'y'] }]],
  ])('%s: both the event and the answer have the form', async (_name, args, form, cookies, seen) => {
    host = await start(project, toFlags(parseArguments(args, DEV_FLAGS), DEV_FLAGS));
    const { status, headers, text } = await get(host.ports['load-balancer']);
    expect(status).toBe(200);
    expect(headers['x-form']).toBe(form);
    expect(headers['set-cookie'] ?? []).toEqual(cookies);
    expect(JSON.parse(text)).toEqual(seen);
  });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** `fetch` joins headers of one name. */
function get(port: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = { port, host: '127.0.0.1', path: '/?q=x&q=y', headers: { 'x-a': ['1', '2'] } };
    request(sent, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
    })
      .on('error', reject)
      .end();
  });
}
