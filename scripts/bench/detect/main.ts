// `npm run bench:detect`: nanoseconds to detect the kind of an event: the invoker, an event of the fixed table, and the
// last of all opt-in rows. Fails above `LIMITS`.
import { invocationProvenance } from '@sallyport/core';
import { createDispatcher, type TriggerExtension } from '@sallyport/dispatch';
import { buildInvocation } from '@sallyport/triggers';
import { CATALOGUE, type CatalogueEntry, type SampleHandler } from '@sallyport/triggers/catalogue';
import { queueEvent } from '../events.js';
import { median } from '../statistics.js';

const ROUNDS = 15;
const CALLS = 200_000;
/** Nanoseconds. */
const LIMITS = { guard: 20, last: 1_000 };

const none: SampleHandler = () => Promise.reject(new Error('no handler runs'));
/** Invocations by name are last. */
const entries = Object.values<CatalogueEntry>(CATALOGUE).toSorted(({ kind }) => (kind === 'invoke' ? 1 : 0));
const surfaces = entries.map(
  ({ sample }) => sample.register(sample.names.map((name) => [name, none])) as TriggerExtension,
);
const { detect } = createDispatcher(...surfaces, { serves: ['queue'], serve: async () => null });
const context = { awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis: () => 1_000 };
const invocation = buildInvocation('charge', 1);
const messages = queueEvent(1, []);

let sink = 0;
const work = {
  guard: () => {
    sink += invocationProvenance(context).length;
  },
  fixed: () => {
    sink += detect(messages).length;
  },
  last: () => {
    sink += detect(invocation).length;
  },
};

function nanosecondsOf(run: () => void): number {
  const before = process.hrtime.bigint();
  for (let n = 0; n < CALLS; n += 1) run();
  return Number(process.hrtime.bigint() - before) / CALLS;
}

const samples: Record<keyof typeof work, number[]> = { guard: [], fixed: [], last: [] };
for (let round = 0; round <= ROUNDS; round += 1) {
  // The first round warms up.
  for (const name of Object.keys(work) as (keyof typeof work)[]) {
    const nanoseconds = nanosecondsOf(work[name]);
    if (round > 0) samples[name].push(nanoseconds);
  }
}

const guard = median(samples.guard);
const last = median(samples.last);
process.stdout.write(`who invoked             ${guard.toFixed(1)} ns (at most ${LIMITS.guard})\n`);
process.stdout.write(`first row, a queue      ${median(samples.fixed).toFixed(1)} ns\n`);
process.stdout.write(`last of ${surfaces.length} opt-in rows  ${last.toFixed(1)} ns (at most ${LIMITS.last})\n`);
process.exitCode = sink > 0 && guard <= LIMITS.guard && last <= LIMITS.last ? 0 : 1;
