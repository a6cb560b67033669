import type { LoadedApplication } from '@sallyport/bundle';
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

/** An inventory with some of its triggers and operations. */
export function partOfInventory(
  inventory: Inventory,
  triggers: (trigger: InventoryTrigger) => boolean,
  routes: (route: InventoryRoute) => boolean,
): Inventory {
  return { ...inventory, triggers: inventory.triggers.filter(triggers), routes: inventory.routes.filter(routes) };
}
