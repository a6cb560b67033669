import { type BoundFields, bindLogger } from './bound-log.js';
import type { Logger, LogRecord } from './hooks.js';

const BOUND: readonly string[] = ['request_id', 'trace_id', 'tenant_id', 'trigger', 'route', 'source'];

/**
 * The hook `observability.log` that writes records with a logger: the record's event is the message, its ids and route stand
 * where the logger puts those of a context.
 *
 * @example createApp({ log, observability: { log: recordLog(log) } });
 */
export function recordLog(logger: Logger): (record: LogRecord) => void {
  return ({ level, event, ...fields }) => {
    if (!logger.isEnabled(level)) return;
    const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
    const bound: BoundFields = {
      request_id: text('request_id'),
      trace_id: text('trace_id'),
      tenant_id: text('tenant_id'),
      trigger: text('trigger'),
      route: text('route'),
      source: text('source'),
      function_name: '',
      function_version: '',
    };
    const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !BOUND.includes(name)));
    bindLogger(logger, bound, () => undefined)[level](event, rest);
  };
}
