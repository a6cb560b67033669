import { type Schemas, type ServiceContract, SOURCE_KINDS } from './contract.js';

const CALLS = { http: {}, socket: { in: {}, out: {} }, mcp: {}, tool: {}, invoke: {}, field: {} } as const;

/** The sources of a contract without its operations: an older version that no longer runs has only messages in flight. */
export function sourcesOf(contract: ServiceContract): ServiceContract {
  return { ...contract, ...CALLS };
}

/**
 * The part of a contract that a client uses.
 *
 * @param isUsed true for the key of an entry that the client names: `GET /notes/{id}`, `search`, `billing/InvoicePaid`
 */
export function usedPartOf(contract: ServiceContract, isUsed: (key: string) => boolean): ServiceContract {
  const kept = <E>(entries: { readonly [key: string]: E }) =>
    Object.fromEntries(Object.entries(entries).filter(([key]) => isUsed(key)));
  const { socket, http, mcp, tool, invoke, field } = contract;
  const entries = {
    ...Object.fromEntries(SOURCE_KINDS.map((kind) => [kind, kept(contract[kind])])),
    http: kept(http),
    socket: { ...socket, in: kept(socket.in), out: kept(socket.out) },
    mcp: kept(mcp),
    tool: kept(tool),
    invoke: kept(invoke),
    field: kept(field),
  };
  return { ...contract, ...entries, schemas: reachable(contract.schemas, entries), unknown: [], renamed: [] };
}

/** The named schemas to which a value refers, also through other schemas. */
function reachable(schemas: Schemas, from: unknown): Schemas {
  const found = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/schemas\/([^"\\]+)"/g)) {
      if (name === undefined || found.has(name) || !Object.hasOwn(schemas, name)) continue;
      found.add(name);
      follow(schemas[name]);
    }
  };
  follow(from);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}
