// A fresh process: loads one bundle, answers one event, reports, exits. Started with `<bundle> <event as JSON>`.
import { pathToFileURL } from 'node:url';

export interface FirstAnswer {
  /** Milliseconds of wall time from before the import to the answer. */
  readonly millis: number;
  readonly residentBytes: number;
  readonly answer: unknown;
}

const [bundle = '', text = ''] = process.argv.slice(2);
const event = JSON.parse(text) as object | null;
const context = { awsRequestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef', getRemainingTimeInMillis: () => 29_000 };

const residentBefore = process.memoryUsage.rss();
const before = performance.now();
const { handler } = (await import(pathToFileURL(bundle).href)) as {
  handler: (event: object, context: object) => Promise<unknown>;
};
const answer = event === null ? null : await handler(event, context);
const first: FirstAnswer = {
  millis: performance.now() - before,
  residentBytes: process.memoryUsage.rss() - residentBefore,
  answer,
};
process.send?.(first, () => process.exit());
