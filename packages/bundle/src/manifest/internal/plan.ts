import { FrameworkError } from '@sallyport/core';

/** A trigger of an inventory. */
interface Trigger {
  readonly kind: string;
  readonly name?: string;
  readonly selector?: Readonly<Record<string, string>>;
}

/** The registrations that `sallyport build` writes to `inventory.json`. */
export interface PlannedInventory {
  readonly version: 1;
  readonly container: 'secure' | 'open';
  readonly routes: readonly { readonly surface: string }[];
  readonly triggers: readonly Trigger[];
}

/** A source of events. `id` is a name for templates: `Orders`, `orders`. */
export interface PlannedSource {
  readonly kind: 'queue' | 'stream' | 'table-stream' | 'topic' | 'rule' | 'schedule';
  readonly name: string;
  readonly id: string;
  readonly fifo: boolean;
  readonly selector: Readonly<Record<string, string>>;
}

/** The parts of a deployment that follow from an inventory. */
export interface Plan {
  readonly http: boolean;
  readonly sources: readonly PlannedSource[];
  /** Registrations that the templates do not attach, each with its page. */
  readonly others: readonly string[];
}

/** Seconds for one invocation: below the 29 s of API Gateway. The visibility timeout of a queue is six times as long. */
export const TIMEOUT_SECONDS = 15;
export const VISIBILITY_SECONDS = 6 * TIMEOUT_SECONDS;
/** 14 days: a message that moves to a dead-letter queue keeps its age. */
export const RETENTION_SECONDS = 1_209_600;

const NAMED = ['queue', 'stream', 'table-stream', 'topic'];

/**
 * The parts of a deployment.
 *
 * @throws FrameworkError `app.invalid_configuration` for the open container with HTTP routes, and for any value that is not an inventory
 */
export function planOf(inventory: PlannedInventory): Plan {
  const { version, container, routes, triggers } = inventory ?? {};
  if (version !== 1 || !Array.isArray(routes) || !Array.isArray(triggers)) {
    throw invalid('the file is not an inventory of version 1: run `sallyport build` first');
  }
  const http = routes.some(({ surface }) => surface === 'http');
  if (http && container !== 'secure') {
    throw invalid('the application is open, and any caller can reach its API: use a SecureApp');
  }
  const sources: PlannedSource[] = [];
  const others = [...new Set(routes.map(({ surface }) => surface))].filter((surface) => surface !== 'http');
  for (const trigger of triggers) {
    const source = sourceOf(trigger);
    if (source === undefined) others.push(`${trigger.kind} ${trigger.name ?? JSON.stringify(trigger.selector ?? {})}`);
    else sources.push(unique(source, sources));
  }
  return { http, sources, others };
}

function sourceOf({ kind, name = '', selector = {} }: Trigger): PlannedSource | undefined {
  const named = { name, id: idOf(name), fifo: name.endsWith('.fifo'), selector };
  if (NAMED.includes(kind)) return { ...named, kind: kind as PlannedSource['kind'] };
  if (kind !== 'event-bus' || selector.scheduleName !== undefined) return undefined;
  const { source, detailType, ruleName } = selector;
  if (source !== undefined || detailType !== undefined) {
    return {
      ...named,
      kind: 'rule',
      name: [source, detailType].filter(Boolean).join('-'),
      id: idOf(`${source ?? ''} ${detailType ?? ''}`),
    };
  }
  return ruleName === undefined ? undefined : { ...named, kind: 'schedule', name: ruleName, id: idOf(ruleName) };
}

function unique(source: PlannedSource, others: readonly PlannedSource[]): PlannedSource {
  const isTaken = others.some(({ id }) => id === source.id);
  return isTaken ? { ...source, id: `${source.id}${others.length + 1}` } : source;
}

function idOf(name: string): string {
  const words = name.replace(/\.fifo$/, '').match(/[A-Za-z0-9]+/g) ?? ['Source'];
  const id = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(id) ? `Source${id}` : id;
}

function invalid(message: string): FrameworkError {
  return new FrameworkError('app.invalid_configuration', `framework: manifest: ${message}`);
}
