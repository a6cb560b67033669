/** Runs the inline code that constructs deploy, with the real clients of the SDK against a server on this machine, and records its calls. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMOKE_HANDLER } from '../../../src/function/internal/smoke-handler.js';
import { ACCOUNT_HANDLER } from '../../../src/http/internal/account-handler.js';
import type { RecordedAccesses } from './expected.js';
import { accessesOf, type RecordedCall } from './recorded.js';
import { environmentTo } from './senders.js';

type Record = (run: () => Promise<unknown>) => Promise<readonly RecordedCall[]>;
type Handler = (event: object, context: object) => Promise<void>;

/** Loads inline code with the clients that the Lambda runtime has. */
async function load(code: string, env: Readonly<{ [name: string]: string }>): Promise<Handler> {
  const modules: Readonly<{ [name: string]: unknown }> = {
    '@aws-sdk/client-api-gateway': await import('@aws-sdk/client-api-gateway'),
    '@aws-sdk/client-codedeploy': await import('@aws-sdk/client-codedeploy'),
    '@aws-sdk/client-iam': await import('@aws-sdk/client-iam'),
    '@aws-sdk/client-lambda': await import('@aws-sdk/client-lambda'),
  };
  const exported: { handler?: Handler } = {};
  const quiet = { log: () => undefined };
  new Function('require', 'exports', 'process', 'console', code)(
    (name: string) => modules[name],
    exported,
    { env },
    quiet,
  );
  if (exported.handler === undefined) throw new Error('the inline code exports no handler');
  return exported.handler;
}

const NO_ROLE = `<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type>
<Code>NoSuchEntity</Code><Message>no such role</Message></Error><RequestId>r</RequestId></ErrorResponse>`;

/** An account whose setting names a role that was removed, and a version that answers 200. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '';
  if (path.includes('/invocations')) response.end(JSON.stringify({ statusCode: 200 }));
  else if (path.startsWith('/account'))
    response.end(JSON.stringify({ cloudwatchRoleArn: 'arn:aws:iam::123456789012:role/removed' }));
  else if (request.headers['x-amz-target'] === undefined && request.method === 'POST') {
    response.statusCode = 404;
    response.end(NO_ROLE);
  } else response.end('{}');
}

/** The accesses of inline code: `ACCOUNT` sets the role of API Gateway's logs, `SMOKE` tests a new version. */
export async function recordInline(record: Record): Promise<RecordedAccesses> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(request, response));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const saved = { ...process.env };
  Object.assign(process.env, environmentTo(endpoint));
  const ensure = await load(ACCOUNT_HANDLER, {});
  const account = await record(() =>
    ensure(
      {
        RequestType: 'Create',
        ResponseURL: `${endpoint}/response`,
        ResourceProperties: { RoleArn: 'arn:aws:iam::123456789012:role/ours' },
      },
      { getRemainingTimeInMillis: () => 0 },
    ),
  );
  const test = await load(SMOKE_HANDLER, { SMOKE_EVENTS: '{"health":{}}', SMOKE_VERSION: 'notes:7' });
  const smoke = await record(() => test({ DeploymentId: 'd', LifecycleEventHookExecutionId: 'e' }, {}));
  process.env = saved;
  await new Promise((done) => server.close(done));
  return { ACCOUNT: accessesOf(account), SMOKE: accessesOf(smoke) };
}
