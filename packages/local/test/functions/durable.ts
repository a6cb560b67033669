import { durable, durableExecutions } from '@sallyport/durable';
import { completeCallback, startExecution } from '@sallyport/durable/start';
import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';
import { z } from 'zod';

const app = new SecureApp({
  principalResolver: () => ({ identity: 'ada', scopes: [] }),
  surfaces: [durableExecutions()],
});

const Decision = z.object({ approved: z.boolean() });

/** Waits in an inline queue: the batch is answered when its records have ended. */
app.queue(
  'orders.fifo',
  durable(async (ctx, message) => {
    const charge = await ctx.step('charge', () => `charged ${message.body}`);
    await ctx.wait('cool off', { minutes: 10 });
    await ctx.step('mail', () => `mailed after ${charge}`);
    if (message.body === 'broken') throw new Error('the order is broken');
  }),
);

/** Each message starts its own execution, which can wait longer than the queue. */
app.queue(
  'mails',
  durable(async (ctx, message) => {
    await ctx.wait('three days', { days: 3 });
    await ctx.step('mail', () => `mailed ${message.body}`);
  }),
);

/** An approval, whose callback id is in a closed place of the answer of `submit`. */
app.topic(
  'exports',
  durable(async (ctx) => {
    await ctx.step('collect', (step) => step.attempt);
    const { approved } = await ctx.callback('approval', Decision, {
      submit: () => {},
      timeoutSeconds: 3600,
    });
    await ctx.step('write', () => (approved ? 'written' : 'rejected'));
  }),
);

app.post(
  '/exports',
  async () => {
    const functionArn = `${process.env.AWS_LAMBDA_FUNCTION_NAME}:${process.env.AWS_LAMBDA_FUNCTION_VERSION}`;
    const event = {
      Records: [
        {
          EventSource: 'aws:sns',
          EventVersion: '1.0',
          EventSubscriptionArn: 'arn:aws:sns:us-east-1:123456789012:exports:1',
          Sns: {
            Type: 'Notification',
            MessageId: 'm-1',
            TopicArn: 'arn:aws:sns:us-east-1:123456789012:exports',
            Subject: null,
            Message: 'all',
            Timestamp: '2026-11-29T00:00:00.000Z',
            SignatureVersion: '1',
            Signature: '',
            SigningCertUrl: '',
            UnsubscribeUrl: '',
            MessageAttributes: {},
          },
        },
      ],
    };
    return json(202, await startExecution({ functionArn, name: 'export/1', event }));
  },
  Authenticated(),
);

app.get('/health', () => json(200, {}), Public());

export const complete = completeCallback;
export const handler = app.handleLambda;
