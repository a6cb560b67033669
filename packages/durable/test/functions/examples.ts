// Runs `sweep` and `explore` over the examples of the pages: the arguments are files of their blocks.
import { pathToFileURL } from 'node:url';
import { type Durable, durableExecutions } from '@sallyport/durable';
import { type BuildDurable, explore, type RunDurableOptions, sweep } from '@sallyport/durable/testing';
import { buildQueueEvent, buildTopicEvent, type TestEnv } from '@sallyport/testkit';

type Handler = (ctx: Durable) => unknown;
type Block = Readonly<Record<string, { handleLambda?: never } & Handler>>;

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:orders';
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:exports';

/** A request of a caller that API Gateway's authorizer has identified. */
const GET = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/exports',
  rawQueryString: '',
  headers: { host: 'api.example.com' },
  requestContext: {
    accountId: '123456789012',
    apiId: 'api',
    domainName: 'api.example.com',
    http: { method: 'GET', path: '/exports', protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'test' },
    authorizer: { jwt: { claims: { sub: 'ada' }, scopes: null } },
    requestId: 'r-1',
    stage: '$default',
    timeEpoch: 0,
  },
  isBase64Encoded: false,
};

/** The entry of each exported name of a block. */
const CASES: Readonly<Record<string, readonly { event: unknown; options?: RunDurableOptions }[]>> = {
  'docs handler': [
    { event: buildTopicEvent(TOPIC, [{ message: 'all' }]), options: { callbacks: { approval: { approved: true } } } },
    { event: GET },
  ],
  'readme handler': [
    { event: buildQueueEvent(QUEUE, [{ body: '{"id":"7","total":3}' }, { body: '{"id":"8","total":4}' }]) },
  ],
  approve: [
    { event: buildTopicEvent(TOPIC, [{ message: 'a' }]), options: { callbacks: { approval: true } } },
    { event: buildTopicEvent(TOPIC, [{ message: 'late' }]) },
  ],
  ship: [{ event: buildTopicEvent(TOPIC, [{ message: 'a' }]) }],
  remind: [{ event: buildTopicEvent(TOPIC, [{ message: 'a' }]) }],
};

const results: Record<string, unknown> = {};
for (const file of process.argv.slice(2)) {
  const block = (await import(pathToFileURL(file).href)) as Block;
  for (const [name, exported] of Object.entries(block)) {
    const key = name === 'handler' ? `${file.includes('docs') ? 'docs' : 'readme'} handler` : name;
    for (const [index, { event, options = {} }] of (CASES[key] ?? []).entries()) {
      const build: BuildDurable =
        name === 'handler'
          ? () => exported as never
          : (env: TestEnv) => env.app({ surfaces: [durableExecutions()] }).topic('exports', exported as never);
      const { run, kills } = await sweep(build, event, options);
      const findings = await explore(build, event, { ...options, seeds: 1 });
      results[`${key} ${index}`] = { status: run.status, hasKills: kills > 3, findings };
    }
  }
}
process.stderr.write(`RESULT ${JSON.stringify(results)}\n`);
