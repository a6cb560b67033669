import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type Duration, Token, Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse } from './misuse.js';
import { sharedRegistry } from './shared.js';

/** The variable without which `@sallyport/durable` rejects the envelopes of executions. */
export const DURABLE_ENV = 'FRAMEWORK_DURABLE';

/** The settings of a durable function. */
export interface DurableSettings {
  readonly executionTimeout: Duration;
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

/** Warns of callers that receive no answer: an HTTP request waits for the end of the execution. */
export function warnOfDurableDoor(door: IConstruct, fn: IFunction): void {
  const settings = durableOf(fn);
  if (!settings || settings.executionTimeout.isUnresolved()) return;
  if (settings.executionTimeout.toSeconds() <= DOOR_SECONDS) return;
  const text = `a door of ${fn.node.path}, whose executions take up to ${settings.executionTimeout.toHumanString()}: API Gateway answers 504 after ${DOOR_SECONDS} s, and the execution continues. Answer 202 from a function without durable, and start the execution with startExecution`;
  Validations.of(door).addWarning('Sallyport::DurableDoor', text);
}
