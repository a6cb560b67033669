import { detect, explain } from '@sallyport/dispatch';
import fc from 'fast-check';
import { anyEvent } from './support/arbitraries.js';
import { EVENTS } from './support/events.js';
import { HOSTILE } from './support/hostile.js';

const WORDS =
  /^(?:absent|null|unreadable|blank string|string|number|boolean|object|array|empty array|url_domain|undefined|function|symbol|bigint)$/;

function decision(event: unknown): { kind: string | null; error: string | null } {
  try {
    return { kind: detect(event), error: null };
  } catch (error) {
    return { kind: null, error: (error as Error).message };
  }
}

describe('explain', () => {
  it('agrees with detect on kind and error for any event', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const { kind, error } = explain(event);
        expect({ kind, error }).toEqual(decision(event));
      }),
      { numRuns: 2000 },
    );
  });

  it('has one row a kind, at most one matched, and none shadowed before it', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const { kind, rows, nearest } = explain(event);
        const outcomes = rows.map((row) => row.outcome);
        const matched = outcomes.indexOf('matched');
        expect(rows).toHaveLength(11);
        expect(outcomes.filter((outcome) => outcome === 'matched')).toHaveLength(kind === null ? 0 : 1);
        if (kind === null) expect(outcomes).not.toContain('shadowed');
        else {
          expect(rows[matched]?.kind).toBe(kind);
          expect(nearest).toBeNull();
          expect(outcomes.slice(0, matched)).not.toContain('shadowed');
        }
        for (const row of rows) expect(row.misses.length > 0).toBe(row.outcome === 'missed');
      }),
      { numRuns: 2000 },
    );
  });

  it('shows words for what it found, and the text itself of tags only', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        for (const { path, found } of explain(event).rows.flatMap((row) => row.misses)) {
          if (/[eE]ventSource$/.test(path)) expect([...found].length).toBeLessThanOrEqual(64);
          else expect(found).toMatch(WORDS);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('shows no value of a payload', () => {
    const secret = fc.string({ minLength: 12, maxLength: 40, unit: fc.constantFrom(...'QXZ0123456789') });
    fc.assert(
      fc.property(secret, fc.constantFrom(...Object.keys(EVENTS)), (text, kind) => {
        const event = replaceTexts(EVENTS[kind], text);
        expect(JSON.stringify(explain(event))).not.toContain(text);
      }),
    );
  });

  it.each(HOSTILE)('never throws: %s', (_name, event) => {
    const { kind, error, rows } = explain(event);

    expect(kind).toBeNull();
    expect(error).toBe(decision(event).error);
    expect(rows).toHaveLength(11);
  });

  it('reports members that throw as unreadable, and matches no later row', () => {
    const record = Object.defineProperty({}, 'eventSource', {
      get() {
        throw new Error('private');
      },
    });
    const { kind, error, rows } = explain({ Records: [record], httpMethod: 'GET' });

    expect(kind).toBeNull();
    expect(error).toBe('framework: unknown event type');
    expect(rows[0]?.misses).toEqual([{ path: 'Records[0].eventSource', expected: 'aws:sqs', found: 'unreadable' }]);
    expect(rows[10]?.outcome).toBe('shadowed');
  });

  it('changes nothing in the event and runs no function of it', () => {
    let ran = 0;
    const event = Object.freeze({ toJSON: () => (ran += 1), toString: () => (ran += 1), Records: Object.freeze([]) });

    explain(event);

    expect(ran).toBe(0);
  });

  it.each([
    ['records', { records: [{ eventSource: 'aws:sqs' }] }, '"records" is not "Records": names are compared exactly'],
    ['HttpMethod', { HttpMethod: 'GET' }, '"HttpMethod" is not "httpMethod": names are compared exactly'],
    [
      'request_context',
      { request_context: {} },
      '"request_context" is not "requestContext": names are compared exactly',
    ],
    [
      'connectionID',
      { requestContext: { connectionID: 'c' } },
      '"connectionID" is not "connectionId": names are compared exactly',
    ],
    [
      'a tag',
      { Records: [{ eventSource: 'AWS:Kinesis' }] },
      '"AWS:Kinesis" is not "aws:kinesis": tags are compared exactly',
    ],
    ['no Records', { Records: [] }, '"Records" is empty: the kind cannot be detected without a record'],
    [
      'a tag that reads like a word',
      { Records: [{ eventSource: 'absent' }] },
      '"Records[0].eventSource": expected aws:sqs, found absent',
    ],
    ['a number', { Records: [{ eventSource: 5 }] }, '"Records[0].eventSource": expected aws:sqs, found number'],
  ])('hints at the usual mistake: %s', (_name, event, hint) => {
    expect(explain(event).nearest?.hint).toBe(hint);
  });

  it.each([
    ['an S3 notification', { Records: [{ eventSource: 'aws:s3' }] }],
    ['a Kafka batch', { eventSource: 'SelfManagedKafka', records: {} }],
    ['a Cognito trigger', { triggerSource: 'TokenGeneration_HostedAuth', userPoolId: 'p' }],
    [
      'an authorizer request (serve it with a separate function)',
      { type: 'TOKEN', authorizationToken: 't', methodArn: 'arn' },
    ],
    ['a Firehose batch', { deliveryStreamArn: 'arn', records: [] }],
    ['a custom resource request', { RequestType: 'Create', ResponseURL: 'https://example.com', StackId: 's' }],
    [
      'a log subscription (@sallyport/triggers serves it, @sallyport/streams decodes it)',
      { awslogs: { data: 'H4sI' } },
    ],
    [
      'a Lex hook',
      { messageVersion: '1.0', invocationSource: 'FulfillmentCodeHook', bot: { id: 'b' }, sessionState: {} },
    ],
    ['a Connect flow', { Name: 'ContactFlowEvent', Details: { ContactData: { ContactId: 'c' } } }],
    [
      'a Config rule',
      { version: '1.0', invokingEvent: '{}', ruleParameters: '{}', configRuleName: 'r', resultToken: 't' },
    ],
    ['a CodePipeline job', { 'CodePipeline.job': { id: 'j', data: {} } }],
    [
      'a Bedrock action',
      { messageVersion: '1.0', agent: { name: 'a' }, actionGroup: 'orders', function: 'find', parameters: [] },
    ],
    [
      'an Object Lambda request (serve it with a separate function)',
      { xAmzRequestId: 'r', getObjectContext: { inputS3Url: 'https://x', outputRoute: 'io', outputToken: 't' } },
    ],
    [
      'a Lambda@Edge request (serve it with a separate function)',
      { Records: [{ cf: { config: { distributionId: 'D' }, request: { uri: '/' } } }] },
    ],
    ['the list of a pipe (name an alias in pipe())', [{ messageId: 'm', eventSource: 'aws:sqs' }]],
  ])('names a shape outside the table: %s', (name, event) => {
    expect(explain(event).nearest?.hint).toBe(`looks like ${name}; no opt-in row is registered`);
  });

  it('does not repeat a key that is longer than a misspelling', () => {
    const { nearest } = explain({ [`DETAIL${'_'.repeat(5000)}TYPE`]: 'A' });

    expect(nearest).toBeNull();
  });
});

/** Every string of an event except the tags, which are shown on purpose. */
function replaceTexts(value: unknown, text: string, key = ''): unknown {
  if (typeof value === 'string') return /^eventSource$/i.test(key) ? 'aws:other' : text;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceTexts(item, text, name)]));
}
