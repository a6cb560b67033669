import {
  type CallEntry,
  type Guarded,
  type HttpEntry,
  type JsonSchema,
  PLAIN_ENVELOPE,
  type ServiceContract,
  SOURCE_KINDS,
  type SocketEnvelope,
} from '../contract.js';
import { byName } from '../internal/canonical.js';
import { shapeOf } from '../internal/places.js';
import type { Finding, Level, SchemaChange } from './finding.js';
import { guardChanges } from './internal/guards.js';
import { remedyOf } from './internal/remedies.js';
import { rejections } from './internal/variance.js';

/**
 * The changes from one contract to the next that break callers, receivers or messages in flight, or that can surprise them, in order.
 * Inputs flow from old senders to the new service, so each old value must fit the new schema; outputs flow to old receivers, so each new
 * value must fit the old schema.
 */
export function compareContracts(old: ServiceContract, next: ServiceContract): readonly Finding[] {
  const comparing = new Comparing(old, next);
  comparing.http();
  for (const kind of SOURCE_KINDS) {
    comparing.entries(kind, old[kind], next[kind], (at, a, b) => {
      const who = `producers of ${at}, and messages in flight`;
      comparing.input(at, who, 'message', a.message, b.message);
      comparing.order(at, who, a.orderedBy, b.orderedBy);
    });
  }
  const { socket } = old;
  comparing.envelope(socket.envelope ?? PLAIN_ENVELOPE, next.socket.envelope ?? PLAIN_ENVELOPE);
  comparing.entries('socket in', socket.in, next.socket.in, (at, a, b) => {
    comparing.guards(at, `clients that send ${at}`, a, b);
    comparing.input(at, `clients that send ${at}`, 'message', a.message, b.message);
  });
  comparing.entries('socket out', socket.out, next.socket.out, (at, a, b) =>
    comparing.output(at, `clients that read ${at}`, 'message', a.message, b.message),
  );
  for (const kind of ['tool', 'invoke', 'field'] as const) {
    comparing.entries<CallEntry>(kind, old[kind], next[kind], (at, a, b) => {
      comparing.guards(at, `callers of ${at}`, a, b);
      comparing.input(at, `callers of ${at}`, kind === 'field' ? 'args' : 'input', a.input, b.input);
      comparing.output(at, `callers of ${at}`, kind === 'field' ? 'result' : 'output', a.output, b.output);
    });
  }
  comparing.entries('MCP', old.mcp, next.mcp, (at, a, b) => {
    for (const list of ['prompts', 'resources', 'templates'] as const) comparing.listed(at, list, a[list], b[list]);
  });
  return comparing.findings;
}

type Entries<E> = { readonly [key: string]: E };

class Comparing {
  readonly #old: ServiceContract;
  readonly #next: ServiceContract;
  readonly findings: Finding[] = [];

  constructor(old: ServiceContract, next: ServiceContract) {
    this.#old = old;
    this.#next = next;
  }

  /** Compares entries of both contracts; an entry that is gone breaks. */
  entries<E>(kind: string, old: Entries<E>, next: Entries<E>, compare: (at: string, a: E, b: E) => void): void {
    for (const key of Object.keys(old).sort(byName)) {
      const at = `${kind} ${key}`;
      const there = Object.hasOwn(next, key) ? next[key] : undefined;
      if (there === undefined) {
        const who = REMOVED[kind.split(' ')[0] as string] ?? 'callers of';
        this.report(at, `${who} ${at}`, 'breaks', '', 'entry-removed', 'present', 'absent');
      } else compare(at, old[key] as E, there);
    }
  }

  http(): void {
    const shapes = new Map(Object.keys(this.#next.http).map((key) => [shapeOf(key), key]));
    for (const key of Object.keys(this.#old.http).sort(byName)) {
      const who = `callers of ${key}`;
      const there = shapes.get(shapeOf(key));
      if (there === undefined) this.report(key, who, 'breaks', '', 'entry-removed', 'present', 'absent');
      else this.#operation(key, there, who);
    }
  }

  #operation(at: string, there: string, who: string): void {
    const [a, b] = [this.#old.http[at] as HttpEntry, this.#next.http[there] as HttpEntry];
    if (there !== at) this.report(at, who, 'warns', 'params', 'renamed', at, there);
    this.guards(at, who, a, b);
    for (const part of ['params', 'query', 'headers', 'cookies'] as const) {
      if (part === 'params' && there !== at) continue;
      const open: JsonSchema = { type: 'object' };
      this.input(at, who, part, a[part] ?? open, b[part] ?? (a[part] === undefined ? open : {}));
    }
    this.#body(at, who, a, b);
    this.#answers(at, who, a, b);
    this.#errors(at, who, a, b);
    for (const type of Object.keys(a.events ?? {})) {
      const schema = b.events?.[type];
      if (schema === undefined) this.report(at, who, 'breaks', `events.${type}`, 'event-removed', 'sent', 'not sent');
      else this.output(at, who, `events.${type}`, a.events?.[type], schema);
    }
    for (const fact of ['idempotency', 'repeatable'] as const) {
      if (a[fact] && !b[fact]) this.report(at, who, 'breaks', '', `${fact}-removed`, 'may be repeated', 'runs twice');
    }
    if (b.idempotency && !a.idempotency) this.report(at, who, 'warns', '', 'idempotency-added', 'no key', 'a key');
  }

  #body(at: string, who: string, a: HttpEntry, b: HttpEntry): void {
    if (b.body === undefined) return;
    const isRequired = b.bodyOptional !== true;
    if (isRequired && (a.body === undefined || a.bodyOptional)) {
      this.report(at, who, 'breaks', 'body', 'required', a.body ? 'optional' : 'absent', 'required');
    }
    if (a.body !== undefined) this.input(at, who, 'body', a.body, b.body);
  }

  #answers(at: string, who: string, a: HttpEntry, b: HttpEntry): void {
    if (a.answer === undefined) return;
    if (b.answer === undefined) {
      this.report(at, who, 'warns', 'answer', 'not-stated', Object.keys(a.answer).join(', '), 'not stated');
      return;
    }
    const old = a.answer;
    const keeps = Object.keys(old).some((status) => Object.hasOwn(b.answer ?? {}, status));
    for (const [status, schema] of Object.entries(b.answer)) {
      const before = Object.hasOwn(old, status) ? old[status] : undefined;
      const path = `answer.${status}`;
      if (before === undefined)
        this.report(at, who, keeps ? 'warns' : 'breaks', path, 'status-added', 'not sent', 'sent');
      else if (before !== null && schema === null)
        this.report(at, who, 'breaks', path, 'body-removed', 'a body', 'no body');
      else if (before !== null) this.output(at, who, path, before, schema);
    }
  }

  #errors(at: string, who: string, a: HttpEntry, b: HttpEntry): void {
    if (a.errors === undefined) return;
    const codes = ({ errors }: HttpEntry) => new Set(Object.values(errors ?? {}).flat());
    const [before, after] = [codes(a), codes(b)];
    if (b.errors === undefined)
      this.report(at, who, 'warns', 'errors', 'not-stated', [...before].join(', '), 'not stated');
    else
      for (const code of after)
        if (!before.has(code)) this.report(at, who, 'warns', `errors.${code}`, 'error-added', 'not sent', 'sent');
    if (b.errors)
      for (const code of before)
        if (!after.has(code)) this.report(at, who, 'warns', `errors.${code}`, 'error-removed', 'sent', 'not sent');
  }

  /** The members of WebSocket messages; a service without messages has no envelope. */
  envelope(old: SocketEnvelope, next: SocketEnvelope): void {
    const { in: received, out } = this.#old.socket;
    if (Object.keys(received).length + Object.keys(out).length === 0) return;
    for (const name of ['route', 'type', 'data'] as const) {
      const path = `envelope.${name}`;
      if (old[name] !== next[name])
        this.report(
          'socket',
          'clients of the WebSocket API',
          'breaks',
          path,
          'envelope-changed',
          old[name],
          next[name],
        );
    }
  }

  /** Entries of the lists of an MCP server. */
  listed(at: string, list: string, old: readonly JsonSchema[], next: readonly JsonSchema[]): void {
    const nameOf = ({ name, uri, uriTemplate }: JsonSchema) => String(uriTemplate ?? uri ?? name);
    for (const item of old) {
      const name = nameOf(item);
      const there = next.find((one) => nameOf(one) === name);
      const path = `${list}.${name}`;
      if (!there) this.report(at, `clients of ${at}`, 'breaks', path, 'entry-removed', 'present', 'absent');
      else if (list === 'prompts') this.#arguments(at, path, item, there);
    }
  }

  #arguments(at: string, path: string, old: JsonSchema, next: JsonSchema): void {
    const needed = (prompt: JsonSchema) =>
      (Array.isArray(prompt.arguments) ? (prompt.arguments as readonly JsonSchema[]) : []).filter(
        ({ required }) => required === true,
      );
    const before = needed(old).map(({ name }) => name);
    for (const { name } of needed(next)) {
      if (!before.includes(name))
        this.report(at, `clients of ${at}`, 'breaks', `${path}.${String(name)}`, 'required', 'optional', 'required');
    }
  }

  guards(at: string, who: string, a: Guarded, b: Guarded): void {
    for (const { change, old, next } of guardChanges(a, b)) this.report(at, who, 'breaks', '', change, old, next);
  }

  /** Messages in flight, and messages of old senders, are in the order of the old member. */
  order(at: string, who: string, old: string | undefined, next: string | undefined): void {
    if (old === next) return;
    const change = old === undefined ? 'order-added' : next === undefined ? 'order-removed' : 'order-changed';
    const level = next === undefined ? 'warns' : 'breaks';
    this.report(at, who, level, 'orderedBy', change, old ?? 'no order', next ?? 'no order');
  }

  input(at: string, who: string, path: string, old: unknown, next: unknown): void {
    const [sent, received] = [
      { schema: old, schemas: this.#old.schemas },
      { schema: next, schemas: this.#next.schemas },
    ];
    for (const found of rejections(sent, received, path, false))
      this.#reportSchema(at, who, found, found.sent, found.received);
  }

  output(at: string, who: string, path: string, old: unknown, next: unknown): void {
    const [sent, received] = [
      { schema: next, schemas: this.#next.schemas },
      { schema: old, schemas: this.#old.schemas },
    ];
    for (const found of rejections(sent, received, path, true))
      this.#reportSchema(at, who, found, found.received, found.sent);
  }

  #reportSchema(at: string, who: string, { level, path, change }: SchemaChange, old: string, next: string): void {
    this.report(at, who, level, path, change, old, next);
  }

  report(at: string, who: string, level: Level, path: string, change: string, old: string, next: string): void {
    const id = [at, path, change].filter((part) => part !== '').join(' ');
    if (this.findings.some((found) => found.id === id)) return;
    this.findings.push({ id, level, who, at, path, change, old, new: next, remedy: remedyOf(change, at) });
  }
}

const REMOVED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SOURCE_KINDS.map((kind) => [kind, 'producers and messages in flight of'])),
  socket: 'clients of',
  MCP: 'clients of',
};
