import { DURABLE_MARK } from '@sallyport/core/internal';
import { runEntry } from './internal/run-entry.js';
import { noteTaking } from './internal/taken-inventories.js';
import { type Inventory, parseInventory } from './inventory.js';

/** Props of {@link inventoryFromEntry}. */
export interface InventoryFromEntryProps {
  /** The file that exports the application. */
  readonly entry: string;
  /**
   * The export.
   *
   * @default 'app'
   */
  readonly exportName?: string;
  /**
   * Export conditions of packages, as in esbuild.
   *
   * @default - esbuild's conditions
   */
  readonly conditions?: readonly string[];
  /**
   * The variables with which the file is loaded. {@link ServiceWiring} compares the registrations with those under the literal variables of the function:
   * pass these if registrations depend on them.
   *
   * @default - none
   */
  readonly environment?: Readonly<Record<string, string>>;
}

const PROGRAM = `
const app = loaded[name];
if (typeof app?.routes !== 'function' || typeof app.triggers !== 'function') throw new Error('the export "' + name + '" is not an application');
const isDurable = (route) => {
  const { handler } = route[Symbol.for('sallyport.stated/1')] ?? {};
  return typeof handler === 'function' && '${DURABLE_MARK}' in handler;
};
const routes = app.routes().map((route) => (isDurable(route) ? { ...route, durable: true } : route));
const container = routes.every((route) => 'posture' in route) ? 'secure' : 'open';
const { deployment } = app.handleLambda?.[Symbol.for('framework.inspect')] ?? {};
const whole = described.length > 0 ? { ...deployment, environment: described } : deployment;
result = { version: 1, container, routes, triggers: app.triggers(), deployment: whole };
`;

/**
 * The inventory of an application that infrastructure code does not import: the file is bundled and loaded in a separate process,
 * without the variables of this process and for at most 10 s.
 *
 * @throws ConstructError `constructs.bundling_failed`; `constructs.invalid_inventory` with the error message of the file
 * @example new ServiceWiring(this, 'Wiring', { fn, inventory: inventoryFromEntry({ entry: 'src/app.ts' }) });
 */
export function inventoryFromEntry(props: InventoryFromEntryProps): Inventory {
  const { entry, exportName = 'app', conditions = [], environment = {} } = props;
  const take = (variables: Readonly<Record<string, string>>) => {
    const { result, read } = runEntry({
      entry,
      conditions,
      environment: variables,
      program: PROGRAM,
      name: exportName,
    });
    return { inventory: parseInventory(result), read };
  };
  const { inventory, read } = take(environment);
  noteTaking(inventory, { entry, environment, read, take: (variables) => take(variables).inventory });
  return inventory;
}
