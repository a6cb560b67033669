import { isFrameworkError } from '../errors/errors.js';
import { guardHook, type Logger } from './hooks.js';

/** Whether a thrown value is a failure of the service: anything but a FrameworkError that answers less than 500. */
export function isFailure(thrown: unknown): boolean {
  return !isFrameworkError(thrown) || thrown.status >= 500;
}

/** Whether a logger writes errors at all. Binding one to an invocation costs more than asking first. */
export function writesErrors(log: Logger): boolean {
  try {
    return log.isEnabled('error');
  } catch {
    return true;
  }
}

/**
 * Writes the one `error` line of a failed invocation or record.
 *
 * @param logger gives the logger of the invocation; asked here, so that its failure is dropped too
 * @param fields what else the line says
 */
export function logFailure(
  logger: () => Logger,
  message: string,
  thrown: unknown,
  fields?: Readonly<Record<string, unknown>>,
): void {
  // `undefined` and `null` can be thrown, and must show as errors.
  guardHook(() => logger().error(message, { ...fields, error: thrown ?? String(thrown) }));
}
