import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { choice, count, flag, literal, many, thing } from '../../internal/props.js';
import { ApiAuthorization } from '../authorization.js';

/** The default of `throttleRate`: requests a second. */
const THROTTLE_RATE = 100;
/** The default of `throttleBurst`: concurrent requests. */
const THROTTLE_BURST = 200;

const MOST = 1_000_000;
const ORIGIN = /^https?:\/\/[^/*\s]+$/;

/** The function that a door invokes. */
export const fnProp = thing<IFunction>('a function', 'functionArn');

/** The account setting for the logs of REST and WebSocket APIs. */
export const accountProp = choice('ensure', 'existing').default('ensure');

/** Props that every API has. */
export const apiProps = {
  fn: fnProp.required(),
  throttleRate: count(1, MOST).default(THROTTLE_RATE),
  throttleBurst: count(1, MOST).default(THROTTLE_BURST),
  accessLog: flag.default(true),
  accessLogGroup: thing<ILogGroup>('a log group', 'logGroupArn'),
  logRetention: literal<RetentionDays>('a value of RetentionDays', (value) => typeof value === 'number').default(
    RetentionDays.ONE_MONTH,
  ),
};

/** The check of the callers; the application by default. */
export const authorizationProp = literal<ApiAuthorization>(
  'a value of ApiAuthorization',
  (value) => value instanceof ApiAuthorization,
).default(ApiAuthorization.APPLICATION);

/** Origins of browsers, without `*`. */
export const originsProp = many<string>(
  'a list of origins, such as https://notes.example, without *',
  (value) => typeof value === 'string' && ORIGIN.test(value),
);
