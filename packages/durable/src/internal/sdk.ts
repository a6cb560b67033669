import type * as Sdk from '@aws/durable-execution-sdk-js';
import { DurableError } from '../errors.js';

export type { DurableContext, DurableExecutionClient, WireOperation } from '@aws/durable-execution-sdk-js';
export type DurableSdk = typeof Sdk;

/** The members of a recorded operation that flows read. */
export interface OperationInfo {
  readonly id: string;
  /** The kind of operation, such as `STEP`. */
  readonly type: string | undefined;
  readonly status: string | undefined;
  /** The recorded text of its result. */
  readonly result: string | undefined;
}

let loading: Promise<DurableSdk> | undefined;

/**
 * The SDK of durable executions, imported with the first execution: it costs about 20 ms of CPU, which other invocations do not pay.
 *
 * @throws DurableError `durable.sdk_missing`
 */
export function loadSdk(): Promise<DurableSdk> {
  loading ??= import('@aws/durable-execution-sdk-js').catch((cause: unknown) => {
    loading = undefined;
    const text = 'install @aws/durable-execution-sdk-js 2.4 or later: durable executions need it';
    throw new DurableError('durable.sdk_missing', text, cause);
  });
  return loading;
}

/** Values are JSON text already. */
export const TEXT = {
  serialize: async (text: string | undefined) => text,
  deserialize: async (text: string | undefined) => text,
};

/** A context with a position in the history that is not recorded: its work may begin later than its position. */
export const VIRTUAL = { virtualContext: true, serdes: TEXT } as const;
