import { type Entry, type ServiceContract, SOURCE_KINDS } from '../contract.js';

/** The entries of one kind. */
export type Place = (contract: ServiceContract) => { readonly [name: string]: Entry };

/** Every kind of entries of a contract, by the words with which reports name it. */
export const PLACES: Readonly<Record<string, Place>> = {
  http: ({ http }) => http,
  ...Object.fromEntries(SOURCE_KINDS.map((kind): [string, Place] => [kind, (contract) => contract[kind]])),
  'socket in': ({ socket }) => socket.in,
  'socket out': ({ socket }) => socket.out,
  MCP: ({ mcp }) => mcp,
  tool: ({ tool }) => tool,
  invoke: ({ invoke }) => invoke,
  field: ({ field }) => field,
};

/** An operation without the names of its parameters: operations of one shape match the same requests. */
export const shapeOf = (operation: string) => operation.replaceAll(/\{[^}+]+(\+?)\}/g, '{$1}');
