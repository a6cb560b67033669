import { createLogger, recordLog } from '@sallyport/core/observability';
import { SecureApp } from '@sallyport/secure';
import { buildKinesisEvent, buildQueueEvent } from '@sallyport/testkit/events';
import { SURFACES } from './support/surfaces.js';

function newApp() {
  const lines: { readonly level: string; readonly message: string }[] = [];
  const log = createLogger({ environment: {}, write: (line) => lines.push(JSON.parse(line)) });
  const app = new SecureApp({
    principalResolver: () => ({ identity: 'ada', scopes: [], claims: {} }),
    log,
    observability: { log: recordLog(log) },
  });
  return { app, errors: () => lines.filter(({ level }) => level === 'ERROR').map(({ message }) => message) };
}

const fail = () => {
  throw new Error('no');
};

it.each(SURFACES)(
  'a failure of %s is one error line, although its record is logged too',
  async (_name, register, event) => {
    const { app, errors } = newApp();
    register(app, true);
    await app.handleLambda(event()).catch(() => {});
    expect(errors()).toEqual([expect.stringMatching(/^framework: (?:request|event handler) failed$/)]);
  },
);

it.each<[string, (app: SecureApp) => unknown, unknown]>([
  [
    'a queue',
    (app) => app.queue('orders', fail),
    buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [{ body: 'a' }, { body: 'b' }]),
  ],
  [
    'a stream',
    (app) => app.kinesis('orders', fail, { onFailure: 'continue' }),
    buildKinesisEvent('arn:aws:kinesis:us-east-1:123456789012:stream/orders', [{ data: 'a' }, { data: 'b' }]),
  ],
])('two failed records of %s are two error lines', async (_name, register, event) => {
  const { app, errors } = newApp();
  register(app);
  await app.handleLambda(event);
  expect(errors()).toEqual(['framework: event handler failed', 'framework: event handler failed']);
});
