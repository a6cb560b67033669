import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Difference } from '@sallyport/testkit/events';
import type { Flags } from '../src/internal/config/load.js';
import type { RunningHost } from '../src/internal/host/create-host.js';
import { createProject, type Project, start } from './support/run.js';

const SERVICE = `
import { writeFileSync, appendFileSync, createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
export const allows = async () => ({ principalId: 'ada', policyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' }] } });
export const handler = async (event) => {
  if (event.Records) return { batchItemFailures: event.Records.map((one) => ({ itemIdentifier: one.messageId })) };
  const path = event.rawPath ?? event.path ?? '';
  if (path.endsWith('/challenge')) return { statusCode: 401, headers: { 'www-authenticate': 'Bearer' } };
  if (path.endsWith('/bytes')) return { statusCode: 200, body: 'AAEC', isBase64Encoded: true };
  if (path.endsWith('/throws')) throw new Error('no');
  if (path.endsWith('/writes')) {
    writeFileSync('written.txt', 'x');
    appendFileSync('written.txt', 'y');
    await writeFile(join(process.cwd(), 'later.txt'), 'x');
  }
  if (path.endsWith('/temporary')) {
    await mkdir(join(process.env.TMPDIR, 'a'));
    writeFileSync(join(process.env.TMPDIR, 'a', 'written.txt'), 'x');
    writeFileSync('/dev/null', 'x');
  }
  return { statusCode: 200, body: 'fine' };
};`;

const TEMPLATE = `
Resources:
  Notes:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs24.x
      Handler: src/lambda.handler
      Timeout: 20
      Events:
        Read: { Type: HttpApi, Properties: { ApiId: !Ref Http, Path: '/notes/{id}', Method: GET } }
        Open: { Type: HttpApi, Properties: { ApiId: !Ref Http, Path: '/{all+}', Method: GET, Auth: { Authorizer: NONE } } }
        Orders: { Type: SQS, Properties: { Queue: !GetAtt Orders.Arn } }
  Orders: { Type: AWS::SQS::Queue, Properties: { QueueName: orders } }
  Http:
    Type: AWS::Serverless::HttpApi
    Properties:
      Auth:
        DefaultAuthorizer: Users
        Authorizers: { Users: { JwtConfiguration: { issuer: https://issuer.example, audience: [notes] } } }
`;

let project: Project;
let host: RunningHost;

const startWith = async (flags: Flags = {}, template?: string) => {
  project = createProject({ 'src/lambda.mjs': SERVICE });
  if (template !== undefined) writeFileSync(join(project.folder, 'template.yaml'), template);
  host = await start(project, { ...flags, ...(template !== undefined && { template: 'template.yaml' }) });
};
const stop = async () => {
  await host.stop();
  project.remove();
};

type Door = 'gateway-v2' | 'gateway-v1' | 'load-balancer' | 'function-url';

/** The topics in the record of a request. */
async function topicsOf(door: Door, path: string, init: RequestInit = {}): Promise<readonly string[]> {
  await (await fetch(`http://127.0.0.1:${host.ports[door]}${path}`, init)).arrayBuffer();
  return printed(lastRecord());
}
/** Differences that are true of every request are not listed. */
const printed = ({ differences }: { readonly differences: readonly Difference[] }) =>
  differences.map(({ topic }) => topic).filter((topic) => topic !== 'request.address');
const lastRecord = () => {
  const record = host.journal.list().at(-1);
  if (!record) throw new Error('no record');
  return record;
};

/** The record of the newest delivery, when a queue has delivered. */
const delivered = () =>
  new Promise<ReturnType<typeof lastRecord>>((resolve) => {
    const end = host.journal.subscribe((change) => {
      if (change.type !== 'record') return;
      const record = host.journal.get(change.id);
      if (record?.origin.kind !== 'queue' || record.differences.length === 0) return;
      end();
      // The queue adds its other differences, and counts the messages, in the same turn.
      setImmediate(() => resolve(host.journal.get(change.id) ?? record));
    });
  });

describe('without deployed settings', () => {
  beforeAll(() => startWith());
  afterAll(stop);

  test.each<[Door, string, RequestInit, string[]]>([
    ['gateway-v2', '/fine', {}, []],
    ['gateway-v1', '/fine', {}, []],
    ['gateway-v1', '/challenge', {}, ['header.renamed']],
    ['gateway-v2', '/challenge', {}, []],
    ['gateway-v1', '/bytes', {}, ['body.binary']],
    ['gateway-v1', '/fine', { method: 'POST', body: Uint8Array.of(0, 255) }, ['body.binary']],
    ['gateway-v2', '/throws', {}, ['retry']],
    ['gateway-v2', '/writes', {}, ['file.written', 'file.written']],
    ['gateway-v2', '/temporary', {}, []],
  ])('%s %s %o: %j', async (door, path, init, topics) => {
    expect(await topicsOf(door, path, init)).toEqual(topics);
  });

  test('a written file is named once, relative to the task root', async () => {
    await topicsOf('gateway-v2', '/writes');
    const written = lastRecord().differences.filter(({ topic }) => topic === 'file.written');
    expect(written.map(({ text }) => text)).toEqual([
      'the function wrote written.txt: only /tmp can be written on Lambda; use the folder in TMPDIR or os.tmpdir()',
      'the function wrote later.txt: only /tmp can be written on Lambda; use the folder in TMPDIR or os.tmpdir()',
    ]);
  });

  test('assumed values are reported once', () => {
    const said = host.journal.notes().filter(({ text }) => text.startsWith('assumed'));
    expect(said.map(({ text }) => text)).toEqual([
      'assumed, because no --template, manifest or sallyport.json states it: routes: every request is $default; binaryMediaTypes of the REST API: none',
    ]);
  });

  test('failed records of a batch would be lost if no file states the setting', async () => {
    const record = delivered();
    host.sources.send({ kind: 'queue', name: 'orders', records: [{ body: '1' }] });
    expect((await record).differences.map(({ topic }) => topic)).toEqual(['batch.lost', 'retry']);
  });
});

describe('with a template', () => {
  beforeAll(() => startWith({}, TEMPLATE));
  afterAll(stop);

  const statusOf = async (path: string, authorization?: string) =>
    (
      await fetch(`http://127.0.0.1:${host.ports['gateway-v2']}${path}`, {
        ...(authorization !== undefined && { headers: { authorization } }),
      })
    ).status;

  test('the JWT authorizer of a route rejects a request without a token, and accepts a local token', async () => {
    const token = await host.identity.token({ sub: 'ada' });
    expect([
      await statusOf('/notes/1'),
      await statusOf('/notes/1', `Bearer ${token}`),
      await statusOf('/open'),
    ]).toEqual([401, 200, 200]);
    expect(lastRecord().event).toMatchObject({ routeKey: 'GET /{all+}', pathParameters: { all: 'open' } });
  });

  test('the issuer of the deployed API is named, and no value is assumed', () => {
    expect(host.journal.notes().flatMap(({ text }) => (/JWT|assumed/.test(text) ? [text] : []))).toEqual([
      'template.yaml: the JWT authorizer accepts tokens of https://issuer.example; here it accepts tokens of the local issuer',
    ]);
  });

  test('the record contains what differs for every request: the address of this machine, and the key of the token', async () => {
    const token = await host.identity.token({ sub: 'ada' });
    await statusOf('/notes/1', `Bearer ${token}`);
    expect(lastRecord().differences.map(({ topic }) => topic)).toEqual(['token.key', 'request.address']);
  });

  test('a queue without ReportBatchItemFailures loses its failed records, as on AWS', async () => {
    const record = delivered();
    host.sources.send({ kind: 'queue', name: 'orders', records: [{ body: '1' }] });
    const { differences } = await record;
    expect(differences.map(({ topic }) => topic)).toEqual(['batch.lost']);
    expect(differences[0]?.text).toContain('ReportBatchItemFailures is not set: AWS treats the batch as a success');
    expect(host.sources.list().find(({ name }) => name === 'orders')?.done).toBe(1);
  });
});

test('with another local authorizer, the record contains the answer of the deployed authorizer', async () => {
  await startWith({ authorizer: 'lambda:allows' }, TEMPLATE);
  expect(await topicsOf('gateway-v2', '/notes/1')).toEqual(['token.refused']);
  await stop();
});

test('with --strict a difference is a failure, and a retry is not', async () => {
  await startWith({ strict: true });
  await topicsOf('gateway-v1', '/challenge');
  expect(lastRecord()).toMatchObject({
    status: 'failed',
    summary: 'differs on AWS',
    failures: [{ type: 'local.differs_on_aws', message: expect.stringContaining('x-amzn-remapped-www-authenticate') }],
  });
  await topicsOf('gateway-v1', '/fine');
  expect(lastRecord().status).toBe('ok');
  await stop();
});
