import { FrameworkError } from '../errors/errors.js';
import { bindInvocation } from '../observability/bound-log.js';
import { guardHook, type Logger } from '../observability/hooks.js';
import {
  group,
  invalidConfiguration,
  invalidOption,
  kind,
  type OptionKind,
  parsed,
} from '../options/define-options.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
import { type Environment, isObject, type LambdaContext, type TriggerKind } from './invocation.js';

/**
 * The front doors of a function: what may send it HTTP requests, WebSocket messages and GraphQL fields. Name at least one.
 *
 * `qualifier` decides, because AWS Lambda alone writes the ARN of an invocation. The ids are read from the event, which
 * anybody may write who can make a service pass a payload on, and ids of APIs are public: they are a second line, against
 * an API that was attached by mistake. With one id named, every door needs its own.
 */
export interface DoorsOptions {
  /**
   * The alias that the doors invoke, and nothing else does: `doors`. An event of a door that comes with another alias, with
   * a version or without either is rejected.
   */
  readonly qualifier?: string;
  /** Ids of HTTP APIs: `requestContext.apiId`. */
  readonly httpApi?: string | readonly string[];
  /** Ids of REST APIs: `requestContext.apiId`. */
  readonly restApi?: string | readonly string[];
  /** Ids of function URLs, the first label of their host name: `requestContext.apiId`. */
  readonly functionUrl?: string | readonly string[];
  /** ARNs of target groups of load balancers. */
  readonly loadBalancer?: string | readonly string[];
  /** ARNs of services of VPC Lattice. An event of version 1 names none and is rejected. */
  readonly lattice?: string | readonly string[];
  /** Ids of WebSocket APIs: `requestContext.apiId`. */
  readonly webSocketApi?: string | readonly string[];
  /** Host names of GraphQL APIs, as requests of their clients have it: an event of AppSync has no id of its API. */
  readonly graphQLApi?: string | readonly string[];
  /** Host names of Event APIs of AppSync. */
  readonly eventApi?: string | readonly string[];
}

type DoorName = Exclude<keyof DoorsOptions, 'qualifier'>;

/** The environment variable with {@link DoorsOptions} as JSON. The constructs set it; the option `doors` goes before it. */
const DOORS_ENV = 'FRAMEWORK_DOORS';

/** An alias, a version, or `$LATEST`. */
const QUALIFIER = /^(?:\$LATEST|[A-Za-z0-9_-]{1,128})$/;

const isId = (value: unknown) => typeof value === 'string' && /^[\x21-\x7e]{1,512}$/.test(value);

const ids: OptionKind<string | readonly string[]> = /* @__PURE__ */ kind(
  'an id, or a list of at least one',
  (value) => isId(value) || (Array.isArray(value) && value.length > 0 && value.every(isId)),
);

const MEMBERS = {
  qualifier: /* @__PURE__ */ kind<string>(
    'the name of an alias, a version or $LATEST',
    (value) => typeof value === 'string' && QUALIFIER.test(value),
  ),
  httpApi: ids,
  restApi: ids,
  functionUrl: ids,
  loadBalancer: ids,
  lattice: ids,
  webSocketApi: ids,
  graphQLApi: ids,
  eventApi: ids,
};
const WANTED =
  'an object with at least one of qualifier, httpApi, restApi, functionUrl, loadBalancer, lattice, webSocketApi, graphQLApi, eventApi';

/** The validator of the option `doors`, for containers. */
export const DOORS_KIND: OptionKind<DoorsOptions> = /* @__PURE__ */ parsed<DoorsOptions>(WANTED, parseDoors);

function parseDoors(value: unknown, name: string): DoorsOptions {
  const members = group<DoorsOptions>()(MEMBERS)
    .required()
    .read(value, { name, environment: {}, fail: invalidConfiguration });
  if (Object.values(members).some((member) => member !== undefined)) return members;
  throw invalidOption(name, WANTED);
}

/** Front doors as they are checked for each invocation. Made once, at construction. */
export interface DoorGuard {
  /**
   * What is wrong with an invocation that claims to come through a door: one pass of {@link assert} without the log line, for
   * `explain`. `undefined` for an event of a door that is named, and for every event that no door sends.
   */
  refusalOf(kind: TriggerKind, event: unknown, lambdaContext: LambdaContext | undefined): FrameworkError | undefined;
  /**
   * Rejects an event of a door that is not named, before anything reads it. Writes one `error` line, which shows the
   * qualifier or the id that came.
   *
   * @throws FrameworkError `dispatch.foreign_door`
   */
  assert(kind: TriggerKind, event: unknown, lambdaContext: LambdaContext | undefined): void;
  /** The same for a surface that runs requests of a kind of its own through the HTTP routes. */
  assertDoor(kind: TriggerKind, event: unknown, lambdaContext: LambdaContext | undefined): void;
}

/**
 * The guard of the doors that are named; `undefined` where none is.
 *
 * @param option the option `doors`, parsed
 * @param environment read for `FRAMEWORK_DOORS` when there is no option
 * @throws FrameworkError `app.invalid_configuration` for a variable that is not the JSON of {@link DoorsOptions}
 */
export function createDoorGuard(
  option: DoorsOptions | undefined,
  environment: Environment,
  log: Logger,
): DoorGuard | undefined {
  const doors = option ?? readVariable(environment[DOORS_ENV]);
  if (!doors) return undefined;
  const check = createCheck(doors);
  const refusalOf: DoorGuard['refusalOf'] = (kind, event, lambdaContext) =>
    Object.hasOwn(DOORS, kind) && check(kind, event, lambdaContext) ? foreignDoor() : undefined;
  const assertDoor: DoorGuard['assertDoor'] = (kind, event, lambdaContext) => {
    const mismatch = check(kind, event, lambdaContext);
    if (!mismatch) return;
    const error = foreignDoor();
    guardHook(() => {
      bindInvocation(log, lambdaContext, kind).error(error.message, { event: error.code, ...mismatch });
    });
    throw error;
  };
  return {
    refusalOf,
    assert(kind, event, lambdaContext) {
      if (Object.hasOwn(DOORS, kind)) assertDoor(kind, event, lambdaContext);
    },
    assertDoor,
  };
}

function foreignDoor(): FrameworkError {
  return new FrameworkError('dispatch.foreign_door', 'framework: the event did not come through a named front door');
}

function readVariable(text: string | undefined): DoorsOptions | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Rejected as a wrong value, without the parser's words: they quote the input.
  }
  return parseDoors(value ?? null, DOORS_ENV);
}

/** What was named and what came, for the log: `{ expected: 'qualifier doors', got: 'qualifier events' }`. */
interface Mismatch {
  readonly expected: string;
  readonly got: string;
}

type Check = (kind: TriggerKind, event: unknown, lambdaContext: LambdaContext | undefined) => Mismatch | undefined;

function createCheck({ qualifier, ...named }: DoorsOptions): Check {
  const namesIds = Object.values(named).some((ids) => ids !== undefined);
  // An environment is nearly always invoked by one ARN, so that this is one comparison.
  let accepted: string | undefined;
  return (kind, event, lambdaContext) => {
    const arn = lambdaContext?.invokedFunctionArn;
    if (qualifier !== undefined && (arn !== accepted || arn === undefined)) {
      const came = qualifierOf(arn);
      if (came !== qualifier)
        return { expected: `qualifier ${qualifier}`, got: came ? `qualifier ${came}` : NO_QUALIFIER };
      accepted = arn;
    }
    return namesIds ? checkIds(named, kind, event) : undefined;
  };
}

const NO_QUALIFIER = 'no qualifier';

/**
 * `arn:<partition>:lambda:<region>:<account>:function:<name>:<alias or version>`. Everything else, such as the ARN of a durable
 * execution, has no qualifier.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_AliasConfiguration.html
 */
const QUALIFIED_ARN =
  /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[A-Za-z0-9_-]+:(\$LATEST|[A-Za-z0-9_-]{1,128})$/;

/** The alias or version in the ARN of an invocation; `undefined` without one. */
export function qualifierOf(invokedFunctionArn: unknown): string | undefined {
  return typeof invokedFunctionArn === 'string' ? QUALIFIED_ARN.exec(invokedFunctionArn)?.[1] : undefined;
}

type Named = Omit<DoorsOptions, 'qualifier'>;

function checkIds(named: Named, kind: TriggerKind, event: unknown): Mismatch | undefined {
  // GraphQL sends several events in one invocation.
  for (const one of Array.isArray(event) ? event : [event]) {
    const door = Object.hasOwn(DOORS, kind) ? DOORS[kind]?.(one) : undefined;
    if (!door) return { expected: 'a door with an id', got: `door ${kind}` };
    const { name, id } = door;
    const known = named[name];
    if (typeof id === 'string' && (Array.isArray(known) ? known.includes(id) : known === id)) continue;
    return {
      expected: known === undefined ? `no ${name}` : `${name} ${String(known)}`,
      got:
        typeof id === 'string' ? `${name} ${sanitizeLogString(id).slice(0, MAX_LOGGED_ID)}` : `${name} without an id`,
    };
  }
  return undefined;
}

const MAX_LOGGED_ID = 128;

interface DoorId {
  readonly name: DoorName;
  readonly id: unknown;
}

/** The kinds that doors send, and where the id of the door is in the event. */
const DOORS: Readonly<Record<string, (event: unknown) => DoorId>> = {
  'gateway-v2': (event) => ({ name: 'httpApi', id: at(event, 'requestContext', 'apiId') }),
  'function-url': (event) => ({ name: 'functionUrl', id: at(event, 'requestContext', 'apiId') }),
  'load-balancer': (event) => ({ name: 'loadBalancer', id: at(event, 'requestContext', 'elb', 'targetGroupArn') }),
  'gateway-v1': (event) => ({
    // An HTTP API with payload format 1.0 sends its version.
    name: at(event, 'version') === '1.0' ? 'httpApi' : 'restApi',
    id: at(event, 'requestContext', 'apiId'),
  }),
  lattice: (event) => ({ name: 'lattice', id: at(event, 'requestContext', 'serviceArn') }),
  websocket: (event) => ({ name: 'webSocketApi', id: at(event, 'requestContext', 'apiId') }),
  appsync: (event) => ({ name: 'graphQLApi', id: hostOf(event) }),
  'appsync-events': (event) => ({ name: 'eventApi', id: hostOf(event) }),
};

/** AppSync writes the custom domain, if there is one, and the headers of the request in lower case. */
function hostOf(event: unknown): unknown {
  return at(event, 'request', 'domainName') ?? at(event, 'request', 'headers', 'host');
}

/** The value behind own properties only. */
function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const step of path) {
    if (!isObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[step];
  }
  return found;
}
