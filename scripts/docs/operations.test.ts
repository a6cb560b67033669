import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorQuery } from '../../packages/cli/src/runbook/internal/parts.js';
import { APP_CODES } from '../../packages/core/src/index.js';
import { ownOf } from '../../packages/core/src/internal.js';
import { createLogger } from '../../packages/core/src/observability.js';
import { createApp } from '../../packages/dispatch/src/app.js';
import { buildAPIGatewayV2Request, buildQueueEvent } from '../../packages/testkit/src/events.js';
import { ROOT } from '../check/command.js';
import { readRows } from './error-tables.js';
import { ERROR_TABLES } from './error-tables-data.js';

const PAGE = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

/** Codes and metrics with a line "what to do" on the page. */
const named = (page: string) =>
  new Set([...page.matchAll(/^\| `([\w.]+)` \| \S[^|]*\S \|$/gm)].map(([, name = '']) => name));

/** The names of the metrics that the sink for CloudWatch writes, from its sources. */
function metricNames(): readonly string[] {
  const folder = join(ROOT, 'packages/core/src/observability');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(/\bname: '([A-Z]\w+)',\s*unit: '/g)].map(([, name = '']) => name));
}

test('every error code has a line "what to do"', () => {
  const rows = Object.values(ERROR_TABLES).flatMap((tables) => tables.flatMap((table) => readRows(table)));
  const codes = [...rows.map(({ code }) => code), ...Object.keys(APP_CODES)];
  expect(codes.length).toBeGreaterThan(150);
  const lines = named(PAGE);
  expect(codes.filter((code) => !lines.has(code))).toEqual([]);
});

test('every metric has a line "what to do"', () => {
  const names = metricNames();
  expect(names).toEqual(expect.arrayContaining(['RequestErrors', 'BatchFailures']));
  const lines = named(PAGE);
  expect(names.filter((name) => !lines.has(name))).toEqual([]);
});

test('a code without a line is missing', () => {
  expect(named('| `app.new` |  |\n| `app.old` | Wait. |\n')).toEqual(new Set(['app.old']));
});

test('every kind of alarm has its section', async () => {
  const { TITLES } = await import('../../packages/constructs/src/function/internal/watched.js');
  const anchors = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
  expect(Object.keys(TITLES).filter((part) => !anchors.includes(part))).toEqual([]);
});

test('the queries of a runbook read fields that error lines have', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const app = createApp({ log });
  const fail = () => {
    throw new TypeError('no price');
  };
  app.queue('orders', fail);
  app.get('/orders', fail);
  await app.handleLambda(
    buildQueueEvent('arn:aws:sqs:us-east-1:123456789012:orders', [
      { body: {}, attributes: { AWSTraceHeader: 'Root=1-67891233-abcdef012345678912345678' } },
    ]),
  );
  await app.handleLambda(buildAPIGatewayV2Request('GET', '/orders', {}));
  const [ofRecord = {}, ofRequest = {}] = lines.filter(({ level }) => level === 'ERROR');
  const has = (line: object, field: string) => field.split('.').reduce<unknown>(ownOf, line) !== undefined;
  const [, fields = ''] = /^fields (.*)$/m.exec(errorQuery()) ?? [];
  const named = fields.split(', ').filter((field) => field !== '@timestamp');
  expect(named).toEqual(['message', 'error.name', 'error.message', 'record_id', 'request_id', 'trace_id']);
  expect(named.filter((field) => !has(ofRecord, field))).toEqual([]);
  expect(ofRecord).toMatchObject({ source: 'orders' });
  expect(has(ofRequest, 'route')).toBe(true);
});
