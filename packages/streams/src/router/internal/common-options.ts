import type { Clock, Environment, IdGenerator, Logger } from '@sallyport/core';
import { parseLog } from '@sallyport/core/internal';
import { integer, kind, number, parsed, withMethods } from '@sallyport/core/options';

/** Validators of the options that every router accepts. */
export const COMMON_OPTIONS = {
  queueConcurrency: integer(1).default(1),
  deadlineMarginMs: number(0, undefined, 'milliseconds').default(500),
  clock: withMethods<Clock>('now'),
  ids: withMethods<IdGenerator>('newId'),
  environment: kind<Environment>('an object', (value) => typeof value === 'object' && value !== null),
  log: parsed<Logger>('false or a Logger', (value) => parseLog(value, {})),
};
