import { relative } from 'node:path';
import type { LoadedApplication } from '@sallyport/bundle';
import type { DescribedService } from '@sallyport/contract/service';
import type { IConstruct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import { type Inventory, type InventoryRoute, type InventoryTrigger, parseInventory } from '../../wiring/inventory.js';

/**
 * The inventory of the application that was loaded for its bundle.
 *
 * @throws ConstructError `constructs.invalid_inventory` for a file that does not load, and for a handler that is not of a container
 */
export function inventoryOf(at: IConstruct, entry: string, loaded: LoadedApplication | undefined): Inventory {
  const { error, inventory, deployment, environment } = loaded ?? {};
  const code = 'constructs.invalid_inventory';
  if (error !== undefined) {
    const expected =
      'a file that loads without network and AWS account, with the literal variables of "environment" and placeholders for the others';
    throw misuse(at, { what: `${entry} does not load at synth: ${error}`, expected, code });
  }
  if (inventory === undefined) {
    const expected = 'export const handler = app.handleLambda of a SecureApp, or a streaming handler of it';
    throw misuse(at, { what: `the handler of ${entry} is not of an application`, expected, code });
  }
  const { routes, triggers } = inventory;
  const container = routes.every((route) => 'posture' in route) ? 'secure' : 'open';
  const whole = environment === undefined ? deployment : { ...(deployment as object | undefined), environment };
  return parseInventory({ version: 1, container, routes, triggers, deployment: whole });
}

/** The described registrations that a function serves, with their schemas; `inventory` has them in the same order. */
export function describedPart(
  loaded: LoadedApplication | undefined,
  entry: string,
  { routes, triggers }: Inventory,
  serves: {
    readonly route: (route: InventoryRoute) => boolean;
    readonly trigger: (trigger: InventoryTrigger) => boolean;
  },
): DescribedService | undefined {
  const described = loaded?.contract as Omit<DescribedService, 'function'> | undefined;
  if (!described) return undefined;
  return {
    function: relative(process.cwd(), entry).replaceAll('\\', '/'),
    routes: described.routes.filter((_, index) => routes[index] && serves.route(routes[index])),
    triggers: described.triggers.filter((_, index) => triggers[index] && serves.trigger(triggers[index])),
    sends: described.sends,
    ...(described.envelope && { envelope: described.envelope }),
  };
}

/** An inventory with some of its triggers and operations. */
export function partOfInventory(
  inventory: Inventory,
  triggers: (trigger: InventoryTrigger) => boolean,
  routes: (route: InventoryRoute) => boolean,
): Inventory {
  return { ...inventory, triggers: inventory.triggers.filter(triggers), routes: inventory.routes.filter(routes) };
}
