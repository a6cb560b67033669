import { request } from 'node:https';
import * as sdk from '@aws-sdk/client-lambda-microvms';
import { type MicrovmsService, startMicrovms } from '@sallyport/testkit/services';

const IMAGE = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook';
const CONFIG = { region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, maxAttempts: 1 };

let service: MicrovmsService;
let client: sdk.LambdaMicrovmsClient;
let nowMs = 0;

beforeEach(async () => {
  nowMs = 1_700_000_000_000;
  const program: Parameters<typeof startMicrovms>[0]['program'] = (incoming, response, machine) =>
    response.end(JSON.stringify({ ...machine, headers: Object.keys(incoming.headers) }));
  service = await startMicrovms({ sdk, program, settleMs: 1000, clock: { now: () => new Date(nowMs) } });
  client = new sdk.LambdaMicrovmsClient({ ...CONFIG, endpoint: service.endpoint });
});
afterEach(() => service.stop());

const run = (input: Partial<sdk.RunMicrovmCommandInput> = {}) =>
  client.send(new sdk.RunMicrovmCommand({ imageIdentifier: IMAGE, ...input }));
const get = (microvmIdentifier?: string) => client.send(new sdk.GetMicrovmCommand({ microvmIdentifier }));

/** Status and body of a request to an endpoint. */
function ask(endpoint: string, headers: Record<string, string>): Promise<readonly [number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const outgoing = request(endpoint, { agent: service.agent, headers }, (incoming) => {
      let body = '';
      incoming.on('data', (chunk) => {
        body += String(chunk);
      });
      incoming.on('end', () => resolve([incoming.statusCode, body]));
    });
    outgoing.on('error', reject).end();
  });
}

async function tokenFor(microvmIdentifier: string | undefined, port: number): Promise<string> {
  const input = { microvmIdentifier, expirationInMinutes: 1, allowedPorts: [{ port }] };
  const { authToken } = await client.send(new sdk.CreateMicrovmAuthTokenCommand(input));
  return authToken?.['X-aws-proxy-auth'] ?? '';
}

it('changes the states of machines as time passes', async () => {
  const { microvmId, state, endpoint, startedAt } = await run({ maximumDurationInSeconds: 60 });
  expect([state, startedAt]).toEqual(['PENDING', new Date(nowMs)]);
  expect(endpoint).toMatch(/^https:\/\/microvm-[\w-]+\.lambda-microvm\.eu-west-1\.on\.aws$/);
  nowMs += 1000;
  expect((await get(microvmId)).state).toBe('RUNNING');
  await client.send(new sdk.SuspendMicrovmCommand({ microvmIdentifier: microvmId }));
  expect((await get(microvmId)).state).toBe('SUSPENDING');
  nowMs += 60_000;
  expect((await get(microvmId)).state).toBe('TERMINATED');
  await expect(client.send(new sdk.ResumeMicrovmCommand({ microvmIdentifier: microvmId }))).rejects.toMatchObject({
    name: 'ConflictException',
    $metadata: { httpStatusCode: 409 },
  });
  await expect(get('microvm-none')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

it('runs one machine for one client token, and lists page by page', async () => {
  const [first, second] = [await run({ clientToken: 'a' }), await run({ clientToken: 'a' })];
  expect(second.microvmId).toBe(first.microvmId);
  await expect(run({ clientToken: 'a', maximumDurationInSeconds: 5 })).rejects.toMatchObject({
    name: 'ConflictException',
  });
  await run();
  const page = await client.send(new sdk.ListMicrovmsCommand({ imageIdentifier: IMAGE, maxResults: 1 }));
  expect([page.items?.length, page.nextToken]).toEqual([1, '1']);
  const last = await client.send(new sdk.ListMicrovmsCommand({ maxResults: 1, nextToken: page.nextToken }));
  expect([last.items?.length, last.nextToken]).toEqual([1, undefined]);
});

it('an endpoint requires a valid token for its machine and port, and removes the headers of the service', async () => {
  const { microvmId, endpoint = '' } = await run();
  const other = await run();
  const token = await tokenFor(microvmId, 8080);
  const open = { 'x-aws-proxy-auth': token, 'x-aws-proxy-port': '8080' };
  const [status, body] = await ask(endpoint, open);
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ microvmId, port: 8080, headers: ['host', 'connection'] });
  const forbidden = [
    ask(endpoint, {}),
    ask(endpoint, { ...open, 'x-aws-proxy-port': '9000' }),
    ask(other.endpoint ?? '', open),
    ask(endpoint, { ...open, 'x-aws-proxy-auth': await tokenFor(other.microvmId, 8080) }),
  ];
  for (const answer of await Promise.all(forbidden)) expect(answer).toEqual([403, 'Forbidden']);
  nowMs += 60_000;
  expect((await ask(endpoint, open))[0]).toBe(403);
  expect(service.secrets).toContain(token);
});

it('an injected error carries the headers that it is given', async () => {
  const headers = { 'retry-after': '7' };
  service.inject({ kind: 'error', name: 'ThrottlingException', status: 429, headers });
  await expect(run()).rejects.toMatchObject({ name: 'ThrottlingException', retryAfterSeconds: 7 });
});
