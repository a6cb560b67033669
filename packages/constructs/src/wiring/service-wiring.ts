import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Annotations, Aspects } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { costText } from '../function/internal/metric-cost.js';
import type { GraphqlApi } from '../graphql/graphql-api.js';
import type { IHttpDoor } from '../http/door.js';
import { isBelow } from '../http/internal/pattern.js';
import { WEBSOCKET_STAGE, type WebSocketApi } from '../http/websocket-api.js';
import { expectRoutes } from '../internal/invokers.js';
import { misuse, misuseText } from '../internal/misuse.js';
import { defineProps, flag, literal, literalWords, many, thing } from '../internal/props.js';
import { sharedRegistry } from '../internal/shared.js';
import { functionBehind } from '../internal/targets.js';
import { type ExternalAttachment, isExternal } from './external.js';
import { Attachments } from './internal/attachments.js';
import { checkAuthorizer, checkOnly, doorRoutes, openRoutes } from './internal/door-routes.js';
import { durableStreams, warnOfPlainFunction } from './internal/durable-check.js';
import { findMismatches } from './internal/findings.js';
import { wrongHandler } from './internal/handler-check.js';
import { type ManifestSource, writeManifests } from './internal/manifest.js';
import { ofRoute } from './internal/registrations.js';
import { ServiceSources } from './internal/service-sources.js';
import { dependsOnVariables, wrongVariables } from './internal/taken-inventories.js';
import { type Inventory, parseInventory } from './inventory.js';

/** Props of {@link ServiceWiring}. */
export interface ServiceWiringProps {
  /** The function that runs the application. */
  readonly fn: IFunction;
  /**
   * The alias of the function that every source and door invokes, such as the alias of a canary. Doors of the function itself are rejected.
   *
   * @default - the function
   */
  readonly invoke?: IFunction;
  /**
   * The name of the application, for consumer groups of Kafka. It must be different for each stage that reads the same cluster, and must not change.
   *
   * @default - none
   */
  readonly application?: string;
  /** The registrations of the application: {@link toInventory}, {@link inventoryFromEntry}, {@link inventoryFromFile}. */
  readonly inventory: Inventory;
  /**
   * Registrations that are attached outside this wiring.
   *
   * @default - none
   */
  readonly external?: readonly ExternalAttachment[];
  /**
   * True if the open container is allowed with a door that accepts any caller.
   *
   * @default false
   */
  readonly allowOpenContainer?: boolean;
  /**
   * The reason why the timeout of the function may exceed 29 s although all its doors buffer: a source needs it. Callers of a slow route then get an error
   * of the door while the function still runs.
   *
   * @default - not allowed
   */
  readonly allowLongTimeout?: string;
  /**
   * Routes that stream although their record does not show it, such as `GET /events`.
   *
   * @default - none
   */
  readonly streamingRoutes?: readonly string[];
}

/** The routes that {@link ServiceWiring.http} adds to a door. */
export interface HttpWiringProps {
  /**
   * True if one route of the door handles every request. The application then answers 404 and 405. With an authorizer, public routes and preflights are
   * separate routes without it.
   *
   * @default false
   */
  readonly catchAll?: boolean;
  /**
   * Only the routes under these paths, such as `/mcp`. With `catchAll`, every request under these paths reaches the function, `/mcp` and `/mcp/{path+}`. Only for
   * an API: any other door passes every path.
   *
   * @default - all routes
   */
  readonly only?: readonly string[];
}

/** Validators and defaults for {@link ServiceWiringProps}. */
export const SERVICE_WIRING_PROPS = defineProps<ServiceWiringProps>('ServiceWiring')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  application: literalWords('1 to 100 letters, digits, ., - and _', /^[\w.-]{1,100}$/),
  invoke: thing<IFunction>('an alias of the function', 'functionArn'),
  inventory: literal<Inventory>('an inventory', (value) => typeof value === 'object' && value !== null).required(),
  external: many<ExternalAttachment>(
    'a list of { kind, name, path, reason }, each with a reason and with a kind or a path, and entries of the kind event-bus with a name',
    isExternal,
  ).default([]),
  allowOpenContainer: flag.default(false),
  allowLongTimeout: literalWords('a reason'),
  streamingRoutes: many<string>('a list of routes such as "GET /events"', (one) =>
    /^[A-Z]+ \//.test(String(one)),
  ).default([]),
});

const wired = sharedRegistry<IFunction, ServiceWiring>('wired/1');

/**
 * Attaches only the registrations of an application. A call for anything else throws immediately. Registrations that are not
 * attached fail at synth, with all findings in one message. It also sets `FRAMEWORK_EVENT_SOURCES`, which maps the names of handlers
 * to the names of the deployed sources, and writes `sallyport.json` into the cloud assembly, which the local runtime reads.
 *
 * @example
 * const wiring = new ServiceWiring(this, 'Wiring', { fn, inventory: toInventory(app) });
 * wiring.queue('orders', orders.queue);
 * wiring.schedule('nightly', Schedule.cron({ hour: '3', minute: '0' }));
 * wiring.http(api);
 */
export class ServiceWiring extends ServiceSources {
  /** The function that runs the application. */
  readonly fn: IFunction;
  /** The registrations of the application. */
  readonly inventory: Inventory;
  /** @internal */
  protected readonly application: string | undefined;
  /** @internal */
  protected readonly invoked: IFunction;
  readonly #allowsOpen: boolean;
  readonly #streaming: readonly string[];
  /** @internal */
  protected readonly attachments: Attachments;

  /**
   * @throws ConstructError `constructs.invalid_prop`, `constructs.invalid_inventory`; `constructs.conflict` for a second wiring of one
   *   function
   */
  constructor(scope: Construct, id: string, props: ServiceWiringProps) {
    super(scope, id);
    const { fn, invoke, application, inventory, external, allowOpenContainer, allowLongTimeout, streamingRoutes } =
      SERVICE_WIRING_PROPS.parse(this, props);
    this.fn = fn;
    this.application = application;
    this.invoked = invoke ?? fn;
    if (functionBehind(this.invoked) !== functionBehind(fn)) {
      throw misuse(this, { what: `invoke is ${this.invoked.node.path}`, expected: `an alias of ${fn.node.path}` });
    }
    this.inventory = parseInventory(inventory);
    this.#allowsOpen = allowOpenContainer;
    this.#streaming = streamingRoutes;
    this.attachments = new Attachments(this, this.inventory, external);
    const behind = functionBehind(fn);
    const other = wired.get(behind);
    if (other) {
      const what = `a second wiring of ${behind.node.path}; the first is ${other.node.path}`;
      throw misuse(this, { what, expected: 'one wiring for each function', code: 'constructs.conflict' });
    }
    wired.set(behind, this);
    warnOfPlainFunction(this, fn, this.inventory);
    this.node.addValidation({
      validate: () => [
        ...findMismatches(this, this.attachments.findings(), allowLongTimeout !== undefined),
        ...this.#nowhereAttached(),
        ...dependsOnVariables(this, fn, inventory),
        ...wrongVariables(this, fn, inventory),
        ...wrongHandler(this, fn),
        ...durableStreams(this, this.inventory),
      ],
    });
    writeManifests(this, () => this.attachments.manifest());
    // Doors follow the wiring, so they are known when the tree is complete.
    let isPrinted = false;
    Aspects.of(this).add({
      visit: (node) => {
        if (node !== this || isPrinted) return;
        isPrinted = true;
        const kinds = new Set(this.attachments.manifest().doors.map(({ kind }) => kind));
        const text = costText(this.inventory, kinds.size);
        if (text !== undefined) Annotations.of(this).addInfo(text);
      },
    });
  }

  /**
   * Adds the HTTP routes of the application to a door. Routes with `Public()` and preflights have no authorizer; all others have the authorizer of the
   * door.
   *
   * @throws ConstructError `constructs.not_registered` when the application has no such route; `constructs.invalid_prop` for the open
   *   container with a door that accepts any caller, a door of another function, a door without the authorizer that the principal resolver reads,
   *   `Optional()` with such a resolver, `only` with a door that has no routes or with paths that overlap
   * @example wiring.http(api);
   */
  http(door: IHttpDoor, { catchAll = false, only }: HttpWiringProps = {}): this {
    this.#checkDoor(door);
    checkOnly(this, door, { catchAll, only });
    const all = this.inventory.routes.filter(({ surface }) => surface === 'http');
    const below = (parent: string) => all.filter(({ path = '' }) => isBelow(path, parent));
    const empty = only?.find((path) => below(path).length === 0);
    if (all.length === 0 || empty !== undefined)
      throw this.attachments.notRegistered(`HTTP routes${empty === undefined ? '' : ` below ${empty}`}`);
    const routes = all.filter(({ path = '' }) => only?.some((parent) => isBelow(path, parent)) ?? true);
    checkAuthorizer(this, door, routes, this.inventory.deployment);
    const given = doorRoutes(routes, this.inventory.deployment ?? {}, this.#streaming);
    const streams = given.some(({ streaming }) => streaming);
    if (catchAll) {
      if (door.authenticatesCallers && door.hasRoutes) {
        const open = openRoutes(given, this.inventory.deployment, only);
        expectRoutes(door, open);
        door.addRoutes(open);
      }
      door.addCatchAll({ streaming: streams && door.canStream, registered: given, ...(only && { under: only }) });
    } else door.addRoutes(given);
    door.attachContainer(this.inventory.container);
    for (const route of routes) this.attachments.cover(ofRoute(route));
    this.attachments.addDoor({
      kind: door.doorKind,
      streams: streams && door.canStream,
      routes: given,
      door,
      construct: door,
    });
    return this;
  }

  /**
   * Creates one resolver for each GraphQL field of the application.
   *
   * @throws ConstructError `constructs.not_registered` if the application has no fields; `constructs.invalid_prop` for a field that is missing from
   *   the schema
   * @example wiring.graphQl(graphql);
   */
  graphQl(api: GraphqlApi): this {
    this.#checkDoor(api);
    const routes = this.inventory.routes.filter(({ surface }) => surface === 'appsync');
    if (routes.length === 0) throw this.attachments.notRegistered('GraphQL fields');
    for (const route of routes) {
      api.addField({ parentType: route.appSyncParentType ?? '', field: route.appSyncField ?? '' });
      this.attachments.cover(ofRoute(route));
    }
    this.attachments.addDoor({ kind: 'graphql', construct: api });
    return this;
  }

  /**
   * Creates one route of a WebSocket API for each route key of the application.
   *
   * @throws ConstructError `constructs.not_registered` if the application has no route keys
   * @example wiring.webSocket(socket);
   */
  webSocket(api: WebSocketApi): this {
    this.#checkDoor(api);
    const routes = this.inventory.routes.filter(({ surface }) => surface === 'websocket');
    if (routes.length === 0) throw this.attachments.notRegistered('WebSocket routes');
    for (const route of routes) {
      api.addRouteKey(route.webSocketRouteKey ?? '');
      this.attachments.cover(ofRoute(route));
    }
    api.attachContainer(this.inventory.container);
    this.attachments.addDoor({ kind: 'websocket', construct: api, stage: WEBSOCKET_STAGE });
    return this;
  }

  /** The attached sources. @internal */
  attachedSources(): readonly ManifestSource[] {
    return this.attachments.manifest().sources;
  }

  /** Registrations that all wirings of one application excuse without naming them. */
  #nowhereAttached(): readonly string[] {
    const text = JSON.stringify(this.inventory);
    const all = this.node.root.node.findAll().filter(isWiring);
    const same = all.filter(({ inventory }) => JSON.stringify(inventory) === text);
    if (same.length < 2 || same[0] !== this) return [];
    const [own = [], ...others] = same.map(({ attachments }) => attachments.excused());
    return own
      .filter(({ key }) => others.every((other) => other.some((one) => one.key === key)))
      .map(({ label, remedy }) =>
        misuseText(this, {
          what: `${label} is external for every wiring of the application`,
          expected: `${remedy} in one of them, or an entry with its name`,
        }),
      );
  }

  #checkFunction(door: { readonly fn: IFunction; readonly node: Construct['node'] }): void {
    if (this.invoked !== this.fn && door.fn !== this.invoked) {
      throw misuse(this, {
        what: `${door.node.path} invokes ${door.fn.node.path}`,
        expected: `a door with fn: ${this.invoked.node.path}, which the wiring invokes`,
      });
    }
    if (functionBehind(door.fn) === functionBehind(this.fn)) return;
    throw misuse(this, {
      what: `${door.node.path} is in front of ${door.fn.node.path}`,
      expected: `a door of ${this.fn.node.path}`,
    });
  }

  #checkDoor(door: {
    readonly fn: IFunction;
    readonly node: Construct['node'];
    readonly authenticatesCallers: boolean;
  }): void {
    this.#checkFunction(door);
    if (this.inventory.container === 'secure' || door.authenticatesCallers || this.#allowsOpen) return;
    throw misuse(this, {
      what: `the open container with ${door.node.path}, which accepts any caller`,
      expected: 'a SecureApp, an authorizer on the door, or allowOpenContainer: true',
    });
  }
}

function isWiring(construct: object): construct is ServiceWiring {
  return construct instanceof ServiceWiring;
}
