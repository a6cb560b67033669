import type { Context } from '@sallyport/core';
import { createMap, isPlainObject } from '@sallyport/core/internal';
import { bindingViolation, type MicrovmCaller } from '../../controller/caller.js';
import { invalidRequest, MicrovmError } from '../../errors.js';
import { wireName } from '../../internal/codec.js';
import { isForbiddenName, isForbiddenText } from '../../internal/forbidden.js';
import type { MicrovmOperation } from '../../lifecycle/states.js';

/** Maximum body size of the controller's operations in bytes. */
const MAX_BODY_BYTES = 64 * 1024;
/** Maximum nesting of objects and lists in such a body. */
const MAX_LEVELS = 8;
/** Parsers for the query parameters of `list`. */
const LIST_QUERY: Readonly<Record<string, (text: string) => unknown>> = {
  max_results: (text) => (/^\d{1,3}$/.test(text) ? Number(text) : text),
  cursor: (text) => text,
  refresh: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/**
 * Reads the input of an operation from body, query, path and header. If the request contains its tenant, namespace, caller, command
 * or id, the value must match.
 *
 * @throws MicrovmError `microvm.invalid_request`, `microvm.forbidden_field`, `microvm.tenant_binding_violation`
 */
export function readInput(ctx: Context, caller: MicrovmCaller, command: MicrovmOperation): object {
  const fields = createMap<unknown>();
  const query = command === 'list' ? LIST_QUERY : {};
  for (const [name, value] of [...bodyFields(ctx), ...queryFields(ctx, query)]) {
    if (Object.hasOwn(fields, name)) throw invalidRequest('a field is in the body and in the query');
    fields[name] = value;
  }
  checkNames(fields);
  checkEnvelope(fields, caller, command);
  if (Object.hasOwn(fields, 'idempotency_key'))
    throw invalidRequest('pass the idempotency key in the header idempotency-key');
  if (ctx.route?.pattern.includes('{session_id}')) {
    if (Object.hasOwn(fields, 'session_id')) throw invalidRequest('session_id is part of the path');
    fields.session_id = ctx.param('session_id');
  }
  const keys = command === 'run' ? ctx.headerAll('idempotency-key') : [];
  if (keys.length > 1) throw invalidRequest('idempotency-key must be sent once');
  if (keys[0] !== undefined) fields.idempotency_key = keys[0];
  return fields;
}

/** Rejects names that are not in snake_case; only the typed methods accept camelCase. */
function checkNames(value: unknown, levels = MAX_LEVELS): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw invalidRequest('the body is nested too deeply');
  for (const [name, member] of Object.entries(value)) {
    if (name === 'metadata') checkNames(Object.values(Object(member)), levels - 1);
    else if (wireName(name) !== name) throw invalidRequest('unknown field; names are written in snake_case');
    else checkNames(member, levels - 1);
  }
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
      throw new MicrovmError('microvm.forbidden_field', 'the request contains a field that is not allowed');
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

/** Checks the members of the envelope and removes them from the fields. */
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
      throw invalidRequest(`${name} does not match the request`);
    delete fields[name];
  }
}
