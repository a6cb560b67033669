/** `sourceIP` → `source_ip`, `appSyncField` → `appsync_field`: our names in the spelling of other runtimes. */
export function toSnake(name: string): string {
  return name
    .replace(/appSync/g, 'appsync')
    .replace(/webSocket/g, 'websocket')
    .replace(/([a-z0-9])([A-Z]+)/g, (_, before: string, humps: string) => `${before}_${humps.toLowerCase()}`);
}

/** `max_request_bytes` → `maxRequestBytes`; a name that begins with `_` is the protocol's and keeps it. */
export function toCamel(name: string): string {
  return name.replace(/(?<=.)_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Plain data with every key renamed, at every depth. */
export function renameKeys(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [rename(key), renameKeys(member, rename)]));
}

/** Options with the names of this runtime; their values are not changed. */
export function camelOptions(options: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [toCamel(name), value]));
}
