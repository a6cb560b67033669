import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type Duration, Stack, Token, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse } from './misuse.js';
import { sharedRegistry } from './shared.js';

/** The variable without which `@sallyport/durable` rejects the envelopes of executions. */
export const DURABLE_ENV = 'FRAMEWORK_DURABLE';

/** The settings of a durable function. */
export interface DurableSettings {
  readonly executionTimeout: Duration;
  readonly handoff: boolean;
  readonly peakRecordsPerSecond?: number | undefined;
  readonly checkpointsPerRecord: number;
}

const durable = sharedRegistry<IFunction, DurableSettings>('durable/1');

/** Records that a function is durable. */
export function setDurable(fn: IFunction, settings: DurableSettings): void {
  durable.set(fn, settings);
}

/** The settings of a durable function; `undefined` for any other function. Pass the function, not its alias. */
export function durableOf(fn: IFunction): DurableSettings | undefined {
  return durable.get(fn);
}

/** A mapping waits for the whole execution. @see https://docs.aws.amazon.com/lambda/latest/dg/durable-invoking-esm.html */
const MAPPING_SECONDS = 900;
/** An execution has at most 3,000 operations, and each record of a batch needs at least one. */
const MAX_RECORDS = 2_800;
/** API Gateway ends a request. @see https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const DOOR_SECONDS = 29;

/**
 * Rejects what a durable function cannot serve from an event source mapping.
 *
 * @throws ConstructError `constructs.invalid_prop`
 */
export function checkDurableMapping(trigger: IConstruct, fn: IFunction, batchSize: number | undefined): void {
  const settings = durableOf(fn);
  if (!settings) return;
  const { executionTimeout } = settings;
  if (!executionTimeout.isUnresolved() && executionTimeout.toSeconds() > MAPPING_SECONDS) {
    throw misuse(trigger, {
      what: `an event source mapping of ${fn.node.path}, whose executionTimeout is ${executionTimeout.toHumanString()}`,
      expected:
        'at most 15 minutes, or a function without durable that calls startExecution: a mapping waits for the end of the execution',
    });
  }
  if (batchSize !== undefined && !Token.isUnresolved(batchSize) && batchSize > MAX_RECORDS) {
    throw misuse(trigger, {
      what: 'batchSize of a durable function',
      got: batchSize,
      expected: `at most ${MAX_RECORDS}`,
    });
  }
}

/**
 * Default quotas of an account in a region. Both can be increased.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const STARTS_PER_SECOND = 300;
const CHECKPOINTS_PER_SECOND = 10_000;
/** Northern Virginia, Oregon and Ireland have twice as many checkpoints. */
const LARGE_REGIONS: readonly string[] = ['us-east-1', 'us-west-2', 'eu-west-1'];

/**
 * Warns of a rate that Lambda throttles by default: each batch is an execution, and so is each record that is handed off.
 *
 * @param fn the function, not its alias
 * @param isOrdered true for sources whose records are never handed off
 */
export function warnOfDurableRate(trigger: IConstruct, fn: IFunction, batchSize: number, isOrdered: boolean): void {
  const { peakRecordsPerSecond: records, checkpointsPerRecord, handoff } = durableOf(fn) ?? {};
  if (records === undefined || checkpointsPerRecord === undefined) return;
  const warn = (name: string, rate: number, quota: number, remedy: string) => {
    if (rate <= quota) return;
    const text = `${records} records a second need ${Math.ceil(rate)} ${name} a second, and the default quota of an account in this region is ${quota}: ${remedy}`;
    Validations.of(trigger).addWarning('Sallyport::DurableRate', text);
  };
  const batches = records / (Token.isUnresolved(batchSize) ? 1 : batchSize);
  const isHandedOff = handoff === true && !isOrdered;
  const fewer = isHandedOff ? "use delivery: 'inline' for short work, or " : 'use larger batches, or ';
  warn(
    'starts of executions',
    isHandedOff ? batches + records : batches,
    STARTS_PER_SECOND,
    `${fewer}request an increase`,
  );
  const quota = CHECKPOINTS_PER_SECOND * (LARGE_REGIONS.includes(Stack.of(trigger).region) ? 2 : 1);
  warn(
    'requests of CheckpointDurableExecution',
    records * checkpointsPerRecord,
    quota,
    'use fewer steps, or request an increase',
  );
}

/** Warns of callers that receive no answer: an HTTP request waits for the end of the execution. */
export function warnOfDurableDoor(door: IConstruct, fn: IFunction): void {
  const settings = durableOf(fn);
  if (!settings || settings.executionTimeout.isUnresolved()) return;
  if (settings.executionTimeout.toSeconds() <= DOOR_SECONDS) return;
  const text = `a door of ${fn.node.path}, whose executions take up to ${settings.executionTimeout.toHumanString()}: API Gateway answers 504 after ${DOOR_SECONDS} s, and the execution continues. Answer 202 from a function without durable, and start the execution with startExecution`;
  Validations.of(door).addWarning('Sallyport::DurableDoor', text);
}
