import type { PortableFunctions } from './index.js';

const deployment = () => import('./deployment.js');

/**
 * Functions of tools on a developer's machine. They are separate from the functions of the packages, so that a bundle of the runtime
 * contains no part of the CDK.
 */
export const TOOL_FUNCTIONS: PortableFunctions = {
  inventory: { load: deployment, name: 'inventoryOf', arguments: (_args, world) => [world.app] },
  inventory_read: { load: deployment, name: 'readInventories', arguments: (args) => [args] },
  manifest_write: { load: deployment, name: 'writeManifest', arguments: (args) => [args] },
  manifest_read: { load: deployment, name: 'readManifests', arguments: (args) => [args] },
};
