import { BlockList, isIP } from 'node:net';
import { isObject } from '@sallyport/core/internal';
import { type Operator, PatternError, type Rule } from './pattern.js';

/** Matches a string with this beginning. */
export const prefix = textOperator((value, wanted) => value.startsWith(wanted));
/** Matches a string with this end. */
export const suffix = textOperator((value, wanted) => value.endsWith(wanted));
/** Matches a string, ignoring case. */
export const equalsIgnoreCase = textOperator((value, wanted) => value.toLowerCase() === wanted.toLowerCase());

function textOperator(compare: (value: string, wanted: string) => boolean): Operator {
  return (operand, place) => {
    if (typeof operand !== 'string' || operand === '') throw new PatternError(`${place} must be a string`);
    return (value) => typeof value === 'string' && compare(value, operand);
  };
}

/** Also accepts `{ "equals-ignore-case": string }`: the beginning or the end of a string, ignoring case. */
export function orIgnoringCase(operator: Operator): Operator {
  return (operand, place) => {
    if (!isObject(operand)) return operator(operand, place);
    const { 'equals-ignore-case': wanted, ...more } = operand;
    if (typeof wanted !== 'string' || Object.keys(more).length > 0) {
      throw new PatternError(`${place} must be a string or { equals-ignore-case: string }`);
    }
    const matches = operator(wanted.toLowerCase(), `${place}.equals-ignore-case`);
    return (value) => typeof value === 'string' && matches(value.toLowerCase());
  };
}

/** True if the member exists. */
export const exists: Operator = (operand, place) => {
  if (typeof operand !== 'boolean') throw new PatternError(`${place} must be true or false`);
  return (value) => (value !== undefined) === operand;
};

/** An address in a network: `10.0.0.0/24`, `2001:db8::/32`. */
export const cidr: Operator = (operand, place) => {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(String(operand)) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) {
    throw new PatternError(`${place} must be an address with a mask, as in 10.0.0.0/24`);
  }
  const network = new BlockList();
  network.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return (value) => {
    if (typeof value !== 'string' || isIP(value) !== family) return false;
    return network.check(value, family === 4 ? 'ipv4' : 'ipv6');
  };
};

/** A string in which `*` matches any characters. `\*` is an asterisk, `\\` a backslash. */
export const wildcard: Operator = (operand, place) => {
  if (typeof operand !== 'string' || operand === '') throw new PatternError(`${place} must be a string`);
  const tokens = operand.match(/\\[*\\]|[^\\]/gsu) ?? [];
  if (tokens.join('') !== operand)
    throw new PatternError(`${place} can have a backslash only before * and before another backslash`);
  if (tokens.some((token, index) => token === '*' && tokens[index + 1] === '*')) {
    throw new PatternError(`${place} must not have two * in succession`);
  }
  const parts = [''];
  for (const token of tokens) {
    if (token === '*') parts.push('');
    else parts[parts.length - 1] += token.startsWith('\\') ? token.slice(1) : token;
  }
  return (value) => typeof value === 'string' && hasParts(value, parts);
};

/** True if a string contains the parts in this order, with any characters between them. */
function hasParts(value: string, [first = '', ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return value === first;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/**
 * `["=", 100]`, or a range: `[">", 10, "<=", 20]`.
 *
 * @param limit the largest absolute value that a pattern allows
 */
export function numeric(limit = Number.POSITIVE_INFINITY): Operator {
  return (operand, place) => {
    const parts: readonly unknown[] = Array.isArray(operand) ? operand : [];
    const bounds = [parts.slice(0, 2), parts.slice(2)].filter(({ length }) => length > 0);
    const rules = bounds.map(([sign, bound]) => {
      const compare = Object.hasOwn(COMPARE, String(sign)) ? COMPARE[String(sign)] : undefined;
      return compare && typeof bound === 'number' ? (value: number) => compare(value, bound) : undefined;
    });
    if (rules.length === 0 || parts.length > 4 || rules.includes(undefined) || !isOrdered(parts)) {
      throw new PatternError(
        `${place} must be [sign, number] with a sign of = < <= > >=, or [> or >=, number, < or <=, larger number]`,
      );
    }
    if (bounds.some(([, bound]) => Math.abs(Number(bound)) > limit)) {
      throw new PatternError(`${place} must have numbers from -${limit} to ${limit}`);
    }
    return (value) => typeof value === 'number' && rules.every((holds) => holds?.(value));
  };
}

/** True if two bounds are a lower and an upper bound: https://github.com/aws/event-ruler/blob/main/src/main/software/amazon/event/ruler/JsonRuleCompiler.java. */
function isOrdered([sign, lower, upperSign, upper]: readonly unknown[]): boolean {
  if (upperSign === undefined) return true;
  return /^>=?$/.test(String(sign)) && /^<=?$/.test(String(upperSign)) && Number(lower) < Number(upper);
}

/** The values that a service accepts in `anything-but`. */
export interface AnythingBut {
  /** The accepted operators. */
  readonly inside: Readonly<Record<string, Operator>>;
  /** True if such an operator accepts a list of strings too. */
  readonly takesLists: boolean;
  /** True if a list accepts both strings and numbers. */
  readonly mixes: boolean;
}

/** Matches all values except the given values, or except the values that an operator matches. A missing member does not match. */
export function anythingBut(options: AnythingBut): Operator {
  return (operand, place) => {
    const excluded = isObject(operand) ? excludedBy(options, operand, place) : excludedValues(options, operand, place);
    return (value) => value !== undefined && !excluded.some((matches) => matches(value));
  };
}

function excludedBy({ inside, takesLists }: AnythingBut, operand: object, place: string): readonly Rule[] {
  const [[name = '', wanted] = [], ...more] = Object.entries(operand) as [string, unknown][];
  const operator = Object.hasOwn(inside, name) ? inside[name] : undefined;
  if (!operator || more.length > 0) throw wrongOperand(inside, place);
  const texts: readonly unknown[] = takesLists && Array.isArray(wanted) ? wanted : [wanted];
  if (texts.length === 0) throw new PatternError(`${place}.${name} must be a string or a list of strings`);
  return texts.map((text) => operator(text, `${place}.${name}`));
}

function excludedValues({ inside, mixes }: AnythingBut, operand: unknown, place: string): readonly Rule[] {
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const types = new Set(values.map((value) => typeof value));
  const isAllowed = [...types].every((type) => type === 'string' || type === 'number');
  if (types.size === 0 || !isAllowed) throw wrongOperand(inside, place);
  if (types.size > 1 && !mixes) throw new PatternError(`${place} must be a list of strings or a list of numbers`);
  return values.map((excluded) => (value) => value === excluded);
}

function wrongOperand(inside: AnythingBut['inside'], place: string): PatternError {
  const names = Object.keys(inside).join(' or ');
  return new PatternError(`${place} must be a string, a number, a list of them, or { ${names}: … }`);
}
