// A fresh process: loads one bundle, answers one event, reports, ends. Started with `<bundle>`, driven over IPC.
import { pathToFileURL } from 'node:url';
import { gatewayV2Event } from '../events.js';

export interface FirstAnswer {
  /** Milliseconds of wall time from before the import to the answer. */
  readonly millis: number;
  readonly residentBytes: number;
  readonly status: unknown;
}

const event = JSON.parse(JSON.stringify(gatewayV2Event({ method: 'GET', path: '/health' }))) as object;
const context = { awsRequestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef', getRemainingTimeInMillis: () => 29_000 };

const residentBefore = process.memoryUsage.rss();
const before = performance.now();
const { handler } = (await import(pathToFileURL(process.argv[2] ?? '').href)) as {
  handler: (event: object, context: object) => Promise<{ statusCode: unknown }>;
};
const { statusCode } = await handler(event, context);
const answer: FirstAnswer = {
  millis: performance.now() - before,
  residentBytes: process.memoryUsage.rss() - residentBefore,
  status: statusCode,
};
process.send?.(answer, () => process.exit());
