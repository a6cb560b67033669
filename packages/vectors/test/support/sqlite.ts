/** True if this Node has `node:sqlite`; the oldest supported one has not. */
export const hasSqlite: boolean = process.getBuiltinModule('node:sqlite') !== undefined;
