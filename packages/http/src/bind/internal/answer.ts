import type { Context, Response, Result, WebResponse } from '@sallyport/core';
import { isStandardSchema } from '@sallyport/core/options';
import { createMap, internalError, isWebResponse, OutgoingResponse } from '@sallyport/core/pipeline';
import { json, noContent } from '../../responses/responses.js';
import type { Contract, Schema } from '../contract.js';
import { type Field, parseFields } from '../fields.js';
import { IssueList, runSchema } from '../schema.js';
import type { Values } from './convert.js';
import { checkFields } from './input.js';

/** Whether a handler answered by itself. A value that only looks like an answer in part is a value. */
export function isResponse(result: unknown): result is Response | WebResponse {
  if (result instanceof OutgoingResponse || isWebResponse(result)) return true;
  if (typeof result !== 'object' || result === null) return false;
  const { status, headers, cookies, isBase64 } = result as Partial<Response>;
  const shaped = typeof headers === 'object' && headers !== null && Array.isArray(cookies);
  return typeof status === 'number' && shaped && typeof isBase64 === 'boolean';
}

/**
 * How a value becomes an answer. A value that violates the response schema is an error of the service: the client gets
 * `internal error`, the log the reason.
 */
export function createAnswer({ response, status = 200 }: Contract): (ctx: Context, value: unknown) => Result {
  const send = (value: unknown) => (status === 204 ? noContent() : json(status, value));
  if (response === undefined) return (_, value) => send(value);
  const validate = responseValidator(response);
  return async (_, value) => {
    const issues = new IssueList();
    const checked = await validate(value, issues);
    if (!issues.found) return send(checked);
    throw internalError(`the answer does not fit its schema: ${issues.toText()}`);
  };
}

function responseValidator(schema: Schema): (value: unknown, issues: IssueList) => unknown {
  if (isStandardSchema(schema)) return (value, issues) => runSchema('response', schema, value, issues);
  const fields = parseFields('response', schema);
  return (value, issues) => {
    const values = readValues(fields, value, issues);
    if (!issues.found) checkFields('response', fields, values, issues);
    return issues.found ? undefined : toWire(fields, values);
  };
}

/** The fields of what a handler returned; what no field names stays inside. */
function readValues(fields: readonly Field[], value: unknown, issues: IssueList): Values {
  const values: Values = createMap();
  const object = typeof value === 'object' && value !== null ? (value as Values) : undefined;
  if (!object) issues.add({ source: 'response', field: '', rule: 'type', message: 'response must be an object' });
  for (const field of fields) {
    const found = object && memberOf(object, field.field);
    if (found === undefined || found === null) continue;
    values[field.field] = found;
    const entries: readonly unknown[] = field.array && Array.isArray(found) ? found : [found];
    const typed = field.array === Array.isArray(found) && entries.every((entry) => hasType(field, entry));
    if (!typed) {
      const message = `${field.name} must be ${field.array ? 'a list of ' : ''}${field.type}`;
      issues.add({ source: 'response', field: field.name, rule: 'type', message });
    }
  }
  return values;
}

/** A member of the result: also getters of a class instance, but not members of `Object.prototype`. */
function memberOf(object: Values, name: string): unknown {
  return Object.hasOwn(object, name) || !(name in Object.prototype) ? object[name] : undefined;
}

function hasType({ type }: Field, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return Number.isSafeInteger(value);
    default:
      return Number.isFinite(value);
  }
}

/** Values under their wire names; durations in ISO 8601. */
function toWire(fields: readonly Field[], values: Values): Values {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = values[field.field];
      if (value === undefined) return [];
      const write = (entry: unknown) => (field.type === 'duration' ? isoDuration(Number(entry)) : entry);
      return [[field.name, Array.isArray(value) ? value.map(write) : write(value)]];
    }),
  );
}

function isoDuration(ms: number): string {
  const seconds = (Math.abs(ms) / 1000).toFixed(9).replace(/\.?0+$/, '');
  return `${ms < 0 ? '-' : ''}PT${seconds}S`;
}
