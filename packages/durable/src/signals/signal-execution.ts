import { type Context, isFrameworkError } from '@sallyport/core';
import { sha256 } from '@sallyport/core/internal';
import { defineOptions, integer, object, withMethods } from '@sallyport/core/options';
import { placeDigest } from '../internal/identity.js';
import { type DurableLedger, ledgerOption, writeOnce } from '../internal/write-once.js';
import { completeCallback, MAX_VALUE_BYTES } from '../start/callbacks.js';
import { ExecutionServiceError, invalidInput } from '../start/errors.js';
import { toPayload } from '../start/internal/json.js';
import { type ExecutionCallOptions, type LambdaSender, sendToLambda } from '../start/internal/lambda.js';
import { KEEP_SECONDS, type Message, messageKey, type Receiver, receiversOf, toAddress } from './internal/mailbox.js';
import { type Sender, type ServiceSender, toSender } from './internal/sender.js';

/** Options of {@link signalExecution}. */
export interface SignalOptions extends ExecutionCallOptions {
  /** `createJobLedger()` of `@sallyport/jobs`. */
  readonly ledger: DurableLedger;
  /**
   * The `ctx` of the request: the message has identity and tenant of the caller that the gate has accepted. A service without a caller
   * passes its name and the tenant. Executions of other tenants do not receive the message.
   */
  readonly sender: Context | ServiceSender;
}

/** The options of the call of Lambda are checked by that call. */
const SIGNAL_OPTIONS = /* @__PURE__ */ defineOptions<SignalOptions>()(
  {
    ledger: /* @__PURE__ */ ledgerOption().required(),
    sender: /* @__PURE__ */ object<Context | ServiceSender>().required(),
    client: /* @__PURE__ */ withMethods<LambdaSender>('send'),
    signal: /* @__PURE__ */ withMethods<AbortSignal>('addEventListener'),
    timeoutMs: /* @__PURE__ */ integer(1, 60_000, 'milliseconds'),
  },
  { fail: invalidInput },
);

/** The result of {@link signalExecution}. */
export interface SentSignal {
  /**
   * `delivered`: an execution that waited has the message; `stored`: the next execution that waits receives it; `existing`: the same
   * message of the same sender was sent before.
   */
  readonly outcome: 'delivered' | 'stored' | 'existing';
}

/**
 * Sends a message to the execution that waits in `receive`, or will wait: tenant, key and name are its address, and the sender is recorded with
 * it, both from the caller that the gate has accepted. The first message with an address is kept; the same call again is the same message. Messages are kept for 14 days.
 *
 * The role needs access to the table, and `lambda:SendDurableExecutionCallbackSuccess` and `lambda:GetDurableExecution` on the executions
 * of the function.
 *
 * @param value at most 256 KiB of JSON
 * @throws ExecutionServiceError `durable.execution_conflict` if another message has this address, `durable.callback_gone` if the execution
 *   that waited for it has ended, `durable.invalid_input`, `durable.too_large`, `durable.service_unavailable` or `durable.service_failed`
 * @example
 * await signalExecution(ctx.param('id'), 'approval', { approved: true }, { ledger, sender: ctx });
 */
export async function signalExecution(
  key: string,
  name: string,
  value: unknown,
  given: SignalOptions,
): Promise<SentSignal> {
  const { ledger, ...options } = SIGNAL_OPTIONS.parse(given);
  const from = toSender(options.sender);
  const address = toAddress(from.tenantId, key, name);
  const call = { client: options.client, signal: options.signal, timeoutMs: options.timeoutMs };
  const text = toPayload(value, 'the value of a signal', MAX_VALUE_BYTES).toString('utf8');
  const { by, sender } = from;
  const message: Message = { value: JSON.parse(text) as unknown, sender, by, to: messageKey(address).key };
  const writer = writerOf(from, text);
  const stored = await writeOnce(ledger, messageKey(address), message, {
    writer,
    keepSeconds: KEEP_SECONDS,
    signal: call.signal,
  });
  if (!stored) throw new ExecutionServiceError('durable.service_unavailable', 'another caller sends this signal now');
  if (!stored.isNew && writerOfMessage(stored.value as Message) !== writer) {
    throw new ExecutionServiceError('durable.execution_conflict', 'another message has this key and name');
  }
  const receiver = (await receiversOf(ledger, address, call.signal)).at(-1);
  const isAwake = receiver !== undefined && (await wake(receiver, call));
  if (!stored.isNew && !isAwake) return { outcome: 'existing' };
  return { outcome: isAwake ? 'delivered' : 'stored' };
}

function writerOf({ by, sender }: Pick<Sender, 'by' | 'sender'>, text: string): string {
  return placeDigest(by, sender, sha256(text));
}

function writerOfMessage(message: Message): string {
  return writerOf(
    message,
    toPayload(message.value, 'the value of a signal', Number.POSITIVE_INFINITY).toString('utf8'),
  );
}

/**
 * Completes the callback of a receiver.
 *
 * @returns false if it was answered before, by this message
 * @throws ExecutionServiceError `durable.callback_gone` if its execution has ended
 */
async function wake({ id, arn }: Receiver, options: ExecutionCallOptions): Promise<boolean> {
  try {
    await completeCallback(id, {}, options);
    return true;
  } catch (error) {
    if (!isFrameworkError(error) || error.code !== 'durable.callback_gone') throw error;
    const ended = {
      ResourceNotFoundException: ['durable.callback_gone', 'the execution that waited does not exist any more'],
    } as const;
    const found = await sendToLambda('GetDurableExecutionCommand', { DurableExecutionArn: arn }, options, ended);
    if (found.Status === 'RUNNING') return false;
    throw new ExecutionServiceError('durable.callback_gone', 'the execution that waited for this signal has ended');
  }
}
