import type { Context } from '@sallyport/core';
import { isObject, stateOf } from '@sallyport/core/internal';
import { invalidInput } from '../../start/errors.js';
import { requireText } from '../../start/internal/json.js';

/** A service that sends without a caller, such as a handler of a queue. */
export interface ServiceSender {
  /** Name of the service: 1 to 1,024 characters. */
  readonly service: string;
  /** The tenant of the message, which must not be an input of a caller. Default `''`. */
  readonly tenantId?: string | undefined;
}

/** The sender of a message, and its tenant. */
export interface Sender {
  readonly by: 'caller' | 'service';
  readonly sender: string;
  readonly tenantId: string;
}

const MAX_SENDER = 1024;

/**
 * The sender of a message. Identity and tenant of a context were accepted by the gate: only the gate writes them.
 *
 * @throws ExecutionServiceError `durable.invalid_input` for another value, also for a copy of a context, and for a caller without an identity
 */
export function toSender(given: Context | ServiceSender): Sender {
  if (isObject(given) && Object.getPrototypeOf(given) === Object.prototype && typeof given.service === 'string') {
    const { service, tenantId = '' } = given;
    if (typeof tenantId !== 'string') throw invalidInput('"sender.tenantId" must be a string');
    return { by: 'service', sender: requireText(service, '"sender.service"', MAX_SENDER), tenantId };
  }
  const { authIdentity, tenantId } = stateOfContext(given);
  if (authIdentity === '') throw invalidInput('"sender" is the context of a request without a caller');
  return { by: 'caller', sender: requireText(authIdentity, 'the identity of the caller', MAX_SENDER), tenantId };
}

function stateOfContext(given: unknown): Pick<Context, 'authIdentity' | 'tenantId'> {
  try {
    // A context is an object of a class: JSON makes none.
    if (isObject(given) && Object.getPrototypeOf(given) !== Object.prototype)
      return stateOf(given as unknown as Context);
  } catch {
    // Not a context: below.
  }
  throw invalidInput('"sender" must be the ctx of the request, not a copy of it, or { service, tenantId }');
}
