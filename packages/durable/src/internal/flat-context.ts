import type { DurableContext } from './sdk.js';

/**
 * A context whose operations have a prefix in the history. Flows without a separate operation share the context of another flow: their
 * operations differ by the prefix.
 */
export function flatContext(context: DurableContext, prefix: string): DurableContext {
  return new Proxy(context, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      return (name: unknown, ...rest: unknown[]) => {
        const args = member === 'runInChildContext' ? withFlatChild(rest, prefix) : rest;
        return value.call(target, typeof name === 'string' ? `${prefix}${name}` : name, ...args);
      };
    },
  });
}

/** A context without an operation has its operations in the same place, so they need the prefix too. */
function withFlatChild([run, options]: unknown[], prefix: string): unknown[] {
  const isVirtual = (options as { readonly virtualContext?: unknown } | undefined)?.virtualContext === true;
  if (!isVirtual || typeof run !== 'function') return [run, options];
  return [(inner: DurableContext) => run(flatContext(inner, prefix)), options];
}

/** The recorded operations with a prefix, by their names without it. */
export function withPrefix<T>(recorded: ReadonlyMap<string, T>, prefix: string): ReadonlyMap<string, T> {
  const found = [...recorded].filter(([name]) => name.startsWith(prefix));
  return new Map(found.map(([name, operation]) => [name.slice(prefix.length), operation]));
}
