import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeStreamCommand, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { systemClock } from '@sallyport/core';
import { TableState, tables } from '../src/internal/services/dynamodb/table-state.js';
import type { LocalSources } from '../src/internal/sources/local-sources.js';
import { LocalState } from '../src/internal/state/local-state.js';
import { clientConfig } from './support/clients.js';
import { createTestHost, type TestHost, trigger } from './support/host.js';
import { startPort, type TestPort } from './support/port.js';

/** This package: it depends on packages with tables, and on the engine. */
const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));
const NOTES = {
  TableName: 'notes',
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
};

interface Changes {
  readonly Records: readonly {
    readonly eventSourceARN: string;
    readonly eventName: string;
    readonly dynamodb: { readonly NewImage: unknown; readonly SequenceNumber: string };
  }[];
}

/** Resolves when `isTrue`; rejects when it never is. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let turns = 0; !isTrue(); turns += 1) {
    if (turns > 2000) throw new Error('it never came to that');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('DynamoDB', () => {
  let host: TestHost;
  let state: TableState;
  let sources: LocalSources;
  let port: TestPort;
  let held: Promise<unknown>;
  const processes: number[] = [];
  const client = () => new DynamoDBClient(clientConfig(host));

  beforeAll(async () => {
    host = createTestHost(() => ({}), {
      triggers: [trigger('table-stream', 'notes')],
      config: { tables: [NOTES], env: { FRAMEWORK_JOBS_TABLE_NAME: 'my-jobs' } },
      clock: systemClock,
      guard: (pid: number) => void processes.push(pid),
    });
    port = await startPort({ ...host, config: { ...host.config, folder: PROJECT } }, { PATH: process.env.PATH });
    sources = port.sources;
    state = port.state.get(tables);
    await port.state.start();
    await sources.start();
    // The engine is not up yet.
    held = client().send(new ListTablesCommand({}));
  });

  afterAll(async () => {
    await port.stop();
    host.remove();
  });

  it('calls wait until the engine has started; it has the tables of the packages and of sallyport.json', async () => {
    expect(await held).toMatchObject({
      TableNames: expect.arrayContaining(['eventbus', 'my-jobs', 'notes']),
    });
    expect(state.variables()).toMatchObject({
      FRAMEWORK_EVENTBUS_TABLE_NAME: 'eventbus',
      FRAMEWORK_JOBS_TABLE_NAME: 'my-jobs',
    });
    expect(state.status()).toBe('on');
    expect(host.notices).toEqual([expect.stringContaining('licence'), 'state  on']);
  });

  it('changes of a table reach its handler in the form of the stream', async () => {
    await until(() => sources.list().some(({ arn }) => !arn.endsWith('T00:00:00.000')));
    await client().send(
      new PutItemCommand({ TableName: 'notes', Item: { id: { S: '1' }, n: { N: '1.5' }, tags: { SS: ['a'] } } }),
    );
    const update = {
      TableName: 'notes',
      Key: { id: { S: '1' } },
      UpdateExpression: 'SET n = :n',
      ExpressionAttributeValues: { ':n': { N: '2' } },
    };
    await client().send(new UpdateItemCommand(update));
    const records = () => host.invocations.flatMap(({ event }) => (event as Changes).Records);
    await until(() => records().length === 2);
    expect(records()).toMatchObject([
      { eventName: 'INSERT', dynamodb: { NewImage: { id: { S: '1' }, n: { N: '1.5' }, tags: { SS: ['a'] } } } },
      { eventName: 'MODIFY', dynamodb: { OldImage: { n: { N: '1.5' } }, NewImage: { n: { N: '2' } } } },
    ]);
    expect(records()[0]?.eventSourceARN).toMatch(/^arn:aws:dynamodb:us-east-1:123456789012:table\/notes\/stream\//);
    expect(records()[0]?.dynamodb.SequenceNumber).toMatch(/^0+\d+$/);
  });

  it('ARNs are mapped to the run, in both directions', async () => {
    const { Table } = await client().send(new DescribeTableCommand({ TableName: 'notes' }));
    expect(Table).toMatchObject({ TableArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/notes' });
    const streams = new DynamoDBStreamsClient(clientConfig(host));
    const StreamArn = Table?.LatestStreamArn ?? '';
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
    expect(StreamDescription).toMatchObject({ StreamArn, StreamStatus: 'ENABLED', TableName: 'notes' });
  });

  it('errors of DynamoDB are passed on unchanged', async () => {
    const missing = client().send(new GetItemCommand({ TableName: 'none', Key: { id: { S: '1' } } }));
    await expect(missing).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    const twice = client().send(new CreateTableCommand({ ...NOTES, BillingMode: 'PAY_PER_REQUEST' } as never));
    await expect(twice).rejects.toMatchObject({ name: 'ResourceInUseException' });
  });

  it('a page of a browser cannot read what the engine answers', async () => {
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };
    const answer = await fetch(await state.endpoint(), { method: 'OPTIONS', headers });
    expect(['*', 'http://evil.example']).not.toContain(answer.headers.get('access-control-allow-origin'));
  });

  it('the console sees tables and items', async () => {
    expect(await state.list()).toContainEqual({ name: 'notes', about: 'id', count: 1 });
    const { items, next } = await state.items('notes');
    expect([items, next]).toEqual([[{ id: { S: '1' }, n: { N: '2' }, tags: { SS: ['a'] } }], null]);
  });

  it('an engine that exits is restarted once with its data, and then remains off', async () => {
    process.kill(processes[0] ?? 0, 'SIGKILL');
    await until(() => host.notices.some((notice) => notice.includes('; restarting')));
    const { Item } = await client().send(new GetItemCommand({ TableName: 'notes', Key: { id: { S: '1' } } }));
    expect(Item).toMatchObject({ n: { N: '2' } });
    // The stream continues after the delivered records.
    const seen = host.invocations.length;
    await client().send(new PutItemCommand({ TableName: 'notes', Item: { id: { S: '2' } } }));
    await until(() => host.invocations.length > seen);
    expect(host.invocations.slice(seen)).toMatchObject([
      { event: { Records: [{ eventName: 'INSERT', dynamodb: { NewImage: { id: { S: '2' } } } }] } },
    ]);
    process.kill(processes[1] ?? 0, 'SIGKILL');
    await until(() => state.status().startsWith('off: DynamoDB Local ended'));
    const off = client().send(new ListTablesCommand({}));
    await expect(off).rejects.toMatchObject({
      name: 'LocalStateOff',
      message: expect.stringContaining('DynamoDB Local ended'),
    });
  });
});

describe('without an engine', () => {
  const NO_JAVA = 'off: DynamoDB Local needs Java 17 (apt install default-jre-headless, brew install openjdk)';

  it.each<[string, (folder: string) => Record<string, string>]>([
    ['no Java', () => ({ PATH: '/nowhere' })],
    [
      'an old Java',
      (folder) => {
        const java = join(folder, 'bin/java');
        mkdirSync(dirname(java));
        writeFileSync(java, '#!/bin/sh\necho \'openjdk version "11.0.2" 2019-01-15\' >&2\n');
        chmodSync(java, 0o755);
        return { JAVA_HOME: folder };
      },
    ],
  ])('%s is reported with the remedy, by calls too', async (_name, environment) => {
    const host = createTestHost(() => ({}));
    const state = new TableState(host, environment(host.config.folder));
    await state.start();
    await expect(state.endpoint()).rejects.toMatchObject({ code: 'local.state_off', message: NO_JAVA });
    expect([state.status(), host.notices]).toEqual([NO_JAVA, [`state  ${NO_JAVA}`]]);
    expect(state.hasTables()).toBe(false);
    await state.stop();
    host.remove();
  });

  it('--no-state starts none', async () => {
    const host = createTestHost(() => ({}), { config: { state: false } });
    const state = new TableState(host, {});
    await state.start();
    await expect(state.endpoint()).rejects.toThrow('off: --no-state');
    host.remove();
  });

  it('addresses of others win', async () => {
    const host = createTestHost(() => ({}));
    const state = new LocalState(host, { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9', S3_ENDPOINT: 'http://127.0.0.1:8' });
    await state.start();
    expect(await state.get(tables).endpoint()).toBe('http://127.0.0.1:9');
    expect(state.get(tables).hasTables()).toBe(true);
    expect(state.variables()).toEqual({ AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:8' });
    await state.stop();
    host.remove();
  });
});
