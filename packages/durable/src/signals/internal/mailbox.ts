import { placeDigest } from '../../internal/identity.js';
import { type DurableLedger, type LedgerKey, readOnce } from '../../internal/write-once.js';
import { invalidInput } from '../../start/errors.js';
import { requireText } from '../../start/internal/json.js';

/** Messages and receivers are kept for 14 days, unless a call states another time. */
export const KEEP_SECONDS = 1_209_600;

const MAX_TEXT = 1024;
/** A message can be received by this number of executions, one after another. */
const MAX_RECEIVERS = 50;

/** The address of a message: a tenant's business key, and the name of the message. */
export interface Address {
  readonly tenantId: string;
  readonly key: string;
  readonly name: string;
}

/** @throws ExecutionServiceError `durable.invalid_input` */
export function toAddress(tenantId: unknown, key: unknown, name: unknown): Address {
  if (typeof tenantId !== 'string' || tenantId.length > MAX_TEXT) throw invalidInput('"tenantId" must be a string');
  return {
    tenantId,
    key: requireText(key, '"key"', MAX_TEXT),
    name: requireText(name, 'the name of a signal', MAX_TEXT),
  };
}

/** A message, as the table has it. */
export interface Message {
  readonly value: unknown;
  readonly sender: string;
  readonly by: 'caller' | 'service';
  /** The key under which it was sent: a copy under another key is not received. */
  readonly to: string;
}

/** A callback that waits for a message. */
export interface Receiver {
  readonly id: string;
  readonly arn: string;
}

export function messageKey({ tenantId, key, name }: Address): LedgerKey {
  return { scope: 'durable-signal', key: placeDigest(tenantId, key, name) };
}

/** A receiver is written once, so each has a number. */
export function receiverKey({ tenantId, key, name }: Address, number: number): LedgerKey {
  return { scope: 'durable-receiver', key: placeDigest(tenantId, key, name, number) };
}

/** All receivers of a message, the newest last. */
export async function receiversOf(
  ledger: DurableLedger,
  address: Address,
  signal: AbortSignal | undefined,
): Promise<Receiver[]> {
  const receivers: Receiver[] = [];
  let missing = 0;
  // One number is missing if its writer was killed.
  for (let number = 0; number < MAX_RECEIVERS && missing < 2; number += 1) {
    const found = await readOnce(ledger, receiverKey(address, number), signal);
    missing = found === undefined ? missing + 1 : 0;
    if (found !== undefined) receivers.push(found as Receiver);
  }
  return receivers;
}
