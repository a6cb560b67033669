import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sdk from '@aws-sdk/client-lambda';
import { type Service, ServiceError, startService } from '@sallyport/testkit/services';
import { HISTORY_COMMAND } from '../src/history/command.js';
import { runIn } from './support/run.js';

const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:orders:7/durable-execution/export-7/1f2e';
const OTHER = ARN.replace(':7/', ':8/');
const AT = 1_795_946_400;

/** A history as AWS answers it: two events a page. */
const EVENTS = [
  {
    EventType: 'ExecutionStarted',
    Id: 'e',
    Name: 'export-7',
    ExecutionStartedDetails: {
      ExecutionTimeout: 900,
      Input: {
        Payload: JSON.stringify({
          version: '2.0',
          rawPath: '/orders/8f3a9c/approval',
          headers: { authorization: 'Bearer abc', 'x-plan': 'gold' },
          resources: ['arn:aws:sqs:eu-west-1:123456789012:orders'],
          requestContext: { http: { method: 'POST', path: '/orders/8f3a9c/approval' } },
          body: '{"owner":"ada","total":1250,"paid":true}',
        }),
      },
    },
  },
  {
    EventType: 'StepStarted',
    Id: 's',
    Name: 'framework caller',
    StepStartedDetails: {},
  },
  {
    EventType: 'StepSucceeded',
    Id: 's',
    Name: 'framework caller',
    StepSucceededDetails: {
      RetryDetails: { CurrentAttempt: 1 },
      Result: {
        Payload: '{"identity":"ada","scopes":["orders:write"],"kind":"external","tenantId":"t-9","claims":{}}',
      },
    },
  },
  {
    EventType: 'CallbackStarted',
    Id: 'c',
    Name: 'approval',
    CallbackStartedDetails: { CallbackId: 'capability', Timeout: 60 },
  },
  {
    EventType: 'CallbackFailed',
    Id: 'c',
    Name: 'approval',
    CallbackFailedDetails: {
      Error: { Payload: { ErrorType: 'Rejected', ErrorMessage: 'ada says no', StackTrace: ['at secret.ts'] } },
    },
  },
  {
    EventType: 'InvocationCompleted',
    InvocationCompletedDetails: { StartTimestamp: AT, EndTimestamp: AT, RequestId: 'request-1' },
  },
].map((event, n) => ({ ...event, EventId: n + 1, EventTimestamp: AT + n }));

describe('sallyport history export', () => {
  let service: Service;
  let folder: string;
  let names: readonly string[] = [ARN];
  const asked: unknown[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'history-'));
    service = await startService({
      sdk,
      handlers: {
        ListDurableExecutionsByFunction: () => ({
          DurableExecutions: names.map((arn) => ({
            DurableExecutionArn: arn,
            DurableExecutionName: 'export-7',
            FunctionArn: arn.split('/')[0],
            Status: 'SUCCEEDED',
            StartTimestamp: AT,
          })),
        }),
        GetDurableExecution: ({ DurableExecutionArn }) => {
          if (DurableExecutionArn !== ARN) throw new ServiceError('ResourceNotFoundException', 404, 'no execution');
          return { DurableExecutionArn, Status: 'SUCCEEDED', StartTimestamp: AT };
        },
        GetDurableExecutionHistory: (input) => {
          asked.push(input);
          const from = Number(input.Marker ?? 0);
          return {
            Events: EVENTS.slice(from, from + 2),
            ...(from + 2 < EVENTS.length && { NextMarker: String(from + 2) }),
          };
        },
      },
    });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const run = (...args: readonly string[]) =>
    runIn(folder, HISTORY_COMMAND.run, args, {
      AWS_ENDPOINT_URL: service.endpoint,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });

  test('reads all pages and writes placeholders to a file that only the user can read', async () => {
    expect(await run('export', ARN, '--out', 'histories/7.json')).toEqual({
      code: 0,
      out: '',
      err: 'saved histories/7.json: 6 events, payloads: shapes\n',
    });
    expect(asked).toHaveLength(3);
    const file = join(folder, 'histories/7.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(
      /ada|8f3a|gold|Bearer|authorization|1250|capability|request-1|secret\.ts|t-9|123456789012/,
    );
    const { events, ...head } = JSON.parse(text) as { events: Record<string, unknown>[] };
    expect(head).toEqual({
      format: 'sallyport.history',
      version: 1,
      functionName: 'orders',
      functionVersion: '7',
      execution: 'export-7',
      status: 'SUCCEEDED',
      payloads: 'shapes',
      count: 6,
    });
    const input = events[0]?.ExecutionStartedDetails as { Input: { Payload: string } };
    expect(JSON.parse(input.Input.Payload)).toEqual({
      version: '2.0',
      rawPath: '/orders/text-1/approval',
      headers: { 'x-plan': 'text-2' },
      resources: ['arn:aws:sqs:eu-west-1:000000000000:orders'],
      requestContext: { http: { method: 'POST', path: '/orders/text-1/approval' } },
      body: '{"owner":"text-3","total":10,"paid":true}',
    });
    expect(events.slice(2, 5)).toMatchObject([
      {
        EventType: 'StepSucceeded',
        EventId: 3,
        StepSucceededDetails: {
          Result: {
            Payload:
              '{"identity":"text-3","scopes":["orders:write"],"kind":"external","tenantId":"text-4","claims":{}}',
          },
        },
      },
      { EventType: 'CallbackStarted', CallbackStartedDetails: { Timeout: 60 } },
      { CallbackFailedDetails: { Error: { Payload: { ErrorType: 'Rejected', ErrorMessage: 'error' } } } },
    ]);
  });

  test('keeps, removes, and with all payloads has values but no secret', async () => {
    const kept = await run('export', 'export-7', '--function', 'orders', '--keep', 'total', '--remove', 'owner');
    expect(kept.out).toMatch(/1250/);
    expect(kept.out).not.toMatch(/owner|ada/);
    const all = await run('export', ARN, '--payloads', 'all');
    expect(all.out).toMatch(/8f3a9c/);
    expect(all.out).not.toMatch(/Bearer abc|capability|request-1|123456789012/);
  });

  test.each([
    { title: 'no execution', args: ['export'], message: /name one execution/ },
    { title: 'another action', args: ['import', ARN], message: /name one execution/ },
    { title: 'a name without its function', args: ['export', 'export-7'], message: /--function <name>/ },
    { title: 'an unknown name', args: ['export', 'x', '--function', 'orders'], message: /has no execution named "x"/ },
    {
      title: 'other payloads',
      args: ['export', ARN, '--payloads', 'some'],
      message: /"shapes" or "all" \(got "some"\)/,
    },
    { title: 'values to keep of all', args: ['export', ARN, '--payloads', 'all', '--keep', 'a'], message: /no effect/ },
    { title: 'an unknown flag', args: ['export', ARN, '--kep', 'a'], message: /unknown flag --kep/ },
  ])('exits with 2 for $title', async ({ args, message }) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  test('exits with 1 for an execution that AWS does not have, and with 2 for a name of two versions', async () => {
    expect(await run('export', OTHER)).toMatchObject({
      code: 1,
      err: expect.stringContaining('ResourceNotFoundException'),
    });
    names = [ARN, OTHER];
    const { code, err } = await run('export', 'export-7', '--function', 'orders');
    expect({ code, err }).toEqual({
      code: 2,
      err: 'sallyport: 2 versions have an execution named "export-7": pass its ARN\n',
    });
    names = [ARN];
  });
});
