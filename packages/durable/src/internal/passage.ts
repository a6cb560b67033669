import { isDeepStrictEqual } from 'node:util';
import { cleanText, guardHook, isContextKey, isObject, stringOf } from '@sallyport/core/internal';
import { isSensitiveKey } from '@sallyport/core/observability';
import { DurableError } from '../errors.js';
import type { AnyMiddleware, LaneScope } from './lane-scope.js';
import { addQuiet } from './members.js';

/** The operation with the values that middlewares have put on the context. */
const NAME = 'framework middlewares';
/** Operations of stages before the handler. Any other operation proves that the middlewares have called it. */
const BEFORE_HANDLER = /^framework (?:caller|limit)(?: \d+)?$/;
/** The largest value that is recorded, in characters of its JSON: the values of all middlewares are one result. */
const MAX_CHARACTERS = 131_072;

const DROPPED = 'framework: a middleware answered differently at a replay: its recorded outcome counts';

/** The values that middlewares have put on a context. A key is its kind and its name. */
interface Values {
  /** Values that JSON can write. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Keys of all other values. */
  readonly live: readonly string[];
}

/** The members of a context that store values. */
interface Bag {
  get(key: unknown): unknown;
  set(key: unknown, value: unknown): void;
}

/**
 * The way of a request or record through its middlewares. A middleware runs in each invocation, because its code after `next()` belongs to the invocation in
 * which the handler ends; its outcome counts once: after the handler has recorded an operation, only that code has an effect.
 */
export class Passage {
  readonly #lane: LaneScope;
  /** True if an earlier invocation has reached the handler. */
  readonly #isPassed: boolean;
  readonly #recorded: Values | undefined;
  readonly #watched = new WeakSet<object>();
  readonly #json = new Map<string, unknown>();
  readonly #live = new Set<string>();
  /** True while a middleware runs whose outcome counts once, until it calls `next`. */
  #isDeciding = false;

  constructor(lane: LaneScope) {
    const { result } = lane.recorded(NAME) ?? {};
    this.#lane = lane;
    this.#isPassed = lane.recordedNames.some((name) => !BEFORE_HANDLER.test(name));
    this.#recorded = typeof result === 'string' ? toValues(JSON.parse(result)) : undefined;
  }

  /** Calls a middleware. Its last argument is `next`. */
  async through(middleware: AnyMiddleware, context: object, args: readonly unknown[]): Promise<unknown> {
    const next = args.at(-1) as (given: object) => Promise<unknown>;
    const isAnew = this.#lane.run.host.isAnew(middleware);
    let hasPassed = false;
    const forward = (given: object) => {
      hasPassed = true;
      this.#isDeciding = false;
      return next(given);
    };
    this.#watch(context);
    this.#isDeciding = !isAnew;
    try {
      const result = await middleware(context, ...args.slice(0, -1), forward);
      if (hasPassed) return result;
      if (isAnew || !this.#isPassed) return this.#end(result);
      this.#warn({});
    } catch (thrown) {
      if (hasPassed) throw thrown;
      if (isAnew || !this.#isPassed) {
        this.#end(undefined);
        throw thrown;
      }
      this.#warn({ error: thrown });
    }
    return forward(context);
  }

  /** Called before the handler: records the values of the first invocation, or reaches the recorded values. */
  async enter(context: object): Promise<void> {
    this.#isDeciding = false;
    this.#watch(context);
    const isNew = !this.#isPassed && this.#json.size + this.#live.size > 0;
    if (!isNew && !this.#recorded) return;
    const values: Values = { json: Object.fromEntries(this.#json), live: [...this.#live] };
    await this.#lane.record(NAME, () => values);
  }

  #warn(fields: object): void {
    const { run, fields: own } = this.#lane;
    guardHook(() => run.host.log.warn(DROPPED, { ...own, ...fields }));
  }

  /** The execution ends without its recorded operations: its lines are new. */
  #end<R>(result: R): R {
    this.#lane.endReplay();
    return result;
  }

  /** Notes or replaces the values of a context, and writes its lines once. */
  #watch(context: object): void {
    if (this.#watched.has(context)) return;
    this.#watched.add(context);
    addQuiet(context, this.#lane);
    const bag = context as Bag;
    const [get, set] = [bag.get.bind(bag), bag.set.bind(bag)];
    Object.defineProperties(context, {
      set: { value: (key: unknown, value: unknown) => this.#set(set, key, value), configurable: true },
      get: { value: (key: unknown) => this.#get(get(key), key), configurable: true },
    });
  }

  #set(set: Bag['set'], key: unknown, value: unknown): void {
    const id = this.#isDeciding ? recordKey(key) : undefined;
    const { json, live } = this.#recorded ?? NOTHING;
    if (id !== undefined && Object.hasOwn(json, id)) set(key, json[id]);
    else if (id === undefined || this.#isDecision(value)) set(key, value);
    else this.#note(id, live.includes(id), set, key, value);
  }

  /** Notes a value for the record, or that it cannot be recorded. */
  #note(id: string, isLive: boolean, set: Bag['set'], key: unknown, value: unknown): void {
    const isJson = !isLive && isWritable(key, value);
    // A JSON value that is new at a replay is not a part of the recorded outcome.
    if (isJson && this.#isPassed) return;
    this.#json.delete(id);
    this.#live.delete(id);
    if (isJson) this.#json.set(id, value);
    else if (isLive || value !== undefined) this.#live.add(id);
    set(key, value);
  }

  /** True for a decision with a separate operation. */
  #isDecision(value: unknown): boolean {
    return isObject(value) && this.#lane.run.decisions.has(value);
  }

  /**
   * The value of a context, else the recorded value.
   *
   * @throws DurableError `durable.diverged` for a value that was set in the first invocation, and is not recorded
   */
  #get(value: unknown, key: unknown): unknown {
    const id = recordKey(key);
    const { json, live } = this.#recorded ?? NOTHING;
    if (value !== undefined || id === undefined) return value;
    if (Object.hasOwn(json, id)) return json[id];
    if (this.#isDeciding || !live.includes(id) || this.#live.has(id)) return undefined;
    const text = `value "${keyName(key)}" of the context is not recorded, and its middleware answered before it set it: set a value that JSON can write, or name the middleware in the option "replay"`;
    throw new DurableError('durable.diverged', text);
  }
}

const NOTHING: Values = { json: {}, live: [] };

function keyName(key: unknown): string {
  return isContextKey(key) ? key.name : stringOf(key);
}

/** A key of `contextKey` is another object in each process: its name identifies it. */
function recordKey(key: unknown): string | undefined {
  if (typeof key === 'string') return `text ${key}`;
  return isContextKey(key) ? `key ${key.name}` : undefined;
}

/** True if a value can be recorded: JSON writes and reads it without a change, and it has no secret. */
function isWritable(key: unknown, value: unknown): boolean {
  try {
    const text = JSON.stringify(value);
    return (
      text.length <= MAX_CHARACTERS && isDeepStrictEqual(JSON.parse(text), value) && !hasSecret(keyName(key), value)
    );
  } catch {
    return false;
  }
}

/** True for the name of a secret, and for a string that contains one. */
function hasSecret(name: string, value: unknown): boolean {
  if (isSensitiveKey(name)) return true;
  if (typeof value === 'string') return cleanText(value) !== value;
  return Object.entries(value ?? {}).some(([member, inner]) => hasSecret(member, inner));
}

function toValues(recorded: unknown): Values | undefined {
  if (!isObject(recorded) || !isObject(recorded.json) || !Array.isArray(recorded.live)) return undefined;
  return { json: recorded.json, live: recorded.live };
}
