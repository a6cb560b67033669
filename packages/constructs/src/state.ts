export {
  type BindTableProps,
  StateTable,
  type StateTableProps,
  TableAccess,
  type TableDefinition,
  type TableSchema,
} from './state/state-table.js';
export { ConnectionsTable, EventBusTable, JobsTable, McpTable, MicrovmTable, RateLimitTable } from './state/tables.js';
