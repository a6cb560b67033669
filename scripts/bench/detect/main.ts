// `npm run bench:detect`: nanoseconds to detect the kind of an event: the invoker, an event of the fixed table, and the
// last of all opt-in rows. Fails above `LIMITS`.
import { invocationProvenance } from '@sallyport/core';
import { createDispatcher, type TriggerExtension } from '@sallyport/dispatch';
import { alarmAction } from '@sallyport/triggers/alarm';
import { appSyncAuthorizer, deny as refuse } from '@sallyport/triggers/appsync-authorizer';
import { appSyncEvents } from '@sallyport/triggers/appsync-events';
import { deny, tokenAuthorizer } from '@sallyport/triggers/authorizer';
import { cognitoTrigger } from '@sallyport/triggers/cognito';
import { customResource } from '@sallyport/triggers/custom-resource';
import { documentDb } from '@sallyport/triggers/documentdb';
import { drop, firehoseTransform } from '@sallyport/triggers/firehose';
import { buildInvocation, directInvoke } from '@sallyport/triggers/invoke';
import { kafkaTrigger } from '@sallyport/triggers/kafka';
import { latticeDoor } from '@sallyport/triggers/lattice';
import { logsTrigger } from '@sallyport/triggers/logs';
import { mqTrigger } from '@sallyport/triggers/mq';
import { s3Trigger } from '@sallyport/triggers/s3';
import { s3Batch } from '@sallyport/triggers/s3-batch';
import { secretRotation } from '@sallyport/triggers/secret-rotation';
import { sesTrigger } from '@sallyport/triggers/ses';
import { queueEvent } from '../events.js';
import { median } from '../statistics.js';

const ROUNDS = 15;
const CALLS = 200_000;
/** Nanoseconds. */
const LIMITS = { guard: 20, last: 1_000 };

const none = () => undefined;
const surfaces: readonly TriggerExtension[] = [
  s3Trigger(),
  sesTrigger({ onError: 'stop' }),
  tokenAuthorizer(() => deny()),
  cognitoTrigger(),
  customResource({ create: none, update: none, delete: none }),
  logsTrigger(),
  appSyncEvents(),
  appSyncAuthorizer(() => refuse()),
  kafkaTrigger(),
  mqTrigger(),
  documentDb(),
  firehoseTransform(() => drop()),
  alarmAction(none),
  s3Batch(none),
  secretRotation(),
  latticeDoor(),
  directInvoke(),
];
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
