/** What an invocation must leave as it found it. */
export interface Surroundings {
  readonly environment: string;
  readonly globals: ReadonlyMap<PropertyKey, unknown>;
}

export function observeSurroundings(): Surroundings {
  const keys = Reflect.ownKeys(globalThis);
  return {
    environment: JSON.stringify(process.env),
    globals: new Map(keys.map((key) => [key, dataOf(key)])),
  };
}

/** What has changed, in words; `undefined` when nothing has. */
export function changeSince(before: Surroundings): string | undefined {
  const after = observeSurroundings();
  if (after.environment !== before.environment) return 'process.env was changed';
  for (const key of new Set([...before.globals.keys(), ...after.globals.keys()])) {
    const same =
      before.globals.has(key) === after.globals.has(key) && Object.is(before.globals.get(key), after.globals.get(key));
    if (!same) return `the global ${String(key)} was changed`;
  }
  return undefined;
}

/** Getters of the platform are not asked: they load things. */
function dataOf(key: PropertyKey): unknown {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, key) ?? {};
  return get ?? value;
}
