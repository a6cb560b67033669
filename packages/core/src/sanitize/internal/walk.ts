import { decodeQueryPart } from '../../request/encoding.js';
import { createMap } from '../../request/request.js';
import { cutBytes, cutMark, REDACTED, sanitizeLogString } from '../log-text.js';
import {
  digitsOf,
  type KeepsKey,
  type KeyAction,
  type KeyJudge,
  maskCard,
  maskRestricted,
  normalizeKey,
  type ParsedPolicy,
  type SanitizerLimits,
} from '../policy.js';
import { isCardValue } from './cards.js';
import { describeError, isError, types } from './errors.js';
import { scrubText } from './free-text.js';

const UNREADABLE = '[unreadable]';
const MORE = '[+more]';
const MAX_KEY = 128;
const MAX_NESTED_JSON = 65_536;
const MAX_BIGINT_HEX_DIGITS = 8192;

interface JudgedKey {
  readonly parent: string;
  readonly action: KeyAction;
  readonly normalized: string;
  /** The written form. */
  readonly text: string;
}

/**
 * One walk over one value: copies clean values, within the limits. Containers are counted by level, values by number, and
 * a container inside itself is detected by its ancestors.
 */
export class SanitizerWalk {
  readonly #judge: KeyJudge;
  readonly #keeps: KeepsKey | undefined;
  readonly #limits: SanitizerLimits;
  readonly #toSafeText: ParsedPolicy['toSafeText'];
  readonly #stacks: boolean;
  readonly #output: 'value' | 'json';
  readonly #ancestors: object[] = [];
  readonly #keys = new Map<string, JudgedKey>();
  #nodes = 0;

  /** Objects of a copy that only becomes JSON text have a prototype: they are encoded faster. */
  constructor({ judge, keeps, limits, toSafeText }: ParsedPolicy, stacks = true, output: 'value' | 'json' = 'value') {
    this.#judge = judge;
    this.#keeps = keeps;
    this.#limits = limits;
    this.#toSafeText = toSafeText;
    this.#stacks = stacks;
    this.#output = output;
  }

  /** A clean copy of a value; `undefined` is kept, and the container leaves it out. `parent` is the normalized key of the value. */
  clean(value: unknown, depth: number, parent: string): unknown {
    this.#nodes += 1;
    switch (typeof value) {
      case 'string':
        return this.#text(value, depth, parent);
      case 'number':
        return this.#number(value, parent);
      case 'bigint':
        return this.#bigint(value, parent);
      case 'object':
        return value === null ? null : this.#object(value, depth, parent);
      case 'function':
        return '[function]';
      case 'symbol':
        return '[symbol]';
      default:
        return value;
    }
  }

  /** A clean copy of a value under a key. */
  entry(key: string, value: unknown, depth: number, parent: string): unknown {
    return value === undefined ? undefined : this.#entry(this.#judged(key, parent), value, depth);
  }

  #entry(key: JudgedKey, value: unknown, depth: number): unknown {
    return key.action === 'clean'
      ? this.clean(value, depth, key.normalized)
      : this.#act(key.action, value, depth, key.normalized);
  }

  /** The judgement of a key, computed once for each walk: the records of a list have the same keys. */
  #judged(key: string, parent: string): JudgedKey {
    const known = this.#keys.get(key);
    if (known?.parent === parent) return known;
    const name = sanitizeLogString(key);
    const judged: JudgedKey = {
      parent,
      action: this.#judge(name, parent),
      normalized: normalizeKey(name),
      text: name.length < 5 ? name : scrubText(name.slice(0, MAX_KEY), this.#judge, undefined),
    };
    this.#keys.set(key, judged);
    return judged;
  }

  /** Prose: without control characters, scrubbed, cut. `parent` is the normalized key of the value. */
  prose(text: string, limit = this.#limits.stringBytes, parent = ''): string {
    const keeps = this.#keeps?.(parent) ? 'all' : this.#keeps;
    const { text: head, left } = cutBytes(scrubText(this.#toSafeText(text), this.#judge, keeps), limit);
    return head + cutMark(left);
  }

  /** The clean form of any thrown value. Never throws. */
  thrown(value: unknown): Record<string, unknown> {
    if (isError(value)) return this.#error(value, 1);
    return { name: 'NonError', message: value === null ? 'null' : typeof value, value: this.clean(value, 1, '') };
  }

  #error(error: object, depth: number): Record<string, unknown> {
    return describeError(error, {
      stacks: this.#stacks,
      prose: (text, limit) => this.prose(text, limit),
      count: (nodes) => {
        this.#nodes += nodes;
        return this.#nodes < this.#limits.nodes;
      },
      value: (value) => this.clean(value, depth + 1, ''),
    });
  }

  #act(action: KeyAction, value: unknown, depth: number, name: string): unknown {
    if (action === 'redact') return REDACTED;
    if (action === 'counter') return Number.isFinite(value) ? value : REDACTED;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      if (action === 'restricted') return maskRestricted(value);
      const isCard = action === 'card' || digitsOf(value).length >= 12;
      return isCard ? maskCard(value) : this.clean(value, depth, name);
    }
    if (action === 'number') return this.clean(value, depth, name);
    if (!Array.isArray(value)) return REDACTED;
    return this.#list(value, (item) => (item === undefined ? null : this.#act(action, item, depth + 1, name)));
  }

  #text(text: string, depth: number, parent: string): string {
    const nested = this.#nestedJson(text, depth, parent);
    if (nested === undefined) return this.prose(text, this.#limits.stringBytes, parent);
    const { text: head, left } = cutBytes(nested, this.#limits.stringBytes);
    return head + cutMark(left);
  }

  /** The clean form of a string that is JSON of a container; `undefined` for any other string. */
  #nestedJson(text: string, depth: number, parent: string): string | undefined {
    let first = text.charCodeAt(0);
    if (first <= 32) first = text.trimStart().charCodeAt(0);
    if ((first !== 123 && first !== 91) || text.length > MAX_NESTED_JSON || depth > this.#limits.depth)
      return undefined;
    try {
      return JSON.stringify(this.clean(JSON.parse(text), depth, parent));
    } catch {
      return undefined;
    }
  }

  #number(value: number, parent: string): unknown {
    if (!Number.isFinite(value)) return String(value);
    return isCardValue(value) && !this.#keeps?.(parent) ? maskCard(value) : value;
  }

  #bigint(value: bigint, parent: string): string {
    const isLong = value.toString(16).length > MAX_BIGINT_HEX_DIGITS;
    return isLong ? '[bigint]' : this.prose(value.toString(), this.#limits.stringBytes, parent);
  }

  #object(value: object, depth: number, parent: string): unknown {
    try {
      return (isPlain(value) ? undefined : this.#special(value)) ?? this.#json(value, depth, parent);
    } catch {
      return UNREADABLE;
    }
  }

  /** Objects that represent one value; `undefined` for any other. */
  #special(value: object): unknown {
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return `[${value.byteLength} bytes]`;
    if (types.isDate(value)) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
    if (value instanceof URL) return scrubUrl(value, this.#judge, (text) => this.prose(text));
    return undefined;
  }

  #json(value: object, depth: number, parent: string): unknown {
    if (this.#ancestors.includes(value)) return '[circular]';
    if (!isPlain(value) && isError(value)) return this.#within(value, () => this.#error(value, depth));
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== 'function') return this.#container(value, depth, parent);
    const result: unknown = toJSON.call(value, parent);
    if (typeof result !== 'object' || result === null)
      return result === undefined ? null : this.clean(result, depth, parent);
    if (this.#ancestors.includes(result)) return '[circular]';
    return this.#special(result) ?? this.#container(result, depth, parent);
  }

  #container(value: object, depth: number, parent: string): unknown {
    if (depth > this.#limits.depth) return '[depth]';
    return this.#within(value, () => {
      if (Array.isArray(value)) return this.#list(value, (item) => this.#item(item, depth, parent));
      if (!isPlain(value)) {
        if (types.isSet(value)) return this.#list([...value], (item) => this.#item(item, depth, parent));
        if (types.isMap(value)) return this.#map(value, depth, parent);
        if (types.isBoxedPrimitive(value)) return this.clean(value.valueOf(), depth, parent);
      }
      return this.#record(Object.keys(value), (key) => (value as Record<string, unknown>)[key], depth, parent);
    });
  }

  #within<T>(value: object, work: () => T): T {
    this.#ancestors.push(value);
    try {
      return work();
    } finally {
      this.#ancestors.pop();
    }
  }

  #item(item: unknown, depth: number, parent: string): unknown {
    return this.clean(item, depth + 1, parent) ?? null;
  }

  #list(values: readonly unknown[], clean: (item: unknown) => unknown): unknown[] {
    const list: unknown[] = [];
    const length = Number(values.length) || 0;
    const shown = Math.min(length, this.#limits.entries);
    for (let index = 0; index < shown; index += 1) {
      if (this.#nodes >= this.#limits.nodes) return [...list, MORE];
      try {
        list.push(clean(values[index]));
      } catch {
        list.push(UNREADABLE);
      }
    }
    if (length > shown) list.push(`[+${length - shown}]`);
    return list;
  }

  #map(map: ReadonlyMap<unknown, unknown>, depth: number, parent: string): unknown {
    const values = new Map<string, unknown>();
    for (const [key, value] of map) {
      values.set(typeof key === 'object' || typeof key === 'function' ? '[object]' : String(key), value);
    }
    return this.#record([...values.keys()], (key) => values.get(key), depth, parent);
  }

  #record(keys: readonly string[], read: (key: string) => unknown, depth: number, parent: string): unknown {
    const copy = this.#output === 'json' ? ({} as Record<string, unknown>) : createMap<unknown>();
    const shown = Math.min(keys.length, this.#limits.entries);
    for (let index = 0; index < shown; index += 1) {
      if (this.#nodes >= this.#limits.nodes) {
        copy[MORE] = MORE;
        return copy;
      }
      const key = this.#judged(keys[index] ?? '', parent);
      let value: unknown;
      try {
        value = read(keys[index] ?? '');
        if (value === undefined) continue;
        value = this.#entry(key, value, depth + 1);
      } catch {
        value = UNREADABLE;
      }
      if (key.text === '__proto__') defineProto(copy, value);
      else copy[key.text] = value;
    }
    if (keys.length > shown) copy['…'] = `[+${keys.length - shown}]`;
    return copy;
  }
}

/** Most objects: created by a literal or by `JSON.parse`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function defineProto(copy: object, value: unknown): void {
  Object.defineProperty(copy, '__proto__', { value, enumerable: true, configurable: true, writable: true });
}

/** A URL without user info, its path scrubbed, its query and fragment judged pair by pair. */
function scrubUrl(url: URL, judge: KeyJudge, prose: (text: string) => string): string {
  const authority = url.host === '' ? '' : `//${url.host}`;
  const query = url.search === '' ? '' : `?${scrubPairs(url.search.slice(1), judge, prose)}`;
  const fragment = url.hash === '' ? '' : `#${scrubPairs(url.hash.slice(1), judge, prose)}`;
  return `${url.protocol}${authority}${prose(url.pathname)}${query}${fragment}`;
}

function scrubPairs(query: string, judge: KeyJudge, prose: (text: string) => string): string {
  const pairs = query.split('&').map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0) return pair;
    const name = decodeQueryPart(pair.slice(0, equals));
    const secret = judge(name, '') !== 'clean' || /^x-amz-(?:signature|credential|security-token)$/i.test(name);
    return secret ? `${pair.slice(0, equals)}=${REDACTED}` : pair;
  });
  return prose(pairs.join('&'));
}
