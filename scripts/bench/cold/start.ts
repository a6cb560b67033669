// A fresh process: loads one bundle, answers one event, reports to descriptor 3, exits. Started with `<bundle> <event as JSON> <modules of Node>`.
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface FirstAnswer {
  /** Milliseconds of wall time from before the code is loaded to the answer. */
  readonly millis: number;
  /** Milliseconds of CPU time in the same part, of all threads. */
  readonly cpuMillis: number;
  /** Milliseconds of wall time from the start of the process until the code is loaded. */
  readonly initMillis: number;
  /** Milliseconds of wall time from then to the answer. */
  readonly callMillis: number;
  /** Growth of the resident memory. */
  readonly residentBytes: number;
  readonly answer: unknown;
}

interface Loaded {
  readonly handler: (event: object, context: object) => Promise<unknown>;
}

const [bundle = '', text = '', ...modules] = process.argv.slice(2);
const event = JSON.parse(text) as object | null;
const context = { awsRequestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef', getRemainingTimeInMillis: () => 29_000 };
const load = createRequire(import.meta.url);
for (const name of modules) load(name);

const residentBefore = process.memoryUsage.rss();
const cpuBefore = process.cpuUsage();
const before = performance.now();
// As Lambda's runtime client loads them.
const { handler } = (bundle.endsWith('.mjs') ? await import(pathToFileURL(bundle).href) : load(bundle)) as Loaded;
const loaded = performance.now();
const answer = event === null ? null : await handler(event, context);
const answered = performance.now();
const { user, system } = process.cpuUsage(cpuBefore);
const first: FirstAnswer = {
  millis: answered - before,
  cpuMillis: (user + system) / 1000,
  initMillis: loaded,
  callMillis: answered - loaded,
  residentBytes: process.memoryUsage.rss() - residentBefore,
  answer,
};
writeSync(3, JSON.stringify(first));
process.exit();
