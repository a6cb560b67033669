/** Bundles without parts of the framework: chosen from the registrations, and every use of a missing part is rejected. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildAppSyncBatch,
  buildAppSyncEvent,
  buildEventBusEvent,
  buildKinesisEvent,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
  buildQueueEvent,
  buildTableStreamEvent,
  buildTopicEvent,
  buildWebSocketEvent,
} from '@sallyport/testkit/events';
import { BUILD_COMMAND } from '../src/command.js';
import { type BundleOptions, OPTIONAL_PARTS } from '../src/index.js';
import { unusedParts } from '../src/leave-out/parts.js';
import { bundle, FUNCTIONS, MAJOR, newFolder, start } from './support/bundles.js';

const FRAMEWORK = join(FUNCTIONS, 'framework.ts');
const folder = newFolder();

let count = 0;
function sourceOf(text: string): string {
  count += 1;
  const file = join(folder, `lambda-${count}.ts`);
  writeFileSync(file, text);
  return file;
}

/** An open application with a route. @param options of `createApp` @param more statements after the route */
const openApp = (options = '', more = '') =>
  sourceOf(`
import { createApp, createGatewayRestStreamingHandler, json } from '${FRAMEWORK}';
const app = createApp(${options});
app.get('/health', () => json(200, { ok: true }));
${more}
export const handler = app.handleLambda;
`);

const HEALTH = buildAPIGatewayV2Request('GET', '/health');
const ok = (folder: string) =>
  expect(start(folder, [HEALTH]).answers).toMatchObject([{ statusCode: 200, body: '{"ok":true}' }]);
const errorOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
  return 'no error';
};

const UNUSED = ['events', 'websocket', 'graphql', 'surfaces', 'cors', 'hooks'];

describe('unused parts', () => {
  it.each<[readonly string[], readonly string[]]>([
    [[], UNUSED],
    [['log', 'basePath'], UNUSED],
    [['events'], ['websocket', 'graphql', 'surfaces', 'cors', 'hooks']],
    [['surfaces'], ['websocket', 'graphql', 'cors', 'hooks']],
    [
      ['queueConcurrency', 'errorMode', 'webSocketSupport'],
      ['surfaces', 'cors', 'hooks'],
    ],
    [
      ['cors', 'notFound'],
      ['events', 'websocket', 'graphql', 'surfaces'],
    ],
  ])('for an application that uses %j', (uses, expected) => {
    expect(unusedParts(uses)).toEqual(expected);
  });

  it('are left out, and the application answers as before', () => {
    const made = bundle(join(FUNCTIONS, 'secure.ts'), { leaveOut: ['unused'] });
    expect([made.leftOut, made.warnings]).toEqual([['websocket', 'graphql', 'surfaces', 'cors', 'hooks'], []]);
    const full = bundle(join(FUNCTIONS, 'secure.ts'));
    expect(full.leftOut).toEqual([]);
    expect(readFileSync(made.file).length).toBeLessThan(readFileSync(full.file).length * 0.92);
    const queue = buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: {} }]);
    const [health, batch] = start(made.folder, [HEALTH, queue]).answers;
    expect(health).toMatchObject({ statusCode: 200 });
    expect(batch).toEqual({ batchItemFailures: [] });
    expect(made.inventory?.triggers).toEqual([{ kind: 'queue', name: 'orders' }]);
  });

  it('nothing is left out if the application uses everything', () => {
    const { leftOut, warnings } = bundle(join(FUNCTIONS, 'everything.ts'), { leaveOut: ['unused'] });
    expect([leftOut, warnings]).toEqual([['cors', 'hooks'], []]);
  });

  it('are not in a bundle with a start cache', () => {
    const { leftOut, caches, folder } = bundle(openApp(), { leaveOut: ['unused'], startCache: true });
    expect([leftOut, caches.length]).toEqual([UNUSED, 1]);
    ok(folder);
  });

  it('are left out of ES modules: an entry with top-level await, and code that is loaded on first use', () => {
    writeFileSync(join(folder, 'later.ts'), "import { cors } from './cors.js';\nexport const later = cors;\n");
    writeFileSync(join(folder, 'cors.ts'), `export { cors } from '${FRAMEWORK}';\n`);
    const entry = openApp('', "await Promise.resolve();\nexport const load = () => import('./later.js');");
    const made = bundle(entry, { leaveOut: ['unused'] });
    expect([made.format, made.leftOut, made.warnings]).toEqual(['esm', UNUSED, []]);
    // The files of the full bundle are removed.
    const modules = readdirSync(made.folder).filter((name) => name.endsWith('.mjs'));
    expect(modules.map((name) => readFileSync(join(made.folder, name), 'utf8')).join('')).not.toContain(
      'batchItemFailures',
    );
  });
});

describe('everything is bundled', () => {
  it('if the application throws when it is loaded, with the reason', () => {
    const entry = openApp('', "if (process.env.TABLE !== 'notes') throw new Error('TABLE is missing');");
    const made = bundle(entry, { leaveOut: ['unused'] });
    const reason = 'the application does not load in the build: Error: TABLE is missing';
    expect([made.leftOut, made.warnings]).toEqual([[], [{ code: 'nothing_left_out', reason }]]);
    const known = bundle(entry, { leaveOut: ['unused'], environment: { TABLE: 'notes' } });
    expect([known.leftOut, known.warnings]).toEqual([UNUSED, []]);
  });

  it('for handlers that do not describe what they use', () => {
    const warnings = [
      {
        code: 'not_a_container',
        reason: 'only the handlers of createApp and SecureApp describe the parts that they use',
      },
    ];
    const plain = bundle(sourceOf('export const handler = async () => 1;\n'), { leaveOut: ['unused'] });
    expect([plain.leftOut, plain.warnings]).toEqual([[], warnings]);
    const router = sourceOf(`
import { cors, createDispatcher, createHttpRouter, json } from '${FRAMEWORK}';
const http = createHttpRouter({ cors: cors({}) });
http.get('/health', () => json(200, { ok: true }));
export const handler = createDispatcher(http).handleLambda;
`);
    const made = bundle(router, { leaveOut: ['unused'] });
    expect([made.leftOut, made.warnings]).toEqual([[], warnings]);
    const named = bundle(router, { leaveOut: ['explain', 'load-balancer', 'forms'] });
    expect([named.leftOut, named.warnings]).toEqual([['forms', 'explain', 'load-balancer'], []]);
    ok(named.folder);
    const [refused] = start(named.folder, [buildLoadBalancerRequest('GET', '/health')]).answers;
    expect(refused).toMatchObject({ code: 'dispatch.no_adapter' });
  });

  it('if a part is used by code that the handler does not describe', () => {
    const entry = openApp('', "const other = createApp();\nother.topic('alerts', () => undefined);");
    const { leftOut, warnings, folder } = bundle(entry, { leaveOut: ['unused'] });
    expect([leftOut, warnings]).toEqual([
      [],
      [
        {
          code: 'nothing_left_out',
          reason: expect.stringContaining('topic(), eventBus() or useEvents() is not in this bundle') as string,
        },
      ],
    ]);
    ok(folder);
    expect(bundle(entry, { leaveOut: ['unused'], tools: false }).leftOut).toEqual([]);
  });
});

it('a part is kept whose registration depends on a variable that only the function has', () => {
  const entry = openApp(
    'process.env.ORIGIN ? { cors: { allowedOrigins: [process.env.ORIGIN] } } : {}',
    "if (process.env.QUEUE) app.queue('orders', () => undefined);\napp.useEvents((_ctx, _event, next) => next());",
  );
  expect(bundle(entry, { leaveOut: ['unused'] }).leftOut).toEqual(['websocket', 'graphql', 'surfaces', 'hooks']);
});

describe('the use of a part that is left out', () => {
  const secure = (options: string, more = '') =>
    sourceOf(`
import { json, Public, SecureApp } from '${FRAMEWORK}';
const app = new SecureApp(${options});
${more}
export const handler = app.handleLambda;
`);
  const SPEC =
    "{ title: 'a', version: '1', routes: [], securitySchemes: {}, authSchemes: { authenticated: [], internalOnly: [] } }";
  it.each<[BundleOptions['leaveOut'], string, () => string]>([
    [
      ['events'],
      'queue(), tableStream(), kinesis(), topic(), eventBus() or useEvents()',
      () => openApp('', "app.queue('orders', () => undefined);"),
    ],
    [['websocket'], 'app.webSocket()', () => openApp('', "app.webSocket('$connect', () => json(200, {}));")],
    [
      ['graphql'],
      'appSyncField() or appSyncBatchField()',
      () => openApp('', "app.appSyncField('Query', 'a', () => json(200, {}));"),
    ],
    [['cors'], 'option "cors"', () => secure('{ cors: {} }')],
    [['openapi'], 'generateOpenAPI()', () => secure('{}', `app.generateOpenAPI(${SPEC});`)],
    [['gateway-v1'], 'the front door gateway-v1', () => openApp('', 'createGatewayRestStreamingHandler(app);')],
  ])('%j: %s is a named error of the build', (leaveOut, what, entryOf) => {
    const [part] = leaveOut ?? [];
    expect(errorOf(() => bundle(entryOf(), leaveOut && { leaveOut }))).toBe(
      `bundle.left_out: framework: bundleFunction: the application does not load without ${part}: FrameworkError: framework: ${what} is not in this bundle, which was built with the condition sallyport-no-${part}; build it without this condition; remove the part from leaveOut`,
    );
  });

  it('other registrations are a named error too', () => {
    const more = "try { app.queue('orders', () => undefined); } catch { app.get('/none', () => json(200, {})); }";
    expect(errorOf(() => bundle(openApp('', more), { leaveOut: ['events'] }))).toBe(
      'bundle.left_out: framework: bundleFunction: the application registers otherwise without events: {"surface":"http","method":"GET","path":"/none"} is only registered there; remove the part from leaveOut',
    );
    const missing = "try { app.queue('orders', () => undefined); } catch {}";
    expect(errorOf(() => bundle(openApp('', missing), { leaveOut: ['events'] }))).toContain(
      'registers otherwise without events: {"kind":"queue","name":"orders"} is missing',
    );
  });

  it('forms: the request fails, and the log names the condition', () => {
    const entry = openApp(
      '{ log: { debug() {}, info() {}, warn() {}, error: (m, f) => console.log(JSON.stringify({ m, e: String(f?.error) })), isEnabled: () => true, with() { return this; } } as never }',
      "app.post('/form', async (ctx) => json(200, await ctx.bodyForm()));",
    );
    const { folder } = bundle(entry, { leaveOut: ['forms'] });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const { answers, lines } = start(folder, [
      buildAPIGatewayV2Request('POST', '/form', { headers: form, body: 'a=1' }),
    ]);
    expect(answers).toMatchObject([{ statusCode: 500, body: expect.not.stringContaining('sallyport') as string }]);
    expect(JSON.stringify(lines)).toContain('ctx.bodyForm() is not in this bundle');
  });
});

describe('a bundle with only one front door', () => {
  const parts = OPTIONAL_PARTS.filter((part) => part !== 'gateway-v2');
  const { folder, leftOut } = bundle(openApp('{ log: false }'), { leaveOut: parts });
  const arn = 'arn:aws:sqs:us-east-1:123456789012:orders';
  const EVENTS: Readonly<Record<string, unknown>> = {
    queue: buildQueueEvent(arn, [{ body: 'a' }]),
    'table-stream': buildTableStreamEvent('arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/1', [{}]),
    stream: buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/clicks', [{ data: 'a' }]),
    topic: buildTopicEvent('arn:aws:sns:us-east-1:123456789012:alerts', [{ message: 'a' }]),
    'event-bus': buildEventBusEvent(),
    appsync: buildAppSyncEvent(),
    'appsync ': buildAppSyncBatch([buildAppSyncEvent()]),
    websocket: buildWebSocketEvent(),
    'function-url': buildLambdaFunctionURLRequest('GET', '/health'),
    'load-balancer': buildLoadBalancerRequest('GET', '/health'),
    'gateway-v1': buildAPIGatewayProxyRequest('GET', '/health'),
  };
  const { answers } = start(folder, [HEALTH, ...Object.values(EVENTS), { neither: 'this' }, [], [{}]]);

  it('serves it', () => {
    expect(leftOut).toEqual(parts);
    expect(answers[0]).toMatchObject({ statusCode: 200 });
  });

  it.each(Object.keys(EVENTS).map((kind, index) => [kind.trim(), index + 1] as const))(
    'rejects an event of %s',
    (_kind, at) => {
      expect(answers[at]).toMatchObject({ code: 'dispatch.no_adapter' });
    },
  );

  it('rejects unknown events and lists', () => {
    expect(answers.slice(-3)).toMatchObject([
      { code: 'dispatch.unknown_event' },
      { code: 'dispatch.not_an_object' },
      { code: 'dispatch.not_an_object' },
    ]);
  });
});

it('tools: false leaves out explain and OpenAPI; sallyport build writes both documents of the full bundle', async () => {
  const entry = join(FUNCTIONS, 'secure.ts');
  expect(bundle(entry, { tools: false }).leftOut).toEqual(['explain', 'openapi']);
  const cwd = newFolder();
  const written: string[] = [];
  const around = { cwd, out: (text: string) => written.push(text), err: (text: string) => written.push(text) };
  const flags = ['--condition', '@sallyport/source', '--target', `node${MAJOR}`, '--leave-out', 'unused', '--no-tools'];
  expect(await BUILD_COMMAND.run([entry, ...flags], around)).toBe(0);
  expect(written.join('')).toBe(
    'dist/index.js\ndist/inventory.json\ndist/openapi.json\nleft out: websocket, graphql, surfaces, cors, hooks, explain, openapi\n',
  );
  expect(JSON.parse(readFileSync(join(cwd, 'dist/openapi.json'), 'utf8'))).toMatchObject({ paths: { '/health': {} } });
  expect(existsSync(join(cwd, 'dist/inventory.json'))).toBe(true);
  written.length = 0;
  expect(await BUILD_COMMAND.run([openApp('{ cors: {} }'), ...flags, '--leave-out', 'cors'], around)).toBe(3);
  expect(written.join('')).toContain('remove the part from leaveOut');
});

it('an unknown part is rejected', () => {
  expect(errorOf(() => bundle(openApp(), { leaveOut: ['gate' as never] }))).toMatch(
    /^app\.invalid_configuration: framework: option "leaveOut\[0\]" must be "unused", "events", /,
  );
});
