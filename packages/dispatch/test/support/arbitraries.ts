import fc from 'fast-check';
import { EVENTS } from './events.js';

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    'aws:sqs',
    'aws:dynamodb',
    'aws:kinesis',
    'aws:sns',
    'aws:s3',
    ' aws:sqs ',
    '',
    ' ',
    '\ufeff',
    'GET',
    '$default',
    'abc.lambda-url.eu-west-1.on.aws',
    'abc.lambda-url.cn-north-1.on.amazonwebservices.com.cn',
    'lambda-url.example.com',
    'abc.lambda-url.eu-west-1.on.aws.evil.example',
    '<url-id>.lambda-url.us-west-2.on.aws',
    null,
    true,
    0,
    5,
    [],
    {},
    [[]],
  ),
  fc.string(),
  fc.jsonValue(),
);

/** Objects of those keys, each there or not; now and then a leaf in its place. */
function partial(model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: fc.record(model, { requiredKeys: [] }) }, { weight: 1, arbitrary: leaf });
}

const record = partial({ eventSource: leaf, EventSource: leaf, Sns: leaf, eventsource: leaf });
const context = partial({
  connectionId: leaf,
  http: partial({ method: leaf }),
  domainName: leaf,
  elb: partial({ targetGroupArn: leaf }),
  routeKey: leaf,
});

/** Objects with the names and values that detection reads, in every combination. */
export const generatedEvent = partial({
  Records: fc.oneof(fc.array(record, { maxLength: 3 }), leaf),
  'detail-type': leaf,
  detailType: leaf,
  DetailType: leaf,
  info: partial({ fieldName: leaf, parentTypeName: leaf }),
  arguments: leaf,
  requestContext: context,
  routeKey: leaf,
  httpMethod: leaf,
});

const resolverEvent = fc.record({
  info: fc.record({ fieldName: fc.constantFrom('note', ' '), parentTypeName: fc.constant('Query') }),
  arguments: leaf,
});

export const generatedBatch = fc.array(fc.oneof({ weight: 9, arbitrary: resolverEvent }, generatedEvent), {
  maxLength: 4,
});

/** A real event with one value somewhere taken out or replaced. */
export const mutatedEvent = fc
  .record({
    kind: fc.constantFrom(...Object.keys(EVENTS)),
    path: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
    value: fc.oneof(fc.constant(undefined), leaf),
  })
  .map(({ kind, path, value }) => mutate(structuredClone(EVENTS[kind]), path, value));

function mutate(event: unknown, path: readonly number[], value: unknown): unknown {
  let target = event as Record<string, unknown>;
  for (const [depth, step] of path.entries()) {
    const keys = Object.keys(target);
    const key = keys[step % Math.max(keys.length, 1)];
    if (key === undefined) return event;
    const next = target[key];
    if (depth < path.length - 1 && typeof next === 'object' && next !== null) target = next as Record<string, unknown>;
    else {
      if (value === undefined) delete target[key];
      else target[key] = value;
      return event;
    }
  }
  return event;
}

/** All of the above, and any JSON. */
export const anyEvent = fc.oneof(generatedEvent, generatedBatch, mutatedEvent, fc.jsonValue());
