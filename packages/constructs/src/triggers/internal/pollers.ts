import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import { timeoutOf } from '../../internal/targets.js';

/** The longest timeout of functions that AWS Lambda invokes for brokers and DocumentDB, in seconds. */
const LIMIT_SECONDS = 840;

/**
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-msk.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-mq.html
 * @throws ConstructError `constructs.invalid_prop` for a timeout above 14 min
 */
export function checkPolledTimeout(at: Construct, fn: IFunction, noun: string): void {
  const seconds = timeoutOf(fn)?.toSeconds();
  if (seconds === undefined || seconds <= LIMIT_SECONDS) return;
  const expected = `at most ${LIMIT_SECONDS} s: AWS allows no longer timeout for a function with a ${noun} mapping`;
  throw misuse(at, { what: `timeout of ${fn.node.path}`, got: seconds, expected });
}
