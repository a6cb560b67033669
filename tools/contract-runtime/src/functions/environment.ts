import type { LogLevel } from '@sallyport/core';
import { createErrorNotifier, createLogger, type ErrorNotification } from '@sallyport/core/observability';
import { ManualClock } from '@sallyport/core/testing';
import { createEventBusStore, createJobLedger } from '@sallyport/jobs';
import { type DynamoMcpStoreOptions, dynamoMcpStore } from '@sallyport/mcp';
import { createDynamoRateLimiter, fixedWindow } from '@sallyport/ratelimit';

type Args = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, string>>;

/** The options of every store in a table. */
interface TableOptions {
  readonly environment: Variables;
  readonly tableName?: string;
  readonly client: NonNullable<DynamoMcpStoreOptions['client']>;
}

/** Makes a store and reads from it: the first request contains the name of the table. */
const READS: Readonly<Record<string, (options: TableOptions) => Promise<unknown>>> = {
  jobs: (options) => createJobLedger(options).getLease('any'),
  event_bus: (options) => createEventBusStore(options).get({ tenantId: 'any', id: 'any' }),
  rate_limit: (options) =>
    createDynamoRateLimiter({
      ...options,
      log: false,
      strategy: fixedWindow({ limit: 1, windowMs: 1000 }),
      onStoreError: 'deny',
    }).consume({ identifier: 'any', resource: '/', operation: 'GET' }),
  mcp: (options) => dynamoMcpStore(options).get({ partition: 'any', sort: 'any' }),
};

/** `{ "store": "jobs" | "event_bus" | "rate_limit" | "mcp", "environment": { … }, "table_name": "…" }`: the table of the requests. */
export async function tableOf({ store, environment, table_name }: Args): Promise<string> {
  let table = '';
  const client = {
    async send({ input }: { input: { TableName: string } }): Promise<never> {
      table = input.TableName;
      throw Object.assign(new Error('no table'), { name: 'ValidationException' });
    },
  };
  const read = READS[String(store)];
  if (!read) throw new Error(`no store ${String(store)}`);
  const reading = read({
    environment: environment as Variables,
    client: client as unknown as TableOptions['client'],
    ...(table_name !== undefined && { tableName: table_name as string }),
  });
  await reading.catch((error: unknown) => {
    if (table === '') throw error;
  });
  return table;
}

interface WireLine {
  readonly at_ms: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly error?: { readonly name: string; readonly message: string; readonly code: string };
}

/** `{ "environment": { … }, "topic_arn": "…", "lines": [{ "at_ms": 0, "level": "error", "message": "…", "error": { "name": "…", "message": "…", "code": "…" } }] }`: the published notifications. */
export async function errorNotifications({ environment, topic_arn, lines }: Args): Promise<unknown[]> {
  const clock = new ManualClock();
  const sent: ErrorNotification[] = [];
  const notifier = createErrorNotifier({
    publish: (notification) => sent.push(notification),
    clock,
    environment: environment as Variables,
    ...(topic_arn !== undefined && { topicArn: topic_arn as string }),
  });
  const log = createLogger({ clock, environment: {}, sinks: [notifier], write() {} });
  for (const { at_ms, level, message, error } of lines as readonly WireLine[]) {
    await clock.advance(at_ms - clock.now().getTime());
    log[level](message, error && { error: Object.assign(new Error(), error) });
  }
  return sent.map(({ topicArn, ...rest }) => ({ topic_arn: topicArn, ...rest }));
}
