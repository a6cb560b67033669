import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MANIFEST_COMMAND } from '@sallyport/bundle/command';

const folder = mkdtempSync(join(tmpdir(), 'sallyport-manifest-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every kind of source that the templates attach, and a bucket, which they do not. */
const INVENTORY = {
  version: 1,
  container: 'secure',
  routes: [{ surface: 'http', method: 'GET', path: '/orders', posture: 'authenticated' }],
  triggers: [
    { kind: 'queue', name: 'orders' },
    { kind: 'queue', name: 'ledger.fifo' },
    { kind: 'stream', name: 'clicks' },
    { kind: 'table-stream', name: 'notes' },
    { kind: 'topic', name: 'news' },
    { kind: 'event-bus', selector: { source: 'billing', detailType: 'InvoicePaid' } },
    { kind: 'event-bus', selector: { ruleName: 'nightly' } },
    { kind: 's3', name: 'uploads' },
  ],
};

async function run(args: readonly string[], inventory: unknown = INVENTORY) {
  writeFileSync(join(folder, 'inventory.json'), JSON.stringify(inventory));
  const output = { out: '', err: '' };
  const code = await MANIFEST_COMMAND.run(args, {
    cwd: folder,
    out: (text) => {
      output.out += text;
    },
    err: (text) => {
      output.err += text;
    },
  });
  return { code, ...output };
}

/** The safety of messages and callers in both languages, each with the number of its places. */
const SAFETY: readonly (readonly [what: string, sam: RegExp, terraform: RegExp, times: number])[] = [
  ['a mapping reports single failures', /\[ReportBatchItemFailures\]/g, /\["ReportBatchItemFailures"\]/g, 4],
  [
    'a queue for failures keeps messages for 14 days',
    /MessageRetentionPeriod: 1209600/g,
    /message_retention_seconds = 1209600/g,
    3,
  ],
  [
    'a queue for failures has an alarm',
    /MetricName: ApproximateNumberOfMessagesVisible/g,
    /metric_name +="?.*ApproximateNumberOfMessagesVisible|metric_name +=.*MessagesVisible/g,
    3,
  ],
  ['each alarm has an action', /AlarmActions: \[!Ref AlarmTopicArn\]/g, /alarm_actions +=.*alarm_topic_arn/g, 5],
  [
    'a queue is invisible for six times the timeout of the function',
    /VisibilityTimeout: 90/g,
    /visibility_timeout_seconds = 90/g,
    2,
  ],
  ['a queue has a queue for failures', /maxReceiveCount: 5/g, /maxReceiveCount = 5/g, 2],
  ['queues are kept', /Type: AWS::SQS::Queue\n *DeletionPolicy: Retain/g, /prevent_destroy = true/g, 5],
  [
    'queues for failures reject requests without TLS',
    /aws:SecureTransport: false/g,
    /"aws:SecureTransport" = "false"/g,
    3,
  ],
  ['the API throttles', /ThrottlingBurstLimit: 200/g, /throttling_burst_limit = 200/g, 1],
  ['the access log has a name without the limit of its policy', /\/aws\/vendedlogs\//g, /"\/aws\/vendedlogs\//g, 1],
  [
    'events of asynchronous sources that fail are kept',
    /EventInvokeConfig:/g,
    /aws_lambda_function_event_invoke_config/g,
    1,
  ],
  [
    'a stream sends failed batches to the queue',
    /DestinationConfig: \{ OnFailure/g,
    /destination_arn = aws_sqs_queue\.failures/g,
    2,
  ],
  [
    'SNS and EventBridge keep what they cannot deliver',
    /deadLetterTargetArn: !GetAtt Failures|DeadLetterConfig:/g,
    /deadLetterTargetArn = aws_sqs_queue\.failures|dead_letter_config/g,
    3,
  ],
  [
    'failed records are named by their sequence number',
    /FAILURE_IDENTIFIER: sequenceNumber/g,
    /FAILURE_IDENTIFIER += "sequenceNumber"/g,
    1,
  ],
];

describe.each(SAFETY)('%s', (_what, sam, terraform, times) => {
  it.each([
    ['--sam', sam],
    ['--terraform', terraform],
  ])('with %s', async (flag, pattern) => {
    const { out } = await run(['inventory.json', flag]);
    expect(out.replaceAll('# Below /aws/vendedlogs/:', '').match(pattern)).toHaveLength(times);
  });
});

it.each(['--sam', '--terraform'])(
  '%s names what it does not attach, and every reference has its resource',
  async (flag) => {
    const { code, out, err } = await run(['inventory.json', flag]);
    expect({ code, err }).toEqual({ code: 0, err: 'warning: not attached: s3 uploads: see docs/trigger-kinds.md\n' });
    expect(out).toContain('s3 uploads');
    if (flag === '--sam') {
      const known = new Set([...out.matchAll(/^ {2}(\w+):/gm)].map(([, id]) => id));
      const used = [...out.matchAll(/!(?:Ref|GetAtt) (\w+)(?!\w*::)/g)].map(([, id]) => id);
      expect(used.filter((id) => id !== 'AWS' && !known.has(id))).toEqual([]);
      return;
    }
    const known = new Set(
      [...out.matchAll(/^(?:resource|data) "(\w+)" "(\w+)"/gm)].map(([, type, id]) => `${type}.${id}`),
    );
    const used = [...out.matchAll(/\b(aws_\w+\.\w+)\.\w+/g)].map(([, one]) => one ?? '');
    expect(used.filter((one) => !known.has(one))).toEqual([]);
    const variables = new Set([...out.matchAll(/^variable "(\w+)"/gm)].map(([, name]) => name));
    expect([...out.matchAll(/\bvar\.(\w+)/g)].map(([, name]) => name).filter((name) => !variables.has(name))).toEqual(
      [],
    );
  },
);

it.each(['sam', 'terraform'])(
  '--%s with --json is one object with the text and what it does not attach',
  async (format) => {
    const plain = await run(['inventory.json', `--${format}`]);
    const { code, out, err } = await run(['inventory.json', `--${format}`, '--json']);
    expect({ code, err, ...JSON.parse(out) }).toEqual({
      ...{ code: 0, err: '', type: 'manifest' },
      ...{ format, text: plain.out, notAttached: ['s3 uploads'] },
    });
  },
);

it.each([
  ['no format', ['inventory.json'], INVENTORY, 'pass one of --sam and --terraform'],
  ['both formats', ['inventory.json', '--sam', '--terraform'], INVENTORY, 'pass one of --sam and --terraform'],
  ['an unknown flag', ['inventory.json', '--cdk'], INVENTORY, '--cdk'],
  ['a missing file', ['none.json', '--sam'], INVENTORY, 'none.json'],
  ['another version', ['inventory.json', '--sam'], { ...INVENTORY, version: 2 }, 'an inventory of version 1'],
  [
    'an open application with routes',
    ['inventory.json', '--sam'],
    { ...INVENTORY, container: 'open' },
    'use a SecureApp',
  ],
])('rejects %s', async (_name, args, inventory, message) => {
  const { code, out, err } = await run(args, inventory);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
});

it('has no API and no sources for an application without them', async () => {
  const { out } = await run(['inventory.json', '--sam'], { ...INVENTORY, routes: [], triggers: [] });
  expect(out).not.toMatch(/HttpApi|Events:|ReportBatch|Environment/);
});
