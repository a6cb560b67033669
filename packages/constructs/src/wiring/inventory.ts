import { readFileSync } from 'node:fs';
import { isPlainObject } from '@sallyport/core/pipeline';
import { ConstructError } from '../errors.js';
import { show } from '../internal/misuse.js';

/** One HTTP, GraphQL or WebSocket operation, as `app.routes()` lists it. */
export interface InventoryRoute {
  /** Where the operation is reached. */
  readonly surface: 'http' | 'appsync' | 'websocket';
  /** HTTP method in upper case. */
  readonly method?: string;
  /** Pattern of the router. */
  readonly path?: string;
  /** Who may call it; only in the closed container. */
  readonly posture?: string;
  /** The scopes of the posture. */
  readonly scopes?: readonly string[];
  /** Whether the answer is sent before the handler ends. */
  readonly streaming?: boolean;
  /** GraphQL parent type. */
  readonly appSyncParentType?: string;
  /** GraphQL field. */
  readonly appSyncField?: string;
  /** Route key of a WebSocket. */
  readonly webSocketRouteKey?: string;
}

/** One event registration, as `app.triggers()` lists it. */
export interface InventoryTrigger {
  /** The kind of the events: `queue`, `table-stream`, `stream`, `topic`, `event-bus`, or that of an opt-in trigger. */
  readonly kind: string;
  /** What the handler is registered under; absent for event buses. */
  readonly name?: string;
  /** Which events of a bus the handler gets. */
  readonly selector?: EventSelector;
  /** What a failure means for the rest of a batch. */
  readonly onFailure?: string;
  /** What else matters to a deployment: the scope of an authorizer, the operation of a channel, the schema of a tool. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Which events of a bus a handler gets. */
export interface EventSelector {
  /** The event's `source`. */
  readonly source?: string;
  /** The event's `detail-type`. */
  readonly detailType?: string;
  /** Name of the rule. */
  readonly ruleName?: string;
  /** Name of the schedule. */
  readonly scheduleName?: string;
}

/** What an application serves: the source of truth for a stack. */
export interface Inventory {
  /** The version of this format. */
  readonly version: 1;
  /** `secure` when every operation states who may call it. */
  readonly container: 'secure' | 'open';
  /** Operations in the order of their registration. */
  readonly routes: readonly InventoryRoute[];
  /** Event registrations in their order. */
  readonly triggers: readonly InventoryTrigger[];
}

/** The part of a container that an inventory is made of. */
export interface Inventoried {
  /** Its operations. */
  routes(): readonly object[];
  /** Its event registrations. */
  triggers(): readonly object[];
}

/**
 * The inventory of an application that infrastructure code imports.
 *
 * @throws ConstructError `constructs.invalid_inventory` for anything that is not an application
 * @example new ServiceWiring(this, 'Wiring', { fn, inventory: toInventory(app) });
 */
export function toInventory(app: Inventoried): Inventory {
  if (typeof app?.routes !== 'function' || typeof app.triggers !== 'function') {
    throw invalid(`got ${show(app)}, expected an application with routes() and triggers()`);
  }
  const routes = app.routes();
  const container = routes.every((route) => 'posture' in route) ? 'secure' : 'open';
  return parseInventory({ version: 1, container, routes, triggers: app.triggers() });
}

/**
 * The inventory that a JSON file holds.
 *
 * @throws ConstructError `constructs.invalid_inventory` when it cannot be read
 * @example inventoryFromFile('inventory.json');
 */
export function inventoryFromFile(file: string): Inventory {
  try {
    return parseInventory(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof ConstructError) throw error;
    throw invalid(`${file} cannot be read as JSON, expected a file that holds toInventory(app)`, error);
  }
}

/**
 * Checks an inventory of another process or another language.
 *
 * @throws ConstructError `constructs.invalid_inventory` for an unknown version, and for anything that is not an inventory
 */
export function parseInventory(value: unknown): Inventory {
  if (!isPlainObject(value)) throw invalid(`got ${show(value)}, expected an object`);
  const { version, container, routes, triggers } = value;
  if (version !== 1)
    throw invalid(`version, got ${show(version)}, expected 1: update @sallyport/constructs or the application`);
  if (container !== 'secure' && container !== 'open') {
    throw invalid(`container, got ${show(container)}, expected "secure" or "open"`);
  }
  return {
    version,
    container,
    routes: listOf<InventoryRoute>(routes, 'routes', isRoute),
    triggers: listOf<InventoryTrigger>(triggers, 'triggers', isTrigger),
  };
}

function listOf<T>(
  value: unknown,
  what: string,
  accepts: (entry: Readonly<Record<string, unknown>>) => boolean,
): readonly T[] {
  if (!Array.isArray(value)) throw invalid(`${what}, got ${show(value)}, expected a list`);
  const wrong = value.findIndex((entry) => typeof entry !== 'object' || entry === null || !accepts(entry));
  if (wrong >= 0) throw invalid(`${what}[${wrong}], got ${show(value[wrong])}, expected an entry of app.${what}()`);
  return value.map((entry: T) => ({ ...entry }));
}

function isRoute({ surface, method, path, webSocketRouteKey, ...rest }: Readonly<Record<string, unknown>>): boolean {
  if (surface === 'http') return typeof method === 'string' && typeof path === 'string';
  if (surface === 'websocket') return typeof webSocketRouteKey === 'string';
  return surface === 'appsync' && typeof rest.appSyncParentType === 'string' && typeof rest.appSyncField === 'string';
}

function isTrigger({ kind, name, selector }: Readonly<Record<string, unknown>>): boolean {
  if (typeof kind !== 'string') return false;
  return kind === 'event-bus'
    ? typeof selector === 'object' && selector !== null
    : name === undefined || typeof name === 'string';
}

function invalid(problem: string, cause?: unknown): ConstructError {
  return new ConstructError('constructs.invalid_inventory', `framework: inventory: ${problem}`, '', cause);
}
