import type { PortableFunctions } from './index.js';

const deployment = () => import('./deployment.js');
const frontDoors = () => import('./front-doors.js');

/**
 * Functions of tools on a developer's machine. They are separate from the functions of the packages, so that a bundle of the runtime
 * contains no part of the CDK.
 */
export const TOOL_FUNCTIONS: PortableFunctions = {
  inventory: { load: deployment, name: 'inventoryOf', arguments: (_args, world) => [world.app] },
  inventory_read: { load: deployment, name: 'readInventories', arguments: (args) => [args] },
  manifest_write: { load: deployment, name: 'writeManifest', arguments: (args) => [args] },
  front_door_event: { load: frontDoors, name: 'event', arguments: (args) => [args] },
  front_door_answer: { load: frontDoors, name: 'answer', arguments: (args) => [args] },
  front_door_differences: { load: frontDoors, name: 'differences', arguments: (args) => [args] },
  front_door_api_differences: { load: frontDoors, name: 'apiDifferences', arguments: (args) => [args] },
  front_door_limits: { load: frontDoors, name: 'limits', arguments: (args) => [args] },
  manifest_read: { load: deployment, name: 'readManifests', arguments: (args) => [args] },
};
