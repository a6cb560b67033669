import type { OptionalPart } from '@sallyport/bundle';
import type { CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import { RemovalPolicy, Stack, Token } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { describeEntry } from '../../function/bundle-function.js';
import { ServiceFunction, type ServiceFunctionProps } from '../../function/service-function.js';
import { sourceOf } from '../../internal/entries.js';
import type { ExternalAttachment } from '../../wiring/external.js';
import { noteService } from '../../wiring/internal/remedies.js';
import { noteTaking } from '../../wiring/internal/taken-inventories.js';
import type { Inventory, InventoryTrigger } from '../../wiring/inventory.js';
import { ServiceWiring } from '../../wiring/service-wiring.js';
import type { StageSettings } from '../stage.js';
import { inventoryOf, withTriggers } from './inventories.js';

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
  /** True for a function without front doors. */
  readonly isSplit?: boolean;
  /** True for a separate file, all of whose registrations the function serves. */
  readonly hasOwnEntry?: boolean;
  /** True if the handler of the service streams. */
  readonly isStreaming?: boolean;
}

/** One function of a service. */
export interface ServicePart {
  readonly name: string;
  readonly service: ServiceFunction;
  readonly wiring: ServiceWiring;
  readonly inventory: Inventory;
  /** False if the stack is not selected and the application cannot be read: the template is not deployed. */
  readonly isKnown: boolean;
  /** The format of the exported handler. */
  readonly format: string;
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

/** The front doors, of which a function without them needs no code. */
const FRONT_DOORS: readonly OptionalPart[] = ['gateway-v1', 'gateway-v2', 'function-url', 'load-balancer'];

/** Creates a function of a service and its wiring. */
export function createPart(scope: Construct, part: PartSettings): ServicePart {
  const { name, stage, application, external = [], isSplit = false, hasOwnEntry = false, isStreaming = false } = part;
  const { include: _include, ...own } = part.settings as typeof part.settings & { readonly include?: unknown };
  const id = name === 'main' ? 'Function' : `Function-${name}`;
  const service = new ServiceFunction(scope, id, {
    logRetention: stage.logRetention,
    logRemovalPolicy: stage.keeps ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    ...(isSplit && !isStreaming && { leaveOut: ['unused', ...FRONT_DOORS] }),
    ...own,
  });
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
  const select = (inventory: Inventory) => {
    if (hasOwnEntry) return inventory;
    const keep = withTriggers(inventory, part.triggers);
    return isSplit ? { ...keep, routes: [] } : keep;
  };
  const isKnown = Stack.of(scope).bundlingRequired || loaded?.inventory !== undefined;
  const inventory = isKnown ? select(inventoryOf(scope, entry, loaded)) : UNKNOWN;
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
  return { name, service, wiring, inventory, isKnown, format: loaded?.format ?? 'json', read };
}
