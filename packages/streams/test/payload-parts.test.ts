/** `payload(schema, handler, { of })`: the part of a record that the schema checks. */
import { createEventRouter, payload } from '@sallyport/streams';
import { z } from 'zod';
import { environment, reportOf } from './support.js';

const Note = z.object({ id: z.string(), tags: z.array(z.string()).optional(), size: z.number().optional() });
const ARN = 'arn:aws:dynamodb:eu-central-1:123456789012:table/notes/stream/2026-01-01T00:00:00.000';

/** One change of a table, in the form of DynamoDB Streams. */
const change = (dynamodb: object) => ({
  Records: [
    {
      eventID: 'e-1',
      eventName: 'MODIFY',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'eu-central-1',
      eventSourceARN: ARN,
      dynamodb: { SequenceNumber: '1', SizeBytes: 1, StreamViewType: 'NEW_AND_OLD_IMAGES', ...dynamodb },
    },
  ],
});

const WHOLE = {
  Keys: { id: { S: 'key' } },
  NewImage: { id: { S: 'new' }, tags: { L: [{ S: 'a' }] }, size: { N: '12' } },
  OldImage: { id: { S: 'old' } },
};

test.each([
  ['newImage', WHOLE, { id: 'new', tags: ['a'], size: 12 }],
  ['oldImage', WHOLE, { id: 'old' }],
  ['keys', WHOLE, { id: 'key' }],
] as const)('of a change of a table, %s is unmarshalled and checked', async (of, dynamodb, expected) => {
  const seen: unknown[] = [];
  const events = createEventRouter(environment().options);
  events.tableStream(
    'notes',
    payload(Note, (_ctx, value) => void seen.push(value), { of }),
  );
  expect(await events.serveTableStream(change(dynamodb) as never)).toEqual(reportOf());
  expect(seen).toEqual([expected]);
});

test.each([
  ['the image is missing, as after a removal', { Keys: WHOLE.Keys, OldImage: WHOLE.OldImage }],
  ['a member has another type', { ...WHOLE, NewImage: { id: { N: '7' } } }],
])('a change whose newImage does not fit fails its record: %s', async (_case, dynamodb) => {
  const seen: unknown[] = [];
  const events = createEventRouter(environment().options);
  events.tableStream(
    'notes',
    payload(Note, (_ctx, value) => void seen.push(value), { of: 'newImage' }),
  );
  expect(await events.serveTableStream(change(dynamodb) as never)).toEqual(reportOf('e-1'));
  expect(seen).toEqual([]);
});

test('an unknown part is rejected', () => {
  expect(() => payload(Note, () => {}, { of: 'image' as never })).toThrow(
    expect.objectContaining({ code: 'app.invalid_configuration', message: expect.stringContaining('"of"') }),
  );
});
