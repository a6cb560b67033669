import type { JsonSchema, Schemas, ServiceContract } from './contract.js';
import { contractError } from './described.js';
import { canonicalText, inOrder } from './internal/canonical.js';
import { PLACES, type Place, shapeOf } from './internal/places.js';
import type { StoredContract } from './stored.js';

/**
 * Joins the contracts of several services: one document, one client. A named schema that another service has otherwise gets a number.
 *
 * @param service the name of the whole
 * @throws FrameworkError `app.invalid_configuration` that names every operation and source that two of them have, with both files, and
 *   contracts with different envelopes of WebSocket messages
 */
export function joinContracts(service: string, contracts: readonly StoredContract[]): ServiceContract {
  const schemas: Record<string, JsonSchema> = {};
  const renamed = new Set<string>();
  const parts = contracts.map(({ place, contract }) => {
    const names = namesFor(contract.schemas, schemas);
    for (const [name, own] of names) if (name !== own) renamed.add(name);
    const part = rewritten(contract, names);
    for (const [name, own] of names) schemas[own] = part.schemas[name] as JsonSchema;
    return { place, part };
  });
  assertDistinct(parts);
  const all = parts.map(({ part }) => part);
  const whole = (entries: (part: ServiceContract) => object) => Object.assign({}, ...all.map(entries)) as never;
  const envelope = all.find(({ socket }) => socket.envelope)?.socket.envelope;
  return inOrder({
    version: 1,
    service,
    queue: whole(({ queue }) => queue),
    stream: whole(({ stream }) => stream),
    topic: whole(({ topic }) => topic),
    bus: whole(({ bus }) => bus),
    table: whole(({ table }) => table),
    event: whole(({ event }) => event),
    http: whole(({ http }) => http),
    socket: {
      in: whole(({ socket }) => socket.in),
      out: whole(({ socket }) => socket.out),
      ...(envelope && { envelope }),
    },
    mcp: whole(({ mcp }) => mcp),
    tool: whole(({ tool }) => tool),
    invoke: whole(({ invoke }) => invoke),
    field: whole(({ field }) => field),
    schemas,
    unknown: all.flatMap(({ unknown }) => unknown),
    renamed: [...new Set([...all.flatMap((part) => part.renamed), ...renamed])].sort(),
  });
}

/** The names that schemas have in the whole. A schema that refers to a renamed one can differ by that, so the search is repeated. */
function namesFor(own: Schemas, taken: Schemas): ReadonlyMap<string, string> {
  const names = new Map(Object.keys(own).map((name) => [name, name]));
  for (;;) {
    const clash = [...names].find(
      ([name, now]) =>
        Object.hasOwn(taken, now) &&
        canonicalText(taken[now]) !== canonicalText(rewritten(own[name] as JsonSchema, names)),
    );
    if (!clash) return names;
    const [name] = clash;
    const isFree = (wanted: string) => !Object.hasOwn(taken, wanted) && ![...names.values()].includes(wanted);
    let number = 2;
    while (!isFree(`${name}${number}`)) number += 1;
    names.set(name, `${name}${number}`);
  }
}

/** A copy whose references have other names. */
function rewritten<T>(value: T, names: ReadonlyMap<string, string>): T {
  const text = JSON.stringify(value).replaceAll(/"\$ref":"#\/schemas\/([^"\\]+)"/g, (whole, name: string) => {
    const now = names.get(name);
    return now === undefined ? whole : `"$ref":"#/schemas/${now}"`;
  });
  return JSON.parse(text) as T;
}

function assertDistinct(parts: readonly { readonly place: string; readonly part: ServiceContract }[]): void {
  const places = new Map<string, string>();
  const twice: string[] = [];
  for (const { place, part } of parts) {
    for (const [kind, entriesOf] of Object.entries<Place>(PLACES)) {
      for (const [name, { function: from }] of Object.entries(entriesOf(part))) {
        const at = kind === 'http' ? name : `${kind} ${name}`;
        const key = `${kind} ${kind === 'http' ? shapeOf(name) : name}`;
        const before = places.get(key);
        if (before !== undefined) twice.push(`${at} (${before} and ${from} in ${place})`);
        else places.set(key, `${from} in ${place}`);
      }
    }
  }
  if (twice.length > 0) throw contractError(`registered by two services: ${twice.join('; ')}`);
  const envelopes = parts.filter(({ part: { socket } }) => Object.keys({ ...socket.in, ...socket.out }).length > 0);
  const texts = new Set(envelopes.map(({ part }) => canonicalText(part.socket.envelope ?? null)));
  if (texts.size > 1)
    throw contractError(
      `${envelopes.map(({ place }) => place).join(' and ')} state different envelopes of WebSocket messages`,
    );
}
