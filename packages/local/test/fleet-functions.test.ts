import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { deployedFunction } from '../src/internal/config/deployed-function.js';
import { loadConfig } from '../src/internal/config/load.js';
import { type RunningHost, startHost } from '../src/internal/host/create-host.js';
import { joinDocuments } from '../src/internal/host/fleet-openapi.js';
import { formsOf } from '../src/internal/send/forms.js';
import { withSamples } from '../src/internal/send/samples.js';
import { createProject, type Project } from './support/run.js';

/** Invokes the function that a request names, and answers with the result. */
const CALLER = `
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
const client = new LambdaClient({});
export const handler = async (event) => {
  const { name, type, payload } = event.queryStringParameters;
  const call = new InvokeCommand({ FunctionName: name, InvocationType: type, Payload: payload });
  try {
    const { StatusCode, FunctionError, ExecutedVersion, Payload } = await client.send(call);
    const text = Buffer.from(Payload ?? []).toString();
    return { statusCode: 200, body: JSON.stringify({ StatusCode, FunctionError, ExecutedVersion, text }) };
  } catch (error) {
    return { statusCode: 200, body: JSON.stringify({ name: error.name, message: error.message }) };
  }
};`;

const CALLED = `
export const handler = async (event, context) => {
  if (event.Records) return event.Records.map(({ Sns, kinesis }) => Sns?.Message ?? Buffer.from(kinesis.data, 'base64').toString());
  if (event.fail) throw new TypeError('as asked');
  return { event, arn: context.invokedFunctionArn };
};`;

/** A service without packages: its inspection has the form of a Sallyport service. */
const SECURE = `
export const handler = async () => ({ statusCode: 401 });
handler[Symbol.for('framework.inspect')] = {
  routes: () => [{ surface: 'http', method: 'GET', path: '/notes', posture: 'authenticated', scopes: ['notes:read'] }],
  triggers: () => [
    { kind: 'queue', name: 'orders', payload: { type: 'object', required: ['id'] } },
    { kind: 'queue', name: 'unattached' },
  ],
  explain: () => ({ kind: null }),
  openapi: () => ({
    openapi: '3.1.0',
    paths: { '/notes': { post: { requestBody: { content: { 'application/json': { example: { text: 'hi' } } } } } } },
  }),
};`;

const topic = (settings: object) => ({ kind: 'topic', name: 'news', settings });
const stream = (settings: object) => ({ kind: 'stream', name: 'clicks', settings });
const MANIFEST = {
  version: 1,
  functions: [
    {
      path: 'App/Caller/Function',
      entry: 'src/caller.mjs',
      sources: [],
      doors: [{ kind: 'http-api', routes: ['GET /call'] }],
    },
    {
      path: 'App/Called',
      functionName: 'called-in-production',
      entry: 'src/called.mjs',
      timeoutMs: 50_000,
      doors: [],
      sources: [
        topic({ filterPolicy: { color: ['red'] } }),
        stream({ batchSize: 10, filters: [{ data: { color: ['red'] } }] }),
      ],
    },
    {
      path: 'App/Other',
      entry: 'src/called.mjs',
      timeoutMs: 20_000,
      doors: [],
      sources: [
        topic({ filterPolicy: { color: ['red', 'blue'] } }),
        stream({ batchSize: 10, filters: [{ data: { color: ['red'] } }, { data: { color: ['blue'] } }] }),
        { kind: 'queue', name: 'letters', settings: {} },
      ],
    },
    {
      path: 'App/Secure',
      entry: 'src/secure.mjs',
      doors: [{ kind: 'http-api', routes: ['GET /notes'] }],
      sources: [{ kind: 'queue', name: 'orders', settings: {} }],
    },
  ],
};

let project: Project;
let host: RunningHost;
beforeAll(async () => {
  project = createProject({
    'src/caller.mjs': CALLER,
    'src/called.mjs': CALLED,
    'src/secure.mjs': SECURE,
    'cdk.out/sallyport.json': JSON.stringify(MANIFEST),
  });
  symlinkSync(fileURLToPath(new URL('../node_modules', import.meta.url)), join(project.folder, 'node_modules'));
  host = await startHost(loadConfig(project.folder, { all: true, port: 0, state: false, timeout: 55 }), {
    watch: false,
  });
});
afterAll(async () => {
  await host.stop();
  project.remove();
});

/** Resolves with the ended records of an origin, and of a function if one is named, when there are so many. */
const ended = (kind: string, count: number, name?: string) =>
  new Promise<ReturnType<RunningHost['journal']['list']>>((resolve) => {
    const look = () => {
      const found = host.journal
        .list()
        .filter(({ origin, status }) => origin.kind === kind && (status === 'ok' || status === 'failed'))
        .filter(({ origin }) => name === undefined || origin.function === name);
      if (found.length < count) return;
      stop();
      resolve(found);
    };
    const stop = host.journal.subscribe(() => setImmediate(look));
    look();
  });
const started = () => [...new Set(host.invoker.environments().map(({ id }) => id.split(' ')[0]))].sort();

describe('a function invokes another function', () => {
  const call = async (query: Record<string, string>) => {
    const url = `http://127.0.0.1:${host.ports['gateway-v2']}/call?${new URLSearchParams(query)}`;
    return (await (await fetch(url)).json()) as Readonly<Record<string, unknown>>;
  };

  test('by its name: it starts then, and its answer is the payload', async () => {
    expect(started()).toEqual([]);
    const answer = await call({ name: 'Called', payload: '{"n":1}' });
    expect(answer).toMatchObject({ StatusCode: 200, ExecutedVersion: '$LATEST' });
    expect(JSON.parse(String(answer.text))).toEqual({
      event: { n: 1 },
      arn: 'arn:aws:lambda:us-east-1:123456789012:function:Called',
    });
    expect(started()).toEqual(['Called', 'Function']);
    const [request, invoked] = host.journal.list();
    expect([invoked?.origin, invoked?.causedBy]).toEqual([
      { kind: 'invoke', target: 'Called', function: 'Called' },
      request?.id,
    ]);
  });

  test.each([
    ['App/Called', 'Called'],
    ['called-in-production', 'Called'],
    ['arn:aws:lambda:eu-west-1:123456789012:function:called-in-production', 'Called'],
    ['123456789012:function:Called', 'Called'],
    ['Called:live', 'Called:live'],
    ['arn:aws:lambda:us-east-1:123456789012:function:Called:live', 'Called:live'],
  ])('by %s', async (name, arn) => {
    const { text } = await call({ name, payload: '{}' });
    expect(JSON.parse(String(text)).arn).toBe(`arn:aws:lambda:us-east-1:123456789012:function:${arn}`);
  });

  test('an error of the function is an answer with FunctionError', async () => {
    const { StatusCode, FunctionError, text } = await call({ name: 'Called', payload: '{"fail":true}' });
    expect([StatusCode, FunctionError]).toEqual([200, 'Unhandled']);
    expect(JSON.parse(String(text))).toMatchObject({ errorType: 'TypeError', errorMessage: 'as asked' });
  });

  test('an unknown function is not found', async () => {
    expect(await call({ name: 'nosuch' })).toEqual({
      name: 'ResourceNotFoundException',
      message: 'Function not found: nosuch',
    });
  });

  test('a dry run does not start it', async () => {
    expect(await call({ name: 'Other', type: 'DryRun' })).toMatchObject({ StatusCode: 204 });
    expect(started()).not.toContain('Other');
  });

  test('an event is queued, and starts it', async () => {
    expect(await call({ name: 'Other', type: 'Event', payload: '{"n":2}' })).toMatchObject({
      StatusCode: 202,
      text: '',
    });
    expect(await ended('invoke', 1, 'Other')).toMatchObject([{ event: { n: 2 } }]);
  });

  test('a command outside the run can invoke each function too', async () => {
    const client = new LambdaClient({
      endpoint: `http://127.0.0.1:${host.ports.aws}`,
      region: 'us-east-1',
      credentials: { accessKeyId: host.keys.accessKeyId, secretAccessKey: host.keys.secretAccessKey },
    });
    const { StatusCode } = await client.send(new InvokeCommand({ FunctionName: 'Other', Payload: '{}' }));
    expect(StatusCode).toBe(200);
  });
});

describe('each function has the filters of its mapping and of its subscription', () => {
  const received = (kind: string, records: ReturnType<RunningHost['journal']['list']>) =>
    records
      .filter(({ origin }) => origin.kind === kind)
      .map(({ origin, answer, summary }) => [origin.function, answer ?? summary])
      .sort(([one], [other]) => String(one).localeCompare(String(other)));

  test('a message of a topic reaches the subscriptions whose policies match', async () => {
    for (const color of ['blue', 'green']) {
      const messageAttributes = { color: { Type: 'String', Value: color } };
      host.sources.send({ kind: 'topic', name: 'news', records: [{ message: color, messageAttributes }] });
    }
    expect(received('topic', await ended('topic', 1))).toEqual([['Other', ['blue']]]);
    expect(host.sources.list().find(({ kind }) => kind === 'topic')).toMatchObject({ filtered: { count: 1 } });
  });

  test('a batch of a stream has only the records that match, for each function', async () => {
    const records = ['red', 'blue', 'green'].map((color) => ({ json: { color }, partitionKey: 'one' }));
    host.sources.send({ kind: 'stream', name: 'clicks', records });
    expect(received('stream', await ended('stream', 2))).toEqual([
      ['Called', ['{"color":"red"}']],
      ['Other', ['{"color":"red"}', '{"color":"blue"}']],
    ]);
    const sizes = host.journal
      .list()
      .filter(({ origin }) => origin.kind === 'stream')
      .map(({ origin }) => origin.recordIds?.length);
    expect(sizes.sort()).toEqual([1, 2]);
  });
});

describe('the description of the run', () => {
  test('has postures and schemas of a function when it has started', async () => {
    const route = () => host.inspection().routes.find(({ name }) => name === 'GET /notes');
    const queue = () => host.inspection().triggers.find(({ name }) => name === 'orders');
    expect([route()?.posture, route()?.function, queue()?.payload]).toEqual([null, 'Secure', undefined]);
    expect((await fetch(`http://127.0.0.1:${host.ports['gateway-v2']}/notes`)).status).toBe(401);
    expect(route()).toMatchObject({ posture: 'authenticated', scopes: ['notes:read'], function: 'Secure' });
    expect(queue()).toMatchObject({ function: 'Secure', payload: { required: ['id'] } });
    const names = host.inspection().triggers.map(({ name }) => name);
    expect(names).toEqual(['news', 'clicks', 'news', 'clicks', 'letters', 'orders']);
  });
});

test('a started function has samples of its operations and of its payloads', async () => {
  const forms = await withSamples(formsOf(host.inspection(), host.sources.list()), {
    ...host,
    tables: [],
  });
  const samplesOf = (kind: string) => forms.find((form) => form.kind === kind)?.samples;
  expect(samplesOf('http')).toEqual({ 'POST /notes': { json: '{\n  "text": "hi"\n}' } });
  expect(Object.keys(samplesOf('queue') ?? {})).toEqual(['orders']);
});

test('documents of several functions are one: components that differ have the name of their function', () => {
  const documentOf = (path: string, type: string) => ({
    openapi: '3.1.0',
    paths: { [path]: { get: { schema: { $ref: '#/components/schemas/Note' } } } },
    components: { schemas: { Note: { type }, Same: { type: 'null' } } },
  });
  const joined = joinDocuments([
    { name: 'one', document: documentOf('/one', 'string') },
    { name: 'two', document: documentOf('/two', 'number') },
    { name: 'three', document: null },
  ]);
  expect(joined).toEqual({
    openapi: '3.1.0',
    paths: {
      '/one': { get: { schema: { $ref: '#/components/schemas/Note' } } },
      '/two': { get: { schema: { $ref: '#/components/schemas/two.Note' } } },
    },
    components: {
      schemas: { Note: { type: 'string' }, 'two.Note': { type: 'number' }, Same: { type: 'null' } },
    },
  });
  expect(joinDocuments([{ name: 'three', document: null }])).toBeNull();
});

test('one entry with several functions has the sources of all of them, and the longest timeout', () => {
  const manifest = join(project.folder, 'cdk.out', 'sallyport.json');
  const entry = join(project.folder, 'src', 'called.mjs');
  const { fn, notices } = deployedFunction({ template: undefined, manifest, folder: project.folder, entry }) ?? {};
  expect(notices).toEqual([
    'cdk.out/sallyport.json: App/Called, App/Other have this entry: one function has the sources and routes of all of them, and their longest timeout; --all runs each of them',
  ]);
  expect(fn?.timeoutMs).toBe(50_000);
  expect(fn?.sources.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'topic news',
    'stream clicks',
    'topic news',
    'stream clicks',
    'queue letters',
  ]);
});
