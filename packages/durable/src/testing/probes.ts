import { createHook } from 'node:async_hooks';
import { places } from './observer.js';
import { callerStack, ownStack } from './stacks.js';

/** A read that can differ at a replay. */
export interface Read {
  readonly kind: 'clock' | 'random' | 'environment' | 'io';
  /** The source of the value, such as `Date.now()`. */
  readonly what: string;
  readonly stack: string;
}

/** Values that plain code reads while it is observed. */
export interface Surroundings {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A number from 0 to below 1. */
  random(): number;
}

/** Resources of Node.js that are sockets, files, timers and processes. https://nodejs.org/api/async_hooks.html#type */
const RESOURCES: Readonly<Record<string, string>> = {
  Timeout: 'a timer',
  TCPWRAP: 'a socket',
  TCPCONNECTWRAP: 'a socket',
  PIPECONNECTWRAP: 'a socket',
  UDPWRAP: 'a socket',
  GETADDRINFOREQWRAP: 'a name lookup',
  QUERYWRAP: 'a name lookup',
  HTTPCLIENTREQUEST: 'an HTTP request',
  FSREQCALLBACK: 'a file',
  FSREQPROMISE: 'a file',
  PROCESSWRAP: 'a process',
  WORKER: 'a worker',
};

/** Code of an invocation that is not the function of a step. */
function isPlain(): boolean {
  return places.getStore()?.isStep === false;
}

/**
 * Reports what plain code of an execution reads, while `run` runs. Globals of the process are replaced until it has ended, so two must
 * not run at the same time.
 */
export async function withProbes<T>(
  report: (read: Read) => void,
  around: Surroundings,
  run: () => Promise<T>,
): Promise<T> {
  const probe = (kind: Read['kind'], what: string): boolean => {
    const stack = isPlain() ? ownStack() : undefined;
    if (stack !== undefined) report({ kind, what, stack });
    return stack !== undefined;
  };
  const hook = createHook({
    init: (_, type) => {
      const what = RESOURCES[type];
      const stack = what !== undefined && isPlain() ? callerStack() : undefined;
      if (what !== undefined && stack !== undefined) report({ kind: 'io', what, stack });
    },
  });
  const restore = [replaceDate(probe, around), replaceRandom(probe, around), replaceEnvironment(probe)];
  hook.enable();
  try {
    return await run();
  } finally {
    hook.disable();
    for (const undo of restore) undo();
  }
}

type Probe = (kind: Read['kind'], what: string) => boolean;

function replaceDate(probe: Probe, { now }: Surroundings): () => void {
  const Real = globalThis.Date;
  const Probed: DateConstructor = new Proxy(Real, {
    construct: (target, args, newTarget) => {
      const given = args.length === 0 && probe('clock', 'new Date()') ? [now()] : args;
      return Reflect.construct(target, given, newTarget === Probed ? target : newTarget);
    },
    apply: (target, self, args) => {
      return probe('clock', 'Date()') ? new Real(now()).toString() : Reflect.apply(target, self, args);
    },
    get: (target, name) => {
      if (name === 'now') return () => (probe('clock', 'Date.now()') ? now() : Real.now());
      return Reflect.get(target, name);
    },
  });
  globalThis.Date = Probed;
  const undo = replace(performance, 'now', (real) => () => {
    return probe('clock', 'performance.now()') ? now() : real.call(performance);
  });
  return () => {
    globalThis.Date = Real;
    undo();
  };
}

function replaceRandom(probe: Probe, { random }: Surroundings): () => void {
  const builtin = process.getBuiltinModule('node:crypto');
  const uuid = () =>
    `00000000-0000-4000-8000-${Math.floor(random() * 2 ** 48)
      .toString(16)
      .padStart(12, '0')}` as const;
  const undo = [
    replace(Math, 'random', (real) => () => (probe('random', 'Math.random()') ? random() : real())),
    replace(globalThis.crypto, 'randomUUID', (real) => () => {
      return probe('random', 'crypto.randomUUID()') ? uuid() : real.call(globalThis.crypto);
    }),
    replace(globalThis.crypto, 'getRandomValues', (real) => (array) => {
      probe('random', 'crypto.getRandomValues()');
      return real.call(globalThis.crypto, array) as typeof array;
    }),
    replace(builtin, 'randomUUID', (real) => (options) => {
      return probe('random', 'randomUUID()') ? uuid() : real(options);
    }),
  ];
  return () => {
    for (const restore of undo) restore();
  };
}

function replaceEnvironment(probe: Probe): () => void {
  const real = process.env;
  process.env = new Proxy(real, {
    get: (target, name) => {
      if (typeof name === 'string') probe('environment', `process.env.${name}`);
      return Reflect.get(target, name);
    },
  });
  return () => {
    process.env = real;
  };
}

/** Replaces a method, and returns how to restore it. */
function replace<T extends object, K extends keyof T>(owner: T, name: K, create: (real: T[K]) => T[K]): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const real = owner[name];
  Object.defineProperty(owner, name, { value: create(real), configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(owner, name, own);
    else delete owner[name];
  };
}
