export { adoptNetworkErrors, createLocalClient } from './client.js';
export { CallCounter, type CallCounts, countCalls } from './count-calls.js';
export { type Fault, FaultProxy, type FaultRule, SERVER_ERROR, startFaultProxy, THROTTLED } from './fault-proxy.js';
export { STORE_FAULTS, type StoreFault, unprocessedKeys } from './fault-table.js';
export { FaultyTable } from './faulty-table.js';
export { loadedModules } from './loaded-modules.js';
export { dynamodbEndpoint, type SharedServerOptions, sharedServer } from './server.js';
export { createTable, type IndexSchema, type KeyAttribute, type TableSchema } from './table.js';
