import { FrameworkError } from '@sallyport/core';
import type { ErrorEnvelope } from './error-envelope.js';

/** A failure that the ledger remembers, thrown again. */
export class StoredError extends FrameworkError implements ErrorEnvelope {
  override readonly name: string = 'StoredError';
  declare readonly type?: string;
  declare readonly retryable?: true;
  declare readonly fields?: NonNullable<ErrorEnvelope['fields']>;

  constructor(envelope: ErrorEnvelope) {
    super(envelope.code ?? 'jobs.stored_error', envelope.message);
    Object.assign(this, envelope, { code: this.code });
    Object.freeze(this);
  }
}
