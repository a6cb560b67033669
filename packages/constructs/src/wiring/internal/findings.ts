import { CfnAlias, CfnVersion, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnResource, Stack } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { HARMLESS } from '../../function/internal/foreign-sources.js';
import { isBelow } from '../../http/internal/pattern.js';
import { expectedRoutes, invokersOf, resourcesOf } from '../../internal/invokers.js';
import { misuseText } from '../../internal/misuse.js';
import { type Referrer, referrersOf } from '../../internal/references.js';
import { claimsOf, functionBehind, isPayloadAlias, timeoutOf } from '../../internal/targets.js';
import type { ExternalAttachment } from '../external.js';
import type { ManifestDoor } from './manifest-doors.js';
import type { Registration } from './registrations.js';
import { remedyOf } from './remedies.js';

type Wiring = IConstruct & { readonly fn: IFunction };

/** The facts of a wiring when the stack is synthesised. */
export interface WiringFacts {
  readonly registrations: readonly Registration[];
  /** Keys of registrations. */
  readonly attached: ReadonlySet<string>;
  readonly external: readonly ExternalAttachment[];
  readonly doors: readonly ManifestDoor[];
  /** Paths of the wiring and all its children. */
  readonly own: ReadonlySet<string>;
}

/** Every difference between the stack and the inventory that is known only when the stack is complete. */
export function findMismatches(wiring: Wiring, facts: WiringFacts, allowsLongTimeout: boolean): readonly string[] {
  return [
    ...notAttached(wiring, facts),
    ...besides(wiring, facts),
    ...leadsOutside(wiring, facts),
    ...surplusRoutes(wiring, facts),
    ...wrongExternal(wiring, facts),
    ...(allowsLongTimeout ? [] : tooSlow(wiring, facts)),
    ...tooManyResources(wiring),
  ];
}

function notAttached(wiring: Wiring, { registrations, attached, external }: WiringFacts): readonly string[] {
  const kinds = new Set(invokersOf(wiring.fn).map(({ kind }) => kind));
  return registrations
    .filter(({ key }) => !attached.has(key) && !kinds.has(key.split(' ', 1)[0]))
    .filter(({ key }) => !external.some((one) => isSame(one, key)))
    .map((one) =>
      misuseText(wiring, {
        what: `the application registers ${one.label}, the stack attaches none`,
        expected: remedyOf(wiring, one),
      }),
    );
}

function isSame({ kind, name }: ExternalAttachment, key: string): boolean {
  if (kind === undefined) return false;
  return name === undefined ? key.startsWith(`${kind} `) : key === `${kind} ${name}`;
}

/** Resources anywhere in the tree that lead to the function or its aliases, and are not created by the wiring or its doors. */
function leadsOutside(wiring: Wiring, { own, doors, external, registrations }: WiringFacts): readonly string[] {
  const attached = [
    ...claimsOf(wiring.fn).map(({ path }) => ({ path, types: /./ })),
    ...invokersOf(wiring.fn)
      .filter(({ kind }) => kind === undefined || registrations.some(({ key }) => key.startsWith(`${kind} `)))
      .map(({ construct, types = /./ }) => ({ path: construct.node.path, types })),
    ...doors.flatMap(({ construct }) => resourcesOf(construct)).map(({ node }) => ({ path: node.path, types: /./ })),
    ...external.flatMap(({ path }) => (path === undefined ? [] : [{ path, types: /./ }])),
  ];
  const isOurs = (path: string, type: string) =>
    own.has(path) || attached.some((one) => one.types.test(type) && isBelow(path, one.path));
  return resourcesLeadingTo(wiring.fn)
    .filter(({ resource: { node, cfnResourceType: type }, targets }) => {
      if (isOurs(node.path, type)) return false;
      // The CDK creates some permissions below the function: the permitted resource determines whether it is ours.
      return type !== PERMISSION || ![...targets].some((target) => isOurs(target.node.path, type));
    })
    .map(
      ({
        resource: {
          node: { path },
          cfnResourceType,
        },
      }) =>
        misuseText(wiring, {
          what: `${path} (${cfnResourceType}) leads to ${functionBehind(wiring.fn).node.path} outside the wiring`,
          expected: `a method of the wiring, or an entry of "external" with path: "${path}" and a reason`,
        }),
    );
}

const PERMISSION = 'AWS::Lambda::Permission';

/** The resources that invoke a function or one of its aliases, or allow others to. */
function resourcesLeadingTo(fn: IFunction): readonly Referrer[] {
  const found = new Map<CfnResource, Referrer>();
  const pending: IConstruct[] = [functionBehind(fn).node.defaultChild ?? functionBehind(fn)];
  for (const target of pending) {
    for (const referrer of referrersOf(target)) {
      const { resource } = referrer;
      const isCopy = CfnAlias.isCfnAlias(resource) || CfnVersion.isCfnVersion(resource);
      // The resources of an alias for payloads are created outside the wiring.
      if (isCopy && !pending.includes(resource) && !isPayloadAlias(resource)) pending.push(resource);
      if (!isCopy && !isHarmless(referrer)) found.set(resource, referrer);
    }
  }
  return [...found.values()];
}

/** Resources that refer to a function and cannot invoke it: settings, grants to roles, names in variables, permissions for callers of a URL. */
function isHarmless({ resource: { cfnResourceType: type }, properties }: Referrer): boolean {
  if (type === PERMISSION) {
    const { Action, InvokedViaFunctionUrl } = properties;
    return Action === 'lambda:InvokeFunctionUrl' || InvokedViaFunctionUrl === true;
  }
  return HARMLESS.test(type) || HARMLESS_TYPES.has(type);
}

const HARMLESS_TYPES: ReadonlySet<string> = new Set([
  'AWS::Lambda::Function',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::ApiGateway::Deployment',
  // Nested stacks pass references; the resource that uses a reference is found itself.
  'AWS::CloudFormation::Stack',
]);

/** Routes of attached doors that were added without the wiring. */
function surplusRoutes(wiring: Wiring, { doors }: WiringFacts): readonly string[] {
  return doors.flatMap(({ door, routes = [] }) => {
    if (door === undefined) return [];
    const known = new Set([...expectedRoutes(door), ...routes.map(({ method, path }) => `${method} ${path}`)]);
    return [...new Set(door.routes)]
      .filter((route) => !known.has(route))
      .map((route) => {
        const what = `${door.node.path} has the route ${route}, which the application does not register`;
        return misuseText(wiring, {
          what,
          expected: 'a route of the application, or no addRoutes(…) next to the wiring',
        });
      });
  });
}

/** The kinds of operations. An application has many, so an entry without a name would also excuse an operation that no door reaches. */
const OPERATIONS: ReadonlySet<string> = new Set(['http', 'websocket', 'appsync']);

/** Entries of `external` that excuse nothing, entries that also excuse what the wiring attaches, and entries for every operation. */
function wrongExternal(wiring: Wiring, { registrations, attached, external }: WiringFacts): readonly string[] {
  const leading = resourcesLeadingTo(wiring.fn).map(({ resource }) => resource.node.path);
  return external.flatMap(({ kind, name, path }) => {
    const text = JSON.stringify({ kind, name, path });
    const found: string[] = [];
    if (path !== undefined && !leading.some((one) => isBelow(one, path))) {
      const what = `external ${text}: no resource under this path leads to the function`;
      found.push(misuseText(wiring, { what, expected: 'the path of such a resource, or no entry' }));
    }
    if (kind === undefined) return found;
    const same = registrations.filter(({ key }) =>
      isSame({ kind, reason: '', ...(name !== undefined && { name }) }, key),
    );
    const open = same.filter(({ key }) => !attached.has(key));
    if (open.length === 0) {
      const what = `external ${text} excuses no registration that is not attached`;
      found.push(misuseText(wiring, { what, expected: 'the kind and name of such a registration, or no entry' }));
    } else if (name === undefined && (OPERATIONS.has(kind) || open.length < same.length)) {
      const covered = open.length < same.length ? `also covers ${same.length - open.length} attached` : 'covers all';
      const what = `external ${text} ${covered} registrations, and every later one`;
      const names = open.map(({ key }) => JSON.stringify(key.slice(kind.length + 1))).join(', ');
      found.push(misuseText(wiring, { what, expected: `an entry with a name for each of ${names}` }));
    }
    return found;
  });
}

/** Triggers of the function that were created outside the wiring, and so were not compared with the inventory. */
function besides(wiring: Wiring, { own }: WiringFacts): readonly string[] {
  return claimsOf(wiring.fn)
    .filter(({ path }) => !own.has(path))
    .map(({ path, noun }) => {
      const what = `${path} attaches a ${noun} outside the wiring, which cannot find its handler`;
      return misuseText(wiring, { what, expected: `the ${noun} attached through the wiring` });
    });
}

/** The shortest limit of doors that buffer responses: the limit of REST APIs. */
const BUFFERED_SECONDS = 29;

function tooSlow(wiring: Wiring, { doors }: WiringFacts): readonly string[] {
  const http = doors.filter(({ door }) => door !== undefined);
  const seconds = timeoutOf(wiring.fn)?.toSeconds();
  if (seconds === undefined || seconds <= BUFFERED_SECONDS || http.length === 0) return [];
  if (http.some(({ streams, door }) => streams || door?.bufferedTimeout === undefined)) return [];
  const what = 'timeout of a function whose doors all buffer the response';
  return [
    misuseText(wiring, {
      what,
      got: seconds,
      expected: `at most ${BUFFERED_SECONDS} s, a streaming route, or allowLongTimeout with the reason`,
    }),
  ];
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MOST_RESOURCES = 500;

/** The CDK rejects such a stack too, without a remedy. */
function tooManyResources(wiring: Wiring): readonly string[] {
  const stack = Stack.of(wiring);
  const own = stack.node.findAll().filter((one) => CfnResource.isCfnResource(one) && one.stack === stack);
  if (own.length <= MOST_RESOURCES) return [];
  const what = `the stack ${stack.node.path} has ${own.length} resources, and CloudFormation accepts ${MOST_RESOURCES}`;
  const expected =
    'wiring.http(api, { catchAll: true }), or doors and sources in separate stacks: functions with one SharedHttpApi or SharedRestApi can be in several';
  return [misuseText(wiring, { what, expected })];
}
