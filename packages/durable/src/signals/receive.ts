import { isFrameworkError, type StandardSchema } from '@sallyport/core';
import { sha256 } from '@sallyport/core/internal';
import { defineOptions, string, withMethods } from '@sallyport/core/options';
import { DurableError } from '../errors.js';
import { durationOption } from '../internal/checks.js';
import type { Lane } from '../internal/lane.js';
import { parseWith } from '../internal/schema.js';
import { scopeOf } from '../internal/scope.js';
import { type DurableLedger, ledgerOption, readOnce, writeOnce } from '../internal/write-once.js';
import { completeCallback } from '../start/callbacks.js';
import { invalidInput } from '../start/errors.js';
import type { LambdaSender } from '../start/internal/lambda.js';
import type { Durable, Duration } from '../types.js';
import {
  type Address,
  KEEP_SECONDS,
  type Message,
  messageKey,
  receiverKey,
  receiversOf,
  toAddress,
} from './internal/mailbox.js';

/** Options of {@link receive}. */
export interface ReceiveOptions {
  /** The business key that the sender uses too, such as the id of an order: 1 to 1,024 characters. */
  readonly key: string;
  /** `createJobLedger()` of `@sallyport/jobs`. */
  readonly ledger: DurableLedger;
  /** The time after which it rejects with `durable.callback_timeout`. */
  readonly timeout: Duration;
  /** The tenant whose messages are received. Default: the tenant of the recorded caller, which no other can replace; without a caller `''`. */
  readonly tenantId?: string;
  /** The Lambda client. Default: a client of this region. */
  readonly client?: LambdaSender;
}

const RECEIVE_OPTIONS = /* @__PURE__ */ defineOptions<ReceiveOptions>()(
  {
    key: /* @__PURE__ */ string.required(),
    ledger: /* @__PURE__ */ ledgerOption().required(),
    timeout: /* @__PURE__ */ durationOption().required(),
    tenantId: string,
    client: /* @__PURE__ */ withMethods<LambdaSender>('send'),
  },
  { fail: invalidInput },
);

/** A received message. */
export interface ReceivedSignal<T> {
  /** The value, checked with the schema. */
  readonly value: T;
  /** The identity of the caller that the gate accepted, or the name of the service that sent the message. */
  readonly sender: string;
  /** `caller` for a caller with this identity, `service` for a service with this name. */
  readonly by: 'caller' | 'service';
}

/**
 * Waits for a message of `signalExecution` with the same tenant, key and name. A message that was sent before is received immediately, and only
 * the first message with a name counts: number the names of a loop. An execution that replaces a failed one receives the same message.
 *
 * The role needs access to the table, and `lambda:SendDurableExecutionCallbackSuccess` on the executions of its function.
 *
 * @param name the name of the message and of the operation: 1 to 128 printable ASCII characters, unique among the operations
 * @throws DurableError `durable.callback_timeout`, `durable.callback_invalid` for a value that does not fit the schema, `durable.callback_failed`
 *   if the callback was completed without a message, or the message was sent to another address
 * @throws ExecutionServiceError `durable.invalid_input` for the tenant of another caller
 * @example
 * const { value, sender } = await receive(ctx, 'approval', Decision, { key: order.id, ledger, timeout: { days: 2 } });
 */
export async function receive<T>(
  ctx: Durable,
  name: string,
  schema: StandardSchema<unknown, T>,
  given: ReceiveOptions,
): Promise<ReceivedSignal<T>> {
  const lane = scopeOf(ctx) as Lane | undefined;
  const { key, ledger, timeout, client, ...options } = RECEIVE_OPTIONS.parse(given);
  const caller = lane?.run.caller;
  const { tenantId = caller?.tenantId ?? '' } = options;
  if (caller && caller.tenantId !== tenantId) throw invalidInput('"tenantId" must be the tenant of the caller');
  const address = toAddress(tenantId, key, name);
  const arn = ctx.execution?.arn ?? '';
  // Only the fact that a message exists passes the callback: its content is in the table.
  await ctx.callback(name, ANY, {
    timeout,
    async submit(id, { signal }) {
      await register(ledger, address, { id, arn }, signal);
      if ((await readOnce(ledger, messageKey(address), signal)) !== undefined) await wake(id, { client, signal });
    },
  });
  const found = await ctx.step(`${name} message`, async ({ signal }) => {
    const message = (await readOnce(ledger, messageKey(address), signal)) as Message | undefined;
    if (message === undefined) throw new DurableError('durable.callback_failed', `signal "${name}" has no message`);
    if (message.to !== messageKey(address).key) {
      throw new DurableError('durable.callback_failed', `signal "${name}" was sent to another address`);
    }
    return { text: JSON.stringify(message.value), sender: message.sender, by: message.by };
  });
  const { text, sender, by } = found;
  return { value: await parseWith(schema, text, `signal "${name}"`), sender, by };
}

const ANY: StandardSchema<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'sallyport', validate: (value: unknown) => ({ value }) },
};

async function register(
  ledger: DurableLedger,
  address: Address,
  receiver: { readonly id: string; readonly arn: string },
  signal: AbortSignal,
): Promise<void> {
  const writer = sha256(receiver.id);
  const options = { writer, keepSeconds: KEEP_SECONDS, signal };
  const known = await receiversOf(ledger, address, signal);
  if (known.some(({ id }) => id === receiver.id)) return;
  for (let number = known.length; ; number += 1) {
    const stored = await writeOnce(ledger, receiverKey(address, number), receiver, options);
    if (stored && (stored.value as typeof receiver).id === receiver.id) return;
  }
}

/** Completes the callback, if the sender has not. */
async function wake(
  id: string,
  options: { readonly client: LambdaSender | undefined; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await completeCallback(id, {}, options);
  } catch (error) {
    if (!isFrameworkError(error) || error.code !== 'durable.callback_gone') throw error;
  }
}
