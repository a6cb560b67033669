import type { LogLevel } from './hooks.js';

export type LoggerLevel = LogLevel | 'silent';

/** The levels by severity. */
export const SEVERITY: Readonly<Record<LoggerLevel, number>> = {
  debug: 10,
  info: 20,
  warn: 30,
  error: 40,
  silent: 50,
};

/** The members of a line that come from the invocation, in their order. */
export const BOUND_NAMES = [
  'request_id',
  'trace_id',
  'tenant_id',
  'trigger',
  'route',
  'source',
  'function_name',
  'function_version',
] as const;

/**
 * Members of a line that only the framework writes: a caller's field of that name becomes `field_<name>`. `_aws` at the root
 * makes CloudWatch read a line as metrics (CloudWatch embedded metric format, root node), so no field may be called that.
 */
export const RESERVED: readonly string[] = ['timestamp', 'level', 'message', 'service', ...BOUND_NAMES, '_aws'];

/** The level that `AWS_LAMBDA_LOG_LEVEL` names (`TRACE` is `debug`, `FATAL` is `error`), else `info`. */
export function lambdaLevel(level = ''): LoggerLevel {
  const name = level.toLowerCase().replace('trace', 'debug').replace('fatal', 'error');
  return name !== 'silent' && Object.hasOwn(SEVERITY, name) ? (name as LoggerLevel) : 'info';
}
