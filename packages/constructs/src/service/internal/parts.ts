import type { OptionalPart } from '@sallyport/bundle';
import type { DescribedService } from '@sallyport/contract/service';
import type { CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import { AspectPriority, RemovalPolicies, Stack, Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { describeEntry } from '../../function/bundle-function.js';
import { ServiceFunction } from '../../function/service-function.js';
import type { ServiceFunctionProps } from '../../function/service-function-props.js';
import { sourceOf } from '../../internal/entries.js';
import type { ExternalAttachment } from '../../wiring/external.js';
import { noteService } from '../../wiring/internal/remedies.js';
import { noteTaking } from '../../wiring/internal/taken-inventories.js';
import type { Inventory, InventoryRoute, InventoryTrigger } from '../../wiring/inventory.js';
import { ServiceWiring } from '../../wiring/service-wiring.js';
import type { StageSettings } from '../stage.js';
import { describedPart, inventoryOf, partOfInventory } from './inventories.js';

/** The settings of one function of a service. */
export interface PartSettings {
  readonly name: string;
  readonly stage: StageSettings;
  /** The name of the application, for consumer groups. */
  readonly application: string;
  readonly external?: readonly ExternalAttachment[];
  readonly settings: Omit<ServiceFunctionProps, 'code'>;
  /** True if the function serves the trigger. */
  readonly triggers: (trigger: InventoryTrigger) => boolean;
  /** True if the function serves the operation. */
  readonly routes: (route: InventoryRoute) => boolean;
  /** Parts of the framework that the function does not need. */
  readonly leaveOut?: readonly (OptionalPart | 'unused')[];
  /** True for a separate file, all of whose registrations the function serves. */
  readonly hasOwnEntry?: boolean;
}

/** One function of a service. */
export interface ServicePart {
  readonly name: string;
  readonly entry: string;
  readonly service: ServiceFunction;
  readonly wiring: ServiceWiring;
  readonly inventory: Inventory;
  /** False if the stack is not selected and the application cannot be read: the template is not deployed. */
  readonly isKnown: boolean;
  /** The format of the exported handler. */
  readonly format: string;
  /** The registrations that it serves, with their schemas; `undefined` if they are not known. */
  readonly described: DescribedService | undefined;
  /** The variables that the application reads while it is loaded. */
  readonly read: readonly string[];
}

/** The inventory of an application that cannot be read, in a stack that is not selected. */
const UNKNOWN: Inventory = { version: 1, container: 'secure', routes: [], triggers: [] };

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const FRONT_DOORS: readonly OptionalPart[] = ['gateway-v1', 'gateway-v2', 'function-url', 'load-balancer'];

/** The parts that a function of `split` does not need. A streaming handler needs all front doors. */
export function leaveOutOf(
  isStreaming: boolean,
  hasHttpRoutes: boolean,
): readonly (OptionalPart | 'unused')[] | undefined {
  if (isStreaming) return undefined;
  return ['unused', ...(hasHttpRoutes ? FRONT_DOORS.filter((one) => !/^gateway/.test(one)) : FRONT_DOORS)];
}

/** Creates a function of a service and its wiring. */
export function createPart(scope: Construct, part: PartSettings): ServicePart {
  const { name, stage, application, external = [], leaveOut, hasOwnEntry = false } = part;
  const { include: _include, ...own } = part.settings as typeof part.settings & { readonly include?: unknown };
  const id = name === 'main' ? 'Function' : `Function-${name}`;
  const service = new ServiceFunction(scope, id, {
    logRetention: stage.logRetention,
    ...(leaveOut && { leaveOut }),
    ...own,
  });
  if (own.logRemovalPolicy) {
    // After the policy of a preview, which removes everything: the CDK applies it with the priority DEFAULT, or MUTATING, which is lower.
    const priority = AspectPriority.DEFAULT + 1;
    RemovalPolicies.of(service.logGroup).apply(own.logRemovalPolicy, { priority });
  }
  const fn = service.fn as IFunction;
  const { entry = '', conditions, handler = 'index.handler', environment = {} } = own;
  // AWS Lambda filters JSON logs by this level, and sets AWS_LAMBDA_LOG_LEVEL.
  (service.fn.node.defaultChild as CfnFunction).addPropertyOverride(
    'LoggingConfig.ApplicationLogLevel',
    stage.logLevel,
  );
  const literals = Object.fromEntries(Object.entries(environment).filter(([, value]) => !Token.isUnresolved(value)));
  const load = (variables: Readonly<Record<string, string>>) =>
    describeEntry(service, {
      entry,
      environment: variables,
      handler: handler.split('.').at(-1) ?? 'handler',
      ...(conditions && { conditions }),
    }).loaded;
  const bundled = sourceOf(fn)?.loaded;
  const loaded = bundled?.inventory
    ? bundled
    : Stack.of(scope).bundlingRequired
      ? load(literals)
      : tryTo(() => load(literals));
  const select = (inventory: Inventory) =>
    hasOwnEntry ? inventory : partOfInventory(inventory, part.triggers, part.routes);
  const isKnown = Stack.of(scope).bundlingRequired || loaded?.inventory !== undefined;
  const whole = isKnown ? inventoryOf(scope, entry, loaded) : UNKNOWN;
  const inventory = select(whole);
  const described = describedPart(loaded, entry, whole, {
    route: (route) => hasOwnEntry || part.routes(route),
    trigger: (trigger) => hasOwnEntry || part.triggers(trigger),
  });
  const { read = [], missing = [], onlyWithPlaceholders = false } = loaded ?? {};
  noteTaking(inventory, {
    entry,
    environment: literals,
    read: onlyWithPlaceholders ? read.filter((one) => !missing.includes(one)) : read,
    take: (variables) => select(inventoryOf(scope, entry, load(variables))),
  });
  // The handler writes this format for all events of REST APIs, even if no record shows a streaming route.
  const streamingRoutes =
    loaded?.format === 'gateway-v1'
      ? inventory.routes.filter(({ surface }) => surface === 'http').map(({ method, path }) => `${method} ${path}`)
      : [];
  const wiring = new ServiceWiring(scope, name === 'main' ? 'Wiring' : `Wiring-${name}`, {
    fn,
    inventory,
    application,
    external,
    streamingRoutes,
  });
  noteService(wiring);
  return { name, entry, service, wiring, inventory, isKnown, format: loaded?.format ?? 'json', read, described };
}
