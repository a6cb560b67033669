import type { Context } from '@sallyport/core';
import { createMap, isPlainObject } from '@sallyport/core/pipeline';
import { bindingViolation, type MicrovmCaller } from '../../controller/caller.js';
import { invalidRequest, MicrovmError } from '../../errors.js';
import { isForbiddenName, isForbiddenText } from '../../internal/forbidden.js';
import type { MicrovmOperation } from '../../lifecycle/states.js';

/** Bytes of a body of the controller's own operations. */
const MAX_BODY_BYTES = 64 * 1024;
/** Query parameters of `list`, by how their text is read. */
const LIST_QUERY: Readonly<Record<string, (text: string) => unknown>> = {
  max_results: (text) => (/^\d{1,3}$/.test(text) ? Number(text) : text),
  cursor: (text) => text,
  refresh: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/**
 * The input of an operation, from body, query, path and header. What the request says of itself (tenant, namespace, caller,
 * command, id) may be there, and must then be true.
 *
 * @throws MicrovmError `microvm.invalid_request`, `microvm.forbidden_field`, `microvm.tenant_binding_violation`
 */
export function readInput(ctx: Context, caller: MicrovmCaller, command: MicrovmOperation): object {
  const fields = createMap<unknown>();
  const query = command === 'list' ? LIST_QUERY : {};
  for (const [name, value] of [...bodyFields(ctx), ...queryFields(ctx, query)]) {
    if (Object.hasOwn(fields, name)) throw invalidRequest('a field stands in the body and in the query');
    fields[name] = value;
  }
  checkEnvelope(fields, caller, command);
  if (Object.hasOwn(fields, 'idempotency_key'))
    throw invalidRequest('the idempotency key is the header idempotency-key');
  if (ctx.route?.pattern.includes('{session_id}')) {
    if (Object.hasOwn(fields, 'session_id')) throw invalidRequest('session_id stands in the path');
    fields.session_id = ctx.param('session_id');
  }
  const keys = command === 'run' ? ctx.headerAll('idempotency-key') : [];
  if (keys.length > 1) throw invalidRequest('idempotency-key must be sent once');
  if (keys[0] !== undefined) fields.idempotency_key = keys[0];
  return fields;
}

function bodyFields(ctx: Context): readonly (readonly [string, unknown])[] {
  const { byteLength } = ctx.request.body;
  if (byteLength === 0) return [];
  if (byteLength > MAX_BODY_BYTES) throw new MicrovmError('microvm.body_too_large', 'request body is too large');
  let body: unknown;
  try {
    body = JSON.parse(ctx.bodyText());
  } catch {
    throw invalidRequest('the body must be a JSON object');
  }
  if (!isPlainObject(body)) throw invalidRequest('the body must be a JSON object');
  return Object.entries(body);
}

function queryFields(
  ctx: Context,
  known: Readonly<Record<string, (text: string) => unknown>>,
): readonly (readonly [string, unknown])[] {
  return Object.entries(ctx.request.query).map(([name, values]) => {
    if (isForbiddenName(name) || values.some(isForbiddenText)) {
      throw new MicrovmError('microvm.forbidden_field', 'the request holds a field that is not allowed');
    }
    if (values.length !== 1) throw invalidRequest('a query parameter must be sent once');
    const [text = ''] = values;
    if (Object.hasOwn(known, name)) return [name, known[name]?.(text)];
    if (name === 'tenant_id' || name === 'namespace') return [name, text];
    throw invalidRequest(
      `unknown query parameter; known are ${[...Object.keys(known), 'tenant_id', 'namespace'].join(', ')}`,
    );
  });
}

/** Takes the envelope out of the fields. */
function checkEnvelope(fields: Record<string, unknown>, caller: MicrovmCaller, command: MicrovmOperation): void {
  const { tenantId, namespace, identity, requestId } = caller;
  const bound: Readonly<Record<string, string>> = { tenant_id: tenantId, namespace, auth_subject: identity };
  const stated: Readonly<Record<string, string>> = { command, request_id: requestId };
  for (const [name, value] of Object.entries(bound)) {
    if (Object.hasOwn(fields, name) && fields[name] !== value) throw bindingViolation();
    delete fields[name];
  }
  for (const [name, value] of Object.entries(stated)) {
    if (Object.hasOwn(fields, name) && fields[name] !== value)
      throw invalidRequest(`${name} is not that of the request`);
    delete fields[name];
  }
}
