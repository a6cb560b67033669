import { json } from '@sallyport/http';
import {
  buildAPIGatewayV2Request,
  buildLoadBalancerRequest,
  buildQueueEvent,
  createTestEnv,
  queue,
  simulate,
  type TestEnv,
} from '../src/index.js';
import { matchers, type TestkitMatchers } from '../src/matchers.js';

declare global {
  namespace jest {
    interface Matchers<R> extends TestkitMatchers<R> {}
  }
}

const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:orders';

function buildApp(env: TestEnv) {
  return env
    .app()
    .get('/notes/{id}', (ctx) => {
      ctx.log.info('note read', { id: ctx.param('id') });
      return json(200, { id: ctx.param('id') });
    })
    .queue('orders', (_ctx, { body }) => void JSON.parse(body));
}

beforeAll(() => void expect.extend(matchers as never));

/** Returns the message of a failed assertion. */
function failure(assertion: () => unknown): string {
  try {
    assertion();
  } catch (error) {
    return (error as Error).message;
  }
  return 'it passed';
}

describe('the matchers', () => {
  it('judge an answer of each door by its status and its JSON', async () => {
    const env = createTestEnv();
    const app = buildApp(env);
    const answer = await env.invoke(app, buildAPIGatewayV2Request('GET', '/notes/1'));
    expect(answer).toAnswer(200);
    expect(answer).toAnswer(200, { id: '1' });
    expect(answer).toAnswer(200, { id: expect.any(String) });
    expect(answer).not.toAnswer(404);
    expect(await env.invoke(app, buildLoadBalancerRequest('GET', '/notes/2'))).toAnswer(200, { id: '2' });
    expect(await env.serve(app, { method: 'GET', path: '/notes/3' })).toAnswer(200, { id: '3' });
    expect(failure(() => expect(answer).toAnswer(201, { id: '9' }))).toBe(
      'expected an answer {\n  "status": 201,\n  "json": {\n    "id": "9"\n  }\n}\nfound {\n  "status": 200,\n  "json": {\n    "id": "1"\n  }\n}',
    );
    expect(failure(() => expect(answer).not.toAnswer(200))).toContain('expected anything but an answer');
    expect(failure(() => expect(undefined).toAnswer(200))).toContain('found {}');
  });

  it('judge the report of a batch', async () => {
    const env = createTestEnv();
    const records = [
      { messageId: 'a', body: 'x' },
      { messageId: 'b', body: '{}' },
      { messageId: 'c', body: 'y' },
    ];
    const report = await env.invoke(buildApp(env), buildQueueEvent(QUEUE, records));
    expect(report).toReportFailures('c', 'a');
    expect(report).not.toReportFailures('a');
    expect({ batchItemFailures: [] }).toReportFailures();
    expect(null).not.toReportFailures('a');
  });

  it('look for log records and metrics', async () => {
    const env = createTestEnv();
    await env.invoke(buildApp(env), buildAPIGatewayV2Request('GET', '/notes/1'));
    expect(env).toHaveLogged({ message: 'note read', id: '1' });
    expect(env.records).toHaveLogged({ event: 'request.completed', status: 200 });
    expect(env).not.toHaveLogged({ message: 'note read', id: '2' });
    expect(env).toHaveMeasured({ name: expect.any(String) });
    expect(failure(() => expect(env).toHaveLogged({ message: 'other' }))).toContain('a log record with');
  });

  it('judge simulations', async () => {
    const source = queue.standard('orders', [
      { messageId: 'good', body: '{}' },
      { messageId: 'bad', body: 'x' },
    ]);
    const result = await simulate(buildApp, source);
    expect(result).toHaveEnded({ good: 'done', bad: 'dead-letter' });
    expect(result).not.toHaveEnded({ bad: 'done' });
    expect(result).toHaveLostNothing();
    expect(result).toHaveKeptOrder();
    expect(result).not.toHaveCompletedOnce();
    expect(failure(() => expect(result).toHaveCompletedOnce())).toContain('record bad completed 0 times');
    const swallowing = () => ({ handleLambda: async () => undefined });
    expect(await simulate(swallowing, source)).not.toHaveLostNothing();
  });
});
