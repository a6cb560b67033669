import { type FrameworkError, isFrameworkError } from '@sallyport/core';
import { logFailure, sanitizeLogString, writesErrors } from '@sallyport/core/pipeline';
import { RecordContext } from '../../batch/handler.js';
import type { Delivery } from '../../batch/internal/record-batch.js';
import { warn } from '../../router/internal/warn.js';
import { recordId } from '../../sources/internal/loose-record.js';

/** A thrown value in a box, because `undefined` can be thrown. */
export interface Failure {
  readonly thrown: unknown;
}

/** Writes the one `error` line of a record or event that failed; the logger sanitizes the error. */
export function reportRecord(delivery: Delivery, index: number, { thrown }: Failure): void {
  if (!writesErrors(delivery.kernel.log)) return;
  const ctx = new RecordContext(delivery, index);
  logFailure(
    () => ctx.log,
    'framework: event handler failed',
    thrown,
    ctx.recordId === '' ? {} : { record_id: ctx.recordId },
  );
}

/** Writes one `error` line for a batch with a record that no handler is registered for. */
export function reportStranger(delivery: Delivery, index: number, error: FrameworkError): void {
  const { kind, records } = delivery;
  const ctx = new RecordContext(delivery, index);
  logFailure(() => ctx.log, `framework: no handler for ${kind}`, error, { records: records.length });
}

/** A handler failed after its record had been given up. */
export function reportLate(delivery: Delivery, index: number, { thrown }: Failure): void {
  const { kind, kernel } = delivery;
  warn(kernel, 'streams.late_failure', {
    trigger: kind,
    source: delivery.targets[index]?.registration.name ?? '',
    record_id: sanitizeLogString(recordId(kind, delivery.recordAt(index))).slice(0, 256),
    error_code: codeOf(thrown),
  });
}

/** The code of a thrown value; `app.internal` for whatever has none. */
export function codeOf(thrown: unknown): string {
  return isFrameworkError(thrown) ? thrown.code : 'app.internal';
}
