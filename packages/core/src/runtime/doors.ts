import { FrameworkError } from '../errors/errors.js';
import { bindInvocation } from '../observability/bound-log.js';
import { guardHook, type Logger } from '../observability/hooks.js';
import { invalidOption, type OptionKind, parsed } from '../options/define-options.js';
import { sanitizeLogString } from '../sanitize/log-text.js';
import { fromJson, isObject } from '../values/read.js';
import type { Environment, LambdaContext, TriggerKind } from './invocation.js';

/**
 * The front doors of a function: the allowed senders of HTTP requests, WebSocket messages and GraphQL fields. Name at least one.
 *
 * `qualifier` is the effective check, because only AWS Lambda writes the ARN of an invocation. The ids are read from the event.
 * Any caller that can make a service pass on a payload can write an event, and ids of APIs are public. So the ids protect only
 * against an API that was attached by mistake. If you name one id, list the ids of all doors.
 */
export interface DoorsOptions {
  /**
   * The alias that only the doors invoke: `doors`. An event of a door is rejected if it is sent to another alias, to a version
   * or to the unqualified ARN.
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
  /** ARNs of services of VPC Lattice. An event of version 1 has no ARN and is rejected. */
  readonly lattice?: string | readonly string[];
  /** Ids of WebSocket APIs: `requestContext.apiId`. */
  readonly webSocketApi?: string | readonly string[];
  /** Host names of GraphQL APIs, as in client requests: an AppSync event does not contain the id of its API. */
  readonly graphQLApi?: string | readonly string[];
  /** Host names of Event APIs of AppSync. */
  readonly eventApi?: string | readonly string[];
}

/** The environment variable with {@link DoorsOptions} as JSON. The constructs set it; the option `doors` takes precedence. */
const DOORS_ENV = 'FRAMEWORK_DOORS';

type DoorName = Exclude<keyof DoorsOptions, 'qualifier'>;

const API_ID = ['requestContext', 'apiId'];
// AppSync writes headers in lower case.
const HOST = ['request', 'headers', 'host'];
const DOMAIN = ['request', 'domainName'];
const VERSION = ['version'];

/** The kinds of door events: the option that names the door, and the path of its id in the event. */
const DOORS: Readonly<Record<string, readonly [name: DoorName, path: readonly string[]]>> = {
  'gateway-v2': ['httpApi', API_ID],
  'function-url': ['functionUrl', API_ID],
  'load-balancer': ['loadBalancer', ['requestContext', 'elb', 'targetGroupArn']],
  'gateway-v1': ['restApi', API_ID],
  lattice: ['lattice', ['requestContext', 'serviceArn']],
  websocket: ['webSocketApi', API_ID],
  appsync: ['graphQLApi', HOST],
  'appsync-events': ['eventApi', HOST],
};

const WANTED = 'an object with a qualifier (an alias, a version or $LATEST) or ids of doors (each an id or a list)';

/** The validator of the option `doors`. */
export const DOORS_KIND: OptionKind<DoorsOptions> = /* @__PURE__ */ parsed<DoorsOptions>(WANTED, parseDoors);

function parseDoors(value: unknown, name: string): DoorsOptions {
  const given = isObject(value) ? Object.entries(value).filter(([, member]) => member !== undefined) : [];
  const unfit = given.find(([key, member]) => !isMember(key, member));
  if (given.length > 0 && !unfit) return Object.fromEntries(given);
  throw invalidOption(unfit ? `${name}.${unfit[0]}` : name, WANTED);
}

function isMember(key: string, value: unknown): boolean {
  if (key === 'qualifier') return typeof value === 'string' && /^(?:\$LATEST|[\w-]{1,128})$/.test(value);
  const ids = [value].flat();
  const isDoor = Object.values(DOORS).some(([door]) => door === key);
  return isDoor && ids.length > 0 && ids.every((id) => typeof id === 'string' && /^[!-~]{1,512}$/.test(id));
}

/** Checks the front door of each invocation. Created once, at construction. */
export interface DoorGuard {
  /** The error that {@link assert} would throw, without its log line. */
  refusalOf(kind: TriggerKind, event: unknown, lambdaContext: LambdaContext | undefined): FrameworkError | undefined;
  /**
   * Rejects an event of a door that is not named, before anything reads it. Writes one `error` line, which shows the
   * qualifier or the id of the event. Events of other kinds pass.
   *
   * @param isDoor for a surface that has a front door: true if the kind is sent by a door
   * @throws FrameworkError `dispatch.foreign_door`
   */
  assert(kind: TriggerKind, event: unknown, lambdaContext: LambdaContext | undefined, isDoor?: boolean): void;
}

/**
 * The guard of the named doors; `undefined` if no door is named.
 *
 * @param option the option `doors`, parsed
 * @param environment read for `FRAMEWORK_DOORS` if the option is absent
 * @throws FrameworkError `app.invalid_configuration` for a variable that is not the JSON of {@link DoorsOptions}
 */
export function createDoorGuard(
  option: DoorsOptions | undefined,
  environment: Environment,
  log: Logger,
): DoorGuard | undefined {
  const text = environment[DOORS_ENV];
  const doors = option ?? (text === undefined ? undefined : parseDoors(fromJson(text), DOORS_ENV));
  if (!doors) return undefined;
  const check = createCheck(doors);
  const isKnown = (kind: string) => Object.hasOwn(DOORS, kind);
  return {
    refusalOf: (kind, ...rest) => (isKnown(kind) && check(kind, ...rest) ? foreignDoor() : undefined),
    assert(kind, event, lambdaContext, isDoor = isKnown(kind)) {
      const mismatch = isDoor && check(kind, event, lambdaContext);
      if (!mismatch) return;
      const [expected, got] = mismatch;
      const error = foreignDoor();
      guardHook(() =>
        bindInvocation(log, lambdaContext, kind).error(error.message, { event: error.code, expected, got }),
      );
      throw error;
    },
  };
}

function foreignDoor(): FrameworkError {
  return new FrameworkError('dispatch.foreign_door', 'framework: the event did not come through a named front door');
}

/** The problem: the expected value and the received value. */
type Check = (
  kind: TriggerKind,
  event: unknown,
  lambdaContext: LambdaContext | undefined,
) => readonly [expected: string, got: string] | undefined;

function createCheck({ qualifier, ...named }: DoorsOptions): Check {
  const namesIds = Object.keys(named).length > 0;
  // An environment is nearly always invoked with the same ARN, so this is usually one comparison.
  let accepted: unknown;
  return (kind, event, lambdaContext) => {
    const arn = lambdaContext?.invokedFunctionArn;
    if (qualifier !== undefined && (arn === undefined || arn !== accepted)) {
      const came = qualifierOf(arn);
      if (came !== qualifier)
        return [`qualifier ${qualifier}`, came === undefined ? 'no qualifier' : `qualifier ${came}`];
      accepted = arn;
    }
    if (!namesIds) return undefined;
    // GraphQL sends several events in one invocation.
    for (const one of Array.isArray(event) ? (event as readonly unknown[]) : [event]) {
      const [name, id] = doorOf(kind, one);
      const ids = name && named[name];
      if (typeof id === 'string' && (ids === id || (Array.isArray(ids) && ids.includes(id)))) continue;
      const came = typeof id === 'string' ? sanitizeLogString(id).slice(0, MAX_LOGGED_ID) : 'without an id';
      return [ids === undefined ? `no ${name ?? kind}` : `${name} ${String(ids)}`, `${name ?? kind} ${came}`];
    }
    return undefined;
  };
}

const MAX_LOGGED_ID = 128;

/**
 * The alias or version in the ARN of an invocation, `arn:<partition>:lambda:<region>:<account>:function:<name>:<alias or version>`. Any other ARN,
 * such as the ARN of a durable execution, has no qualifier.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_AliasConfiguration.html
 */
export function qualifierOf(arn: unknown): string | undefined {
  if (typeof arn !== 'string') return undefined;
  return /^arn:aws[a-z-]*:lambda:[\w-]+:\d{12}:function:[\w-]+:(\$LATEST|[\w-]+)$/.exec(arn)?.[1];
}

/** The front door that an event claims: the option that names it, and its id. */
function doorOf(kind: string, event: unknown): readonly [name: DoorName | undefined, id: unknown] {
  const [name, path = []] = Object.hasOwn(DOORS, kind) ? (DOORS[kind] ?? []) : [];
  // An HTTP API with payload format 1.0 sends its version.
  if (name === 'restApi' && at(event, VERSION) === '1.0') return ['httpApi', at(event, path)];
  // AppSync: the custom domain, if the API has a custom domain.
  return [name, (path === HOST ? at(event, DOMAIN) : undefined) ?? at(event, path)];
}

/** The value at a path, own properties only. */
function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const step of path) {
    if (!isObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}
