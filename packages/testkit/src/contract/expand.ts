import { gzipSync } from 'node:zlib';
import { isJsonObject, type Json, type JsonObject } from './json.js';

/** Replaces the `$` forms of setup and input by what they stand for, innermost first. */
export function expand(value: Json): Json {
  if (Array.isArray(value)) return value.map(expand);
  if (!isJsonObject(value)) return value;
  const form = Object.keys(value).find((key) => Object.hasOwn(FORMS, key));
  if (form === undefined) return mapValues(value);
  if (Object.keys(value).length > 1) throw new Error(`${form} stands beside other keys`);
  const argument = value[form] ?? null;
  return form === '$literal' ? argument : (FORMS[form]?.(expand(argument)) ?? null);
}

/** An own `__proto__` of the fixture stays a key like any other. */
function mapValues(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member)]));
}

const FORMS: Readonly<Record<string, (argument: Json) => Json>> = {
  $base64: (argument) => toBytes(argument).toString('base64'),
  $gzip_base64: (argument) =>
    gzipSync(typeof argument === 'string' ? argument : JSON.stringify(argument)).toString('base64'),
  $repeat: (argument) => {
    const [item, times] = Array.isArray(argument) ? (argument as readonly Json[]) : [];
    if (item === undefined || typeof times !== 'number' || times < 0) throw new Error('$repeat needs [value, times]');
    return typeof item === 'string' ? item.repeat(times) : Array<Json>(times).fill(item);
  },
  $bytes: (argument) => ({ base64: toBytes(argument).toString('base64') }),
  $literal: (argument) => argument,
};

/** Text as UTF-8, `{ hex }`, or what `$bytes` gave. */
function toBytes(argument: Json): Buffer {
  if (typeof argument === 'string') return Buffer.from(argument);
  if (isJsonObject(argument)) {
    const { hex, base64 } = argument;
    if (typeof hex === 'string' && /^(?:[0-9a-f]{2})*$/i.test(hex)) return Buffer.from(hex, 'hex');
    if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  }
  throw new Error('bytes are a text or { hex }');
}
