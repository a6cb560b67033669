import { FrameworkError } from '@sallyport/core';
import { createMap } from '@sallyport/core/internal';
import type { Field, FieldType } from '../fields.js';

/** Values of a field map by field name; `undefined` for an absent field. */
export type Values = Record<string, unknown>;

const INTEGER = /^-?\d+$/;
const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The expected value in messages for clients. */
const EXPECTED: Readonly<Record<FieldType, string>> = {
  string: 'a string',
  int: 'a whole number',
  float: 'a number',
  bool: 'true or false',
  duration: 'a duration such as 1m30s',
};

/** Converts text of the request line or of a header to a type; `undefined` if it is not possible. */
function fromText(type: FieldType, text: string): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'int':
      return INTEGER.test(text) ? safeInteger(Number(text)) : undefined;
    case 'float':
      return DECIMAL.test(text) ? finite(Number(text)) : undefined;
    case 'bool':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : undefined;
    case 'duration':
      return parseDuration(text);
  }
}

/** Converts a JSON value to a type. Only durations are parsed from text. */
function fromMember(type: FieldType, value: unknown): unknown {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'int':
      return safeInteger(value);
    case 'float':
      return finite(value);
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'duration':
      return typeof value === 'string' ? parseDuration(value) : undefined;
  }
}

function safeInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

function finite(value: unknown): number | undefined {
  return Number.isFinite(value) ? Number(value) : undefined;
}

/**
 * Reads the fields of a query, of headers or of parameters.
 *
 * @throws FrameworkError `app.bad_request` `invalid <source> binding for <field>`
 */
export function convertTexts(
  source: string,
  fields: readonly Field[],
  textsOf: (name: string) => readonly string[],
): Values {
  const values: Values = createMap();
  for (const field of fields) {
    const texts = textsOf(field.name);
    if (texts.length > 1 && !field.array) throw invalidBinding(source, field, 'one value');
    const converted = texts.map((text) => required(fromText(field.type, text), source, field));
    values[field.field] = field.array && texts.length > 0 ? converted : converted[0];
  }
  return values;
}

/**
 * Reads the fields of a JSON object. `null` counts as absent, and unknown names are left out.
 *
 * @throws FrameworkError `app.bad_request` `invalid <source> binding for <field>`
 */
export function convertJson(source: string, fields: readonly Field[], body: unknown): Values {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBinding(source, { field: source, name: source }, 'a JSON object');
  }
  const values: Values = createMap();
  for (const field of fields) {
    const value: unknown = Object.hasOwn(body, field.name) ? (body as Values)[field.name] : undefined;
    values[field.field] = value === undefined || value === null ? undefined : convertEntry(source, field, value);
  }
  return values;
}

function convertEntry(source: string, field: Field, value: unknown): unknown {
  if (!field.array) return required(fromMember(field.type, value), source, field);
  if (!Array.isArray(value)) throw invalidBinding(source, field, 'a list');
  return value.map((entry) => required(fromMember(field.type, entry), source, field));
}

function required<T>(value: T | undefined, source: string, field: Field): T {
  if (value === undefined) throw invalidBinding(source, field, EXPECTED[field.type]);
  return value;
}

function invalidBinding(
  source: string,
  { field, name }: Pick<Field, 'field' | 'name'>,
  expected: string,
): FrameworkError {
  return new FrameworkError('app.bad_request', `invalid ${source} binding for ${field}`, {
    details: { source, name, field, expected },
  });
}

const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};
const SHORT = /^-?(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/;
const SHORT_PART = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g;

/** ISO 8601 without years and months, whose length is not fixed. */
const ISO = /^(-?)P(?=[\dT])(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const ISO_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1000];

/** Milliseconds of `1h30m`, `250ms`, `1.5s` or of `PT1H30M`; `undefined` for any other string. */
export function parseDuration(text: string): number | undefined {
  const ms = SHORT.test(text) ? shortMs(text) : isoMs(text);
  return ms !== undefined && Number.isFinite(ms) ? ms : undefined;
}

function shortMs(text: string): number {
  let ms = 0;
  for (const [, amount, unit = ''] of text.matchAll(SHORT_PART)) ms += Number(amount) * (UNIT_MS[unit] ?? 0);
  return text.startsWith('-') ? -ms : ms;
}

function isoMs(text: string): number | undefined {
  const match = ISO.exec(text);
  if (!match) return undefined;
  const ms = ISO_MS.reduce((sum, unit, index) => sum + Number(match[index + 2] ?? 0) * unit, 0);
  return match[1] === '-' ? -ms : ms;
}
