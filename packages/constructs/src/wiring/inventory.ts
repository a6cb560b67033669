import { readFileSync } from 'node:fs';
import { durableMark, isPlainObject, statedOf } from '@sallyport/core/internal';
import { ConstructError } from '../errors.js';
import { show } from '../internal/misuse.js';

/** One HTTP, GraphQL or WebSocket operation, as `app.routes()` lists it. */
export interface InventoryRoute {
  /** The surface of the operation. */
  readonly surface: 'http' | 'appsync' | 'websocket';
  /** HTTP method in upper case. */
  readonly method?: string;
  /** Pattern of the router. */
  readonly path?: string;
  /** The posture of the operation; only in the closed container. */
  readonly posture?: string;
  /** The scopes of the posture. */
  readonly scopes?: readonly string[];
  /** True if the response is sent before the handler ends. */
  readonly streaming?: boolean;
  /** True if the handler is wrapped by `durable`. */
  readonly durable?: boolean;
  /** GraphQL parent type. */
  readonly appSyncParentType?: string;
  /** GraphQL field. */
  readonly appSyncField?: string;
  /** Route key of a WebSocket. */
  readonly webSocketRouteKey?: string;
}

/** One event registration, as `app.triggers()` lists it. */
export interface InventoryTrigger {
  /** The kind of the events: `queue`, `table-stream`, `stream`, `topic`, `event-bus`, or the kind of an opt-in trigger. */
  readonly kind: string;
  /** The registered name of the handler; absent for event buses. */
  readonly name?: string;
  /** The events of a bus that the handler receives. */
  readonly selector?: EventSelector;
  /** The effect of a failure on the rest of a batch. */
  readonly onFailure?: string;
  /** True if the handler is wrapped by `durable`. */
  readonly durable?: boolean;
  /** Further facts for a deployment: the scope of an authorizer, the operation of a channel, the schema of a tool. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** The events of a bus that a handler receives. */
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

/** The operations and triggers of an application: the source of truth for a stack. */
export interface Inventory {
  /** The version of this format. */
  readonly version: 1;
  /** `secure` if every operation has a posture. */
  readonly container: 'secure' | 'open';
  /** Operations in the order of their registration. */
  readonly routes: readonly InventoryRoute[];
  /** Event registrations in their order. */
  readonly triggers: readonly InventoryTrigger[];
  /**
   * Options of the application that determine the routes of doors. `cors`: each path needs a route for preflights. `autoHead`: each `GET` needs a `HEAD`.
   * `authorizers`: the principal resolver reads only these authorizers of AWS: `jwt`, `lambda`, `iam`, `cognito`.
   */
  readonly deployment?: InventoryDeployment;
}

/** The options of an application that determine the routes of its doors. */
export interface InventoryDeployment {
  /** True if the application answers preflights of other origins. */
  readonly cors?: boolean;
  /** True if `HEAD` runs the route of `GET`. */
  readonly autoHead?: boolean;
  /** The authorizers of AWS from which the principal resolver reads the caller, if it has no other source. */
  readonly authorizers?: readonly string[];
  /** The namespace and the dimension `service` of the metrics of `createEmfSink`; without `service` the name of the function. */
  readonly metrics?: InventoryMetrics;
  /** The variables that `environment()` of `@sallyport/parameters` checks. */
  readonly environment?: readonly InventoryVariable[];
}

/** A variable that the application checks when it is loaded. */
export interface InventoryVariable {
  /** Its name. */
  readonly name: string;
  /** The problem with the value that it had while the inventory was read; `undefined` if it fits. */
  readonly problem?: 'missing' | 'invalid';
}

/** The metrics that an application writes. */
export interface InventoryMetrics {
  /** The namespace in CloudWatch. */
  readonly namespace: string;
  /** The dimension `service`, if the application states it. */
  readonly service?: string;
  /** The dimensions of each kind of metric, for their price. */
  readonly series?: readonly InventorySeries[];
}

/** The metrics of one kind of record, such as requests. */
export interface InventorySeries {
  /** The kind: `framework.request`. */
  readonly record: string;
  /** Number of metrics. */
  readonly metrics: number;
  /** Number of metrics of failures, which alarms use. */
  readonly failures: number;
  /** Their dimension sets. */
  readonly sets: readonly (readonly string[])[];
}

/** The methods of a container that an inventory is read from. */
export interface Inventoried {
  /** Its operations. */
  routes(): readonly object[];
  /** Its event registrations. */
  triggers(): readonly object[];
  /** Its handler, which describes its options. */
  readonly handleLambda?: unknown;
}

/** The key of a container's description; shared by name with `@sallyport/dispatch`. */
const DESCRIPTION = Symbol.for('framework.inspect');

/**
 * The inventory of an application that infrastructure code imports.
 *
 * @throws ConstructError `constructs.invalid_inventory` for any value that is not an application
 * @example new ServiceWiring(this, 'Wiring', { fn, inventory: toInventory(app) });
 */
export function toInventory(app: Inventoried): Inventory {
  if (typeof app?.routes !== 'function' || typeof app.triggers !== 'function') {
    throw invalid(`got ${show(app)}, expected an application with routes() and triggers()`);
  }
  const routes = app.routes().map(withDurable);
  const container = routes.every((route) => 'posture' in route) ? 'secure' : 'open';
  const description = (
    app.handleLambda as { readonly [DESCRIPTION]?: { readonly deployment?: unknown } } | undefined
  )?.[DESCRIPTION];
  return parseInventory({
    version: 1,
    container,
    routes,
    triggers: app.triggers(),
    deployment: description?.deployment,
  });
}

/** The line of a route, with the mark of its handler. */
function withDurable(route: object): object {
  const { handler } = (statedOf(route) ?? {}) as { readonly handler?: unknown };
  return typeof handler === 'function' && durableMark(handler) ? { ...route, durable: true } : route;
}

/**
 * The inventory of a JSON file.
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
 * @throws ConstructError `constructs.invalid_inventory` for an unknown version, and for any value that is not an inventory
 */
export function parseInventory(value: unknown): Inventory {
  if (!isPlainObject(value)) {
    const remedy =
      typeof (value as { handleLambda?: unknown } | null)?.handleLambda === 'function' ? ': toInventory(app)' : '';
    throw invalid(`got ${show(value)}, expected an inventory${remedy}`);
  }
  const { version, container, routes, triggers, deployment } = value;
  if (version !== 1)
    throw invalid(`version, got ${show(version)}, expected 1: update @sallyport/constructs or the application`);
  if (container !== 'secure' && container !== 'open') {
    throw invalid(`container, got ${show(container)}, expected "secure" or "open"`);
  }
  return {
    version,
    container,
    routes: listOf<InventoryRoute>(routes, 'routes', (route) => routeFault(route, container)),
    triggers: listOf<InventoryTrigger>(triggers, 'triggers', triggerFault),
    ...deploymentOf(deployment),
  };
}

/** Only facts that differ from their default. */
function deploymentOf(value: unknown): Pick<Inventory, 'deployment'> {
  const deployment = value === undefined ? {} : parseDeployment(value);
  return Object.keys(deployment).length === 0 ? {} : { deployment };
}

function parseDeployment(value: unknown): InventoryDeployment {
  if (!isPlainObject(value)) throw invalid(`deployment, got ${show(value)}, expected an object`);
  const { cors = false, autoHead = false, authorizers, metrics, environment } = value;
  const wrong = Object.entries({ cors, autoHead }).find(([, flag]) => typeof flag !== 'boolean');
  if (wrong) throw invalid(`deployment.${wrong[0]}, got ${show(wrong[1])}, expected true or false`);
  if (authorizers !== undefined && !(Array.isArray(authorizers) && authorizers.every(isName))) {
    throw invalid(`deployment.authorizers, got ${show(authorizers)}, expected a list of strings`);
  }
  if (
    metrics !== undefined &&
    !(
      isPlainObject(metrics) &&
      isName(metrics.namespace) &&
      (metrics.service === undefined || isName(metrics.service)) &&
      (metrics.series === undefined || (Array.isArray(metrics.series) && metrics.series.every(isSeries)))
    )
  ) {
    throw invalid(
      `deployment.metrics, got ${show(metrics)}, expected an object with namespace, and service and series if they are stated`,
    );
  }
  if (environment !== undefined && !(Array.isArray(environment) && environment.every(isVariable))) {
    throw invalid(`deployment.environment, got ${show(environment)}, expected a list of { name, problem }`);
  }
  return {
    ...(environment !== undefined && { environment: environment as readonly InventoryVariable[] }),
    ...(metrics !== undefined && { metrics: metrics as unknown as InventoryMetrics }),
    ...(cors === true && { cors }),
    ...(autoHead === true && { autoHead }),
    ...(authorizers !== undefined && { authorizers: authorizers as readonly string[] }),
  };
}

function isVariable(value: unknown): boolean {
  return (
    isPlainObject(value) && isName(value.name) && [undefined, 'missing', 'invalid'].includes(value.problem as never)
  );
}

function isSeries(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { record, metrics, failures, sets } = value;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  const isSet = (set: unknown) => Array.isArray(set) && set.every(isName);
  return isName(record) && isCount(metrics) && isCount(failures) && Array.isArray(sets) && sets.every(isSet);
}

type Entry = Readonly<Record<string, unknown>>;

function listOf<T>(value: unknown, what: string, faultOf: (entry: Entry) => string | undefined): readonly T[] {
  if (!Array.isArray(value)) throw invalid(`${what}, got ${show(value)}, expected a list`);
  return value.map((entry: unknown, index) => {
    if (!isPlainObject(entry)) {
      throw invalid(`${what}[${index}], got ${show(entry)}, expected an entry of app.${what}()`);
    }
    const fault = faultOf(entry);
    if (fault !== undefined) throw invalid(`${what}[${index}].${fault}`);
    return { ...entry } as T;
  });
}

/** The required members of a route, by its surface. */
const ROUTE_NAMES: Readonly<Record<string, readonly string[]>> = {
  http: ['method', 'path'],
  appsync: ['appSyncParentType', 'appSyncField'],
  websocket: ['webSocketRouteKey'],
};

function routeFault(route: Entry, container: Inventory['container']): string | undefined {
  const { surface, posture, scopes, streaming, durable } = route;
  const names = typeof surface === 'string' && Object.hasOwn(ROUTE_NAMES, surface) ? ROUTE_NAMES[surface] : undefined;
  if (names === undefined) return `surface, got ${show(surface)}, expected "http", "appsync" or "websocket"`;
  const missing = names.find((name) => !isName(route[name]));
  if (missing !== undefined) return `${missing}, got ${show(route[missing])}, expected a string`;
  if (posture === undefined ? container === 'secure' : !isName(posture)) {
    return `posture, got ${show(posture)}, expected a posture: the container is "${container}"`;
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(isName))) {
    return `scopes, got ${show(scopes)}, expected a list of strings`;
  }
  return flagFault({ streaming, durable });
}

/** The fault of a member that is stated and not a boolean. */
function flagFault(flags: Entry): string | undefined {
  const wrong = Object.entries(flags).find(([, flag]) => flag !== undefined && typeof flag !== 'boolean');
  return wrong && `${wrong[0]}, got ${show(wrong[1])}, expected true or false`;
}

const SELECTOR_NAMES = ['source', 'detailType', 'ruleName', 'scheduleName'];

function triggerFault({ kind, name, selector, onFailure, options, durable }: Entry): string | undefined {
  if (!isName(kind)) return `kind, got ${show(kind)}, expected a string`;
  if (name !== undefined && !isName(name)) return `name, got ${show(name)}, expected a string`;
  if (onFailure !== undefined && !isName(onFailure)) return `onFailure, got ${show(onFailure)}, expected a string`;
  if (options !== undefined && !isPlainObject(options)) return `options, got ${show(options)}, expected an object`;
  const fault = flagFault({ durable });
  if (fault !== undefined) return fault;
  if (kind !== 'event-bus' && selector === undefined) return undefined;
  // An ignored member would create a rule for more events than the handler accepts.
  const isSelector =
    isPlainObject(selector) &&
    Object.keys(selector).length > 0 &&
    Object.entries(selector).every(([member, value]) => SELECTOR_NAMES.includes(member) && isName(value));
  return isSelector
    ? undefined
    : `selector, got ${show(selector)}, expected strings under ${SELECTOR_NAMES.join(', ')}`;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function invalid(problem: string, cause?: unknown): ConstructError {
  return new ConstructError('constructs.invalid_inventory', `framework: inventory: ${problem}`, '', cause);
}
