// AWS's own runtime client drives every trigger of the catalogue: the function receives the sample, and a model of its service reads the answer.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject } from '@sallyport/core/internal';
import { CATALOGUE, type CatalogueEntry, type CatalogueKind } from '@sallyport/triggers/catalogue';
import type { Runtime } from '../src/index.js';
import { serve } from './support/functions.js';
import { READERS } from './support/readers.js';

const DEEDS = ['result', 'nothing', 'throws', 'foreign'] as const;
type Deed = (typeof DEEDS)[number];

/** AWS's clients are CommonJS, which a bundle in the other format cannot load. */
const CJS = { format: 'cjs' } as const;

let server: Server;
let host: string;
const calls: string[] = [];
const runtimes = new Map<Deed, Runtime>();

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const input = JSON.parse(text) as Record<string, unknown>;
    const operation = String(request.headers['x-amz-target'] ?? 'PUT');
    const status = input.status ?? input.Status;
    calls.push([operation.slice(operation.indexOf('.') + 1), ...(status === undefined ? [] : [status])].join(' '));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    RESPONSE_HOST: host,
    AWS_ENDPOINT_URL: `http://${host}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  for (const deed of DEEDS)
    runtimes.set(deed, await serve('every.ts', 'handler', { bundle: CJS, env: { ...env, DEED: deed } }));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends the sample of a kind to the function whose handlers do this. */
async function reaction(kind: CatalogueKind, deed: Deed): Promise<string> {
  const entry: CatalogueEntry = CATALOGUE[kind];
  const [[sample]] = entry.sample.events as unknown as readonly [readonly [object]];
  const isResource = kind === 'custom-resource';
  const event = isResource ? { ...sample, ResponseURL: `http://${host}/answer` } : sample;
  calls.length = 0;
  const invoked = { qualifier: entry.sample.alias, timeoutMs: 60_000 };
  const result = await (runtimes.get(deed) as Runtime).invoke(event, invoked);
  const body = JSON.parse(result.body.toString('utf8')) as { errorType: string; errorMessage: string };
  // The stack of an error, too, can reach a client.
  const isShown = JSON.stringify(isObject(body) ? { ...body, trace: kind === 'integration' ? body : null } : body);
  if (deed === 'throws') expect([kind, isShown.includes('secret')]).toEqual([kind, false]);
  const received = result.outcome === 'error' ? { answer: undefined, error: body } : { answer: body };
  return READERS[kind][1]({ ...received, calls });
}

const EXPECTED: readonly (readonly [
  CatalogueKind,
  result: string,
  nothing: string,
  throws: string,
  foreign: string,
])[] = [
  ['alarm', 'done', 'done', 'retried', 'done'],
  ['alexa-skill', 'response', 'response', 'apology', 'apology'],
  ['appsync-authorizer', 'denied', 'denied', 'denied', 'denied'],
  ['appsync-events', 'published', 'published', 'rejected', 'published'],
  ['authorizer-token', 'Deny', 'Deny', '500', 'Deny'],
  ['bedrock-agent', 'observation', 'FAILURE', 'FAILURE', 'FAILURE'],
  ['bedrock-flow', 'output', 'flow fails', 'flow fails', 'output'],
  ['codecommit', 'done', 'done', 'retried', 'done'],
  [
    'codedeploy',
    'PutLifecycleEventHookExecutionStatus Succeeded, done',
    'PutLifecycleEventHookExecutionStatus Succeeded, done',
    'PutLifecycleEventHookExecutionStatus Failed, done',
    'PutLifecycleEventHookExecutionStatus Failed, done',
  ],
  [
    'codepipeline',
    'PutJobSuccessResult, done',
    'PutJobSuccessResult, done',
    'PutJobFailureResult, done',
    'PutJobFailureResult, done',
  ],
  ['cognito', 'continues', 'continues', 'shows "internal error"', 'continues'],
  ['config-rule', 'PutEvaluations, done', 'retried', 'retried', 'retried'],
  ['connect', 'Success', 'Success', 'Error', 'Error'],
  ['custom-resource', 'PUT SUCCESS, done', 'PUT SUCCESS, done', 'PUT FAILED, done', 'PUT SUCCESS, done'],
  ['destination', 'done', 'done', 'retried', 'done'],
  ['documentdb', 'done', 'done', 'retried', 'done'],
  ['firehose', 'Dropped', 'ProcessingFailed', 'ProcessingFailed', 'ProcessingFailed'],
  [
    'integration',
    'default response',
    'default response',
    'pattern for "app.internal: internal error"',
    'default response',
  ],
  ['invoke', 'result', 'result', 'error of the caller: FrameworkError', 'result'],
  ['iot-authorizer', 'connected', 'rejected', 'rejected', 'rejected'],
  ['iot-rule', 'done', 'done', 'retried', 'done'],
  ['kafka', 'done', 'done', 'retried', 'done'],
  ['lattice', '200', '500', '500', '500'],
  ['lex', 'Close', 'DependencyFailedException', 'DependencyFailedException', 'DependencyFailedException'],
  ['logs', 'done', 'done', 'retried', 'done'],
  ['mq', 'done', 'done', 'retried', 'done'],
  ['pipe', '1 to the target', 'retried', 'retried', '1 to the target'],
  ['s3', 'done', 'done', 'retried', 'done'],
  ['s3-batch', 'Succeeded', 'Succeeded', 'PermanentFailure', 'PermanentFailure'],
  ['secret-rotation', 'next step', 'next step', 'rotation retried', 'next step'],
  ['ses', 'done', 'done', 'retried', 'done'],
  ['task', 'output', 'output', 'state fails with FrameworkError', 'output'],
  ['transfer', 'accepted', 'rejected', 'rejected', 'rejected'],
  ['widget', 'HTML', 'error', 'error', 'JSON'],
  ['window', 'state kept', 'state kept', 'retried with the same state', 'state kept'],
];

test('the table has every kind, and each reader names its source', () => {
  expect(EXPECTED.map(([kind]) => kind)).toEqual(Object.keys(CATALOGUE));
  for (const [source] of Object.values(READERS)) expect(source).toMatch(/^https:\/\//);
});

describe.each(DEEDS.map((deed, index) => [deed, index + 1] as const))(
  'a handler that does this: %s',
  (deed, column) => {
    test.each(EXPECTED.map((row) => [row[0], row[column] as string] as const))(
      'the service of %s reads the answer of the runtime: %s',
      async (kind, expected) => {
        expect(await reaction(kind, deed)).toBe(expected);
      },
    );
  },
);
