export { type ContractClientOptions, contractClient } from './contract/client.js';
export { type Channel, type ContractEvents, contractEvents } from './contract/events.js';
