import { type Context, FrameworkError, type StandardResult, type StandardSchema } from '@sallyport/core';
import { createMap, isPromise, parseJsonBody } from '@sallyport/core/internal';
import { isStandardSchema, issuePath } from '@sallyport/core/options';
import type { BindingIssue, BindSource, Contract, Schema } from '../contract.js';
import { type Field, parseFields } from '../fields.js';
import type { Rule } from '../rules.js';
import { convertJson, convertTexts, type Values } from './convert.js';

/** One source of a request, in two steps: all are read before any is validated. */
export interface Binder {
  readonly source: BindSource;
  /** @throws FrameworkError `app.bad_request` for a value that cannot be converted */
  read(ctx: Context, body: unknown): unknown;
  /** Returns the value for the handler, and adds the problems to the list. */
  validate(value: unknown, issues: IssueList): unknown;
}

/** The value of an optional body that is absent. */
const ABSENT = Symbol('absent');

/** The binder of one source of a contract. */
export function createBinder(source: BindSource, schema: Schema, contract: Contract): Binder {
  const lists = new Set(contract.queryArrays);
  if (isStandardSchema(schema)) {
    const validate: Binder['validate'] = (value, issues) =>
      value === ABSENT ? undefined : runSchema(source, schema, value, issues);
    return { source, read: schemaReader(source, lists), validate };
  }
  const fields = parseFields(source, schema);
  return {
    source,
    read: fieldReader(source, fields),
    validate(value, issues) {
      if (value === ABSENT) return undefined;
      checkFields(source, fields, value as Values, issues);
      return value;
    },
  };
}

/**
 * Parses the JSON of a body, before any other source of the request is read.
 *
 * @throws FrameworkError `app.bad_request` `request body is empty`, `invalid json`
 */
export function readBody(ctx: Context, optional: boolean): unknown {
  if (ctx.bodyText() !== '') return parseJsonBody(ctx);
  if (optional) return ABSENT;
  throw new FrameworkError('app.bad_request', 'request body is empty');
}

function schemaReader(source: BindSource, lists: ReadonlySet<string>): Binder['read'] {
  switch (source) {
    case 'params':
      return (ctx) => Object.assign(createMap<string>(), ctx.params);
    case 'query':
      return (ctx) => oneOrMany(ctx.request.query, lists);
    case 'headers':
      return (ctx) => joined(ctx.request.headers);
    case 'cookies':
      return (ctx) => Object.assign(createMap<string>(), ctx.request.cookies);
    case 'body':
      return (_, body) => body;
  }
}

function fieldReader(source: BindSource, fields: readonly Field[]): Binder['read'] {
  const lists = new Set(fields.filter((field) => field.array).map((field) => field.name));
  switch (source) {
    case 'params':
      return (ctx) =>
        convertTexts(source, fields, (name) => (Object.hasOwn(ctx.params, name) ? [ctx.param(name)] : []));
    case 'query':
      return (ctx) => convertTexts(source, fields, (name) => ctx.queryAll(name));
    case 'headers':
      return (ctx) =>
        convertTexts(source, fields, (name) => (lists.has(name) ? ctx.headerAll(name) : single(ctx, name)));
    case 'cookies':
      return (ctx) =>
        convertTexts(source, fields, (name) => {
          const cookie = ctx.cookie(name);
          return cookie === undefined ? [] : [cookie];
        });
    case 'body':
      return (_, body) => (body === ABSENT ? ABSENT : convertJson(source, fields, body));
  }
}

/** Joins the values of a repeated header into one list (RFC 9110 section 5.3), as some gateways do. */
function single(ctx: Context, name: string): readonly string[] {
  const values = ctx.headerAll(name);
  return values.length > 1 ? [values.join(',')] : values;
}

function oneOrMany(query: Readonly<Record<string, readonly string[]>>, lists: ReadonlySet<string>): unknown {
  const values = createMap<string | string[]>();
  for (const [name, all] of Object.entries(query)) {
    const [first] = all;
    if (first !== undefined) values[name] = all.length === 1 && !lists.has(name) ? first : [...all];
  }
  return values;
}

function joined(headers: Readonly<Record<string, readonly string[]>>): unknown {
  const values = createMap<string>();
  for (const [name, all] of Object.entries(headers)) values[name] = all.join(name === 'cookie' ? '; ' : ',');
  return values;
}

/** Checks the values of all fields with their rules. */
export function checkFields(source: string, fields: readonly Field[], values: Values, issues: IssueList): void {
  for (const field of fields) checkField(source, field, values[field.field], issues);
}

/** After a failed `required` no further rule of the field is checked; the other rules ignore an absent field. */
function checkField(source: string, field: Field, value: unknown, issues: IssueList): void {
  for (const rule of field.rules) {
    const missing = value === undefined;
    const broken = rule.rule === 'required' ? missing : !missing && isBroken(rule, field, value);
    if (!broken) continue;
    issues.add({ source, field: field.name, rule: WIRE_NAMES[rule.rule], message: `${field.name} ${complaint(rule)}` });
    if (rule.rule === 'required') return;
  }
}

/** The names of rules in responses, if they differ. */
const WIRE_NAMES: Readonly<Record<Rule['rule'], string>> = {
  required: 'required',
  min: 'min',
  max: 'max',
  minLength: 'min_length',
  maxLength: 'max_length',
  pattern: 'pattern',
  oneOf: 'one_of',
};

function isBroken(rule: Exclude<Rule, { rule: 'required' }>, field: Field, value: unknown): boolean {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  switch (rule.rule) {
    case 'min':
      return entries.some((entry) => Number(entry) < rule.value);
    case 'max':
      return entries.some((entry) => Number(entry) > rule.value);
    case 'minLength':
      return lengthOf(value) < rule.value;
    case 'maxLength':
      return lengthOf(value) > rule.value;
    case 'pattern':
      return entries.some((entry) => !field.patterns.get(rule)?.test(String(entry)));
    case 'oneOf':
      return entries.some((entry) => !rule.value.includes(entry as string | number));
  }
}

/** The number of entries of a list, or of characters of a string, as JSON Schema counts them. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  let length = 0;
  for (const _ of String(value)) length += 1;
  return length;
}

function complaint(rule: Rule): string {
  switch (rule.rule) {
    case 'required':
      return 'is required';
    case 'min':
      return `must be >= ${rule.value}`;
    case 'max':
      return `must be <= ${rule.value}`;
    case 'minLength':
      return `length must be >= ${rule.value}`;
    case 'maxLength':
      return `length must be <= ${rule.value}`;
    case 'pattern':
      return 'must match pattern';
    case 'oneOf':
      return `must be one of ${rule.value.join(', ')}`;
  }
}

/** Limits the length of the response to a malicious body. */
const MAX_ISSUES = 100;

/** The problems that a validation found, at most 100. */
export class IssueList {
  readonly errors: BindingIssue[] = [];

  add(issue: BindingIssue): void {
    if (!this.full) this.errors.push(issue);
  }

  get full(): boolean {
    return this.errors.length >= MAX_ISSUES;
  }

  get found(): boolean {
    return this.errors.length > 0;
  }

  /** The first twenty in one line, for logs. */
  toText(): string {
    return this.errors
      .slice(0, 20)
      .map(({ field, message }) => `${field}: ${message}`)
      .join('; ');
  }

  /** The 422 error with all problems. */
  toError(): FrameworkError {
    return new FrameworkError('app.validation_failed', undefined, { details: { errors: this.errors } });
  }
}

/** Returns the validator's output, and adds its issues to the list. Errors that the validator throws are not caught. */
export function runSchema(source: string, schema: StandardSchema, value: unknown, issues: IssueList): unknown {
  const result = schema['~standard'].validate(value);
  return isPromise(result)
    ? result.then((settled) => takeResult(source, settled, issues))
    : takeResult(source, result, issues);
}

function takeResult(source: string, result: StandardResult<unknown>, issues: IssueList): unknown {
  if (result.issues === undefined) return result.value;
  for (const issue of result.issues) {
    if (issues.full) break;
    issues.add({ source, field: issuePath(issue), rule: 'schema', message: issue.message });
  }
  return undefined;
}
