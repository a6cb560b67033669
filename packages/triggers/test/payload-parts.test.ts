/** `payload(schema, handler, { of })` for the bytes of a Kafka record and of a message of Amazon MQ. */
import { payload } from '@sallyport/streams';
import { kafkaTrigger, mqTrigger } from '@sallyport/triggers';
import { buildKafkaEvent, buildMqEvent } from '@sallyport/triggers/testing';
import { z } from 'zod';
import { HOSTS } from './support.js';

const Price = z.object({ cents: z.number() });

describe.each(HOSTS)('in %s', (_name, host) => {
  it('the value of a Kafka record is parsed and checked; a value that does not fit is reported', async () => {
    const seen: unknown[] = [];
    const { handleLambda } = host(() =>
      kafkaTrigger({ onFailure: 'report' }).topic(
        'prices',
        payload(Price, (_ctx, price) => void seen.push(price), { of: 'value' }),
      ),
    );
    const values = ['{"cents":1}', '{"cents":"2"}'];
    const event = buildKafkaEvent(
      'prices',
      values.map((value, offset) => ({ offset, value })),
    );
    await expect(handleLambda(event)).resolves.toEqual({
      batchItemFailures: [{ itemIdentifier: { partition: 'prices-0', offset: 1 } }],
    });
    expect(seen).toEqual([{ cents: 1 }]);
  });

  it('the data of a message of Amazon MQ is parsed and checked; data that is not JSON fails the invocation', async () => {
    const seen: unknown[] = [];
    const { handleLambda } = host(() =>
      mqTrigger().queue(
        'prices',
        payload(Price, (_ctx, price) => void seen.push(price), { of: 'data' }),
      ),
    );
    await handleLambda(buildMqEvent('prices', [{ data: '{"cents":1}' }]));
    expect(seen).toEqual([{ cents: 1 }]);
    await expect(handleLambda(buildMqEvent('prices', [{ data: 'no json' }]))).rejects.toThrow();
    expect(seen).toEqual([{ cents: 1 }]);
  });
});
