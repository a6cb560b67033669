export type { ExternalAttachment } from './wiring/external.js';
export {
  type EventSelector,
  type Inventoried,
  type Inventory,
  type InventoryRoute,
  type InventoryTrigger,
  inventoryFromFile,
  parseInventory,
  toInventory,
} from './wiring/inventory.js';
export { type InventoryFromEntryProps, inventoryFromEntry } from './wiring/inventory-from-entry.js';
export { type HttpWiringProps, ServiceWiring, type ServiceWiringProps } from './wiring/service-wiring.js';
